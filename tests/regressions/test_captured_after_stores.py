"""What a local function captures varies if the memory that it lives in was made to: at all orders."""

import numpy as np
import pytest

from tests import laws

X = np.array([0.672, 0.904, 0.848])
Y = np.array([0.381, 1.439, 1.243])


def scaled_from(a, start, factor):
    a[start:] *= factor


def squared(h):
    return h() ** 2


def read_by_a_lambda(x, y):
    y[1:] *= x[0]
    h = lambda: y[2]
    return h() ** 2


def stored_by_a_callee(x, y):
    i = 2
    _ = scaled_from(y, 1, x[0])
    h = lambda t: y[i] * t
    return h(1.5) ** 2 + np.sum(np.cos(y))


def read_in_a_loop(x, y):
    scaled_from(y, 1, x[0])

    def h(t):
        s = 0.0
        for k in range(2):
            if k * t > -1.0:
                s = s + y[k + 1] * t
        return s

    return h(1.5) ** 2


def passed_on(x, y):
    y[1:] *= x[0]
    return squared(lambda: y[2])


def in_a_dict(x, y):
    held = {"a": y}
    held["a"][1:] *= x[0]
    h = lambda: held["a"][2]
    return h() ** 2


def in_a_list(x, y):
    held = [y[0], y[1]]
    held[0] = held[0] * x[0]
    h = lambda: held[0] ** 3
    return h()


def stored_by_another(x, y):
    def store():
        y[1:] *= x[0]

    store()
    h = lambda: y[2]
    return h() ** 2


FUNCTIONS = [
    read_by_a_lambda,
    stored_by_a_callee,
    read_in_a_loop,
    passed_on,
    in_a_dict,
    in_a_list,
    stored_by_another,
]


@pytest.mark.parametrize("wrt", [(0,), (0, 1)])
@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_both_orders(f, wrt):
    rng = np.random.default_rng(0)
    laws.check_reverse(f, (X, Y), wrt, rng)
    laws.check_forward(f, (X, Y), wrt, rng)
    laws.check_second_order(f, (X, Y), wrt, rng)
