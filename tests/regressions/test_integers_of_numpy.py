"""An integer of NumPy is no `int`: what is asked of it is decided as Python decides it."""

import numbers

import numpy as np
import pytest

import tapeless as tl
from tests import laws

X = np.array([0.659, 0.372, 0.363])
SIZES = np.array([2, 3, 1])


def item_of_an_array(x):
    n = SIZES[0]
    return np.sum(x) if isinstance(n, int) else np.sum(x**2)


def place_of_the_largest(x):
    n = np.argmax(x)
    if isinstance(n, int):
        return np.sum(x)
    return np.sum(x**2) * x[n]


def either_class(x):
    total = 0.0
    for n in SIZES:
        if isinstance(n, (int, np.integer)):
            total = total + x[n - 1] ** n
    return total


def of_an_abstract_class(x):
    n = SIZES[1]
    return np.sum(x**2) if isinstance(n, numbers.Integral) else np.sum(x)


def made_an_int(x):
    n = int(SIZES[1])
    shape = (n, n) if isinstance(n, int) else n
    return np.sum(np.ones(shape) * x[0]) ** 2


def product_of_items(x):
    base = 1
    for n in SIZES:
        base *= n
    return np.sum(base**x)


@pytest.mark.parametrize(
    "f",
    [
        item_of_an_array,
        place_of_the_largest,
        either_class,
        of_an_abstract_class,
        made_an_int,
        product_of_items,
    ],
)
def test_laws_and_replay(f):
    laws.check_orders(f, X)


def power_or_sum(x, n):
    if isinstance(n, int):
        return np.sum(x)
    return np.sum(x**n)


def test_one_gradient_serves_both():
    gradient = tl.grad(power_or_sum)
    for n, wanted in ((2, np.ones(3)), (np.int64(2), 2 * X), (2, np.ones(3))):
        np.testing.assert_allclose(gradient(X, n), wanted)
