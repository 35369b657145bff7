"""Selection: entries chosen by conditions, indices or their order, and differences of neighbours.

What chooses (a condition, an index, an order) is piecewise constant and has no derivative. The
cotangent of an entry goes to the place that it was taken from; entries that were not taken get 0.
Below stand the linear functions of neighbouring entries: differences, integrals, convolutions.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeless.errors import GradientError
from tapeless.rules.declare import built_in_zero, register_gradient
from tapeless.rules.results import creation, joins, parts, places, shapes
from tapeless.rules.traits import traits
from tapeless.runtime import (
    UNEQUAL_DISTANCES,
    add_at,
    along_axis,
    check_two_points,
    choice_bars,
    conjugate,
    convolve_full_bar,
    diagonal_places,
    diff_bar,
    flat_places,
    gradient_bar,
    gradient_bars,
    gradient_dots,
    interp_fp_bar,
    interp_slope,
    interp_spread,
    partition_order,
    put_at,
    shares_of_equal,
    trapezoid_steps_bar,
    trapezoid_x_bar,
    trapezoid_y_bar,
    unbroadcast,
)


@register_gradient(np.where, kind=places.where, selects=True)
def np_where(condition: Any, /, *choices: Any) -> Any:
    """Each entry goes to the operand that it came from; the form with one argument is constant."""
    value = np.where(condition, *choices)

    def grad(value_bar: Any) -> Any:
        if len(choices) == 0:
            return (None,)
        chosen_bar = unbroadcast(np.where(condition, value_bar, 0.0), choices[0])
        return None, chosen_bar, unbroadcast(np.where(condition, 0.0, value_bar), choices[1])

    def jvp(*choices_dot: Any) -> Any:
        return np.where(condition, choices_dot[0], choices_dot[1])

    return value, grad, jvp


@register_gradient((np.take, np.ndarray.take), kind=parts.picked, selects=True, linear=True)
def np_take(a: Any, indices: Any, axis: Any = None, out: None = None, mode: Any = "raise") -> Any:
    """The cotangents are added where they were read."""
    y = np.take(a, indices, axis=axis, mode=mode)
    shape = np.shape(a)

    def grad(y_bar: Any) -> Any:
        if axis is None and mode == "raise":
            return add_at(y_bar, indices, shape), None, None, None, None
        places = np.take(flat_places(shape), indices, axis=axis, mode=mode)
        return add_at(y_bar, places, shape), None, None, None, None

    return y, grad


@register_gradient(np.take_along_axis, kind=shapes.taken_along, selects=True, linear=True)
def np_take_along_axis(arr: Any, indices: Any, axis: Any = -1) -> Any:
    """The cotangents are added where they were read."""
    y = np.take_along_axis(arr, indices, axis=axis)
    shape = np.shape(arr)

    def grad(y_bar: Any) -> Any:
        places = np.take_along_axis(flat_places(shape), indices, axis=axis)
        return add_at(y_bar, places, shape), None, None

    return y, grad


@register_gradient(
    (np.choose, np.ndarray.choose), kind=joins.chosen, takes_sequences=True, selects=True,
    linear=("choices",),
)  # fmt: skip
def np_choose(a: Any, choices: Any, out: None = None, mode: Any = "raise") -> Any:
    """Each entry goes to the choice that it came from."""
    y = np.choose(a, choices, mode=mode)

    def grad(y_bar: Any) -> Any:
        chosen = a if mode == "raise" else np.choose(a, np.arange(len(choices)), mode=mode)
        return None, choice_bars(y_bar, chosen, choices), None, None

    return y, grad


@register_gradient(
    np.select,
    kind=parts.mixed,
    takes_sequences=True,
    selects=True,
    linear=("choicelist", "default"),
)
def np_select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    """Each entry goes to the choice of the first condition that holds, or to the default."""
    y = np.select(condlist, choicelist, default)

    def grad(y_bar: Any) -> Any:
        chosen = np.select(condlist, list(range(len(condlist))), -1)
        default_bar = unbroadcast(np.where(chosen == -1, y_bar, 0.0), default)
        return None, choice_bars(y_bar, chosen, choicelist), default_bar

    return y, grad


@register_gradient(np.compress, kind=parts.compressed(1), selects=True, linear=("a",))
def np_compress(condition: Any, a: Any, axis: Any = None, out: None = None) -> Any:
    """The cotangents go back to where the condition held."""
    y = np.compress(condition, a, axis=axis)
    shape = np.shape(a)

    def grad(y_bar: Any) -> Any:
        places = np.compress(condition, flat_places(shape), axis=axis)
        return None, put_at(y_bar, places, shape), None, None

    return y, grad


@register_gradient(np.ndarray.compress, kind=parts.compressed(0), selects=True, linear=True)
def array_compress(a: Any, condition: Any, axis: Any = None, out: None = None) -> Any:
    """As `np.compress`, with the array first."""
    y = a.compress(condition, axis=axis)
    shape = np.shape(a)

    def grad(y_bar: Any) -> Any:
        places = np.compress(condition, flat_places(shape), axis=axis)
        return put_at(y_bar, places, shape), None, None, None

    return y, grad


@register_gradient(np.extract, kind=parts.extracted, selects=True, linear=("arr",))
def np_extract(condition: Any, arr: Any) -> Any:
    """The cotangents go back to where the condition held."""
    y = np.extract(condition, arr)
    shape = np.shape(arr)

    def grad(y_bar: Any) -> Any:
        return None, put_at(y_bar, np.extract(condition, flat_places(shape)), shape)

    return y, grad


@register_gradient(np.sort, kind=shapes.kept_along(1))
def np_sort(
    a: Any, axis: Any = -1, kind: Any = None, order: None = None, *, stable: Any = None
) -> Any:
    """The cotangents go back to where the sorted entries stood."""
    y = np.sort(a, axis=axis, kind=kind, stable=stable)
    shape = np.shape(a)

    def grad(y_bar: Any) -> Any:
        sorting = np.argsort(a, axis=axis, kind=kind)
        places = np.take_along_axis(flat_places(shape), sorting, axis=axis)
        return put_at(y_bar, places, shape), None, None, None, None

    def jvp(a_dot: Any) -> Any:
        return np.take_along_axis(a_dot, np.argsort(a, axis=axis, kind=kind), axis=axis)

    return y, grad, jvp


@register_gradient(np.sort_complex, kind=shapes.sorted_complex)
def np_sort_complex(a: Any) -> Any:
    """As `sort` along the last axis, as complex numbers."""
    y = np.sort_complex(a)
    shape = np.shape(a)
    real = not np.iscomplexobj(a)

    def grad(y_bar: Any) -> Any:
        places = np.take_along_axis(flat_places(shape), np.argsort(a), axis=-1)
        return put_at(np.real(y_bar) if real else y_bar, places, shape)

    def jvp(a_dot: Any) -> Any:
        return np.take_along_axis(a_dot, np.argsort(a), axis=-1) + 0j

    return y, grad, jvp


@register_gradient(np.partition, kind=shapes.same_shape, selects=True)
def np_partition(
    a: Any, kth: Any, axis: Any = -1, kind: Any = "introselect", order: None = None
) -> Any:
    """The cotangents go back to where the entries stood."""
    y = np.partition(a, kth, axis=axis, kind=kind)
    shape = np.shape(a)

    def grad(y_bar: Any) -> Any:
        order = partition_order(y, a, kth, axis)
        places = np.take_along_axis(flat_places(shape), order, axis=axis)
        return put_at(y_bar, places, shape), None, None, None, None

    def jvp(a_dot: Any) -> Any:
        return np.take_along_axis(a_dot, partition_order(y, a, kth, axis), axis=axis)

    return y, grad, jvp


traits(np.setdiff1d, kind=parts.flat)
traits(np.intersect1d, np.union1d, kind=parts.common)


@register_gradient(np.unique, kind=shapes.different)
def np_unique(
    ar: Any, return_index: Any = False, return_inverse: Any = False, return_counts: Any = False,
    axis: Any = None, *, equal_nan: Any = True, sorted: Any = True,
) -> Any:  # fmt: skip
    """Entries that are equal share the cotangent of the one that stands for them."""
    if not sorted:
        raise GradientError("np.unique is differentiated where it sorts", fix="leave out sorted")
    y = np.unique(ar, return_index, return_inverse, return_counts, axis, equal_nan=equal_nan)
    alone = isinstance(y, np.ndarray)
    values = y if alone else y[0]

    def grad(*y_bars: Any) -> Any:
        if axis is not None:
            moved = np.moveaxis(y_bars[0], axis, -1) @ shares_of_equal(ar, axis)
            return np.moveaxis(moved, -1, axis), None, None, None, None, None, None
        group = np.searchsorted(values, ar)
        shared = y_bars[0] / np.bincount(np.ravel(group)).astype(y_bars[0].dtype)
        return shared[group], None, None, None, None, None, None

    def jvp(ar_dot: Any) -> Any:
        if axis is not None:
            moved = np.moveaxis(ar_dot, axis, -1) @ shares_of_equal(ar, axis).T
            shared = np.moveaxis(moved, -1, axis)
            return shared if alone else (shared, *y[1:])
        group = np.ravel(np.searchsorted(values, ar))
        sums = np.bincount(group, np.ravel(ar_dot)).astype(values.dtype)
        if alone:
            return sums / np.bincount(group)
        return sums / np.bincount(group), *y[1:]

    return y, grad, jvp


built_in_zero(check_two_points, partition_order, diagonal_places, along_axis)
built_in_zero(shares_of_equal, kind=creation.table)


@register_gradient(np.ndarray.item, kind=shapes.item, selects=True, linear=True)
def array_item(a: Any, /, *args: Any) -> Any:
    """One entry as a Python number."""
    y = a.item(*args)
    shape = np.shape(a)
    dtype = a.dtype

    def grad(y_bar: Any) -> Any:
        a_bar = put_at(np.asarray(y_bar, dtype), flat_places(shape).item(*args), shape)
        if len(args) == 0:
            return a_bar
        return (a_bar, *(None,) * len(args))

    return y, grad


@register_gradient(np.ndarray.tolist, kind=parts.listed, linear=True)
def array_tolist(a: Any, /) -> Any:
    """The entries as nested lists of Python numbers: the nested cotangents make an array again."""
    y = a.tolist()
    shape = np.shape(a)
    dtype = a.dtype

    def grad(y_bar: Any) -> Any:
        return np.reshape(np.asarray(y_bar, dtype), shape)

    return y, grad


# Functions of neighbours


@register_gradient(np.interp, kind=parts.interpolated, selects=True)
def np_interp(
    x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None
) -> Any:
    """Here y = fp[i] (1 - t) + fp[i + 1] t with t = (x - xp[i]) / (xp[i + 1] - xp[i]).

    Moving both points of a cell with x changes nothing, so the cotangents of xp are those of x,
    shared like those of fp, with the opposite sign.
    """
    if period is not None:
        raise GradientError(
            "np.interp with a period is differentiated where it is called by its name",
            fix="call np.interp itself, not something that stands for it",
        )
    y = np.interp(x, xp, fp, left=left, right=right)

    def grad(y_bar: Any) -> Any:
        x_bar = y_bar * interp_slope(x, xp, fp)
        xp_bar = -interp_spread(x_bar, x, xp)
        fp_bar = interp_fp_bar(y_bar, x, xp, left, right)
        left_bar = None if left is None else np.sum(np.where(x < xp[0], y_bar, 0.0))
        right_bar = None if right is None else np.sum(np.where(x > xp[-1], y_bar, 0.0))
        return x_bar, xp_bar, fp_bar, left_bar, right_bar, None

    def jvp(
        x_dot: Any, xp_dot: Any, fp_dot: Any, left_dot: Any = None, right_dot: Any = None
    ) -> Any:
        moved = np.interp(x, xp, xp_dot, left=0.0, right=0.0)
        below = left_dot if left is not None else None
        above = right_dot if right is not None else None
        raised = np.interp(x, xp, fp_dot, left=below, right=above)
        return raised + interp_slope(x, xp, fp) * (x_dot - moved)

    return y, grad, jvp


@register_gradient(
    np.diff, kind=shapes.unchanged_by(0, 1, "n", shapes.differences), view="sometimes", linear=True
)
def np_diff(a: Any, n: Any = 1, axis: Any = -1) -> Any:
    """Here y[i] = a[i + 1] - a[i], so a_bar[i] = y_bar[i - 1] - y_bar[i], 0 beyond the ends."""
    y = np.diff(a, n=n, axis=axis)
    shape = np.shape(a)

    def grad(y_bar: Any) -> Any:
        return diff_bar(y_bar, shape, n, axis), None, None

    return y, grad


@register_gradient(np.ediff1d, kind=parts.flat)
def np_ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Any:
    """As `diff` of the raveled array, between what is put before and after."""
    y = np.ediff1d(ary, to_end=to_end, to_begin=to_begin)
    shape = np.shape(ary)
    start = 0 if to_begin is None else np.size(to_begin)
    stop = np.size(y) if to_end is None else np.size(y) - np.size(to_end)

    def grad(y_bar: Any) -> Any:
        inner = diff_bar(y_bar[start:stop], (np.prod(shape, dtype=int),))
        to_end_bar = None if to_end is None else np.reshape(y_bar[stop:], np.shape(to_end))
        to_begin_bar = None if to_begin is None else np.reshape(y_bar[:start], np.shape(to_begin))
        return np.reshape(inner, shape), to_end_bar, to_begin_bar

    def jvp(ary_dot: Any, to_end_dot: Any = None, to_begin_dot: Any = None) -> Any:
        end_dot = None if to_end is None else to_end_dot
        return np.ediff1d(ary_dot, end_dot, None if to_begin is None else to_begin_dot)

    return y, grad, jvp


@register_gradient(np.gradient, kind=parts.slopes)
def np_gradient(f: Any, /, *varargs: Any, axis: Any = None, edge_order: Any = 1) -> Any:
    """Central differences, for spacings that are numbers: linear in f, and as 1/h in them."""
    if len(varargs) > 0 and np.ndim(varargs[0]) != 0:
        raise GradientError(UNEQUAL_DISTANCES, fix="give one number per axis")
    if isinstance(axis, list):
        raise GradientError(
            "np.gradient is differentiated along axes that a tuple names",
            fix="pass the axes as a tuple, such as axis=(0, 1)",
        )
    y = np.gradient(f, *varargs, axis=axis, edge_order=edge_order)
    alone = np.ndim(f) == 1 or isinstance(axis, int)
    along = 0 if axis is None else axis

    def grad(*y_bars: Any) -> Any:
        if alone and len(varargs) == 0:
            return gradient_bar(y_bars[0], 1.0, along, edge_order), None, None
        if alone:
            f_bar = gradient_bar(y_bars[0], varargs[0], along, edge_order)
            return f_bar, -np.sum(y_bars[0] * y) / varargs[0], None, None
        f_bar, step_bars = gradient_bars(y_bars, y, varargs, axis, edge_order)
        return (f_bar, *step_bars, None, None)

    def jvp(f_dot: Any, *varargs_dot: Any) -> Any:
        y_dot = np.gradient(f_dot, *varargs, axis=axis, edge_order=edge_order)
        if len(varargs_dot) == 0:
            return y_dot
        if alone:
            return y_dot - y * varargs_dot[0] / varargs[0]
        return gradient_dots(y_dot, y, varargs, varargs_dot)

    return y, grad, jvp


_TRAPEZOIDS = tuple(getattr(np, key) for key in ("trapezoid", "trapz") if hasattr(np, key))


@register_gradient(_TRAPEZOIDS, kind=parts.integrated)
def np_trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: Any = -1) -> Any:
    """area = sum (x[i + 1] - x[i]) (y[i + 1] + y[i]) / 2, bilinear in the widths and heights."""
    if np.ndim(dx) != 0:
        raise GradientError("np.trapezoid is differentiated for one dx", fix="give the places x")
    area = np.trapezoid(y, x=x, dx=dx, axis=axis)

    def grad(area_bar: Any) -> Any:
        y_bar = trapezoid_y_bar(area_bar, y, x, dx, axis)
        if x is None:
            return y_bar, None, np.sum(trapezoid_steps_bar(area_bar, y, axis)), None
        return y_bar, trapezoid_x_bar(area_bar, y, x, axis), None, None

    def jvp(y_dot: Any, x_dot: Any = None, dx_dot: Any = 0.0) -> Any:
        change = np.trapezoid(y_dot, x=x, dx=dx, axis=axis)
        if x is None:
            return change + np.trapezoid(y, dx=dx_dot, axis=axis)
        return change + np.trapezoid(y, x=x_dot, axis=axis)

    return area, grad, jvp


@register_gradient(np.convolve, kind=parts.filtered)
def np_convolve(a: Any, v: Any, mode: Any = "full") -> Any:
    """Here y[k] = sum a[k - i] v[i], so a_bar[k] = sum y_bar[k + i] v[i], and the same for v."""
    y = np.convolve(a, v, mode=mode)

    def grad(y_bar: Any) -> Any:
        full_bar = convolve_full_bar(y_bar, np.size(a), np.size(v), mode)
        a_bar = np.convolve(full_bar, v[::-1] if np.ndim(v) == 1 else v, mode="valid")
        v_bar = np.convolve(full_bar, a[::-1] if np.ndim(a) == 1 else a, mode="valid")
        return a_bar, v_bar, None

    def jvp(a_dot: Any, v_dot: Any) -> Any:
        return np.convolve(a_dot, v, mode=mode) + np.convolve(a, v_dot, mode=mode)

    return y, grad, jvp


@register_gradient(np.correlate, kind=parts.filtered)
def np_correlate(a: Any, v: Any, mode: Any = "valid") -> Any:
    """Here y[k] = sum a[k + i] conj(v[i]): the convolution with the reversed conjugate of v."""
    y = np.correlate(a, v, mode=mode)

    def grad(y_bar: Any) -> Any:
        flipped = np.size(a) < np.size(v)
        full_bar = convolve_full_bar(y_bar, np.size(a), np.size(v), mode, flipped)
        a_bar = np.convolve(full_bar, conjugate(v), mode="valid")
        backwards = a[::-1] if np.ndim(a) == 1 else a
        return a_bar, conjugate(np.convolve(full_bar, backwards, mode="valid")[::-1]), None

    def jvp(a_dot: Any, v_dot: Any) -> Any:
        return np.correlate(a_dot, v, mode=mode) + np.correlate(a, v_dot, mode=mode)

    return y, grad, jvp
