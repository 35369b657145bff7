"""Changes of rate, and smoothing by polynomials: the adjoint changes the rate the other way."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import ndimage, signal

from tapeless.errors import GradientError
from tapeless.rules.declare import built_in_zero, register_gradient, written_out
from tapeless.rules.results.signals import (
    analytic,
    of_rank,
    rows_in_double,
    vector,
    weights,
)
from tapeless.rules.traits import traits
from tapeless.runtime import real_for_real
from tapeless.runtime.filters import resampled_bar, upfirdn_bar, upfirdn_weights_bar

traits(resampled_bar, says_more=True, kind=analytic)


@register_gradient(signal.resample, kind=of_rank(0, "x"), linear=True)
def signal_resample(x: Any, num: Any, *, axis: Any = 0, window: Any = None) -> Any:
    """By the spectrum; the adjoint is taken of that, too."""
    y = signal.resample(x, num, axis=axis, window=window)
    size = np.shape(x)[axis]

    def grad(y_bar: Any) -> Any:
        return real_for_real(resampled_bar(y_bar, size, axis, window), x), None, None, None

    return y, grad


@register_gradient(signal.upfirdn, kind=of_rank(1, "x"))
def signal_upfirdn(h: Any, x: Any, up: Any = 1, down: Any = 1, axis: Any = -1) -> Any:
    """The weights are turned round, and the rates exchanged."""
    y = signal.upfirdn(h, x, up, down, axis=axis)
    shape = np.shape(x)

    def grad(y_bar: Any) -> Any:
        h_bar = upfirdn_weights_bar(y_bar, x, len(h), up, down, axis)
        return h_bar, upfirdn_bar(h, y_bar, up, down, axis, shape), None, None, None

    def jvp(h_dot: Any, x_dot: Any) -> Any:
        moved = signal.upfirdn(h_dot, x, up, down, axis=axis)
        return moved + signal.upfirdn(h, x_dot, up, down, axis=axis)

    return y, grad, jvp


@register_gradient(upfirdn_bar, kind=of_rank(1, "y_bar"), says_more=True, shows=())
def upfirdn_bar_rule(h: Any, y_bar: Any, up: Any, down: Any, axis: Any, shape: Any) -> Any:
    """Linear in each of both."""
    x_bar = upfirdn_bar(h, y_bar, up, down, axis, shape)

    def grad(g: Any) -> Any:
        h_bar = upfirdn_weights_bar(y_bar, g, len(h), up, down, axis)
        return h_bar, signal.upfirdn(h, g, up, down, axis=axis), None, None, None, None

    def jvp(h_dot: Any, y_bar_dot: Any) -> Any:
        moved = upfirdn_bar(h_dot, y_bar, up, down, axis, shape)
        return moved + upfirdn_bar(h, y_bar_dot, up, down, axis, shape)

    return x_bar, grad, jvp


@register_gradient(upfirdn_weights_bar, kind=weights, says_more=True, shows=())
def upfirdn_weights_bar_rule(y_bar: Any, x: Any, count: Any, up: Any, down: Any, axis: Any) -> Any:
    """Linear in each of both."""
    h_bar = upfirdn_weights_bar(y_bar, x, count, up, down, axis)
    shape = np.shape(x)

    def grad(g: Any) -> Any:
        x_bar = upfirdn_bar(g, y_bar, up, down, axis, shape)
        return signal.upfirdn(g, x, up, down, axis=axis), x_bar, None, None, None, None

    def jvp(y_bar_dot: Any, x_dot: Any) -> Any:
        moved = upfirdn_weights_bar(y_bar_dot, x, count, up, down, axis)
        return moved + upfirdn_weights_bar(y_bar, x_dot, count, up, down, axis)

    return h_bar, grad, jvp


def signal_resample_poly(
    x: Any, up: Any, down: Any, axis: Any = 0, window: Any = ("kaiser", 5.0),
    padtype: Any = "constant", cval: Any = None,
) -> Any:  # fmt: skip
    if padtype not in ("constant", "mean", "minimum", "maximum", "median") or cval:
        raise GradientError(
            "resample_poly is differentiated for zeros, or a mean, around the signal"
        )
    common = math.gcd(up, down)
    up, down = up // common, down // common
    if up == 1 and down == 1:
        return np.array(x)
    rate = max(up, down)
    if isinstance(window, (str, tuple)):
        h = up * signal.firwin(20 * rate + 1, 1.0 / rate, window=window)
    else:
        h = up * window
    half = (len(h) - 1) // 2
    ahead = down - half % down
    start = (half + ahead) // down
    x = np.moveaxis(x, axis, -1)
    size = np.shape(x)[-1]
    count = -(-size * up // down)
    missing = (count + start - 1) * down + 1 - (len(h) + ahead + (size - 1) * up)
    h = np.concatenate([np.zeros(ahead), h, np.zeros(max(missing, 0))])
    level = level_of(x, padtype)
    y = signal.upfirdn(h, x - level, up, down)[..., start : start + count] + level
    return np.moveaxis(y, -1, axis)


def level_of(x: Any, padtype: Any) -> Any:
    """Return what the signal is taken to be outside."""
    if padtype == "mean":
        return np.mean(x, axis=-1, keepdims=True)
    if padtype == "median":
        return np.median(x, axis=-1, keepdims=True)
    if padtype == "minimum":
        return np.min(x, axis=-1, keepdims=True)
    if padtype == "maximum":
        return np.max(x, axis=-1, keepdims=True)
    return 0.0


def signal_decimate(
    x: Any, q: Any, n: Any = None, ftype: Any = "iir", axis: Any = -1, zero_phase: Any = True
) -> Any:
    if ftype == "fir":
        b = signal.firwin((20 * q if n is None else n) + 1, 1.0 / q, window="hamming")
        if zero_phase:
            return signal.resample_poly(x, 1, q, axis=axis, window=b)
        x = np.moveaxis(x, axis, -1)
        count = -(-np.shape(x)[-1] // q)
        return np.moveaxis(signal.upfirdn(b, x, 1, q)[..., :count], -1, axis)
    if ftype != "iir":
        raise GradientError('decimate is differentiated for ftype "iir" and "fir"')
    sos = signal.cheby1(8 if n is None else n, 0.05, 0.8 / q, output="sos")
    x = np.moveaxis(x, axis, -1)
    y = signal.sosfiltfilt(sos, x) if zero_phase else signal.sosfilt(sos, x)
    return np.moveaxis(y[..., ::q], -1, axis)


# Smoothing


def signal_savgol_filter(
    x: Any, window_length: Any, polyorder: Any, deriv: Any = 0, delta: Any = 1.0, axis: Any = -1,
    mode: Any = "interp", cval: Any = 0.0,
) -> Any:  # fmt: skip
    """A convolution; at the ends the polynomials of the first and the last whole window."""
    weights = signal.savgol_coeffs(window_length, polyorder, deriv=deriv, delta=delta)
    if mode != "interp":
        return ndimage.convolve1d(x, weights, axis=axis, mode=mode, cval=cval)
    x = np.moveaxis(x, axis, -1)
    half, size = window_length // 2, np.shape(x)[-1]
    rows = savgol_rows(window_length, polyorder, deriv, delta)
    first = x[..., :window_length] @ rows[:half].T
    inner = ndimage.convolve1d(x, weights, axis=-1, mode="constant")
    last = x[..., size - window_length :] @ rows[window_length - half :].T
    inner = inner[..., half : size - half]
    return np.moveaxis(np.concatenate([first, inner, last], axis=-1), -1, axis)


def savgol_rows(size: Any, polyorder: Any, deriv: Any, delta: Any) -> Any:
    """Return the weights of the values, or derivatives, at each place of one window."""
    places = [
        signal.savgol_coeffs(size, polyorder, deriv=deriv, delta=delta, pos=i, use="dot")
        for i in range(size)
    ]
    return np.stack(places)


built_in_zero(signal.savgol_coeffs, kind=vector)
built_in_zero(savgol_rows, kind=rows_in_double)
for _function in (signal_resample_poly, signal_decimate, signal_savgol_filter):
    written_out(getattr(signal, _function.__name__.removeprefix("signal_")), _function)
