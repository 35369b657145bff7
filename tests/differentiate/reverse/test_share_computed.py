"""What both sweeps need is computed once, where nothing that it rests on changes in between."""

import math

import numpy as np
import pytest

import tapeless as tl
from tapeless.testing import check_grads, check_replay


def sine_first(x):
    s = np.sin(x)
    y = x * s
    c = np.cos(x)
    return y * c


def cosine_first(x):
    c = np.cos(x)
    return c * np.sin(x)


def in_a_loop(x, n):
    for _ in range(n):
        s = np.sin(x)
        v = x - 0.3 * s
        x = v / (1.0 + 0.3 * np.cos(x))
    return x * x


def bound_anew(x):
    s = np.sin(x)
    x = x * 2.0
    c = np.cos(x)
    return s * c


def read_before(x, n):
    c = 0.0
    for _ in range(n):
        s = np.sin(x)
        x = x + 0.1 * c * s
        c = np.cos(x)
    return x * c


def the_last_one_read_before(x, n):
    c = 1.0
    total = 0.0
    for _ in range(n):
        s = np.sin(x)
        total = total + c * s
        c = np.cos(x)
        x = x * 1.1 + c
    return total


def in_one_branch(x):
    s = np.sin(x)
    if x > 0.0:
        return s * np.cos(x)
    return s


def guarded(x):
    c = math.cos(x)
    if x > 5.0:
        raise ValueError
    return math.sin(x) * c


def of_an_array(x):
    s = np.sin(x)
    y = s * x
    c = np.cos(x)
    c = c * 2.0
    return np.sum(y * c)


def stored_into(x):
    v = x * 1.5
    s = np.sin(v)
    v[0] = 0.3
    c = np.cos(v)
    c[1] = 2.0
    return np.sum(s * c)


ARRAY = np.array([0.4, 1.3])
CASES = [
    (sine_first, 0.7), (cosine_first, 0.7), (in_a_loop, 0.7, 3), (bound_anew, 0.7),
    (read_before, 0.7, 3), (the_last_one_read_before, 0.7, 3), (in_one_branch, 0.7),
    (in_one_branch, -0.7), (guarded, 0.7), (of_an_array, ARRAY), (stored_into, ARRAY),
]  # fmt: skip


@pytest.mark.parametrize("f, args", [(f, args) for f, *args in CASES])
def test_derivatives_are_right(f, args):
    check_grads(f, *args)
    check_replay(f, *args)
    assert tl.value_and_grad(f)(*args)[0] == f(*args)


@pytest.mark.parametrize("f, like", [(sine_first, 0.7), (cosine_first, 0.7), (of_an_array, ARRAY)])
def test_each_is_computed_once(f, like):
    text = tl.source(f, like=(like,))
    assert text.count("np.sin(x)") == text.count("np.cos(x)") == 1


def test_what_may_raise_is_not_computed_earlier():
    def f(x):
        s = math.sin(x)
        if s > 2.0:
            return s
        return s * math.cos(x)

    check_grads(f, 0.7)
