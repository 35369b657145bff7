"""Arrays and lists inside a tuple, which each trip of a loop takes out and stores into."""

from typing import NamedTuple

import numpy as np
import pytest

import tapeless as tl
from tests import laws


class Pair(NamedTuple):
    factor: float
    held: tuple


def with_a_list(z):
    t = [z]
    return Pair(2.0, (t,))


def with_an_array(z):
    t = np.zeros(2)
    t[0] = z
    return Pair(2.0, (t,))


def added(t, x):
    t[0] += x
    return t[0]


def a_list(x):
    pair = with_a_list(x)
    for _ in range(3):
        t = pair.held[0]
        t[0] += x
        x = x + 0.1 * t[0]
    return x * x


def an_array(x):
    pair = with_an_array(x)
    y = x
    for _ in range(3):
        t = pair.held[0]
        t[0] += y * y
        y += t[0]
    return y


def stored_by_a_callee(x):
    pair = with_a_list(x)
    for _ in range(3):
        x = x + 0.1 * added(pair.held[0], x)
    return x * x


def unpacked_in_a_while(x):
    pair = with_an_array(x)
    y = x
    while y < 2.0:
        _, (t,) = pair
        t[0] += y * y
        y += t[0]
    return y


def a_loop_over_the_tuple(x):
    pair = with_an_array(x)
    y = x
    for _ in range(2):
        for t in pair.held:
            t[0] += y * y
            y += t[0]
    return y


def an_inner_loop(x):
    y = x
    for _ in range(2):
        pair = with_an_array(x)
        for _ in range(2):
            t = pair.held[0]
            t[0] += 0.1 * y * y
            y += t[0]
    return y


def one_of_a_list_of_tuples(x):
    pair = with_a_list(x)
    pairs = [pair, pair]
    y = x
    for p in pairs:
        t = p.held[0]
        t[0] += y * y
        y += t[0]
    return y


def accumulator(gain):
    total = 0.0

    def step(e):
        nonlocal total
        total += e
        return gain * total

    return step


def a_returned_closure_that_counts(x, gain):
    step = accumulator(gain)
    for _ in range(4):
        x = x + 0.1 * step(1.0 - x)
    return x * x


def two_returned_closures(x, gain):
    steps = accumulator(gain), accumulator(x)
    for k in range(4):
        x = x + 0.1 * steps[0](x) + 0.2 * steps[1](k * x)
    return x * x


def in_a_branch_with_an_else(x):
    pair = with_an_array(x)
    for k in range(4):
        if k % 2:
            t = pair.held[0]
            t[0] *= x
        else:
            x = x + pair.held[0][0]
    return x


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (a_list, (0.2,)),
        (an_array, (0.2,)),
        (stored_by_a_callee, (0.2,)),
        (unpacked_in_a_while, (0.2,)),
        (a_loop_over_the_tuple, (0.2,)),
        (an_inner_loop, (0.2,)),
        (one_of_a_list_of_tuples, (0.2,)),
        (a_returned_closure_that_counts, (0.2, 0.7)),
        (two_returned_closures, (0.2, 0.7)),
        (in_a_branch_with_an_else, (0.7,)),
    ],
)
def test_every_trip_finds_what_the_others_added(f, args):
    laws.check_function(f, args)


def indices_of_every_entry(m):
    s = 0.0
    for (i, j), v in np.ndenumerate(m):
        s = s + i * j * v**3
    return s


def indices_chosen_by_a_condition(m):
    s = 0.0
    for (i, j), v in np.ndenumerate(m):
        k = i if v > 0.5 else j
        s = s + k * v**3
    return s


def returned_under_a_test(m):
    s = 0.0
    for (i, j), v in np.ndenumerate(m):
        s = s + i * j * v**3
    if np.pi > 3.0:
        return s


@pytest.mark.parametrize(
    "f", [indices_of_every_entry, indices_chosen_by_a_condition, returned_under_a_test]
)
def test_tuples_of_indices_in_a_gradient_of_a_product_with_the_gradient(f):
    m = np.array([[0.3, 0.6, 1.1], [0.7, 2.2, 0.4]])
    v = np.array([[1.0, -2.0, 0.5], [0.3, 0.7, -1.1]])
    found = tl.grad(laws.gradient_along(tl.grad(f), v))(m)
    np.testing.assert_allclose(found, tl.hvp(f)(m, v), rtol=1e-12)
    step = 1e-5 * v
    differences = (tl.grad(f)(m + step) - tl.grad(f)(m - step)) / 2e-5
    np.testing.assert_allclose(found, differences, rtol=1e-8, atol=1e-8)
