"""Second derivatives of programs that sort tuples.

The gradient of `sorted` takes the adjoints of the items out of a copy of those of the result. No name of
its stands for an item of the result itself, while its caller stores into each: both ask the adjoint memory.
"""

import numpy as np
import pytest

import tapeless as tl

X = np.array([0.6, 1.4, 2.3, 0.9])


def items_of_a_dict(x):
    table = {"a": x[0] * x[1], "c": x[2], "b": x[3] ** 2}
    s = 0.0
    for _, v in sorted(table.items(), key=lambda pair: pair[1]):
        s = s * v + v**2
    return s


def the_last_of_them(x):
    table = {1: x[0], 0: x[1] * x[0]}
    for _, b in sorted(table.items(), reverse=True):
        s = b**3
    return s


def taken_apart(x):
    items = sorted([(x[0], 1.0), (x[1] * x[2], 2.0), (x[3], 3.0)], reverse=True)
    (a, n), (b, m), _ = items
    return a**3 * n * b**2 * m


def the_first_of_pairs(x):
    pairs = [(i, v**2) for i, v in enumerate(x)]
    top = sorted(pairs, key=lambda pair: -pair[1])[:2]
    return sum(v**2 for _, v in top) * top[0][1]


def ordered(pairs):
    return sorted(pairs, key=lambda pair: pair[1])


def in_a_callee(x):
    s = 1.0
    for i, v in ordered([(i, v * x[0]) for i, v in enumerate(x)]):
        s = s * v + i
    return s


@pytest.mark.parametrize(
    "f", [items_of_a_dict, the_last_of_them, taken_apart, the_first_of_pairs, in_a_callee]
)
def test_second_derivatives(f):
    tl.check_grads(f, X, order=2, replay=True)
