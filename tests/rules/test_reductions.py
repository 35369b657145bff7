"""Every rule of reductions.py, run by itself, over shapes and axes."""

import numpy as np
import pytest

from tapeless.rules import cumulative, declare, reductions
from tapeless.testing import check_rule


def normal(*shape):
    return np.random.default_rng(1).normal(size=shape)


AXES = [None, 0, 1, -1, (0, 2), (-1, 0), (0, 1, 2), ()]
PLAIN = [np.sum, np.mean, np.prod, np.max, np.amax, np.min, np.amin, np.var, np.std]
METHODS = [
    np.ndarray.sum,
    np.ndarray.mean,
    np.ndarray.prod,
    np.ndarray.max,
    np.ndarray.min,
    np.ndarray.var,
    np.ndarray.std,
]
MOMENTS = [np.var, np.std, np.ndarray.var, np.ndarray.std]
RUNNING = [np.cumsum, np.cumprod, np.ndarray.cumsum, np.ndarray.cumprod]
OTHERS = [np.nansum, np.ptp, np.nanmean, np.median]
SINCE_2_1 = [vars(np)[key] for key in ("cumulative_sum", "cumulative_prod") if hasattr(np, key)]
CHECKED = {*PLAIN, *METHODS, *RUNNING, *OTHERS, *SINCE_2_1, np.average}


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("fn", [*PLAIN, *METHODS, *OTHERS])
def test_reduction(fn, axis, keepdims):
    if axis == () and fn in MOMENTS:
        pytest.skip("the deviation of one entry is constant: tested below")
    check_rule(fn, normal(2, 3, 4), axis=axis, keepdims=keepdims)


@pytest.mark.parametrize("fn", [*PLAIN, *METHODS, *OTHERS])
def test_reduction_of_vectors_and_single_entries(fn):
    check_rule(fn, normal(5))
    check_rule(fn, normal(5), axis=np.int64(0))
    if fn not in MOMENTS:
        check_rule(fn, normal(1, 1))
        if fn in {*PLAIN, *OTHERS}:
            check_rule(fn, normal(1)[0])
        check_rule(fn, np.array(0.5))


@pytest.mark.parametrize("fn", MOMENTS)
@pytest.mark.parametrize("axis", [None, 0, (0, 2)])
def test_moments_with_degrees_of_freedom(fn, axis):
    check_rule(fn, normal(3, 2, 4), axis=axis, ddof=1)


@pytest.mark.parametrize("fn", [np.sum, np.prod, np.cumsum, np.cumprod, np.nansum])
def test_empty(fn):
    rule = declare.find_rule(fn).function
    x = np.zeros((0, 3))
    y, grad, *_ = rule(x, axis=0)
    assert grad(np.ones_like(y))[0].shape == (0, 3)


@pytest.mark.parametrize("axis", [None, 0, 1, -1])
@pytest.mark.parametrize("fn", RUNNING)
def test_running(fn, axis):
    check_rule(fn, normal(3, 4), axis=axis)


@pytest.mark.skipif(not SINCE_2_1, reason="since NumPy 2.1")
def test_running_by_keyword():
    check_rule(np.cumulative_sum, normal(5))
    check_rule(np.cumulative_sum, normal(5), include_initial=True)
    check_rule(np.cumulative_sum, normal(3, 4), axis=-1, include_initial=True)
    check_rule(np.cumulative_prod, normal(5))
    check_rule(np.cumulative_prod, normal(3, 4), axis=0)


@pytest.mark.parametrize("axis", [None, 0, 1, (0, 1)])
@pytest.mark.parametrize("zeros", [1, 2, 3])
def test_prod_with_zeros(axis, zeros):
    x = normal(3, 4)
    x.flat[:: 12 // zeros] = 0.0
    check_rule(np.prod, x, axis=axis)


@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize("zeros", [1, 2, 4])
def test_cumprod_with_zeros(axis, zeros):
    x = normal(3, 4)
    x.flat[:: 12 // zeros] = 0.0
    check_rule(np.cumprod, x, axis=axis)


def test_cumprod_that_underflows():
    x = np.array([1e-200, 1e-200, 1e300])
    _, grad, jvp = cumulative.np_cumprod(x)
    np.testing.assert_allclose(grad(np.array([0.0, 0.0, 1.0]))[0][:2], [1e100, 1e100])
    np.testing.assert_allclose(jvp(np.array([1.0, 0.0, 0.0]))[2], 1e100)


def test_ties_share_equally():
    x = np.array([[1.0, 3.0, 3.0], [2.0, 2.0, 0.0]])
    _, grad, _ = reductions.np_max(x, axis=1)
    np.testing.assert_array_equal(grad(np.ones(2))[0], [[0, 0.5, 0.5], [0.5, 0.5, 0]])
    _, grad, _ = reductions.np_min(x)
    np.testing.assert_array_equal(grad(1.0)[0], [[0, 0, 0], [0, 0, 1]])


def test_std_of_a_constant_is_flat():
    for constant in (0.1, -0.7, 1e5 / 3):
        for shape in [(3,), (7,), (1000,), (4, 5)]:
            for dtype in (np.float32, np.float64):
                _, grad, _ = reductions.np_std(np.full(shape, constant, dtype))
                assert not np.any(grad(1.0)[0])
    y, grad, jvp = reductions.np_std(np.ones((2, 3)), axis=1)
    np.testing.assert_array_equal(grad(np.ones(2))[0], np.zeros((2, 3)))
    np.testing.assert_array_equal(jvp(normal(2, 3)), np.zeros(2))


def test_var_of_complex():
    z = normal(5) + 1j * normal(5)[::-1]
    _, grad, _ = reductions.np_var(z)
    d = 1e-6
    z_bar = grad(1.0)[0]
    step = np.eye(5)[1] * d
    real = (np.var(z + step) - np.var(z - step)) / (2 * d)
    imag = (np.var(z + 1j * step) - np.var(z - 1j * step)) / (2 * d)
    np.testing.assert_allclose(z_bar[1], real - 1j * imag, rtol=1e-6)


def test_nansum_skips():
    x = np.array([1.0, np.nan, 2.0])
    np.testing.assert_array_equal(reductions.np_nansum(x)[1](1.0)[0], [1, 0, 1])
    np.testing.assert_array_equal(reductions.np_nanmean(x)[1](1.0)[0], [0.5, 0, 0.5])


@pytest.mark.parametrize("keepdims", [False, True])
def test_average(keepdims):
    check_rule(np.average, normal(2, 3), keepdims=keepdims)
    check_rule(np.average, normal(2, 3), 0, keepdims=keepdims)
    for axis, shape in [(None, (2, 3, 4)), (1, (3,)), (-1, (4,)), (1, (2, 3, 4))]:
        weights = normal(*shape) ** 2 + 0.5
        check_rule(np.average, normal(2, 3, 4), axis, weights, keepdims=keepdims)
    for axis in [(0, 2), (2, 0), (1, 2)]:
        weights = normal(*(normal(2, 3, 4).shape[i] for i in axis)) ** 2 + 0.5
        check_rule(np.average, normal(2, 3, 4), axis, weights, keepdims=keepdims)
    check_rule(np.average, normal(4), None, normal(4) ** 2, keepdims=keepdims)


def rules_here():
    return {
        primal: rule.function
        for primal, rule in declare._RULES.items()
        if rule.form != "zero" and rule.function.__module__ == reductions.__name__
    }


def test_every_rule_is_checked():
    assert set(rules_here()) <= CHECKED
