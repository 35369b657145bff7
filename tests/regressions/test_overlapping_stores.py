"""Stores of a view into its own array: right where NumPy stores what a copy would be, or an error."""

import numpy as np
import pytest

import tapeless as tl
from tapeless.runtime import check_overlap
from tapeless.testing import check_replay
from tests import laws

X = np.array([0.3, 0.5, -0.7, 1.1])


def every_second_moved_down(x):
    y = x * 1.0
    y[:2] = y[::2]
    return np.sum(y**3)


def columns_and_rows(x):
    m = np.outer(x, x)
    m[:, 0] = m[:, -2]
    m[0] = m[2]
    return np.sum(m**3)


def mirrored_in_a_loop(x):
    m = np.outer(x, x)
    for i in range(3):
        m[i, 1:] = m[1:, i]
    return np.sum(m**3)


def turned_round(x):
    y = np.concatenate([x, x])
    v = y[::2]
    y[:4] = v
    y[4:] = v[::-1]
    return np.sum(y**3)


def shifted(x):
    y = x * 1.0
    y[1:] = y[:-1]
    y[:-1] = y[1:]
    return np.sum(y**3)


@pytest.mark.parametrize(
    "f", [every_second_moved_down, columns_and_rows, mirrored_in_a_loop, turned_round, shifted]
)
def test_what_a_copy_would_be(f):
    laws.check_function(f, (X,), smooth=True)
    check_replay(f, X)


def a_row_into_a_column(x):
    m = np.outer(x, x)
    m[:, -1] = m[1]
    return np.sum(m**3)


def spread_out(x):
    y = np.concatenate([x, x])
    y[::2] = y[:4]
    return np.sum(y**3)


def by_a_callee(x):
    def put(place, v):
        place[...] = v

    m = np.outer(x, x)
    put(m[:, 3], m[1])
    return np.sum(m**3)


def by_copyto(x):
    y = np.concatenate([x, x])
    np.copyto(y[::2], y[:4])
    return np.sum(y**3)


def through_an_alias(x):
    y = np.concatenate([x, x])
    z = y
    z[::2] = y[:4]
    return np.sum(y**3)


def by_slices_with_names(x):
    even, first = slice(None, None, 2), slice(0, 4)
    y = np.concatenate([x, x])
    y[even] = y[first]
    return np.sum(y**3)


@pytest.mark.parametrize(
    "f",
    [
        a_row_into_a_column,
        spread_out,
        by_a_callee,
        by_copyto,
        through_an_alias,
        by_slices_with_names,
    ],
)
def test_read_after_it_was_overwritten(f):
    with pytest.raises(tl.GradientError, match="overwritten here before they are read"):
        tl.grad(f)(X)
    with pytest.raises(tl.GradientError, match="overwritten here before they are read"):
        tl.hvp(f)(X, X)


def test_nothing_is_checked_where_the_strides_are_equal():
    assert "check_overlap" not in tl.source(shifted, like=(X,))
    assert "check_overlap" not in tl.source(columns_and_rows, like=(X,))


def test_the_check_tells_what_numpy_does():
    rng = np.random.default_rng(0)
    refused = 0
    for _ in range(3000):
        y = np.arange(float(rng.integers(4, 14)))
        places, stored = (
            y[slice(*sorted(rng.integers(0, len(y) + 1, 2)), rng.choice([1, 2, 3]))][
                :: rng.choice([-1, 1])
            ]
            for _ in range(2)
        )
        count = min(len(places), len(stored))
        places, stored = places[:count], stored[:count]
        try:
            check_overlap(places, stored)
            passes = True
        except tl.GradientError:
            passes = False
        meant = stored.copy()
        places[...] = stored
        assert passes == np.array_equal(places, meant)
        refused += not passes
    assert refused


STRIDES = [":", "::-1", "1:", ":-1", "::2", "-1", "0", ":2"]


def moved(m, to, source, turned):
    """Store a part of a matrix into another one, as NumPy does it."""
    y = m * 1.0
    other = y.T if turned else y
    y[to] = other[source]
    y[to] *= 1.5
    return y


@pytest.mark.parametrize("turned", [False, True])
def test_tangents_are_moved_like_the_entries(turned):
    """The tangent is stored with the same strides as its primal, so NumPy overwrites the same entries."""
    rng = np.random.default_rng(1)
    names = {text: eval(f"np.s_[{text}]") for text in STRIDES}
    for to, source in rng.choice(STRIDES, size=(60, 2, 2)):
        places = [tuple(names[part] for part in index) for index in (to, source)]
        m, d = rng.normal(size=(2, 3, 3))
        try:
            expected = moved(m, *places, turned)
        except ValueError:
            continue  # of other shapes
        y, y_dot = tl.jvp(moved, (m, *places, turned), (d, None, None, None))
        laws.assert_identical(y, expected, "the value")
        wanted = (
            moved(m + 1e-3 * d, *places, turned) - moved(m - 1e-3 * d, *places, turned)
        ) / 2e-3
        np.testing.assert_allclose(y_dot, wanted, rtol=1e-9, atol=1e-9)  # linear
