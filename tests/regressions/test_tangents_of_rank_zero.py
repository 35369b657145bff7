"""A number computed from an array of rank 0 keeps its tangent when the array changes."""

import numpy as np
import pytest

from tests import laws


def times_one(a):
    b = a.copy()
    y = 1.0 * b
    b[...] = a * a * 2.0
    return y * a + b


def less_a_number(a):
    b = a.copy()
    y = b - 2.0
    b[...] = a * a * 2.0
    return y * a + b


def plus_a_number(a):
    b = np.array(a)
    y = 2.0 + b
    b *= a
    return y * a + b


def in_a_loop(a):
    b = a.copy()
    s = 0.0
    for _ in range(3):
        y = b + 1.0
        b[()] = b * a
        s = s + y * b
    return s


def store(b, a):
    b[()] = a * a * 2.0


def in_a_callee(a):
    b = a.copy()
    y = b + 1.0
    store(b, a)
    return y * b * a


def in_a_local_function(a):
    b = a.copy()

    def change():
        b[()] = a * a * 2.0

    change()
    return b * a


def in_a_branch(a):
    b = np.array(a)
    y = b + 1.0 if a > 0.0 else b - 1.0
    if a < 3.0:
        b *= a
    return y * b


def in_what_a_callee_gives(a):
    def square(v):
        return np.tensordot(v, v, axes=0)

    b = square(a.ravel()[0])
    c = b
    c[...] *= 2.0
    return b * a


def in_what_a_callee_keeps(a):
    def keep(box, v):
        box["square"] = np.tensordot(v, v, axes=1)

    box = {}
    keep(box, a.ravel())
    box["square"][...] *= 2.0
    return box["square"] * a


@pytest.mark.parametrize(
    "function",
    [
        in_what_a_callee_gives,
        in_what_a_callee_keeps,
        times_one,
        less_a_number,
        plus_a_number,
        in_a_loop,
        in_a_callee,
        in_a_local_function,
        in_a_branch,
    ],
)
@pytest.mark.parametrize("shape", [(), (1,)])
def test_the_number_stays(function, shape):
    def with_a_scalar(x):
        return np.sum(function(x))

    laws.check_function(with_a_scalar, (np.full(shape, 1.3),))
