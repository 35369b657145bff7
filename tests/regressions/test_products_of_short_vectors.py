"""Products and norms of short vectors are NumPy's, and their adjoints are numbers."""

import numpy as np
import pytest

import tapeless as tl
from tests import laws


def mirrored(d, n, c):
    d0, d1, d2 = d
    n = n / np.linalg.norm(n)
    r = d - 2.0 * np.dot(d, n) * n
    return np.inner(r, c) + r @ r + d0 * d1 * d2


def sprung(p):
    a = np.array([p[0], p[1]])
    b = np.array([p[2], p[3]])
    total = 0.0
    for k in range(3):
        d = b - a
        r = np.linalg.norm(d)
        if r > 0.5 + 0.1 * k:
            a = a + 0.1 * d / r
        total += r**2 + a.dot(b)
    return total


def stretch(d):
    return np.vdot(d, d) / np.linalg.norm(d)


def by_a_callee(p):
    total = 0.0
    for k in range(2):
        d = np.array([p[0] - k, p[1] * p[2], p[2]])
        total = total * 0.5 + stretch(d)
    return total


def angle(p):
    i, j = np.array([p[0], p[1], 1.0]), np.array([p[2], p[3], -1.0])
    return np.arccos(i @ j / (np.linalg.norm(i) * np.linalg.norm(j)))


CASES = [
    (mirrored, 9),
    (sprung, 4),
    (by_a_callee, 3),
    (angle, 4),
]


@pytest.mark.parametrize("f, n", CASES, ids=[f.__name__ for f, _ in CASES])
def test_both_modes_and_orders(f, n):
    given = np.random.default_rng(n).uniform(0.3, 1.5, n)
    args = tuple(given.reshape(3, 3)) if f is mirrored else (given,)
    laws.check_orders(f, *args)


@pytest.mark.parametrize("f, n", CASES, ids=[f.__name__ for f, _ in CASES])
def test_values_are_the_authors(f, n):
    given = np.random.default_rng(n).uniform(0.3, 1.5, n)
    args = tuple(given.reshape(3, 3)) if f is mirrored else (given,)
    value, _ = tl.value_and_grad(f)(*args)
    assert value == f(*args)
    assert type(value) is type(f(*args))


def test_nothing_at_a_norm_of_zero():
    def length(p):
        d = np.array([p[0] - p[1], p[1] - p[0]])
        return np.linalg.norm(d) + p[0]

    assert tl.grad(length)(np.array([2.0, 2.0])).tolist() == [1.0, 0.0]
    assert tl.jvp(length, (np.array([2.0, 2.0]),), (np.array([1.0, 3.0]),))[1] == 1.0


def test_a_name_saved_for_the_reverse_sweep_is_a_float_there():
    def drift(x, steps):
        for k in range(steps):
            s = np.sin(x)
            x = x + 0.1 * s**2 / (1.0 + s * x)
        return x

    laws.check_second_order(drift, (0.4, 3), wrt=(0,), rng=np.random.default_rng(0))
    laws.check_orders(lambda x: drift(x, 3), 0.4)
