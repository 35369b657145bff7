"""Products of cotangents with partials: no NaN where the cotangent is 0, and no warning of a pole."""

import warnings

import numpy as np
import pytest

import tapeless as tl
from tapeless.runtime import dot_partial, times_partial

INF, NAN = np.inf, np.nan


@pytest.mark.parametrize("dtype", ["f4", "f8", "c16"])
@pytest.mark.parametrize(
    ("g", "partial", "over", "wanted"),
    [
        ([0.0, 2.0], [INF, 3.0], None, [0.0, 6.0]),
        ([0.0, 2.0], [NAN, 3.0], None, [0.0, 6.0]),
        ([1.0, 1.0], [INF, -INF], None, [INF, -INF]),
        ([1.0, 0.0], [NAN, 3.0], None, [NAN, 0.0]),
        ([1.0, 2.0], [3.0, 4.0], None, [3.0, 8.0]),
        ([0.0, 2.0], [1.0, 3.0], [0.0, 4.0], [0.0, 1.5]),
        ([0.0, 2.0], 1.0, [0.0, 4.0], [0.0, 0.5]),
        ([0.0, 2.0], [1.0, 3.0], 0.0, [0.0, INF]),
        ([0.0, 2.0], [1.0, 3.0], 2.0, [0.0, 3.0]),
        ([], [], None, []),
        ([], [], [], []),
    ],
)
def test_arrays(g, partial, over, wanted, dtype):
    g, partial, over = (
        np.array(x, dtype) if isinstance(x, list) else x for x in (g, partial, over)
    )
    if dtype == "c16" and not np.all(np.isfinite(wanted)):
        pytest.skip("what is infinite has many complex values")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = times_partial(g, partial, over)
    assert found.dtype == dtype
    np.testing.assert_array_equal(found, np.array(wanted, dtype))


def test_one_cotangent_for_many_partials():
    np.testing.assert_array_equal(times_partial(np.array([0.0]), np.array([INF, 1.0])), [0.0, 0.0])
    np.testing.assert_array_equal(times_partial(np.ones((2, 1)), np.ones(2)), np.ones((2, 2)))
    np.testing.assert_array_equal(times_partial(0.0, np.array([INF, 1.0])), [0.0, 0.0])


@pytest.mark.parametrize(
    ("g", "partial", "wanted"),
    [
        ([0.0, 2.0], [INF, 3.0], 6.0),
        ([0.0, 2.0], [NAN, 3.0], 6.0),
        ([1.0, 1.0], [INF, 3.0], INF),
        ([1.0, 0.0], [NAN, 3.0], NAN),
        ([1.0, 2.0], [3.0, 4.0], 11.0),
        ([], [], 0.0),
    ],
)
def test_sums_of_products(g, partial, wanted):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = dot_partial(np.array(g), np.array(partial))
    np.testing.assert_array_equal(found, wanted)


def test_what_is_multiplied_stays_as_it_was():
    g, partial, over = np.full(100_000, 3.0), np.full(100_000, 2.0), np.full(100_000, 4.0)
    assert np.all(times_partial(g, partial, over) == 1.5)
    assert np.all(times_partial(g, partial) == 6.0)
    assert np.all(g == 3.0) and np.all(partial == 2.0) and np.all(over == 4.0)


def safe_ratio(x, y):
    return np.sum(np.where(y > 0.0, x / y, x))


def test_ratios_that_are_left_out():
    x, y = np.array([1.0, 2.0, 3.0]), np.array([0.0, 2.0, 4.0])
    with np.errstate(divide="ignore"):
        x_bar, y_bar = tl.grad(safe_ratio, wrt=(0, 1))(x, y)
    np.testing.assert_array_equal(x_bar, [1.0, 0.5, 0.25])
    np.testing.assert_array_equal(y_bar, [0.0, -0.5, -0.1875])
