"""Windows that a parameter shapes, written out by their formulas.

A window for spectra, `sym=False`, is one of a sample more whose last sample is left out.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import signal, special
from scipy.signal import windows

from tapeless.errors import GradientError
from tapeless.rules.declare import written_out
from tapeless.rules.reasons import no_derivative
from tapeless.rules.results import parts
from tapeless.rules.traits import traits


def windows_kaiser(M: Any, beta: Any, sym: Any = True) -> Any:
    """Return a quotient of Bessel functions."""
    if M <= 1:
        return np.ones(M)
    last = M - 1 if sym else M
    places = 2.0 * np.arange(M) / last - 1.0
    return special.i0(beta * np.sqrt(1.0 - places**2)) / special.i0(beta * 1.0)


def windows_kaiser_bessel_derived(M: Any, beta: Any, *, sym: Any = True) -> Any:
    """Return the roots of the shares of a Kaiser window, there and back."""
    if M < 1:
        return np.ones(M)
    if not sym or M % 2 == 1:
        raise ValueError("Kaiser-Bessel Derived windows are only defined for even, symmetric ones")
    sums = np.cumsum(windows_kaiser(M // 2 + 1, beta))
    half = np.sqrt(sums[:-1] / sums[-1])
    return np.concatenate((half, half[::-1]))


def windows_gaussian(M: Any, std: Any, sym: Any = True) -> Any:
    if M <= 1:
        return np.ones(M)
    places = np.arange(M) - 0.5 * (M - 1 if sym else M)
    return np.exp(-(places**2) / (2.0 * std * std))


def windows_general_gaussian(M: Any, p: Any, sig: Any, sym: Any = True) -> Any:
    if M <= 1:
        return np.ones(M)
    places = np.arange(M) - 0.5 * (M - 1 if sym else M)
    apart = np.abs(np.where(places == 0.0, 1.0, places / sig))  # 0 has no power with a slope in sig
    powers = np.where(places == 0.0, np.power(0.0, 2.0 * p), apart ** (2.0 * p))
    return np.exp(-0.5 * powers)


def windows_exponential(M: Any, center: Any = None, tau: Any = 1.0, sym: Any = True) -> Any:
    if sym and center is not None:
        raise ValueError("If sym==True, center must be None.")
    if M <= 1:
        return np.ones(M)
    middle = 0.5 * (M - 1 if sym else M) if center is None else center
    return np.exp(-np.abs(np.arange(M) - middle) / tau)


def windows_tukey(M: Any, alpha: Any = 0.5, sym: Any = True) -> Any:
    """Return a flat top between the two halves of a cosine, which take the share `alpha`."""
    if M <= 1 or alpha <= 0.0:
        return np.ones(M)
    if alpha >= 1.0:
        return windows.hann(M, sym)
    last = M - 1 if sym else M
    places = np.arange(M)
    width = int(np.floor(0.5 * alpha * last))
    from_edge = np.where(places <= width, places, last - places)
    slope = 0.5 * (1.0 + np.cos(np.pi * (2.0 * from_edge / alpha / last - 1.0)))
    return np.where((places > width) & (places < last - width), 1.0, slope)


def windows_general_cosine(M: Any, a: Any, sym: Any = True) -> Any:
    """Return a sum of cosines of whole multiples of the angle, weighed by `a`."""
    if M <= 1:
        return np.ones(M)
    angles = np.linspace(-np.pi, np.pi, M if sym else M + 1)[:M]
    return np.stack([weight for weight in a]) @ np.cos(np.outer(np.arange(len(a)), angles))


def windows_general_hamming(M: Any, alpha: Any, sym: Any = True) -> Any:
    return windows_general_cosine(M, [alpha, 1.0 - alpha], sym)


def signal_get_window(window: Any, Nx: Any, fftbins: Any = True) -> Any:
    """Make the window that a name and its parameters say, or the Kaiser window of a number."""
    if not isinstance(window, tuple):
        return windows_kaiser(Nx, window, not fftbins)
    if window[0] in ("kaiser", "ksr"):
        return windows_kaiser(Nx, window[1], not fftbins)
    if window[0] in ("gaussian", "gauss", "gss"):
        return windows_gaussian(Nx, window[1], not fftbins)
    if window[0] in ("general gaussian", "general_gaussian", "general gauss", "general_gauss"):
        return windows_general_gaussian(Nx, window[1], window[2], not fftbins)
    if window[0] in ("tukey", "tuk"):
        return windows_tukey(Nx, window[1], not fftbins)
    if window[0] in ("exponential", "poisson"):
        tau = window[2] if len(window) > 2 else 1.0
        return windows_exponential(Nx, window[1], tau, not fftbins)
    if window[0] in ("general cosine", "general_cosine"):
        return windows_general_cosine(Nx, window[1], not fftbins)
    if window[0] in ("general hamming", "general_hamming"):
        return windows_general_hamming(Nx, window[1], not fftbins)
    raise GradientError(
        "get_window is differentiated for the windows that have a formula",
        fix="take kaiser, gaussian, general_gaussian, tukey, exponential or general_hamming",
    )


for _function in (
    windows_kaiser, windows_kaiser_bessel_derived, windows_gaussian, windows_general_gaussian,
    windows_exponential, windows_tukey, windows_general_cosine, windows_general_hamming,
):  # fmt: skip
    _window = getattr(windows, _function.__name__.removeprefix("windows_"))
    written_out(_window, _function)
    traits(_window, kind=parts.window)
written_out(signal.get_window, signal_get_window)
no_derivative(
    "its samples are parts of an eigenvector, or of a transform: take kaiser or gaussian",
    windows.dpss,
    windows.chebwin,
    windows.taylor,
)
