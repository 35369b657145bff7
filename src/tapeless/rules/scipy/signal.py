"""Convolutions, correlations and linear filters.

The adjoint of a convolution is a correlation with the other factor, of the cotangent put at its place
in the full convolution; that of a filter is the filter run backwards in time.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import signal

from tapeless.errors import GradientError
from tapeless.rules.declare import register_gradient, written_out
from tapeless.rules.traits import traits
from tapeless.runtime import conjugate
from tapeless.runtime.transforms import delayed_products, in_full

traits(delayed_products, in_full, says_more=True)
_BOUNDARY = "convolutions in two dimensions are differentiated for a boundary of zeros"


@register_gradient(signal.convolve)
def signal_convolve(in1: Any, in2: Any, mode: Any = "full", method: Any = "auto") -> Any:
    y = signal.convolve(in1, in2, mode=mode, method=method)

    def grad(y_bar: Any) -> Any:
        full_bar = in_full(y_bar, in1, in2, mode)
        in1_bar = signal.correlate(full_bar, conjugate(in2), mode="valid", method=method)
        in2_bar = signal.correlate(full_bar, conjugate(in1), mode="valid", method=method)
        return in1_bar, in2_bar, None, None

    def jvp(in1_dot: Any, in2_dot: Any) -> Any:
        first = signal.convolve(in1_dot, in2, mode=mode, method=method)
        return first + signal.convolve(in1, in2_dot, mode=mode, method=method)

    return y, grad, jvp


@register_gradient((signal.fftconvolve, signal.oaconvolve))
def signal_fftconvolve(in1: Any, in2: Any, mode: Any = "full") -> Any:
    y = signal.fftconvolve(in1, in2, mode=mode)

    def grad(y_bar: Any) -> Any:
        full_bar = in_full(y_bar, in1, in2, mode)
        in1_bar = signal.correlate(full_bar, conjugate(in2), mode="valid", method="fft")
        in2_bar = signal.correlate(full_bar, conjugate(in1), mode="valid", method="fft")
        return in1_bar, in2_bar, None

    def jvp(in1_dot: Any, in2_dot: Any) -> Any:
        first = signal.fftconvolve(in1_dot, in2, mode=mode)
        return first + signal.fftconvolve(in1, in2_dot, mode=mode)

    return y, grad, jvp


@register_gradient(signal.correlate)
def signal_correlate(in1: Any, in2: Any, mode: Any = "full", method: Any = "auto") -> Any:
    """A convolution with the second factor conjugated and turned round."""
    y = signal.correlate(in1, in2, mode=mode, method=method)

    def grad(y_bar: Any) -> Any:
        full_bar = in_full(y_bar, in1, in2, mode)
        in1_bar = signal.convolve(full_bar, in2, mode="valid", method=method)
        turned = signal.correlate(full_bar, conjugate(in1), mode="valid", method=method)
        return in1_bar, conjugate(np.flip(turned)), None, None

    def jvp(in1_dot: Any, in2_dot: Any) -> Any:
        first = signal.correlate(in1_dot, in2, mode=mode, method=method)
        return first + signal.correlate(in1, in2_dot, mode=mode, method=method)

    return y, grad, jvp


@register_gradient(signal.lfilter)
def signal_lfilter(b: Any, a: Any, x: Any, axis: Any = -1) -> Any:
    """Here a * y = b * x as convolutions, so a * dy = db * x + b * dx - da * y."""
    y = signal.lfilter(b, a, x, axis=axis)
    one = np.ones_like(a[:1])

    def grad(y_bar: Any) -> Any:
        pulled = np.flip(signal.lfilter(one, a, np.flip(y_bar, axis), axis=axis), axis)
        x_bar = np.flip(signal.lfilter(b, one, np.flip(pulled, axis), axis=axis), axis)
        b_bar = delayed_products(pulled, x, len(b), axis)
        return b_bar, -delayed_products(pulled, y, len(a), axis), x_bar, None

    def jvp(b_dot: Any, a_dot: Any, x_dot: Any) -> Any:
        moved = signal.lfilter(b_dot, one, x, axis=axis)
        moved = moved + signal.lfilter(b, one, x_dot, axis=axis)
        moved = moved - signal.lfilter(a_dot, one, y, axis=axis)
        return signal.lfilter(one, a, moved, axis=axis)

    return y, grad, jvp


# What is made of these, and of Fourier transforms


def signal_convolve2d(
    in1: Any, in2: Any, mode: Any = "full", boundary: Any = "fill", fillvalue: Any = 0
) -> Any:
    if boundary != "fill" or fillvalue != 0:
        raise GradientError(_BOUNDARY)
    return signal.convolve(in1, in2, mode=mode, method="direct")


def signal_correlate2d(
    in1: Any, in2: Any, mode: Any = "full", boundary: Any = "fill", fillvalue: Any = 0
) -> Any:
    if boundary != "fill" or fillvalue != 0:
        raise GradientError(_BOUNDARY)
    return signal.correlate(in1, in2, mode=mode, method="direct")


def signal_detrend(
    data: Any, axis: Any = -1, type: Any = "linear", bp: Any = 0, overwrite_data: Any = False
) -> Any:
    """What is left of a fit by a constant, or by a line."""
    if np.ndim(bp) != 0 or bp != 0 or overwrite_data:
        raise GradientError("detrend is differentiated for one line, without bp and overwrite_data")
    if type in ("constant", "c"):
        return data - np.mean(data, axis=axis, keepdims=True)
    x = np.moveaxis(data, axis, -1)
    size = np.shape(x)[-1]
    t = np.arange(size) - 0.5 * (size - 1)
    slope = np.sum(x * t, axis=-1, keepdims=True) / np.sum(t * t)
    return np.moveaxis(x - np.mean(x, axis=-1, keepdims=True) - slope * t, -1, axis)


def signal_hilbert(x: Any, N: Any = None, axis: Any = -1) -> Any:
    """The signal without its negative frequencies."""
    size = np.shape(x)[axis] if N is None else N
    kept = np.zeros(size)
    kept[0] = 1.0
    kept[1 : (size + 1) // 2] = 2.0
    if size % 2 == 0:
        kept[size // 2] = 1.0
    spectrum = np.moveaxis(np.fft.fft(x, n=size, axis=axis), axis, -1) * kept
    return np.fft.ifft(np.moveaxis(spectrum, -1, axis), axis=axis)


for _function in (signal_convolve2d, signal_correlate2d, signal_detrend, signal_hilbert):
    written_out(getattr(signal, _function.__name__.removeprefix("signal_")), _function)
