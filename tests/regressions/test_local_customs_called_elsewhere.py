"""Custom gradients defined in a function, called by other functions that have names of their own."""

import numpy as np
import pytest

import tapeless as tl
from tests.regressions.repeats import repeated

X = np.array([0.7, -0.4, 1.3, 0.2])


def by_a_local_function(x):
    saved = []

    @tl.custom_gradient
    def squared(v):
        w = v * v

        def grad(u):
            return 2.0 * v * u

        return w, grad

    def apply(v):
        saved.append(squared(v * x[0]))
        return saved[-1]

    return apply(x[1]) * apply(x[2]) + sum(map(lambda v: squared(v), saved))


def by_one_with_a_name_that_is_captured(x):
    c = 1.5

    @tl.custom_gradient
    def scaled(v, k):
        return np.sin(v) * k * c, lambda u: (np.cos(v) * k * c * u, np.sin(v) * c * u)

    def again(n, v, c=0.3):
        return v * c if n == 0 else again(n - 1, scaled(v, x[2]))

    return again(3, x[0]) * c


def by_a_function_of_another_file(x):
    c = 1.5

    @tl.custom_gradient
    def scaled(v):
        function_c = np.sin(v)
        return function_c * c, lambda u: np.cos(v) * u * c

    return repeated(scaled, 3, x[0]) * x[1]


def with_helpers_that_capture(x):
    c = 1.5

    def square(v):
        return v * v * c

    def slope(v):
        return 2.0 * v * c

    @tl.custom_gradient
    def squared(v):
        return square(v), lambda u: slope(v) * u

    def again(n, v, c=0.3):
        return v * c if n == 0 else again(n - 1, squared(v))

    return again(2, x[0]) * x[1]


def that_is_called_and_not_inlined(x):
    weights, sign = [0.5, 0.25], -1.0

    @tl.custom_gradient
    def series(v):
        t = 0.0
        for k in weights:
            if v > 10.0:
                return 0.0, lambda u: 0.0
            t = t + k * v * v * sign

        def grad(u):
            return sum(2.0 * k * v * sign for k in weights) * u

        return t, grad

    def again(n, v, weights=0.3, sign=2.0):
        return v * weights * sign if n == 0 else again(n - 1, series(v))

    return again(2, x[0]) * x[1]


def of_arrays_by_two_functions(x):
    a, b = np.arange(1.0, 5.0), 0.1 * np.arange(1.0, 5.0)

    @tl.custom_gradient
    def mixed(v):
        return v * v * a + b, lambda u: 2.0 * v * a * u

    def first(n, v, a=0.0):
        return v + a if n == 0 else first(n - 1, mixed(v) * 0.2)

    def second(g, n, v, b=1.0):
        return v * b if n == 0 else second(g, n - 1, g(v) * 0.3)

    return np.sum(first(2, x) * second(mixed, 2, x))


PROGRAMS = [
    by_a_local_function,
    by_one_with_a_name_that_is_captured,
    by_a_function_of_another_file,
    with_helpers_that_capture,
    that_is_called_and_not_inlined,
    of_arrays_by_two_functions,
]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_derivatives(f):
    tl.check_grads(f, X, order=2, replay=True)
