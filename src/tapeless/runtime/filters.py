"""Linear filters run backwards in time, what is put before and after a signal, and changes of rate.

A filter solves ``a * y == b * x`` for `y`, with convolutions for products. The adjoint solves the same
equation from the last sample to the first. The state that is handed on from one piece of a signal to the
next is a part of either side: what came before goes on the right, what is left over is the state.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import signal

from tapeless.errors import GradientError
from tapeless.runtime.broadcasting import unbroadcast
from tapeless.runtime.fourier import fitted


def filtered_back(b: Any, a: Any, y_bar: Any, axis: Any) -> Any:
    """Run a filter backwards in time.

    Examples
    --------
    >>> filtered_back([1.0], [1.0, -0.5], np.array([0.0, 0.0, 4.0]), -1)
    array([1., 2., 4.])
    """
    return np.flip(signal.lfilter(b, a, np.flip(y_bar, axis), axis=axis), axis)


def delayed_products(g: Any, x: Any, count: int, axis: int) -> Any:
    """Return the inner products of `g` with `x` delayed by 0, 1, ... places along an axis.

    Examples
    --------
    >>> delayed_products(np.array([1.0, 1.0, 1.0]), np.array([1.0, 2.0, 3.0]), 2, -1)
    array([6., 3.])
    >>> delayed_products(np.array([1.0, 1.0, 2.0]), np.array([1.0, 2.0]), 2, -1)
    array([3., 5.])
    """
    g, x = np.moveaxis(g, axis, -1), np.moveaxis(x, axis, -1)
    size, both = np.shape(x)[-1], np.shape(g)[-1]
    return np.array(
        [np.sum(g[..., k : k + size] * x[..., : max(both - k, 0)]) for k in range(count)]
    )


def extended_by(x: Any, count: int) -> Any:
    """Append zeros along the last axis."""
    return np.concatenate([x, np.zeros((*np.shape(x)[:-1], count), np.result_type(x))], axis=-1)


def bars_with_state(
    y_bar: Any, zf_bar: Any, b: Any, a: Any, x: Any, y: Any, zi: Any, zf: Any, axis: Any
) -> Any:
    """Return the cotangents of `b`, `a`, `x` and `zi` in ``y, zf = lfilter(b, a, x, axis, zi)``.

    They are those of ``a * y == b * x + a[0] * zi``, of which the last samples say `zf`.
    """
    one = np.ones_like(a, shape=(1,))
    shapes, b, a = (np.shape(b), np.shape(a)), np.atleast_1d(b), np.atleast_1d(a)
    size, order = np.shape(x)[axis], np.shape(zi)[axis]
    left = np.flip(np.moveaxis(zf_bar, axis, -1) / a[0], -1)
    turned = np.flip(np.moveaxis(y_bar, axis, -1), -1)
    known = np.concatenate([signal.lfilter(a, one, left), turned], axis=-1)
    pulled = np.flip(signal.lfilter(one, a, known), -1)
    x_bar = np.moveaxis(filtered_back(b, one, pulled, -1)[..., :size], -1, axis)
    zi_bar = np.moveaxis(pulled[..., :order], -1, axis)
    b_bar = delayed_products(pulled, np.moveaxis(x, axis, -1), len(b), -1)
    a_bar = -delayed_products(pulled, np.moveaxis(y, axis, -1), len(a), -1)
    scale_bar = np.sum(zi * zi_bar) - np.sum(zf * zf_bar) / a[0]
    a_bar = a_bar + scale_bar * (np.arange(len(a)) == 0)
    b_bar, a_bar = np.reshape(b_bar, shapes[0]), np.reshape(a_bar, shapes[1])
    return b_bar, a_bar, x_bar, unbroadcast(a[0] * zi_bar, zi)


def dots_with_state(
    b_dot: Any, a_dot: Any, x_dot: Any, zi_dot: Any, b: Any, a: Any, x: Any, y: Any, zi: Any,
    zf: Any, axis: Any,
) -> Any:  # fmt: skip
    """Return the tangents of ``y, zf = lfilter(b, a, x, axis, zi)``."""
    one = np.ones_like(a, shape=(1,))
    a, a_dot = np.atleast_1d(a), np.atleast_1d(a_dot)
    size, order = np.shape(x)[axis], np.shape(zi)[axis]
    moved = signal.lfilter(b_dot, one, extended_by(np.moveaxis(x, axis, -1), order))
    moved = moved + signal.lfilter(b, one, extended_by(np.moveaxis(x_dot, axis, -1), order))
    moved = moved - signal.lfilter(a_dot, one, extended_by(np.moveaxis(y, axis, -1), order))
    started = np.moveaxis(a[0] * zi_dot + a_dot[0] * zi, axis, -1)
    started = np.broadcast_to(started, (*np.shape(moved)[:-1], order))
    moved = moved + extended_by(started, size)
    y_dot = signal.lfilter(one, a, moved[..., :size])
    rest = moved - signal.lfilter(a, one, extended_by(y_dot, order))
    zf_dot = np.moveaxis(rest[..., size:], -1, axis) / a[0] - zf * (a_dot[0] / a[0])
    return np.moveaxis(y_dot, -1, axis), zf_dot


# Sections of second order


def sections_bar(y_bar: Any, sos: Any, x: Any, axis: Any) -> Any:
    """Return the cotangent of the coefficients in ``sosfilt(sos, x, axis)``."""
    signals = [x]
    for k in range(len(sos)):
        signals.append(signal.lfilter(sos[k, :3], sos[k, 3:], signals[k], axis=axis))
    bars, one = [], np.ones_like(sos[0, :1])
    for k in range(len(sos) - 1, -1, -1):
        pulled = filtered_back(one, sos[k, 3:], y_bar, axis)
        b_bar = delayed_products(pulled, signals[k], 3, axis)
        a_bar = -delayed_products(pulled, signals[k + 1], 3, axis)
        bars.append(np.concatenate([b_bar, a_bar]))
        y_bar = filtered_back(sos[k, :3], one, pulled, axis)
    return np.stack(bars[::-1])


def sections_bars_with_state(
    y_bar: Any, zf_bar: Any, sos: Any, x: Any, zi: Any, zf: Any, axis: Any
) -> Any:
    """Return the cotangents of `sos`, `x` and `zi` in ``y, zf = sosfilt(sos, x, axis, zi)``."""
    signals = [x]
    for k in range(len(sos)):
        signals.append(signal.lfilter(sos[k, :3], sos[k, 3:], signals[k], axis=axis, zi=zi[k])[0])
    bars, starts = [], []
    for k in range(len(sos) - 1, -1, -1):
        b_bar, a_bar, y_bar, start = bars_with_state(
            y_bar, zf_bar[k], sos[k, :3], sos[k, 3:], signals[k], signals[k + 1], zi[k], zf[k], axis
        )
        bars.append(np.concatenate([b_bar, a_bar]))
        starts.append(start)
    return np.stack(bars[::-1]), y_bar, np.stack(starts[::-1])


def sections_dots(sos_dot: Any, x_dot: Any, sos: Any, x: Any, axis: Any) -> Any:
    """Return the tangent of ``sosfilt(sos, x, axis)``."""
    one = np.ones_like(sos[0, :1])
    for k in range(len(sos)):
        y = signal.lfilter(sos[k, :3], sos[k, 3:], x, axis=axis)
        moved = signal.lfilter(sos_dot[k, :3], one, x, axis=axis)
        moved = moved + signal.lfilter(sos[k, :3], one, x_dot, axis=axis)
        moved = moved - signal.lfilter(sos_dot[k, 3:], one, y, axis=axis)
        x, x_dot = y, signal.lfilter(one, sos[k, 3:], moved, axis=axis)
    return x_dot


def sections_dots_with_state(
    sos_dot: Any, x_dot: Any, zi_dot: Any, sos: Any, x: Any, zi: Any, axis: Any
) -> Any:
    """Return the tangents of ``y, zf = sosfilt(sos, x, axis, zi)``."""
    ends = []
    for k in range(len(sos)):
        b, a = sos[k, :3], sos[k, 3:]
        y, zf = signal.lfilter(b, a, x, axis=axis, zi=zi[k])
        x_dot, zf_dot = dots_with_state(
            sos_dot[k, :3], sos_dot[k, 3:], x_dot, zi_dot[k], b, a, x, y, zi[k], zf, axis
        )
        ends.append(zf_dot)
        x = y
    return x_dot, np.stack(ends)


# What is put around a signal


def surrounded(x: Any, count: int, axis: Any, padtype: Any) -> Any:
    """Put `count` samples before and after a signal: turned round its ends, mirrored, or constant.

    Examples
    --------
    >>> surrounded(np.array([1.0, 2.0, 4.0]), 1, -1, "odd")
    array([0., 1., 2., 4., 6.])
    """
    if padtype is None or count == 0:
        return x
    x = np.moveaxis(x, axis, -1)
    size = np.shape(x)[-1]
    if size <= count:
        raise GradientError(f"the signal has to be longer than what is put around it, {count}")
    first, last = x[..., :1], x[..., -1:]
    if padtype == "constant":
        before, after = np.repeat(first, count, axis=-1), np.repeat(last, count, axis=-1)
    else:
        before = np.flip(x[..., 1 : count + 1], -1)
        after = np.flip(x[..., size - 1 - count : size - 1], -1)
    if padtype == "odd":
        before, after = 2.0 * first - before, 2.0 * last - after
    return np.moveaxis(np.concatenate([before, x, after], axis=-1), -1, axis)


# Changes of rate


def resampled_bar(y_bar: Any, size: int, axis: Any, window: Any) -> Any:
    """Return the cotangent of a signal of this size from that of ``resample(x, num, axis=axis)``.

    Of the spectrum the frequencies are kept that both have; one at the edge, where the larger has two,
    stands for both.
    """
    spectrum = np.moveaxis(np.fft.fft(y_bar, axis=axis), axis, -1)
    num = np.shape(spectrum)[-1]
    kept = min(num, size)
    half = kept // 2
    parts = [spectrum[..., : (kept + 1) // 2]]
    if kept % 2 == 0:
        edge = spectrum[..., half : half + 1]
        if num > size:
            parts.append(0.5 * (edge + spectrum[..., num - half : num - half + 1]))
        elif num < size:
            parts += [edge, np.zeros((*np.shape(edge)[:-1], size - num - 1), edge.dtype), edge]
        else:
            parts.append(edge)
    elif num < size:
        parts.append(np.zeros((*np.shape(spectrum)[:-1], size - num), spectrum.dtype))
    parts.append(spectrum[..., num - (kept - 1) // 2 :])
    found = np.concatenate(parts, axis=-1)
    if window is not None:
        found = found * window_of_spectrum(window, size).astype(np.real(y_bar).dtype)
    return np.moveaxis(np.fft.ifft(found, axis=-1), -1, axis)


def window_of_spectrum(window: Any, size: int) -> Any:
    """Return by how much each frequency is weighed, as `resample` does."""
    if callable(window):
        return window(np.fft.fftfreq(size))
    if isinstance(window, np.ndarray):
        return window
    return np.fft.ifftshift(signal.get_window(window, size))


def upfirdn_bar(h: Any, y_bar: Any, up: int, down: int, axis: Any, shape: Any) -> Any:
    """Return the cotangent of `x` in ``upfirdn(h, x, up, down)``: the rates change places.

    Examples
    --------
    >>> upfirdn_bar(np.array([1.0, 2.0]), np.array([3.0]), 1, 2, -1, (2,))
    array([3., 0.])
    """
    ahead = -(len(h) - 1) % up
    turned = np.concatenate([np.zeros(ahead, np.result_type(h)), h[::-1]])
    skipped = (len(h) - 1 + ahead) // up
    found = np.moveaxis(signal.upfirdn(turned, y_bar, down, up, axis=axis), axis, -1)[..., skipped:]
    size = (*np.shape(found)[:-1], shape[axis])
    return np.moveaxis(fitted(found, size), -1, axis)


def upfirdn_weights_bar(y_bar: Any, x: Any, count: int, up: int, down: int, axis: Any) -> Any:
    """Return the cotangent of `h` in ``upfirdn(h, x, up, down)``, of `count` weights."""
    spread = spread_out(np.moveaxis(y_bar, axis, -1), down)
    return delayed_products(spread, spread_out(np.moveaxis(x, axis, -1), up), count, -1)


def spread_out(x: Any, rate: int) -> Any:
    """Put zeros between the samples.

    Examples
    --------
    >>> spread_out(np.array([1.0, 2.0]), 3)
    array([1., 0., 0., 2.])
    """
    y = np.zeros((*np.shape(x)[:-1], (np.shape(x)[-1] - 1) * rate + 1), np.result_type(x))
    y[..., ::rate] = x
    return y
