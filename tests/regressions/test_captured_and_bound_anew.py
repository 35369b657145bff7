"""A name that a local function captures is bound to what that function returns.

The call reads the old value, though the statement does not name it: the two are told apart.
"""

import numpy as np
import pytest

from tapeless.testing import check_replay
from tests import laws

X = [0.44, 1.592, 0.461]


def an_array_for_a_list(s):
    first = s[0]

    def sines():
        return np.sin(s)

    s = sines()
    return first * s[2]


def read_no_more(s):
    first = s[0] * s[1]

    def sines():
        return np.sin(s)

    s = sines()
    return first


def by_a_lambda(s):
    first = s[0]
    s = (lambda: [np.sin(s[0]), s[1] * s[1]])()
    return first * s[0] * s[1]


def by_way_of_another(s):
    first = s[0]

    def inner():
        return [s[1], s[0] * s[0]]

    def outer():
        return inner()

    s = outer()
    return first * s[0] + s[1]


def in_a_loop(s):
    y = 1.0
    s = np.array(s)

    def doubled():
        return np.array([2.0 * s[1], s[0] * y])

    for _ in range(3):
        y = y * s[0]
        s = doubled()
    return y + s[1]


def in_a_branch(s):
    first = s[0]

    def squared():
        return s[0] * s[0]

    if s[1] > 1.0:
        s = squared()
    else:
        s = s[2]
    return first * s


def called_by_another_function(s):
    def twice(f):
        return f() * f()

    first = s[0]
    s = twice(lambda: s[0] * s[1])
    return first * s


FUNCTIONS = [
    an_array_for_a_list, read_no_more, by_a_lambda, by_way_of_another, in_a_loop, in_a_branch,
    called_by_another_function,
]  # fmt: skip


@pytest.mark.parametrize("args", [(X,), (np.array(X),)], ids=["list", "array"])
@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_captured_and_bound_anew(f, args):
    laws.check_function(f, args, smooth=isinstance(args[0], np.ndarray))
    check_replay(f, *args)
