"""What derivatives make and keep grows as their functions do, and deep recursions run."""

import math
import re
import tracemalloc
from concurrent.futures import ThreadPoolExecutor

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


# Long loops of scalars, and recursions as deep as Python lets a function go


def orbit(x, n):
    y, t, i = x, 0.0, 0
    while i < n:
        y = y + 0.001 * math.sin(y) * t
        t = t + 1e-5
        i += 1
    return y


def root(x, n):
    y, k = 1.0, 0
    while True:
        y = y - 0.01 * (y * y - x) / (2.0 * y)
        k += 1
        if k >= n:
            return y


def by_cases(x, n):
    y, s, k = x, 0.0, 0
    while k < n:
        if y > 1.0:
            y = 0.5 * y
        else:
            y = y * y + 0.3
        s += y * x
        k += 1
    return s


def one_by_one(x, n):
    a = np.zeros(n)
    a[0] = x
    for i in range(1, n):
        a[i] = a[i - 1] + 1e-5 * math.sin(a[i - 1])
    return a[n - 1]


def over_and_over(x, n):
    a = np.full(99, x)
    for i in range(n):
        j = i % 98
        a[j + 1] = 0.5 * a[j + 1] + 0.3 * a[j] * a[j]
    return np.sum(a)


def most_saved(text):
    """Count the values that a trip of the forward sweep saves."""
    pushes = re.findall(r"\w+\.append\((.*)\)$", text, re.MULTILINE)
    return sum(1 + push.count(",") for push in pushes)


@pytest.mark.parametrize("function", [orbit, root, by_cases, one_by_one, over_and_over])
def test_a_hundred_bytes_for_each_float_saved(function):
    n = 100_000
    slope = tl.grad(function)
    step = 1e-6
    wanted = (function(0.5 + step, 12) - function(0.5 - step, 12)) / (2.0 * step)
    assert slope(0.5, 12) == pytest.approx(wanted, rel=1e-6)
    tracemalloc.start()
    slope(0.5, n)
    kept = tracemalloc.get_traced_memory()[1] - 16 * n  # an array of n floats, and its adjoint
    tracemalloc.stop()
    assert kept <= 100 * n * most_saved(tl.source(function, like=(0.5, n)))


DEPTH = 900


def nested(x, n):
    if n == 0:
        return x
    return math.sin(nested(x, n - 1)) + 0.001 * x


def carried(x, n, total):
    if n == 0:
        return total
    return carried(x, n - 1, total * 0.99 + x)


def of_parts(a, i):
    if i == len(a):
        return 0.0
    return a[i] * a[i] + of_parts(a, i + 1)


def into_parts(a, i):
    if i == len(a):
        return 0.0
    a[i] = a[i] * a[i - 1] + 0.1
    return into_parts(a, i + 1) + a[i]


def even(x, n):
    return x if n == 0 else odd(x * 0.999, n - 1)


def odd(x, n):
    return 2.0 * x if n == 0 else even(x + 0.001, n - 1)


class Link:
    def __init__(self, value, rest):
        self.value, self.rest = value, rest


def along(link, x):
    if link is None:
        return x
    return link.value * along(link.rest, x * 0.999)


def of_a_list(x, n):
    link = None
    for _ in range(n):
        link = Link(x * 0.001 + 0.999, link)
    return along(link, x)


PARTS = np.linspace(0.1, 0.9, DEPTH)


@pytest.mark.parametrize(
    "function, x, more",
    [
        (nested, 0.5, (DEPTH,)),
        (carried, 0.5, (DEPTH, 0.0)),
        (of_parts, PARTS, (0,)),
        (into_parts, PARTS, (0,)),
        (even, 0.5, (DEPTH,)),
        (of_a_list, 0.5, (DEPTH,)),
    ],
)
def test_recursions_of_nine_hundred_calls(function, x, more):
    def value(y):
        return function(np.array(y) if isinstance(y, np.ndarray) else y, *more)

    def check():
        dot = np.ones_like(x) if isinstance(x, np.ndarray) else 1.0
        step = 1e-6
        wanted = (value(x + step * dot) - value(x - step * dot)) / (2.0 * step)
        assert np.sum(tl.grad(function)(x, *more)) == pytest.approx(wanted, rel=1e-6)
        _, y_dot = tl.jvp(function, (x, *more), (dot, *[None] * len(more)))
        assert y_dot == pytest.approx(wanted, rel=1e-6)
        _, pullback = tl.vjp(function, x, *more)
        for _ in range(2):
            assert np.sum(pullback(1.0)[0]) == pytest.approx(wanted, rel=1e-6)

    with ThreadPoolExecutor(1) as threads:  # which starts with a stack that is nearly empty
        threads.submit(check).result()
