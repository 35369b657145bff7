"""What a callee holds in one list is not told apart there, and so not in its caller either."""

import numpy as np
import pytest

from tapeless.testing import check_replay
from tests import laws

X = np.array([0.6, 1.4, 2.3])
Y = np.array([0.9, 0.2, 1.1])


def both(x, y):
    return [x, y]


def sum_of_first(x, y):
    held = [x, y, y]
    return held[0][1]


class Pair:
    def hold(self, x, y):
        self.held = [x, y]


def one_is_stored_into(x, y):
    x, y = x * 1.0, y * 1.0
    both(x, y)
    y[0] -= x[1]
    return x * y


def the_argument_is_returned(x, y):
    both(x, y)
    y[1] *= 2.0
    return x


def in_a_loop(x, y):
    for i in range(3):
        sum_of_first(x, y)
        y[i] -= x[0] * y[1]
    return x * y


def by_a_method(x, y):
    pair = Pair()
    pair.hold(x, y)
    y[0] = x[1] * x[2]
    return x + y * y


def by_a_callee_of_a_callee(x, y):
    def outer(a, b):
        return both(b, a)

    outer(x, y)
    y[2] = x[1]
    return x * y


class Box:
    def __init__(self, v):
        self.v = v

    def scale(self, k):
        self.v *= k


def objects_in_a_dict_in_a_dict(x, y):
    held = {"boxes": {"a": Box(x * 1.0), "b": Box(x * y)}}
    boxes = held["boxes"]
    boxes["b"].v = boxes["a"].v
    boxes["c"] = boxes["a"]
    boxes["c"].scale(y[0])
    return boxes["a"].v * boxes["b"].v


FUNCTIONS = [
    one_is_stored_into,
    the_argument_is_returned,
    in_a_loop,
    by_a_method,
    by_a_callee_of_a_callee,
    objects_in_a_dict_in_a_dict,
]


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_held_together_by_callees(f):
    laws.check_function(f, (X, Y))
    check_replay(f, X, Y)
