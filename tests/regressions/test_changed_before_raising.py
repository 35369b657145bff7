"""What is changed on a way that ends in an exception is never undone: the sweep back is not on it."""

import numpy as np
import pytest

import tapeless as tl
from tests.laws import check_function

X = np.array([1.036, 1.168, 0.887])


def in_a_handler(x):
    slots = {}
    try:
        return x[0] * x[1]
    except ZeroDivisionError:
        slots["v"] = [0]
        slots["v"].pop()
        if not slots["v"]:
            slots["v"].append(0)
            raise


def in_a_branch(x):
    slots = {"v": [x[0]]}
    if x[1] > 3.0:
        slots["v"].append(x[2])
        raise ValueError("large")
    slots["v"][0] *= x[1]
    return slots["v"][0] * x[0]


def otherwise(x):
    y = x * 2.0
    if x[1] < 3.0:
        y[0] = x[1] * y[1]
    else:
        y[1] *= 2.0
        raise ValueError("large")
    return np.sum(y * y)


def in_a_loop(x):
    y = x * 1.0
    for i in range(3):
        if x[i] > 3.0:
            y[i] = 0.0
            raise ValueError(i)
        y[i] *= y[0]
    return np.sum(y * x)


def checked(a, limit):
    if a[0] > limit:
        a[0] = limit
        raise ValueError(limit)
    a[0] *= a[1]
    return a


def in_a_callee(x):
    y = x * 1.0
    return np.sum(checked(y, 3.0) * checked(y, 4.0))


def on_both_ways(x):
    y = x * 1.0
    if x[0] < 0.0:
        y[0] = 1.0
        if x[1] > 0.0:
            y[1] = 2.0
            raise ValueError("a")
        else:
            raise KeyError("b")
    y[2] = y[0] * y[1]
    return y * y


PROGRAMS = (in_a_handler, in_a_branch, otherwise, in_a_loop, in_a_callee, on_both_ways)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_ways_that_raise(f):
    check_function(f, (X,), smooth=True)


def test_what_raises_is_as_its_author_left_it():
    with pytest.raises(ValueError, match="large"):
        tl.grad(in_a_branch)(np.array([1.0, 4.0, 1.0]))
    text = tl.source(in_a_branch, like=(X,))
    assert text.count(".pop()") == 0 and "if not" not in text
