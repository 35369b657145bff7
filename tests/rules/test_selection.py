"""Every rule of selection.py, run by itself."""

import numpy as np
import pytest

from tapeless.errors import GradientError
from tapeless.rules import declare, selection
from tapeless.testing import check_rule


def normal(*shape):
    return np.asarray(np.random.default_rng(len(shape)).normal(size=shape))


x0, x1, x2, x3 = normal(), normal(4), normal(3, 4), normal(2, 3, 4)
mask = x2 > 0
grid = np.array([-1.0, -0.5, 0.2, 0.9])

OLD_NAMES = [np.trapz] if hasattr(np, "trapz") else []  # until NumPy 2.3
CALLS = [
    (np.where, (mask, x2, x2 + 1)),
    (np.where, (mask, x1, 2.0)),
    (np.where, (mask, 2.0, x2)),
    (np.where, (True, x1, x2)),
    (np.where, (np.zeros((0, 4), bool), normal(0, 4), x1)),
    (np.take, (x2, [0, 5, -1, 5])),
    (np.take, (x2, 3)),
    (np.take, (x2, [[0, 2], [2, 2]], 1)),
    (np.take, (x3, 1, -2)),
    (np.ndarray.take, (x3, [1, 1], 0)),
    (np.take_along_axis, (x2, np.argsort(x2, axis=1), 1)),
    (np.take_along_axis, (x2, np.array([[0, 1, 1, 2]]), 0)),
    (np.take_along_axis, (x2, np.array([3, 3, 0]), None)),
    (np.choose, (np.array([0, 1, 1, 0]), [x1, x1 + 1])),
    (np.choose, (np.array([[0], [1]]), [x1, 2.5])),
    (np.choose, (np.array([0, 1, 2, 0]), x2)),
    (np.ndarray.choose, (np.array([0, 1, 1, 0]), [x1, x1 + 1])),
    (np.select, ([x1 > 0.5, x1 > 0], [x1, 2 * x1])),
    (np.select, ([mask, x2 < 0.3], [x2, x1], 1.5)),
    (np.compress, ([True, False, True], x2, 0)),
    (np.compress, ([True, False, True], x2)),
    (np.ndarray.compress, (x2, [True, False, True], -1)),
    (np.extract, (mask, x2)),
    (np.sort, (x2,)),
    (np.sort_complex, (x2,)),
    (np.sort, (x2, 0)),
    (np.sort, (x2, None)),
    (np.sort, (x3, 1, "stable")),
    (np.partition, (x1, 2)),
    (np.partition, (x3, [0, 2], 1)),
    (np.partition, (x2, 1, 0)),
    (np.partition, (np.random.default_rng(4).permutation(np.arange(60.0)), 17)),
    (np.unique, (x2,)),
    (np.ndarray.item, (x0,)),
    (np.ndarray.item, (normal(1, 1),)),
    (np.ndarray.item, (x2, 5)),
    (np.ndarray.item, (x2, -1)),
    (np.ndarray.item, (x2, 1, 2)),
    (np.ndarray.item, (x2, (1, -1))),
    (np.ndarray.tolist, (x1,)),
    (np.ndarray.tolist, (x3,)),
    (np.ndarray.tolist, (x0,)),
    (np.diff, (x1,)),
    (np.diff, (x3, 2, 1)),
    (np.diff, (x3, 3)),
    (np.diff, (x2, 5)),
    (np.diff, (x2, 0)),
    (np.ediff1d, (x2,)),
    (np.ediff1d, (x1, 2.5, normal(2))),
    (np.gradient, (x1,)),
    (np.gradient, (x1, 0.5)),
    (np.gradient, (x2,)),
    (np.gradient, (x2, 0.5)),
    (np.gradient, (x3[:, :, :], 0.5, 1.5, 2.0)),
    (np.trapezoid, (x1,)),
    (np.trapezoid, (x1, grid)),
    (np.trapezoid, (x3, None, 0.5, 1)),
    (np.trapezoid, (x3, None, 0.5, 0)),
    (np.trapezoid, (x3, grid)),
    (np.trapezoid, (x3, grid[:3], 1.0, 1)),
    (np.trapezoid, (x3, np.cumsum(x3**2, axis=1), 1.0, 1)),
    (np.trapezoid, (normal(3, 1),)),
    *[(fn, (x1, grid)) for fn in OLD_NAMES],
    *(
        (fn, (normal(n, 1)[:, 0], normal(1, m)[0], mode))
        for fn in (np.convolve, np.correlate)
        for n, m in [(5, 3), (5, 2), (3, 5), (2, 5), (6, 4), (4, 6), (4, 4), (5, 1), (1, 5)]
        for mode in ("full", "same", "valid")
    ),
]


