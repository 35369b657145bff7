"""A local function that may be something else brings along what it captures: it is not forgotten."""

import functools

import numpy as np

from tests import laws

OUTSIDE = [None]


def in_a_list_outside(x):
    OUTSIDE[0] = lambda t: x * t
    return OUTSIDE[0](1.5) + x


def in_a_list_given(x, held):
    held[0] = lambda t: x * t
    return held[0](1.5) + x


def in_a_list_made_here(x):
    held = [None]
    if x > 0.0:
        held[0] = lambda t: x * t
    return held[0](1.5) + x


def in_a_name(x):
    f = None
    if x > 0.0:
        f = lambda t: x * t  # noqa: E731
    return f(1.5) + x


def captured_later(x):
    f, k = None, 1.0
    if x > 0.0:
        f = lambda t: k * t  # noqa: E731
    k = x * 2.0
    return f(1.5) + x


def in_a_callee(x):
    def run(f):
        return f(1.5)

    g = 0.0
    for i in range(2):
        if i:
            g = lambda t: x * t  # noqa: E731
    return run(g) + x


def partial_or_none(x):
    f = None
    if x > 0.0:
        f = functools.partial(np.multiply, x)
    return f(1.5) + x


def one_of_two(x):
    f = np.sin
    if x > 0.0:
        f = lambda t: x * t  # noqa: E731
    return f(1.5) + x


def test_functions_or_none():
    alone = (
        in_a_list_outside, in_a_list_made_here, in_a_name, captured_later, in_a_callee,
        partial_or_none, one_of_two,
    )  # fmt: skip
    for f in alone:
        laws.right_or_refused(f, (2.0,))
    laws.right_or_refused(in_a_list_given, (2.0, [None]))
    assert laws.right_or_refused(one_of_two, (2.0,)) == "right"
