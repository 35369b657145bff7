"""`with` blocks that bind attributes, entries and items, and not names."""

import contextlib

import numpy as np
import pytest

from tests import laws

X = np.array([0.81, 0.331, 1.141])


class Box:
    pass


@contextlib.contextmanager
def timed(label):
    yield len(label)


def an_attribute(x):
    box = Box()
    box.v = x[0] ** 2
    y = box.v
    with np.errstate(all="ignore") as box.v:
        box.v = x[1] ** 2
    return y * box.v


def an_entry(x):
    slots = {"v": x}
    with np.errstate(all="ignore") as slots["v"]:
        slots["v"] = x * x
    return np.sum(slots["v"])


def an_item(x):
    items = [0.0, x[0] * x[1]]
    y = items[1]
    with timed("energy") as items[1]:
        y = y * x[1] * items[1]
    return y * items[1] ** 2


def an_item_of_an_array(x):
    a = x * x
    with timed("energy") as a[1]:
        y = np.sum(a**2)
    return y * a[0]


def several(x):
    slots = {}
    box = Box()
    with timed("ab") as slots["n"], timed("abc") as box.n:
        y = np.sum(x**2) * slots["n"]
    return y * box.n


@pytest.mark.parametrize("f", [an_attribute, an_entry, an_item, an_item_of_an_array, several])
def test_places_bound_by_with(f):
    laws.check_function(f, (X,))