@pytest.mark.parametrize(("fn", "args"), CALLS)
def test_rule(fn, args):
    check_rule(fn, *args)


@pytest.mark.parametrize("mode", ["wrap", "clip"])
def test_take_beyond_the_end(mode):
    check_rule(np.take, x2, [5, -7, 13], mode=mode)
    check_rule(np.take, x2, [5, -7, 1], axis=0, mode=mode)


@pytest.mark.parametrize("edge_order", [1, 2])
def test_gradient(edge_order):
    check_rule(np.gradient, x2, 0.5, axis=1, edge_order=edge_order)
    check_rule(np.gradient, x3, 0.5, 2.0, axis=(1, 2), edge_order=edge_order)
    check_rule(np.gradient, x3, axis=-1, edge_order=edge_order)


def test_gradient_of_two_entries():
    check_rule(np.gradient, normal(2))


def test_gradient_at_places_is_refused():
    with pytest.raises(GradientError, match="distances"):
        selection.np_gradient(x1, grid)


@pytest.mark.parametrize("ends", [(), (0.5,), (None, 0.5), (0.25, 0.5)])
def test_interp(ends):
    at = np.array([[-0.7, 0.0, 0.5], [-2.0, 3.0, -0.4]])
    check_rule(np.interp, at, grid, x1, *ends, check_float32=False)
    check_rule(np.interp, 0.3, grid, x1, *ends, check_float32=False)


def test_where_with_one_argument():
    value, grad, _ = selection.np_where(mask)
    np.testing.assert_array_equal(value, np.nonzero(mask))
    assert grad(value) == (None,)


def test_correlate_of_complex():
    a, v = x1 + 1j * x1[::-1], normal(2) - 1j
    y, grad, _ = selection.np_correlate(a, v, "full")
    a_bar, v_bar, _ = grad(2 * np.conj(y))  # of sum |y|^2
    d = 1e-6
    for x_bar, loss in [
        (a_bar, lambda t: np.sum(abs(np.correlate(a + np.eye(4)[1] * t, v, "full")) ** 2)),
        (v_bar, lambda t: np.sum(abs(np.correlate(a, v + np.eye(2)[1] * t, "full")) ** 2)),
    ]:
        real = (loss(d) - loss(-d)) / (2 * d)
        imag = (loss(1j * d) - loss(-1j * d)) / (2 * d)
        np.testing.assert_allclose(x_bar[1], real - 1j * imag, rtol=1e-6)


def rules_here():
    return {
        primal: rule.function
        for primal, rule in declare._RULES.items()
        if rule.form != "zero" and rule.function.__module__ == selection.__name__
    }


def test_every_rule_is_checked():
    assert set(rules_here()) == {fn for fn, _ in CALLS} | {np.interp}
    assert declare.find_rule(np.searchsorted).form == "zero"


def test_equal_entries_share_what_stands_for_them():
    y, grad, jvp = selection.np_unique(np.array([[2.0, 1.0], [2.0, 3.0]]))
    ar_bar, *others = grad(np.array([1.0, 4.0, 5.0]))
    np.testing.assert_array_equal(ar_bar, [[2.0, 1.0], [2.0, 5.0]])
    assert set(others) == {None}
    np.testing.assert_array_equal(jvp(np.array([[1.0, 7.0], [3.0, 0.0]])), [7.0, 2.0, 0.0])


def test_partition_of_ties_and_missing_entries():
    a = np.random.default_rng(0).integers(0, 4, 50).astype(float)
    a[::7] = np.nan
    y, grad, _ = selection.np_partition(a, 20)
    places = np.argsort(grad(np.arange(1.0, 51.0))[0])
    np.testing.assert_array_equal(a[places], y)
