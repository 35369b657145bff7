"""Tuples to which items are added: in loops and recursions it is not known how many they have."""

import numpy as np
import pytest

from tests import laws

X = np.array([0.3, 0.7, 1.1])


def added_in_a_loop(x):
    t = ()
    for v in x:
        t = t + (v * v,)
    return sum(t)


def updated_in_a_loop(x):
    t = (1.0,)
    for i in range(3):
        t += (t[-1] * x[i],)
    return t[-1] + t[1]


def put_first(x):
    t = ()
    for v in x:
        t = (np.sin(v), *t)
        t = (v,) + t
    return t[0] * 2.0 + t[1] ** 2


def two_of_unknown_length(x):
    t = tuple(v * 2.0 for v in x)
    u = tuple(v**2 for v in x[1:])
    w = t + u + (x[0], 3.0)
    return sum(a * i for i, a in enumerate(w)) * w[-2]


def of_a_shape(x):
    shape = ()
    for _ in range(2):
        shape += (3,)
    return np.sum((np.ones(shape) @ x) ** 2)


def path(x, i, found=()):
    if i == len(x):
        return found
    return path(x, i + 1, found + (x[i] ** 2,))


def in_a_recursion(x):
    return sum(path(x, 0))


def in_a_local_recursion(x):
    def go(i, found):
        if i == 3:
            return found
        return go(i + 1, (*found, x[i] * i))

    return np.prod(np.array(go(0, (x[0],))))


def of_pairs(x):
    steps = ()
    for i in range(3):
        steps += ((i, x[i] * i),)
    return sum(w * (k + 1) for k, w in steps)


def of_arrays(x):
    t = ()
    for i in range(3):
        t += (x * i,)
    return np.sum(np.concatenate(t) ** 2)


@pytest.mark.parametrize(
    "f",
    [
        added_in_a_loop, updated_in_a_loop, put_first, two_of_unknown_length, of_a_shape, in_a_recursion,
        in_a_local_recursion, of_pairs, of_arrays,
    ],
)  # fmt: skip
def test_their_items_carry_derivatives(f):
    laws.check_orders(f, X)
