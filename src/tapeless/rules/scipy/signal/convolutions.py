"""Convolutions and correlations.

The adjoint of a convolution is a correlation with the other factor, of the cotangent put at its place
in the full convolution.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import signal

from tapeless.rules.declare import register_gradient, written_out
from tapeless.rules.results.signals import convolved
from tapeless.rules.traits import traits
from tapeless.runtime import conjugate, unbroadcast
from tapeless.runtime.transforms import in_full

traits(in_full, says_more=True)


@register_gradient(signal.convolve, kind=convolved)
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


@register_gradient((signal.fftconvolve, signal.oaconvolve), kind=convolved)
def signal_fftconvolve(in1: Any, in2: Any, mode: Any = "full", axes: Any = None) -> Any:
    """Along other axes than those that are given one factor may be broadcast."""
    y = signal.fftconvolve(in1, in2, mode=mode, axes=axes)

    def grad(y_bar: Any) -> Any:
        full_bar = in_full(y_bar, in1, in2, mode, axes)
        in1_bar = signal.fftconvolve(full_bar, np.flip(in2, axes), mode="valid", axes=axes)
        in2_bar = signal.fftconvolve(full_bar, np.flip(in1, axes), mode="valid", axes=axes)
        return unbroadcast(in1_bar, in1), unbroadcast(in2_bar, in2), None, None

    def jvp(in1_dot: Any, in2_dot: Any) -> Any:
        first = signal.fftconvolve(in1_dot, in2, mode=mode, axes=axes)
        return first + signal.fftconvolve(in1, in2_dot, mode=mode, axes=axes)

    return y, grad, jvp


@register_gradient(signal.correlate, kind=convolved)
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


def continued(in1: Any, in2: Any, boundary: Any, fillvalue: Any) -> Any:
    """Return an image with as much around it as the other factor reaches."""
    around = [(n - 1, n - 1) for n in np.shape(in2)]
    if boundary == "fill":
        return np.pad(in1, around, mode="constant", constant_values=fillvalue)
    if boundary == "wrap":
        return np.pad(in1, around, mode="wrap")
    return np.pad(in1, around, mode="symmetric")


def middle_of(full: Any, in1: Any, first: Any) -> Any:
    """Return the part of a full convolution that has the size of the image, from a place on."""
    rows, columns = np.shape(in1)
    return full[first[0] : first[0] + rows, first[1] : first[1] + columns]


def signal_convolve2d(
    in1: Any, in2: Any, mode: Any = "full", boundary: Any = "fill", fillvalue: Any = 0
) -> Any:
    if mode == "valid" or boundary == "fill" and fillvalue == 0:
        return signal.convolve(in1, in2, mode=mode, method="direct")
    around = continued(in1, in2, boundary, fillvalue)
    full = signal.convolve(around, in2, mode="valid", method="direct")
    rows, columns = np.shape(in2)
    return full if mode == "full" else middle_of(full, in1, ((rows - 1) // 2, (columns - 1) // 2))


def signal_correlate2d(
    in1: Any, in2: Any, mode: Any = "full", boundary: Any = "fill", fillvalue: Any = 0
) -> Any:
    """Of an even number of rows the middle lies one further on than that of `signal.correlate`."""
    if mode == "valid" or boundary == "fill" and fillvalue == 0 and mode == "full":
        return signal.correlate(in1, in2, mode=mode, method="direct")
    around = continued(in1, in2, boundary, fillvalue)
    full = signal.correlate(around, in2, mode="valid", method="direct")
    rows, columns = np.shape(in2)
    return full if mode == "full" else middle_of(full, in1, (rows // 2, columns // 2))


for _function in (signal_convolve2d, signal_correlate2d):
    written_out(getattr(signal, _function.__name__.removeprefix("signal_")), _function)
