"""What derivatives make and keep grows as their functions do, and deep recursions run."""

import tracemalloc

import numpy as np
import pytest

import tapeless as tl
from tests import laws


def element(x, i):
    return x[i] * x[i]


def loop_over_a_callee(x):
    s = 0.0
    for i in range(len(x)):
        s = s + element(x, i)
    return s


def store_in_a_callee(u, i):
    u[i] = u[i] * u[i - 1] + 0.5


def loop_over_a_storing_callee(x):
    u = x * 1.0
    for i in range(1, len(u)):
        store_in_a_callee(u, i)
    return u[-1]


def element_writes(x):
    y = x * 0.0
    for i in range(len(x)):
        y[i] = np.sin(x[i])
    return np.sum(y**2)


class Counting:
    """Count the elements of the arrays that NumPy's makers are asked for.

    The programs measured call none of these makers themselves: replacing a function that the
    user's code names is a redefinition, which a gradient must notice.
    """

    MAKERS = ("zeros", "zeros_like", "empty", "empty_like", "full", "full_like", "ones_like")

    def __init__(self, monkeypatch):
        self.elements = 0
        for name in self.MAKERS:
            monkeypatch.setattr(np, name, self.counted(getattr(np, name)))

    def counted(self, make):
        def counted_make(*args, **kwargs):
            made = make(*args, **kwargs)
            self.elements += np.size(made)
            return made

        return counted_make


def elements_made(function, n, monkeypatch):
    g = tl.grad(function)
    g(np.full(n, 0.4))
    with monkeypatch.context() as context:
        counting = Counting(context)
        g(np.full(n, 0.4))
    return counting.elements


@pytest.mark.parametrize(
    "function", [loop_over_a_callee, loop_over_a_storing_callee, element_writes]
)
def test_elements_made_grow_linearly(function, monkeypatch):
    small = elements_made(function, 100, monkeypatch)
    large = elements_made(function, 1000, monkeypatch)
    assert large <= 12 * max(small, 100), (small, large)


def most_memory(function, n):
    g = tl.grad(function)
    g(np.full(4, 0.4))
    x = np.full(n, 0.4)
    tracemalloc.start()
    try:
        g(x)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def scalar_state(x):
    s = 0.1
    for v in x:
        s = np.sin(s) * v + 0.5
    return s


@pytest.mark.parametrize(
    "function", [scalar_state, loop_over_a_callee, loop_over_a_storing_callee, element_writes]
)
def test_memory_per_iteration_is_bounded(function):
    small, large = most_memory(function, 500), most_memory(function, 4000)
    assert (large - small) / 3500 < 600.0


def test_deep_recursion():
    def down(x, n):
        if n == 0:
            return x
        return np.sin(down(x, n - 1)) * 1.01

    got = tl.grad(down)(0.7, 300)
    wanted, error = laws.central_difference(lambda t: down(0.7 + t, 300))
    laws.assert_near(got, wanted, error, "300 levels")
