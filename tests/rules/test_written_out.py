"""Calls of NumPy that are spelled out before they are differentiated, through the whole tool."""

import math

import numpy as np
import pytest

import tapeless as tl
from tapeless.testing import check_grads

V = np.array([0.3, 1.2, -0.7, 2.1, 0.9, -1.4])
M = np.array([[0.3, -1.2, 2.5], [1.7, 0.4, -0.6]])
CHOSEN = np.array([[True, False, True], [False, True, True]])


def reductions_by_ufuncs(m):
    return (
        np.subtract.reduce(m, axis=1),
        np.add.reduce(m, 1, None, None, True),
        np.add.reduce(m, initial=3.0, where=CHOSEN),
        np.hypot.reduce(m, axis=None),
        np.hypot.reduce(m, axis=(0, 1), keepdims=True, initial=2.0),
        np.hypot.reduce(m, axis=1, initial=2.0, where=CHOSEN),
        np.logaddexp.reduce(m, axis=(0, 1), keepdims=True),
    )


def running_ufuncs(m):
    return (
        np.maximum.accumulate(m, axis=1),
        np.divide.accumulate(m, axis=1),
        np.multiply.reduceat(m[0], [0, 2, 1]),
        np.add.reduceat(m, [0, 1], axis=1),
    )


def ufuncs_at_places(v):
    y = v * v
    np.multiply.at(y, [0, 1, 1], v[:3])
    np.exp.at(y, [0, 1])
    return y


def told_how_to_convert(v):
    y = np.ones(6)
    np.sqrt(v, where=v > 0.0, out=y)
    return y, np.add(v, v, dtype=float, casting="same_kind"), np.exp(v, dtype=complex).real


def as_sets(v):
    either = np.union1d(v[:3], v[2:]), np.setxor1d(v[:3], v[2:])
    return *either, np.setdiff1d(v, v[:2]), np.setdiff1d(v, v[1:3], assume_unique=True)


def entries_of_a_new_array(v):
    y = np.ndarray((2, 3))
    y[...] = np.reshape(v * v, (2, 3))
    z = np.ndarray(shape=2, dtype=float)
    z[0], z[1] = y[0, 1], v[2]
    return y, z


def over_axes(m):
    weighed = np.apply_along_axis(lambda row, k, s=1.0: s * np.sum(row**k), 0, m * m, 1.5, s=2.0)
    return (
        weighed,
        np.apply_along_axis(lambda row: row * row, 0, m),
        np.apply_over_axes(np.sum, m, [0, 1]),
    )


def in_pieces(v):
    y = np.piecewise(v, [v < 0.0, v > 1.0], [-1.0, lambda t: t**3, np.sin])
    z = np.piecewise(v, [v < 0.0, v >= 0.0], [lambda t, b: -t * b, lambda t, b: t * t], v[0])
    return y, z


def joined_by_index(v):
    return np.r_[0.0, v, [1.0, 2.0]], np.r_[0:3, v], np.r_[0:1:5j, v], np.c_[0:6, v]


def sums_by_lists(m):
    return np.einsum(m, [0, 1], m, [2, 1], [0, 2]), np.einsum(m, [0, 1], m[0], [1])


def polynomials(v):
    quotient, rest = np.polydiv(v, v[:3])
    return np.poly(v[:3]), quotient, rest, np.polynomial.polynomial.polyfromroots(v[:3])


def of_places(v):
    def plane(i, j, slope=1.0):
        return v[0] * i + slope * v[1] * j

    return (
        np.fromfunction(lambda i, j: v[0] * i + v[1] * j, (2, 3)),
        np.fromfunction(plane, (2, 3), dtype=int, slope=v[2]),
        np.sum(np.indices((2, 3), dtype=float) * v[0], axis=0),
    )


def roots(v):
    return np.roots(v), np.polynomial.polynomial.polyroots(v[:3])


def uneven_distances(v):
    places = np.array([0.0, 0.5, 1.5, 1.7, 3.0, 4.0])
    return np.gradient(v, places, edge_order=2), np.gradient(v, places + v * v)


def extended_differences(v):
    return np.diff(v, prepend=0.0), np.diff(v, 2, append=v[:2])


def made(v):
    return np.kaiser(5, v[1]), np.histogram_bin_edges(v, 4), np.sort_complex(v).real


def strided(v):
    return np.lib.stride_tricks.as_strided(v, shape=(4, 3), strides=v.strides * 2)


@pytest.mark.parametrize(
    ("f", "x"),
    [
        (reductions_by_ufuncs, M),
        (running_ufuncs, M),
        (ufuncs_at_places, V),
        (told_how_to_convert, V),
        (as_sets, V),
        (entries_of_a_new_array, V),
        (over_axes, M),
        (in_pieces, V),
        (joined_by_index, V),
        (sums_by_lists, M),
        (polynomials, V),
        (of_places, V),
        (roots, V),
        (uneven_distances, V),
        (extended_differences, V),
        (made, V),
        (strided, V),
    ],
)
def test_derivatives(f, x):
    check_grads(f, x, order=1)


