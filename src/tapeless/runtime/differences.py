"""Interpolation, differences, trapezoids and convolutions along an axis, backwards.

All are linear in their values. The transpose of a difference is a difference of the padded cotangent.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeless.runtime.broadcasting import sum_to_shape, unbroadcast
from tapeless.runtime.selection import (
    add_at,
    put_at,
)


def interp_cell(x: Any, xp: Any) -> tuple[Any, Any, Any]:
    """Find where `np.interp` looks: the number of the cell, the place in it, and if x is inside.

    Examples
    --------
    >>> interp_cell(np.array([0.5, 3.0]), np.array([0.0, 1.0, 2.0]))
    (array([0, 1]), array([0.5, 2. ]), array([ True, False]))
    """
    points = np.asarray(xp)
    check_two_points(points)
    cell = np.clip(np.searchsorted(points, x, side="right") - 1, 0, len(points) - 2)
    inside = (x >= points[0]) & (x <= points[-1])
    return cell, (x - points[cell]) / interp_width(points, cell), inside


def interp_width(points: Any, cell: Any) -> Any:
    """Return how wide cells are; without end where two points are one: nothing lies between them.

    Examples
    --------
    >>> interp_width(np.array([0.0, 1.0, 1.0]), np.array([0, 1]))
    array([ 1., inf])
    """
    width = points[cell + 1] - points[cell]
    return np.where(width == 0.0, np.inf, width)


def check_two_points(xp: Any) -> None:
    """Refuse a single point: there is nothing between it and another."""
    if len(xp) < 2:
        from tapeless.errors import GradientError

        raise GradientError(
            "np.interp is differentiated between two points or more",
            fix="give two points, or take the one value itself, fp[0]",
        )


def interp_slope(x: Any, xp: Any, fp: Any) -> Any:
    """Return the derivative of ``np.interp(x, xp, fp)`` in `x`: 0 outside the points.

    Examples
    --------
    >>> interp_slope(np.array([0.5, 3.0]), np.array([0.0, 1.0, 2.0]), np.array([0.0, 4.0, 5.0]))
    array([4., 0.])
    """
    points, values = np.asarray(xp), np.asarray(fp)
    cell, _, inside = interp_cell(x, points)
    rise = values[cell + 1] - values[cell]
    return np.where(inside, rise / interp_width(points, cell), 0.0)


def interp_spread(g: Any, x: Any, xp: Any) -> Any:
    """Share `g` between the two points around each `x`: what lies outside is left out."""
    cell, place, inside = interp_cell(x, xp)
    kept = np.where(inside, g, 0.0)
    return add_at(kept * (1.0 - place), cell, np.shape(xp)) + add_at(
        kept * place, cell + 1, np.shape(xp)
    )


def interp_fp_bar(y_bar: Any, x: Any, xp: Any, left: Any, right: Any) -> Any:
    """Return the cotangent of `fp` in ``np.interp(x, xp, fp, left, right)``."""
    fp_bar = interp_spread(y_bar, x, xp)
    if left is None:
        below = np.sum(np.where(x < xp[0], y_bar, 0.0))
        fp_bar = fp_bar + put_at(below, 0, np.shape(xp))
    if right is None:
        above = np.sum(np.where(x > xp[-1], y_bar, 0.0))
        fp_bar = fp_bar + put_at(above, len(xp) - 1, np.shape(xp))
    return fp_bar


def points_around(xp: Any, fp: Any, period: Any) -> tuple[Any, Any]:
    """Return the points of ``np.interp(x, xp, fp, period=period)``, with one more at each end.

    Examples
    --------
    >>> points_around(np.array([0.5, 3.0]), np.array([1.0, 2.0]), 2.0)
    (array([-1. ,  0.5,  1. ,  2.5]), array([2., 1., 2., 1.]))
    """
    places = np.mod(np.asarray(xp), period)
    order = np.argsort(places)
    places, values = places[order], np.asarray(fp)[order]
    ends = [places[-1:] - period, places, places[:1] + period]
    return np.concatenate(ends), np.concatenate([values[-1:], values, values[:1]])


def pad_axis(g: Any, before: int, after: int, axis: int) -> Any:
    """Put zeros before and after along one axis.

    Examples
    --------
    >>> pad_axis(np.ones((1, 2)), 1, 0, 0)
    array([[0., 0.],
           [1., 1.]])
    """
    shape = np.shape(g)
    place = axis % len(shape)
    zeros = [
        np.zeros((*shape[:place], n, *shape[place + 1 :]), np.result_type(g))
        for n in (before, after)
    ]
    return np.concatenate((zeros[0], g, zeros[1]), place)


def diff_bar(y_bar: Any, shape: tuple[int, ...], n: int = 1, axis: int = -1) -> Any:
    """Return the cotangent of an array of this shape in ``np.diff(array, n, axis)``.

    Examples
    --------
    >>> diff_bar(np.array([1.0, 2.0]), (3,))
    array([-1., -1.,  2.])
    """
    if shape[axis] <= n:
        return np.zeros(shape, dtype=np.result_type(y_bar))
    return (-1) ** n * np.diff(pad_axis(y_bar, n, n, axis), n, axis)


def gradient_bar(g: Any, h: Any, axis: int, edge_order: int = 1) -> Any:
    """Transpose `np.gradient` along one axis of spacing `h`.

    Inside, ``y[i] = (f[i + 1] - f[i - 1]) / (2 h)``; at the ends a one-sided difference of the
    first or second order.
    """
    rows = np.moveaxis(g, axis, 0) / h
    inner = 0.5 * rows[1:-1]
    first, last = rows[:1], rows[-1:]
    n = len(rows)
    if edge_order == 1:
        head = np.concatenate([-first, first])
        tail = np.concatenate([-last, last])
    else:
        head = np.concatenate([-1.5 * first, 2.0 * first, -0.5 * first])
        tail = np.concatenate([0.5 * last, -2.0 * last, 1.5 * last])
    ends = pad_axis(head, 0, n - len(head), 0) + pad_axis(tail, n - len(tail), 0, 0)
    return np.moveaxis(pad_axis(inner, 2, 0, 0) - pad_axis(inner, 0, 2, 0) + ends, 0, axis)


def gradient_bars(
    y_bars: tuple[Any, ...], y: Any, spacings: tuple[Any, ...], axis: Any, edge_order: int = 1
) -> tuple[Any, list[Any]]:
    """Return the cotangents of the array and of the spacings in `np.gradient` along several axes."""
    _check_equal_distances(spacings)
    ys = y if isinstance(y, tuple) else (y,)
    axes = tuple(range(len(ys))) if axis is None else axis
    steps = spacings * len(axes) if len(spacings) == 1 else spacings or (1.0,) * len(axes)
    terms = [gradient_bar(g, h, i, edge_order) for g, h, i in zip(y_bars, steps, axes, strict=True)]
    shares = [-np.sum(g * part) / h for g, part, h in zip(y_bars, ys, steps, strict=True)]
    if len(spacings) == 1:
        shares = [sum(shares)]
    return sum(terms[1:], terms[0]), shares[: len(spacings)]


def gradient_dots(
    ys_dot: tuple[Any, ...],
    ys: tuple[Any, ...],
    spacings: tuple[Any, ...],
    changes: tuple[Any, ...],
) -> tuple[Any, ...]:
    """Add to the tangents of `np.gradient` along several axes what changes of the spacings give."""
    _check_equal_distances(spacings)
    steps, dots = spacings, changes
    if len(spacings) == 1:
        steps, dots = spacings * len(ys), changes * len(ys)
    return tuple(
        y_dot - y * h_dot / h for y_dot, y, h_dot, h in zip(ys_dot, ys, dots, steps, strict=True)
    )


UNEQUAL_DISTANCES = "np.gradient is differentiated for equal distances only"


def _check_equal_distances(spacings: tuple[Any, ...]) -> None:
    if any(np.ndim(h) != 0 for h in spacings):
        from tapeless.errors import GradientError

        raise GradientError(UNEQUAL_DISTANCES, fix="give one number per axis")


def trapezoid_y_bar(g: Any, y: Any, x: Any, dx: Any, axis: int) -> Any:
    """Return the cotangent of `y` in ``np.trapezoid(y, x, dx, axis)``."""
    if np.size(y) == 0:
        return np.zeros(np.shape(y))
    steps = trapezoid_steps(x, dx, axis)
    shape = np.shape(np.moveaxis(y, axis, -1))
    halves = np.broadcast_to(
        0.5 * np.expand_dims(g, -1) * steps, (*shape[:-1], max(shape[-1] - 1, 0))
    )
    return np.moveaxis(pad_axis(halves, 1, 0, -1) + pad_axis(halves, 0, 1, -1), -1, axis)


def trapezoid_steps_bar(g: Any, y: Any, axis: int) -> Any:
    """Return the cotangents of the widths of the trapezoids: their mean heights, axis last."""
    heights = np.moveaxis(y, axis, -1)
    return 0.5 * np.expand_dims(g, -1) * (heights[..., 1:] + heights[..., :-1])


def trapezoid_x_bar(g: Any, y: Any, x: Any, axis: int) -> Any:
    """Return the cotangent of `x` in ``np.trapezoid(y, x, axis=axis)``."""
    steps_bar = trapezoid_steps_bar(g, y, axis)
    if np.size(x) == 0:
        return np.zeros(np.shape(x))
    moved_bar = diff_bar(steps_bar, (*np.shape(steps_bar)[:-1], np.shape(steps_bar)[-1] + 1))
    if np.ndim(x) == 1:
        return sum_to_shape(moved_bar, np.shape(x))
    return unbroadcast(np.moveaxis(moved_bar, -1, axis), x)


def trapezoid_steps(x: Any, dx: Any, axis: int) -> Any:
    """Return the widths of the trapezoids, along the last axis."""
    if x is None:
        return dx
    if np.ndim(x) == 1:
        return np.diff(x)
    return np.moveaxis(np.diff(x, axis=axis), axis, -1)


def convolve_full_bar(y_bar: Any, n: int, m: int, mode: str = "full", flipped: bool = False) -> Any:
    """Fill up the cotangent of a convolution of lengths n and m to that of the full one."""
    if mode == "full":
        return y_bar
    short = min(n, m)
    before = short - 1 if mode == "valid" else (short - 1) // 2
    if mode == "same" and flipped:
        before = short // 2
    return np.pad(y_bar, (before, n + m - 1 - np.size(y_bar) - before))


def uneven_gradient(f: Any, x: Any, axis: int = 0, edge_order: int = 1) -> Any:
    """Return ``np.gradient(f, x, axis=axis)`` at places `x` whose distances differ.

    The formula is that of NumPy: of second order inside, one-sided at the ends.

    Examples
    --------
    >>> uneven_gradient(np.array([0.0, 1.0, 9.0]), np.array([0.0, 1.0, 3.0]))
    array([1., 2., 4.])
    """
    rows = np.moveaxis(f, axis, -1)
    steps = np.diff(x)
    left, right = steps[:-1], steps[1:]
    a = -right / (left * (left + right))
    b = (right - left) / (left * right)
    c = left / (right * (left + right))
    inner = a * rows[..., :-2] + b * rows[..., 1:-1] + c * rows[..., 2:]
    if edge_order == 1:
        first = (rows[..., 1] - rows[..., 0]) / steps[0]
        last = (rows[..., -1] - rows[..., -2]) / steps[-1]
    else:
        h, k = steps[0], steps[1]
        first = (
            -(2.0 * h + k) / (h * (h + k)) * rows[..., 0]
            + (h + k) / (h * k) * rows[..., 1]
            - h / (k * (h + k)) * rows[..., 2]
        )
        h, k = steps[-2], steps[-1]
        last = (
            k / (h * (h + k)) * rows[..., -3]
            - (k + h) / (h * k) * rows[..., -2]
            + (2.0 * k + h) / (k * (h + k)) * rows[..., -1]
        )
    ends = [np.expand_dims(first, -1), inner, np.expand_dims(last, -1)]
    return np.moveaxis(np.concatenate(ends, axis=-1), -1, axis)


def extended(a: Any, before: Any, after: Any, axis: int = -1) -> Any:
    """Put values before and after an array along an axis, as `np.diff` does; None for nothing.

    Examples
    --------
    >>> extended(np.array([1.0, 2.0]), 0.0, None)
    array([0., 1., 2.])
    """
    if before is None:
        return np.concatenate([a, edge_of(after, a, axis)], axis=axis)
    first = edge_of(before, a, axis)
    if after is None:
        return np.concatenate([first, a], axis=axis)
    return np.concatenate([first, a, edge_of(after, a, axis)], axis=axis)


def edge_of(value: Any, a: Any, axis: int) -> Any:
    """Spread a number over one slice of an array; an array stays as it is."""
    if np.ndim(value) == 0:
        return np.full_like(np.take(a, [0], axis=axis), value)
    return value
