"""NumPy's functions whose value does not change under small changes of the arguments.

Signs and roundings, comparisons and logic, positions and counts, shapes and dtypes. Where such a
value jumps it has no derivative, and everywhere else the derivative is zero: so it is zero in every
derivative that tapeless makes. A function is here because it is listed, never because a rule for
it is missing.

Not listed, though neighbours are: what is linear in weights (`bincount`, a weighted histogram). The
counts of a histogram are constant but its edges follow the least and greatest entry and its sums of
weights the weights, so it has a rule of the general form.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeless.errors import GradientError
from tapeless.rules.declare import built_in_zero, register_gradient
from tapeless.rules.results import entrywise, places, reductions, scalars, shapes
from tapeless.rules.traits import traits
from tapeless.runtime import (
    complex_sign,
    density_bars,
    density_dot,
    diff_bar,
    share_ties,
    weights_in_bins_bar,
)

# Signs and roundings

built_in_zero(np.sign, kind=entrywise.keeping_integers)
built_in_zero(np.signbit, np.spacing)
OF_COMPLEX = {np.sign: complex_sign}  # constant for real arguments only
# Of integers NumPy makes integers since 2.1; before, floats.
_CUT = (
    entrywise.keeping_integers if np.floor(np.int64(1)).dtype.kind == "i" else entrywise.in_double
)
built_in_zero(np.floor, np.ceil, np.trunc, np.fix, kind=_CUT)
built_in_zero(np.rint, kind=entrywise.elementwise_kind)
built_in_zero(np.round, np.around, kind=shapes.rounded)
built_in_zero(np.floor_divide, kind=entrywise.keeping_integers)
built_in_zero(np.ndarray.round, kind=shapes.rounded)

# Comparisons, logic and predicates

built_in_zero(
    np.greater, np.greater_equal, np.less, np.less_equal, np.equal, np.not_equal,
    kind=entrywise.truths, tests=True,
)  # fmt: skip
built_in_zero(np.isclose, kind=entrywise.truths, tests=True)
built_in_zero(np.allclose, np.array_equal, np.array_equiv, kind=scalars.truth)
built_in_zero(np.isin, tests=True)
built_in_zero(np.logical_and, np.logical_or, np.logical_not, kind=entrywise.truths, tests=True)
built_in_zero(np.logical_xor, tests=True)
built_in_zero(np.all, np.any, np.ndarray.all, np.ndarray.any, kind=reductions.truth_reduced)
built_in_zero(np.isfinite, np.isinf, np.isnan, kind=entrywise.truths, tests=True)
built_in_zero(np.isnat, np.isneginf, np.isposinf)
built_in_zero(np.iscomplex, np.isreal, np.iscomplexobj, np.isrealobj)
built_in_zero(np.isscalar, kind=scalars.scalarness)

# Positions, orders and counts

built_in_zero(np.argmax, np.argmin, kind=reductions.index_reduced)
built_in_zero(np.nanargmax, np.nanargmin)
built_in_zero(np.ndarray.argmax, np.ndarray.argmin, kind=reductions.index_reduced)
built_in_zero(np.argsort, kind=places.of_sorted, distinct=True)
built_in_zero(np.argpartition)
built_in_zero(np.lexsort, kind=places.of_order)
built_in_zero(np.ndarray.argsort, kind=places.of_sorted, distinct=True)
built_in_zero(np.ndarray.argpartition)
built_in_zero(np.argwhere, kind=places.found_by_row)
built_in_zero(np.nonzero, np.ndarray.nonzero, kind=places.found_by_axis)
built_in_zero(np.flatnonzero, kind=places.found, distinct=True)
built_in_zero(np.count_nonzero, kind=reductions.index_reduced)
built_in_zero(np.searchsorted, np.ndarray.searchsorted, kind=places.among_sorted)
built_in_zero(np.digitize, kind=places.of_bins)
built_in_zero(np.unravel_index, kind=places.of_flat_index)
built_in_zero(np.ravel_multi_index, kind=places.flat_index)
built_in_zero(
    np.tril_indices, np.triu_indices, np.tril_indices_from, np.triu_indices_from, np.mask_indices,
    kind=places.of_triangle,
)  # fmt: skip
built_in_zero(np.diag_indices, kind=places.of_diagonal)
built_in_zero(np.indices, kind=places.of_all)
built_in_zero(np.diag_indices_from, kind=places.of_diagonal_from)

# Shapes, sizes and dtypes

built_in_zero(np.shape, kind=shapes.shape, total=True, asks_form=(0,))
built_in_zero(np.ndim, kind=shapes.ndim, asks_form=(0,))
built_in_zero(np.size, kind=shapes.size, asks_form=(0,))
built_in_zero(np.broadcast_shapes, kind=shapes.broadcast_shape)
built_in_zero(np.ndarray.shape, kind=shapes.shape)
built_in_zero(np.ndarray.ndim, kind=shapes.ndim)
built_in_zero(np.ndarray.size, kind=shapes.size)
built_in_zero(np.ndarray.strides)
built_in_zero(np.ndarray.__array_namespace__, kind=scalars.namespace)
built_in_zero(np.ndarray.dtype, np.ndarray.itemsize, np.ndarray.nbytes, np.ndarray.flags)
built_in_zero(np.result_type, np.can_cast, np.issubdtype, np.promote_types, np.min_scalar_type)
built_in_zero(np.finfo, kind=scalars.real_limits)
built_in_zero(np.iinfo, kind=scalars.integer_limits)
built_in_zero(np.dtype, np.common_type, np.iterable)
built_in_zero(np.shares_memory, np.may_share_memory)

traits(np.iscomplexobj, asks_form=(0,))
traits(np.result_type, np.may_share_memory, asks_form=(0, 1))

# Integers and bits

built_in_zero(
    np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64,
    view="sometimes",
)  # fmt: skip
built_in_zero(np.bool_, view="sometimes", recasts=True)
built_in_zero(np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.invert, np.bitwise_count)
built_in_zero(np.left_shift, np.right_shift, np.gcd, np.lcm)

# Ranks and errors of linear algebra

built_in_zero(np.linalg.matrix_rank, kind=scalars.of_matrix)

# Messages

built_in_zero(np.array_repr, np.array_str, np.array2string, np.format_float_positional)
built_in_zero(np.format_float_scientific)


# Histograms


@register_gradient(np.histogram, kind=reductions.histogram)
def np_histogram(
    a: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> Any:
    """The counts follow the weights alone; a density divides them by the widths and their sum."""
    y = np.histogram(a, bins, range, density, weights)
    counts = y[0]
    edges = y[1]
    if density and np.iscomplexobj(edges):
        raise GradientError("a density of np.histogram is differentiated for real numbers only")

    def grad(shares_bar: Any, ends_bar: Any) -> Any:
        counts_bar, edges_bar = shares_bar, ends_bar
        if density:
            total = np.sum(np.histogram(a, edges, weights=weights)[0])
            counts_bar, widths_bar = density_bars(shares_bar, counts, edges, total)
            edges_bar = ends_bar + diff_bar(widths_bar, edges.shape)
        weights_bar = None if weights is None else weights_in_bins_bar(counts_bar, a, edges)
        if np.ndim(bins) == 1:
            return None, edges_bar, None, None, weights_bar
        t = np.linspace(0.0, 1.0, len(edges), dtype=edges.dtype)
        first_bar = np.sum(edges_bar * (1.0 - t))
        last_bar = np.sum(edges_bar * t)
        if range is not None:
            return None, None, np.stack([first_bar, last_bar]), None, weights_bar
        least = share_ties(np.equal(a, np.min(a, initial=np.inf)), None, edges.dtype)
        greatest = share_ties(np.equal(a, np.max(a, initial=-np.inf)), None, edges.dtype)
        return first_bar * least + last_bar * greatest, None, None, None, weights_bar

    def jvp(
        a_dot: Any, bins_dot: Any = None, range_dot: Any = None, weights_dot: Any = None
    ) -> Any:
        counts_dot = 0.0 * counts
        if weights is not None:
            counts_dot = np.histogram(a, edges, weights=weights_dot)[0]
        if np.ndim(bins) == 1:
            edges_dot = bins_dot
        elif range is not None:
            edges_dot = np.linspace(range_dot[0], range_dot[1], len(edges))
        else:
            least = share_ties(np.equal(a, np.min(a, initial=np.inf)), None, edges.dtype)
            greatest = share_ties(np.equal(a, np.max(a, initial=-np.inf)), None, edges.dtype)
            edges_dot = np.linspace(np.sum(a_dot * least), np.sum(a_dot * greatest), len(edges))
        if density:
            total = np.sum(np.histogram(a, edges, weights=weights)[0])
            counts_dot = density_dot(counts_dot, np.diff(edges_dot), counts, edges, total)
        return counts_dot, edges_dot

    return y, grad, jvp
