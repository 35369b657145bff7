"""A local that hides a builtin gets another name, and is the author's under that name too."""

import numpy as np
import pytest

from tapeless.testing import check_replay
from tests import laws

X = np.array([0.7, 1.2, 0.4])


def bound_in_a_loop(x):
    for _ in range(3):
        sorted = x[1]
    return sorted * x[0]


def bound_in_a_loop_of_a_local_function(x):
    def last(y):
        for k in range(3):
            len = y * k
        return len * x[0]

    return last(x[1])


def bound_in_a_while(x):
    k = 0
    while k < 2:
        sum = x[k] * x[2]
        k += 1
    return sum * sum


def bound_in_a_branch(x):
    if x[0] > 0.0:
        zip = x[1] * x[0]
    if x[0] > 0.0:
        return zip * x[2]
    return x[1]


FUNCTIONS = [
    bound_in_a_loop,
    bound_in_a_loop_of_a_local_function,
    bound_in_a_while,
    bound_in_a_branch,
]


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_renamed_locals(f):
    laws.check_function(f, (X,))
    check_replay(f, X)


def test_renamed_locals_beside_lists():
    laws.check_function(bound_in_a_loop, ([0.7, 1.2],))
    check_replay(bound_in_a_loop, [0.7, 1.2])


def unread(p):
    unbroadcast = 0


def spliced_beside_a_helper(x):
    pair = [x[1], unread(x[1])]
    v = np.array([x[0] for _ in x])

    def total(t):
        return sum([t for t in x])

    v[1:] += x[0:2]
    return total(v[2])


def kept_beside_a_helper(x, full=2.0):
    copied = [x[0] * full for _ in x]
    np_ = np.array(copied) + x[0:3]
    zeros = np_[0] * full
    return np.sum(np_) * zeros


@pytest.mark.parametrize("f", [spliced_beside_a_helper, kept_beside_a_helper])
def test_locals_named_as_helpers(f):
    laws.check_orders(f, [1.175, 1.502, 1.19])
