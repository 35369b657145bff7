"""A copy of a list, dict or object is another thing, also where it comes to stand beside the original.

Where both are items of one list, nothing but the statement that copies says that they are two.
"""

import copy

import numpy as np
import pytest

import tapeless as tl
from tapeless.testing import check_replay
from tests import laws

X = np.array([0.6, -1.4, 2.3, 0.9])


class Layer:
    def __init__(self, w):
        self.w = w


def sliced(x):
    rows = [[v, v * v] for v in x]
    copies = [row[:] for row in rows]
    rows[2] = copies[1]
    return rows[2][0] + copies[1][1] * x[0] + rows[2][1]


def sliced_and_stored_into(x):
    rows = [[v, v * v] for v in x]
    rows[2] = rows[0][:]
    rows[2][0] *= x[3]
    rows[0][1] = rows[2][1] * x[1]
    return rows[0][0] * rows[0][1] + rows[2][0] * rows[2][1]


def by_list(x):
    rows = [[v, v * v] for v in x]
    rows[1] = list(rows[3])
    rows[3][0] = x[0]
    return rows[1][0] * rows[3][1] * rows[3][0]


def by_method(x):
    rows = [[v, v * v] for v in x]
    rows[1] = rows[3].copy()
    rows[1][1] *= rows[3][1]
    return rows[1][0] * rows[1][1]


def tables(x):
    tables = [{"u": x[0]}, {"u": 1.0}, {"u": 2.0}]
    tables[1] = dict(tables[0])
    tables[1]["u"] *= x[1]
    tables[2] = tables[1].copy()
    tables[2]["u"] += x[2]
    return tables[0]["u"] * tables[1]["u"] * tables[2]["u"]


def in_an_attribute(x):
    one, other = Layer([x[0], x[1]]), Layer([x[2], 1.0])
    for i in range(2):
        one.w, other.w = other.w[:], one.w
        one.w[i] *= x[3]
    return one.w[0] * other.w[1] + one.w[1]


def sorted_rows(x):
    rows = [[v, v * v] for v in x]
    rows[0] = sorted(rows[2])
    return rows[0][0] * rows[0][1] * rows[2][1]


def objects(x):
    layers = [Layer(x[0]), Layer(1.0)]
    layers[1] = copy.copy(layers[0])
    layers[1].w *= x[1]
    return layers[0].w * layers[1].w


def objects_in_a_loop(x):
    layers = [Layer(v * v) for v in x]
    for i in range(3):
        layers[i] = copy.copy(layers[i + 1])
        layers[i].w *= x[i]
    return sum(layer.w * layer.w for layer in layers)


@pytest.mark.parametrize(
    "f",
    [
        sliced,
        sliced_and_stored_into,
        by_list,
        by_method,
        tables,
        in_an_attribute,
        sorted_rows,
        objects,
        objects_in_a_loop,
    ],
)
def test_copies(f):
    laws.check_function(f, [X])
    check_replay(f, X)


class Copying:
    def __init__(self, w):
        self.w = w

    def __copy__(self):
        return Copying(self.w * 2.0)


def copied_in_its_own_way(x):
    layers = [Copying(x[0]), Copying(1.0)]
    layers[1] = copy.copy(layers[0])
    return layers[1].w


class Reduced:
    def __init__(self, w):
        self.w = w

    def __reduce__(self):
        return Reduced, (self.w * 2.0,)


def rebuilt(x):
    layers = [Reduced(x[0]), Reduced(1.0)]
    layers[1] = copy.copy(layers[0])
    return layers[1].w


def test_what_says_itself_how_it_is_copied():
    laws.check_function(copied_in_its_own_way, [X])
    with pytest.raises(tl.TapelessError, match="what is copied here"):
        tl.grad(rebuilt)(X)
