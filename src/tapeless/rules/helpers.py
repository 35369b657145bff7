"""Rules of the runtime helpers that loop or test types, so that generated code has derivatives.

The other helpers are plain functions, and are differentiated as such.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeless.protocol.gradients import check_gradient_count, fit_gradient, fit_structure, unfitted
from tapeless.protocol.pullbacks import variables_read_by
from tapeless.protocol.upstreams import upstream_like
from tapeless.rules.declare import built_in_zero, elementwise, importable_as, register_gradient
from tapeless.rules.results import creation
from tapeless.rules.results.entrywise import elementwise_kind
from tapeless.rules.traits import traits
from tapeless.runtime import (
    Snapshots,
    add,
    add_at,
    add_by_key,
    add_to,
    add_to_items,
    add_to_slice,
    add_to_values,
    append_to,
    array_bar,
    as_gradient,
    block_bars,
    check_flat,
    check_layout,
    check_overlap,
    check_recalled,
    check_scalar,
    check_unshared,
    column_stack_bars,
    concatenate_bars,
    copied,
    divide_by_spread,
    divide_or_zero,
    double_bar,
    dstack_bars,
    dtype_of_all,
    empty_shadow,
    flat_index,
    flat_places,
    form_of,
    from_rows,
    full,
    full_items,
    held_like,
    hstack_bars,
    if_inexact,
    index_of_extreme,
    insert_places,
    is_double,
    join_like,
    narrowed,
    narrowed_items,
    or_zeros,
    order_of,
    partial_or_zero,
    power_by_each,
    power_by_number,
    power_derivative,
    power_in_base,
    power_in_exponent,
    powers_of_number,
    private_tangent,
    put_at,
    raise_layout,
    real_for_real,
    recalled_items,
    remember_items,
    reshaped_like,
    scatter_add,
    sequence,
    set_slot,
    shapes_of,
    share_of_logaddexp,
    shortest,
    shuffled_order,
    split_like,
    spread_like,
    stack_bars,
    stacked_bars,
    sum_to_shape,
    summed,
    summed_like,
    times_partial,
    trimmed_from,
    unbroadcast,
    vstack_bars,
    whole_blocks,
    with_held,
    with_slots,
    without_parts,
    zero_tangent,
    zeros,
)
from tapeless.variables import check_listed


@register_gradient(unbroadcast, linear=True)
def unbroadcast_rule(g: Any, x: Any) -> Any:
    """Summing is linear: its transpose spreads the cotangent again."""
    y = unbroadcast(g, x)
    shape = np.shape(g)

    def grad(y_bar: Any) -> Any:
        return np.broadcast_to(y_bar, shape), None

    return y, grad


@register_gradient(fit_gradient, linear=True)
def fit_gradient_rule(g: Any, x: Any, label: Any, parameter: Any) -> Any:
    """Summing back and casting are linear: the transpose spreads the cotangent again."""
    y = fit_gradient(g, x, label, parameter)
    shape = np.shape(g)

    def grad(y_bar: Any) -> Any:
        return np.broadcast_to(y_bar, shape), None, None, None

    return y, grad


@register_gradient(fit_structure, linear=True)
def fit_structure_rule(g: Any, x: Any, label: Any, parameter: Any) -> Any:
    """The same for each part of a structure."""
    y = fit_structure(g, x, label, parameter)

    def grad(y_bar: Any) -> Any:
        return unfitted(y_bar, g), None, None, None

    return y, grad


@register_gradient(upstream_like, linear=True)
def upstream_like_rule(y_bar: Any, y: Any) -> Any:
    """A copy, with the zeros that were left out."""
    whole = upstream_like(y_bar, y)

    def grad(whole_bar: Any) -> Any:
        return whole_bar, None

    return whole, grad


@register_gradient(sum_to_shape, linear=True)
def sum_to_shape_rule(g: Any, shape: Any) -> Any:
    """Summing is linear: its transpose spreads the cotangent again."""
    y = sum_to_shape(g, shape)
    whole = np.shape(g)

    def grad(y_bar: Any) -> Any:
        return np.broadcast_to(y_bar, whole), None

    return y, grad


@register_gradient(full, linear=True)
def full_rule(g: Any, x: Any) -> Any:
    """An adjoint brought to its full shape."""
    y = full(g, x)

    def grad(y_bar: Any) -> Any:
        return narrowed(y_bar, g), None

    return y, grad


@register_gradient(full_items, linear=True)
def full_items_rule(g: Any, x: Any) -> Any:
    """The adjoints of items, brought to their full shapes."""
    y = full_items(g, x)

    def grad(y_bar: Any) -> Any:
        return narrowed_items(y_bar, g), None

    return y, grad


@register_gradient(or_zeros, linear=True)
def or_zeros_rule(g: Any, x: Any) -> Any:
    """A cotangent, or None."""
    y = or_zeros(g, x)

    def grad(y_bar: Any) -> Any:
        return y_bar, None

    return y, grad


@register_gradient(as_gradient, linear=True)
def as_gradient_rule(g: Any, x: Any, *, integers: Any = False) -> Any:
    """An adjoint with the shape and dtype of its primal."""
    y = as_gradient(g, x, integers=integers)

    def grad(y_bar: Any) -> Any:
        return narrowed(y_bar, g), None, None

    return y, grad


@register_gradient(copied, linear=True)
def copied_rule(g: Any) -> Any:
    """A copy of an adjoint."""
    y = copied(g)

    def grad(y_bar: Any) -> Any:
        return y_bar

    return y, grad


@register_gradient(add, linear=("a", "b"))
def add_rule(a: Any, b: Any) -> Any:
    """A sum of two adjoints, of which one may be an untouched 0.0."""
    y = add(a, b)

    def grad(y_bar: Any) -> Any:
        return narrowed(y_bar, a), narrowed(y_bar, b)

    return y, grad


@elementwise(times_partial, selects=True, poles=True)
def times_partial_rule(y: Any, g: Any, partial: Any, over: Any = None) -> Any:
    """A product, or a quotient, that is constant where it is 0 times infinity."""
    if over is None:
        return partial_or_zero(g, partial), g, None
    in_partial = times_partial(g, 1.0, over)
    return partial_or_zero(g, partial, over), in_partial, -times_partial(y, 1.0, over)


@elementwise(partial_or_zero, selects=True, poles=True)
def partial_or_zero_rule(y: Any, g: Any, partial: Any, over: Any = None) -> Any:
    """A quotient that is constant at a pole where nothing depends on it."""
    if over is None:
        return None, partial_or_zero(g, 1.0), None
    return None, partial_or_zero(g, 1.0, over), -partial_or_zero(g, y, over)


@elementwise(share_of_logaddexp, kind=elementwise_kind)
def share_of_logaddexp_rule(y: Any, x1: Any, x2: Any) -> Any:
    """A product of both shares, which neither cancels nor overflows."""
    return y * share_of_logaddexp(x2, x1), -y * share_of_logaddexp(x2, x1)


@elementwise(power_in_base, kind=elementwise_kind, poles=True, literals=(2,))
@elementwise(powers_of_number, kind=elementwise_kind, poles=True)
def power_in_base_rule(slope: Any, y: Any, x: Any, n: Any) -> Any:
    """The whole derivative in `x` and `n`, of which `y` is a function."""
    return None, power_derivative(x, n, 2, 0), power_derivative(x, n, 1, 1)


@elementwise(power_by_each, kind=elementwise_kind, poles=True)
@elementwise(power_by_number, kind=elementwise_kind, poles=True, literals=(1,))
def power_by_number_rule(slope: Any, x: Any, n: Any) -> Any:
    """The formulas for the exponents 2, 1, 0, ... hold at these alone: they have no slope in `n`."""
    return power_derivative(x, n, 2, 0), power_derivative(x, n, 1, 1)


@elementwise(power_derivative, kind=elementwise_kind, poles=True)
def power_derivative_rule(y: Any, x: Any, n: Any, k: Any, j: Any) -> Any:
    """One derivative more in the base, and one in the exponent."""
    return power_derivative(x, n, k + 1, j), power_derivative(x, n, k, j + 1), None, None


@register_gradient(private_tangent, linear=True)
def private_tangent_rule(x_dot: Any, x: Any) -> Any:
    """A copy."""
    y = private_tangent(x_dot, x)

    def grad(y_bar: Any) -> Any:
        return y_bar, None

    return y, grad


@register_gradient(put_at, linear=True, kind=creation.added_up)
def runtime_put_at(g: Any, index: Any, shape: Any) -> Any:
    """Read the cotangent where `g` was written."""
    y = put_at(g, index, shape)
    g_shape = np.shape(g)

    def grad(y_bar: Any) -> Any:
        return np.reshape(np.take(y_bar, np.ravel(index)), g_shape), None, None

    return y, grad


@register_gradient(add_at, linear=True, kind=creation.added_up)
def runtime_add_at(g: Any, index: Any, shape: Any) -> Any:
    """Read the cotangent where `g` was added."""
    y = add_at(g, index, shape)
    g_shape = np.shape(g)

    def grad(y_bar: Any) -> Any:
        return np.reshape(np.take(y_bar, np.ravel(index)), g_shape), None, None

    return y, grad


@register_gradient(split_like, linear=True)
def runtime_split_like(g: Any, shapes: Any, sizes: Any, axis: Any) -> Any:
    """Join the cotangents of the pieces."""
    y = split_like(g, shapes, sizes, axis)
    g_shape = np.shape(g)

    def grad(y_bar: Any) -> Any:
        return join_like(y_bar, g_shape, sizes, axis), None, None, None

    return y, grad


@register_gradient(concatenate_bars, linear=("y_bar",), asks_form=(1,), pieces=True, says_more=True)
def runtime_concatenate_bars(y_bar: Any, arrays: Any, axis: Any = 0) -> Any:
    """Join the cotangents of the pieces."""
    bars = concatenate_bars(y_bar, arrays, axis)

    def grad(bars_bar: Any) -> Any:
        return np.concatenate(full_items(bars_bar, arrays), axis), None, None

    return bars, grad


@register_gradient(stack_bars, linear=("y_bar",), asks_form=(1,), pieces=True, says_more=True)
def runtime_stack_bars(y_bar: Any, arrays: Any, axis: Any = 0) -> Any:
    """Join the cotangents of the pieces."""
    bars = stack_bars(y_bar, arrays, axis)

    def grad(bars_bar: Any) -> Any:
        return np.stack(full_items(bars_bar, arrays), axis), None, None

    return bars, grad


def _register_cut(cut: Any, join: Any) -> None:
    """Register the rule of what takes apart what a function has joined."""

    @importable_as(f"runtime_{cut.__name__}")
    @register_gradient(cut, linear=("y_bar",), asks_form=(1,), pieces=True, says_more=True)
    def runtime_cut(y_bar: Any, arrays: Any) -> Any:
        bars = cut(y_bar, arrays)

        def grad(bars_bar: Any) -> Any:
            return join(full_items(bars_bar, arrays)), None

        return bars, grad


def _register_alike(brought: Any, back: Any) -> None:
    """Register the rule of what brings arrays to the shapes of others, one by one."""

    @importable_as(f"runtime_{brought.__name__}")
    @register_gradient(brought, linear=("parts",), asks_form=(1,), says_more=True)
    def runtime_brought(parts: Any, arrays: Any) -> Any:
        made = brought(parts, arrays)

        def grad(bars: Any) -> Any:
            return back(full_items(bars, arrays), parts), None

        return made, grad


_register_alike(reshaped_like, reshaped_like)
_register_alike(summed_like, spread_like)
_register_alike(spread_like, summed_like)
_register_cut(vstack_bars, np.vstack)
_register_cut(hstack_bars, np.hstack)
_register_cut(dstack_bars, np.dstack)
_register_cut(column_stack_bars, np.column_stack)


@register_gradient(block_bars, linear=("y_bar",), asks_form=(1,), pieces=True, says_more=True)
def runtime_block_bars(y_bar: Any, arrays: Any) -> Any:
    """Join the cotangents of the pieces."""
    bars = block_bars(y_bar, arrays)

    def grad(bars_bar: Any) -> Any:
        return np.block(whole_blocks(bars_bar, arrays)), None

    return bars, grad


built_in_zero(zeros, zero_tangent, empty_shadow)
built_in_zero(check_flat, check_layout, check_recalled, check_overlap, check_scalar, check_unshared)
built_in_zero(flat_places, kind=creation.numbered)
built_in_zero(order_of, index_of_extreme, shortest)
built_in_zero(insert_places, trimmed_from, is_double)
built_in_zero(Snapshots, form_of)
built_in_zero(shuffled_order, flat_index, check_listed, check_gradient_count, variables_read_by)

# What is known of helpers besides

traits(add_to, add_by_key, set_slot, append_to, stores=(0,), pure=False)
traits(add_to_items, add_to_values, add_to_slice, without_parts, with_held, pure=False)
traits(order_of, index_of_extreme, calls=True, pure=False)
traits(recalled_items, remember_items, pure=False)
traits(scatter_add, stores=(0,), returns_nothing=True, pure=False)
traits(
    raise_layout,
    check_flat,
    check_layout,
    check_recalled,
    check_overlap,
    check_scalar,
    check_unshared,
    pure=False,
)
traits(zeros, power_in_base, power_by_number, power_by_each, powers_of_number, shows=())
traits(power_derivative, power_in_exponent, shows=())
traits(put_at, add_at, add, copied, shows=())
traits(full, full_items, unbroadcast, summed, shows=(0,), calls=False)
traits(zeros, shapes_of, dtype_of_all, sequence, asks_form=(0,))
traits(unbroadcast, full, full_items, from_rows, array_bar, real_for_real, asks_form=(1,))
traits(double_bar, held_like, stacked_bars, asks_form=(1,))
traits(if_inexact, as_gradient, with_slots, asks_form=(1,))
traits(divide_by_spread, divide_or_zero, selects=True)
traits(is_double, says_more=True, asks_form=(0,))
