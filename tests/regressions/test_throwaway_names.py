"""`_` is a name like any other where its value is read; an object may be made and left."""

import numpy as np
import pytest

from tapeless.testing import check_replay
from tests import laws


class Held:
    def __init__(self, x):
        self.x = x


class Squaring:
    def __init__(self, held):
        self.held = held
        held[0] = held[0] * held[0]


def square(x):
    return x * x


def appended(held, x):
    held.append(x)


def returned_from_a_call(held, x):
    _ = appended(held, x)
    return _


def bound_by_an_unpacking(x):
    a, _ = x, x * x
    for _ in range(2):
        square(_)
    return a * x + _


def a_parameter(_):
    square(_)
    Held(_)
    return _ * _


def read_after_another_call(x):
    _ = square(x)
    square(_)
    return _


def captured(x):
    _ = [x]

    def first():
        square(x)
        return _[0]

    return first() * x


def a_function(x):
    _ = lambda z: z * x  # noqa: E731
    return _(x)


def what_a_call_returns(x):
    held = [x]
    _ = returned_from_a_call(held, x * x)
    return held[1]


def twice_in_a_row(x):
    _, y = 2.0 * x, x
    _, z = _ * y, y
    return z * _


def beside_items(x):
    s = 0.0
    for _, v in [(1, x), (2, x * x)]:
        s = s + v
    return s * _


def an_object_that_nobody_keeps(x):
    held = [x]
    for _ in range(2):
        if x > 0:
            Squaring(held)
    return held[0]


OUTSIDE = np.array([1.5, -0.5])


def with_more_results(p):
    OUTSIDE[1] *= 2.0
    return [np.cos(OUTSIDE[0]), -0.26], np.cos(p)


def results_that_nobody_reads_above_a_loop(x):
    with_more_results(x)
    box = {"b": x * 1.0}
    for _ in OUTSIDE:
        n = 0
        while n < 2:
            n += 1
            box["b"] += x * x
    return box["b"] * x


def an_object_that_is_looked_at(x):
    held = [x]
    Squaring(held).held[0]  # noqa: B018
    return held[0]


FUNCTIONS = [
    bound_by_an_unpacking, a_parameter, read_after_another_call, captured, a_function,
    what_a_call_returns, twice_in_a_row, beside_items, an_object_that_nobody_keeps,
    an_object_that_is_looked_at,
]  # fmt: skip


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_throwaway_names(f):
    laws.check_function(f, (0.7,))
    check_replay(f, 0.7)


def vectors(x):
    _ = np.sin(x)
    square(_)
    return np.sum(_ * x)


def test_throwaway_arrays():
    laws.check_function(vectors, (np.array([0.7, 0.2]),))
