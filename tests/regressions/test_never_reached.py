"""Statements that control never comes to have no derivative, and do no harm."""

import numpy as np
import pytest

from tests import laws

X = np.array([0.6, -1.4, 2.3])


def after_a_raise(x, y):
    if y > 3.0:
        if True:
            raise ValueError
        y *= 1.0
    return y * x


def after_an_endless_loop(x, y):
    if y > 3.0:
        while True:
            x = x * y
            if x > 5.0:
                return x
        y *= 2.0
    return y * x


def after_a_jump(x):
    y = x * 1.0
    for i in range(3):
        if x[0] > 0:
            y[i] = y[i] * x[0]
            break
            y += x
        y = y * x
    return np.sum(y)


def after_a_return(x):
    return np.sum(x * x)
    x[0] = x[1]
    return x[0]


def stops(x):
    raise ValueError


def after_a_call_that_raises(x, y):
    if y > 3.0:
        stops(x)
        y = y * x
        y *= x
    return y * x


def items_of_nothing(x):
    kept = []
    for i, v in enumerate(kept):
        x = x * v
        x[i] = v
    for v, w in zip(kept, x, strict=False):
        x[0] = x[0] * v * w
    return np.sum(x * x)


class Scaled:
    def __init__(self, k):
        self.k = k

    def times(self, x):
        if self.k < 0.0:
            raise ValueError
            self.k *= 2.0
        return self.k * x


def in_a_method(x):
    scaled = Scaled(x[0])
    return scaled.times(x[1]) * scaled.k


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (after_a_raise, (0.5, 0.6)),
        (after_an_endless_loop, (0.5, 0.6)),
        (after_an_endless_loop, (0.5, 3.6)),
        (after_a_jump, (X,)),
        (after_a_jump, (-X,)),
        (after_a_return, (X,)),
        (after_a_call_that_raises, (0.5, 0.6)),
        (items_of_nothing, (X,)),
        (in_a_method, (X,)),
    ],
)
def test_first_and_second_order(function, arguments):
    laws.check_function(function, arguments)
