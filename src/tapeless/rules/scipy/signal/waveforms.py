"""Waveforms in their times and in their parameters, written out."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import signal

from tapeless.errors import GradientError
from tapeless.rules.declare import built_in_zero, written_out

built_in_zero(signal.square, signal.unit_impulse)


def phase_of_chirp(t: Any, f0: Any, t1: Any, f1: Any, method: Any, vertex_zero: Any) -> Any:
    """Return the turns of a chirp, the integral of its frequency."""
    if method in ("linear", "lin", "li"):
        return f0 * t + 0.5 * (f1 - f0) / t1 * t * t
    if method in ("quadratic", "quad", "q"):
        beta = (f1 - f0) / t1**2
        if vertex_zero:
            return f0 * t + beta * t**3 / 3.0
        return f1 * t + beta * ((t1 - t) ** 3 - t1**3) / 3.0
    if method in ("logarithmic", "log", "lo"):
        if f0 * f1 <= 0.0:
            raise ValueError("For a logarithmic chirp, f0 and f1 must have the same sign.")
        rate = np.log(f1 / f0) / t1
        return f0 * t if rate == 0.0 else f0 * np.expm1(rate * t) / rate
    if method in ("hyperbolic", "hyp"):
        if f0 == 0 or f1 == 0:
            raise ValueError("For a hyperbolic chirp, f0 and f1 must be nonzero.")
        if f0 == f1:
            return f0 * t
        pole = f1 * t1 / (f1 - f0)
        return -pole * f0 * np.log(np.abs(1.0 - t / pole))
    raise ValueError(f"a chirp has no method {method!r}")


def signal_chirp(
    t: Any, f0: Any, t1: Any, f1: Any, method: Any = "linear", phi: Any = 0,
    vertex_zero: Any = True, *, complex: Any = False,
) -> Any:  # fmt: skip
    turns = phase_of_chirp(np.asarray(t), f0, t1, f1, method, vertex_zero)
    phase = 2.0 * math.pi * turns + np.deg2rad(phi)
    return np.exp(1j * phase) if complex else np.cos(phase)


def signal_gausspulse(
    t: Any, fc: Any = 1000, bw: Any = 0.5, bwr: Any = -6, tpr: Any = -60, retquad: Any = False,
    retenv: Any = False,
) -> Any:  # fmt: skip
    a = -((math.pi * fc * bw) ** 2) / (4.0 * math.log(10.0) * bwr / 20.0)
    if isinstance(t, str):
        return np.sqrt(-math.log(10.0) * tpr / 20.0 / a)
    envelope = np.exp(-a * t * t)
    wave = envelope * np.cos(2.0 * math.pi * fc * t)
    if retquad:
        other = envelope * np.sin(2.0 * math.pi * fc * t)
        return (wave, other, envelope) if retenv else (wave, other)
    return (wave, envelope) if retenv else wave


def signal_sawtooth(t: Any, width: Any = 1) -> Any:
    """The jump at whole turns has no derivative that counts."""
    t = np.asarray(t, dtype=float)
    turns = t / (2.0 * math.pi)
    place = 2.0 * (turns - np.floor(turns)) - 1.0
    rising = 0.5 * (place + 1.0) < width
    up = np.where(rising, width, 1.0)
    down = np.where(rising, 1.0, 1.0 - width)
    return np.where(rising, (place + 1.0) / up - 1.0, (width - place) / down)


def signal_sweep_poly(t: Any, poly: Any, phi: Any = 0) -> Any:
    if not isinstance(poly, (list, tuple, np.ndarray)):
        raise GradientError("sweep_poly is differentiated for coefficients", fix="give p.coeffs")
    turns = np.polyval(np.polyint(np.asarray(poly)), t)
    return np.cos(2.0 * math.pi * turns + np.deg2rad(phi))


for _function in (signal_chirp, signal_gausspulse, signal_sawtooth, signal_sweep_poly):
    written_out(getattr(signal, _function.__name__.removeprefix("signal_")), _function)
