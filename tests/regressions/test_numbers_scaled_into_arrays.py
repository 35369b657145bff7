"""Numbers that an augmented assignment turns into arrays, which are stored into later."""

import numpy as np
import pytest

import tapeless as tl

B = np.array([1.361, 0.687, 1.082])


def divided_in_a_loop(x, b):
    g = 1
    for _ in range(2):
        g /= b
    g[0] = 2.0
    return np.sum(g * x)


def divided_and_moved(x, b):
    g = 1
    for _ in range(2):
        g /= 1.5 + b**2
    g[:-1] = g[0:2]
    return np.sum(g * x)


def multiplied(x, b):
    g = 1.0
    for _ in range(3):
        g *= b
    g[1] = g[0] * x
    return np.sum(g)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("f", [divided_in_a_loop, divided_and_moved, multiplied])
def test_first_order(f, dtype):
    tolerance = {"rtol": 1e-3, "atol": 1e-3} if dtype is np.float32 else {}
    tl.check_grads(f, dtype(0.4), B.astype(dtype), order=1, replay=True, **tolerance)
