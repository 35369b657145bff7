"""Arrays made by a callee of a callee, which only slots hold, and which the caller stores into."""

import numpy as np
import pytest

from tapeless.testing import check_replay
from tests import laws

X = np.array([0.6, 1.4, 2.3])


class Box:
    def __init__(self, x):
        self.v = x * 1.0
        self.rows = [x * x]


class Bare:
    pass


def a_box(x):
    box = Box(x)
    return box


def a_list(x):
    return [x * 1.0]


def the_list(x):
    made = a_list(x)
    return made


def put(d, x):
    d["a"] = x * 1.0


def a_dict(x):
    made = {}
    put(made, x)
    return made


def append(items, x):
    items.append(np.sin(x))


def filled(x):
    items = []
    append(items, x)
    return items


def name_it(o, x):
    o.a = x * 1.0


def a_bare(x):
    o = Bare()
    name_it(o, x)
    return o


def in_an_attribute(x):
    box = a_box(x)
    box.v *= 2.0
    return box.v * x


def in_a_list_of_an_attribute(x):
    box = a_box(x)
    box.rows[0][1] = box.v[0] * 3.0
    return box.rows[0] * box.v


def in_a_list(x):
    made = the_list(x)
    made[0] *= x
    return made[0]


def in_a_dict(x):
    made = a_dict(x)
    made["a"][0] *= x[1]
    return made["a"] * made["a"]


def in_a_list_that_is_filled(x):
    items = filled(x)
    items[0] -= items[0][::-1] * x
    return items[0]


def in_an_attribute_set_from_outside(x):
    o = a_bare(x)
    o.a[1:] *= o.a[0]
    return o.a


def three_calls_below(x):
    def outer(v):
        held = {"box": a_box(v)}
        return held

    held = outer(x)
    for i in range(2):
        held["box"].v[i] *= x[i + 1]
    return held["box"].v


PROGRAMS = [
    in_an_attribute,
    in_a_list_of_an_attribute,
    in_a_list,
    in_a_dict,
    in_a_list_that_is_filled,
    in_an_attribute_set_from_outside,
    three_calls_below,
]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_is_told_to_all(f):
    laws.check_function(f, (X,), smooth=False)
    check_replay(f, X)
