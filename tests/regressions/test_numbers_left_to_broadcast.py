"""A cotangent that is left to broadcast is what it was when it was left, though its name is bound anew."""

import numpy as np
import pytest

import tapeless as tl
from tests import laws


def divided_by_a_row(x):
    total = 1.0
    for v in x:
        total *= v
    total /= np.full(3, x[0])
    return np.sum(np.cos(total))


def summed_into_its_own_name(x):
    y = x[0] * x[1]
    y = y / np.array([x[0], x[1], x[2]])
    y = np.sum(y)
    return y * y


def turned_into_its_own_name(x):
    y = x[2]
    for _ in range(2):
        y = np.sum(y * np.sin(x)) / x
        y = np.mean(y[::-1])
    return y


def by_a_callee(x):
    def mean_over(y, by):
        y = y / by
        y = np.sum(y)
        return y

    y = x[1]
    for v in x:
        if v > 0.5:
            y = mean_over(y, x * v)
    return y


PROGRAMS = [divided_by_a_row, summed_into_its_own_name, turned_into_its_own_name, by_a_callee]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_both_modes_and_orders(f):
    x = np.array([0.329, 0.911, 0.858])
    laws.check_orders(f, x)
    tl.check_grads(lambda x: np.sum(tl.grad(f)(x) * np.array([0.3, 0.5, 0.7])), x, order=1)
