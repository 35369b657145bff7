"""Convolutions, correlations and linear filters.

The adjoint of a convolution is a correlation with the other factor, of the cotangent put at its place
in the full convolution; that of a filter is the filter run backwards in time.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import signal

from tapeless.rules.declare import register_gradient
from tapeless.rules.traits import traits
from tapeless.runtime import conjugate
from tapeless.runtime.transforms import delayed_products, in_full

traits(delayed_products, in_full, says_more=True)


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
