"""One array or object in several places of the arguments: right, or refused where it is stored into."""

from dataclasses import dataclass

import numpy as np
import pytest

import tapeless as tl
from tests import laws

X = np.array([0.6, -1.4, 2.3, 0.9])


def product_of_two(a, b):
    return np.sum(a * a * b)


def test_one_array_for_two_arguments():
    first, second = tl.grad(product_of_two, wrt=(0, 1))(X, X)
    np.testing.assert_allclose(first, 2 * X * X)
    np.testing.assert_allclose(second, X * X)
    _, y_dot = tl.jvp(product_of_two, (X, X), (np.ones(4), None))
    np.testing.assert_allclose(y_dot, np.sum(2 * X * X))


def test_one_array_twice_in_a_list():
    got = tl.grad(lambda pair: np.sum(pair[0] ** 2 * pair[1]))([X, X])
    np.testing.assert_allclose(got[0], 2 * X * X)
    np.testing.assert_allclose(got[1], X * X)
    assert not np.shares_memory(got[0], got[1])


def test_one_list_twice_in_a_list():
    inner = [1.5, 2.0]
    got = tl.grad(lambda rows: rows[0][0] * rows[1][0] ** 2 * rows[1][1])([inner, inner])
    np.testing.assert_allclose(got, [[1.5**2 * 2.0, 0.0], [2 * 1.5 * 1.5 * 2.0, 1.5**3]])


def test_one_stored_into_array_by_two_places_is_refused():
    def stores(a, b):
        a[0] = b[1] * 2.0
        return np.sum(a * b)

    x = X.copy()
    with pytest.raises(tl.TapelessError):
        tl.grad(stores, wrt=(0, 1))(x, x)
    np.testing.assert_array_equal(x, X)
    with pytest.raises(tl.TapelessError):
        tl.grad(stores, wrt=(0, 1))(x[:3], x[1:])
    # two arrays are fine; two parts of one that do not overlap may be refused, never wrong
    laws.check_function(stores, (x, x * 2.0))
    try:
        laws.check_function(stores, (x[:2], x[2:]))
    except tl.TapelessError:
        np.testing.assert_array_equal(x, X)


@dataclass
class Pair:
    a: np.ndarray
    b: np.ndarray


def test_one_array_in_two_fields():
    got = tl.grad(lambda p: np.sum(p.a**2 * p.b))(Pair(X, X))
    assert type(got) is Pair
    np.testing.assert_allclose(got.a, 2 * X * X)
    np.testing.assert_allclose(got.b, X * X)
