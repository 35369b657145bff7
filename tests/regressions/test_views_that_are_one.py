"""Branches that ask whether two names are one array, `a is b`, where that array is a view.

A pullback copies what it reads. A view that stands twice in what is kept must be one view in the copy
too: else the reverse sweep takes the other branch than the forward sweep took.
"""

import numpy as np
import pytest

import tapeless as tl
from tapeless.runtime.boundary import private, snapshot


def squared_if_same(s, a, b):
    if a is b:
        return s**2
    return s


def one_slice_twice(s, x):
    part = x[:2]
    return squared_if_same(s, part, part) ** 2


def two_slices(s, x):
    return squared_if_same(s, x[:2], x[:2]) ** 2


def rows_of_a_loop(s, x):
    total = 0.0
    for row in x:
        total = total + squared_if_same(s, row, row) ** 2
    return total


class White:
    def __init__(self, scale):
        self.scale = scale

    def __call__(self, a, b=None):
        b = a if b is None else b
        return self.scale**2 * np.eye(len(a)) if a is b else np.zeros((len(a), len(b)))

    def diagonal(self, a):
        return np.array([self(point[None])[0, 0] for point in a])


def kernel_of_noise(s, x):
    noise = White(s)
    return np.sum(noise.diagonal(x) ** 2) + np.sum(noise(x, 2.0 * x)) + np.sum(noise(x))


POINTS = np.arange(6.0).reshape(3, 2)


@pytest.mark.parametrize("f", [one_slice_twice, two_slices, rows_of_a_loop, kernel_of_noise])
def test_second_derivatives(f):
    tl.check_grads(f, 0.7, POINTS, order=2, replay=True)


@pytest.mark.parametrize("copied", [private, lambda x: snapshot(x, views=True)])
def test_a_view_that_stands_twice_is_one_view_in_the_copy(copied):
    row = POINTS[1]
    one, other, own = copied((row, row, POINTS[1]))
    assert one is other
    assert own is not one
    assert np.shares_memory(one, own)
    assert not np.shares_memory(one, row)
