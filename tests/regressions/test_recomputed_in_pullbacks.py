"""A pullback of what is recomputed sees what was outside when it was made, not what is there later."""

import numpy as np
import pytest

import tapeless as tl

X = np.array([1.0, 2.0])
ITEMS = [2.0]
TABLE = np.array([2.0, 3.0])
GAIN = tl.Variable(2.0)
SCALE = 2.0


class Box:
    def __init__(self):
        self.k = 2.0


BOX = Box()


def put(value):
    global SCALE
    SCALE = value
    ITEMS[0] = BOX.k = value
    GAIN.assign(value)
    TABLE[:] = [value, value + 1.0]


@tl.recompute_grad
def with_item(x):
    return np.sum(x * x * ITEMS[0])


@tl.recompute_grad
def with_array(x):
    return np.sum(x * x * TABLE)


@tl.recompute_grad
def with_attribute(x):
    return np.sum(x * x * BOX.k)


@tl.recompute_grad
def with_variable(x):
    return np.sum(x * x * GAIN)


@tl.recompute_grad
def with_number(x):
    return np.sum(x * x * SCALE)


def scaled(x):
    return x * ITEMS[0]


@tl.recompute_grad
def with_a_callee(x):
    return np.sum(scaled(x) * x)


@tl.recompute_grad
def with_nothing(x):
    return np.sum(np.sin(x) * x)


def in_a_loop(x):
    y = x
    for _ in range(2):
        y = y * with_item(y)
    return np.sum(y)


def in_a_branch(x):
    if x[0] > 0.0:
        return with_array(x) * x[0]
    return with_item(x)


@pytest.mark.parametrize(
    "f",
    [with_item, with_array, with_attribute, with_variable, with_number, with_a_callee,
     with_nothing, in_a_loop, in_a_branch],
)  # fmt: skip
def test_a_pullback_sees_what_there_was(f):
    put(2.0)
    try:
        wanted = tl.grad(f)(X)
        x = X.copy()
        _, pullback = tl.vjp(f, x)
        put(99.0)
        x *= 7.0
        for _ in range(2):
            np.testing.assert_allclose(pullback(1.0)[0], wanted, rtol=1e-12)
    finally:
        put(2.0)


def test_a_gradient_still_runs_it_again():
    runs = []

    @tl.recompute_grad
    def counted(x):
        runs.append(1)
        return np.sum(np.sin(x) * x)

    tl.grad(lambda x: counted(x) * x[0])(X)
    assert len(runs) == 2
