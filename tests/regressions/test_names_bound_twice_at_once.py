"""Targets that bind one name more than once, such as `y, _, _ = f(x)`: each part has its own adjoint."""

import numpy as np
import pytest

from tests import laws

X = np.array([0.7, -0.3, 0.2, 1.1, 0.4])


def parts(x):
    for _ in range(2):
        x = x * np.sin(x)
    return np.sum(x), x[:2] * 2.0, x * 3.0


def first(x):
    y, _, _ = parts(x)
    return y


def middle(x):
    _, y, _ = parts(x)
    return np.sum(y * y)


def last_one_counts(x):
    y, y, y = parts(x)
    return np.sum(y * y)


def within(x):
    (_, a), _, b = (parts(x)[:2], x[:1], x[1:])
    return np.sum(a) * np.sum(b * b)


def starred(x):
    _, *_, y = parts(x)
    return np.sum(y * y)


def in_a_loop(x):
    total = 0.0
    for _, _, v in zip(x[:2], parts(x)[2], x * x):
        total = total + v
    return total


def is_read(x):
    i, y = 0, np.zeros(3)
    i, y[i], i = 1, x[0] * x[1], 2
    return np.sum(y) * y[1] + x[i] * x[i]


CASES = [first, middle, last_one_counts, within, starred, in_a_loop, is_read]


@pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)
def test_both_modes(f):
    laws.check_orders(f, X)