def test_another_shape_than_the_model():
    def f(x):
        return np.zeros_like(x, shape=(2,)) + x[:, 0]

    check_grads(f, M, order=1)


def test_what_is_reduced_into_whole_numbers_is_constant():
    assert np.array_equal(tl.grad(lambda x: x[0] * np.sum(x, dtype=int))(V), [2, 0, 0, 0, 0, 0])


def test_a_start_in_single_precision_takes_its_share():
    x = np.array([0.1, 0.2], np.float32)
    assert np.array_equal(tl.grad(lambda x: np.max(x, initial=0.7))(x), [0.0, 0.0])


def test_what_is_refused_says_why():
    with pytest.raises(tl.TapelessError, match="no gradient for numpy.intersect1d"):
        tl.grad(lambda v: np.sum(np.intersect1d(v, v)))(V)


def ramp(t, slope):
    return slope * t if t > 0 else t * t


ramps = np.vectorize(ramp)


@np.vectorize(otypes=[float])
def cubes(t):
    return t**3


def entry_by_entry(x, slope):
    made_here = np.vectorize(lambda t: math.exp(t))(x[0])
    return np.sum(ramps(x, slope) ** 2) + np.sum(cubes(x)) + np.sum(made_here)


def test_vectorized_functions():
    check_grads(entry_by_entry, np.array([[0.3, -1.2], [0.7, 2.1]]), 0.7)
    assert ramps(0.5, 2.0) == tl.value_and_grad(lambda t: ramps(t, 2.0) * 1.0)(0.5)[0]


def rows_that_are_doubled(x, axis):
    def doubled(row):
        row *= 2.0
        return np.sum(row)

    y = x * 1.0
    return np.sum(np.apply_along_axis(doubled, axis, y)) + np.sum(y**2)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_rows_along_an_axis_are_views(axis):
    """What the function stores into its row stands in the array; before, a row of a copy was changed."""
    x = np.arange(24.0).reshape(2, 3, 4) ** 1.1
    value, grad = tl.value_and_grad(rows_that_are_doubled)(x, axis)
    assert value == rows_that_are_doubled(x, axis)
    assert np.allclose(grad, 8.0 * x + 2.0)


@pytest.mark.parametrize("fn", [np.sum, np.mean, np.max, np.cumsum, np.sort, np.linalg.norm])
def test_along_an_axis_at_second_order(fn):
    m = np.array([[0.3, -1.2, 2.5], [1.7, 0.4, -0.6]])
    for x, axis in ((m, 0), (m, 1), (m[0], 0), (m.T, -1), (np.stack([m, m**2]), 1)):
        f = lambda x: np.sum(np.apply_along_axis(fn, axis, x) ** 3)  # noqa: B023
        check_grads(f, x, order=2)


def test_a_vectorized_function_that_begins_with_an_integer_is_refused():
    stepped = np.vectorize(lambda t: 0 if t < 0 else t * t)
    with pytest.raises(tl.TapelessError, match="integers"):
        tl.grad(lambda x: np.sum(stepped(x)))(np.array([-1.0, 2.0]))


@pytest.mark.parametrize("code", [int, np.float32, "i", bool])
def test_vectorized_functions_that_round_are_refused(code):
    rounded = np.vectorize(lambda t: t * t, otypes=[code])
    with pytest.raises(tl.TapelessError, match="turns what its function returns into"):
        tl.grad(lambda x: np.sum(rounded(x)))(np.array([1.0, 2.0]))
    with pytest.raises(tl.TapelessError, match="turns what its function returns into"):
        tl.grad(lambda x: np.sum(np.vectorize(lambda t: t * t, otypes=[code])(x)))(np.ones(2))


def test_vectorized_functions_of_several_values_are_refused():
    both = np.vectorize(lambda t: (t * t, t**3))
    with pytest.raises(tl.TapelessError, match="several values"):
        tl.grad(lambda x: np.sum(both(x)[0] * both(x)[1]))(np.array([1.0, 2.0]))


def test_rows_of_vectorized_functions_are_refused():
    dots = np.vectorize(lambda a, b: np.sum(a * b), signature="(n),(n)->()")
    with pytest.raises(tl.TapelessError, match="signature"):
        tl.grad(lambda x: np.sum(dots(x, x)))(np.ones((2, 3)))


@pytest.mark.parametrize("ufunc", [np.power, np.arctan2])
def test_what_depends_on_the_processor_is_refused(ufunc):
    with pytest.raises(tl.TapelessError, match="reduce"):
        tl.grad(lambda x: ufunc.reduce(x))(np.ones(3))
