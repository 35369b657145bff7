"""`x += v` of a number that an array is added to: it is bound to a new array, which then changes in place."""

import numpy as np
import pytest

from tapeless.testing import check_grads
from tests import laws

X = np.array([[0.7, 1.2], [0.3, -0.4]])
OUTSIDE = np.array([1.5, 0.5])


def added_twice(x):
    total = 0.0
    total += x[0]
    total += x[1]
    return np.sum(total * x[0])


def added_twice_to_an_integer(x):
    total = 0
    total += x[0]
    total += x[0]
    return np.sum(total * x[0])


def taken_away(x):
    total = 1.0
    total -= x[0]
    total -= x[1]
    total[0] = total[0] * 2.0
    return np.sum(total * x[0] * x[1])


def in_a_closure(x):
    def grown(v):
        total = 1.0
        total += x[0]
        total += x[0]
        return total * v

    return np.sum(grown(x[1, 0])) * np.sum(x[0])


def multiplied_first(x):
    total = 2.0
    total *= x[0]
    total += x[1]
    total += x[1]
    return np.sum(total * x[1])


def what_is_fixed(x):
    total = x[0, 0]
    total += OUTSIDE
    total[0] *= x[0, 1]
    return total[0] * total[1]


@pytest.mark.parametrize(
    "f",
    [
        added_twice, added_twice_to_an_integer, taken_away, in_a_closure, multiplied_first,
        what_is_fixed,
    ],
)  # fmt: skip
def test_numbers_that_grow(f):
    laws.check_function(f, (X,))
    laws.check_function(f, (X.astype(np.float32),))


class Box:
    pass


def an_attribute(x):
    box = Box()
    box.v = 0.59
    box.v -= OUTSIDE
    box.v[1] = box.v[1] * x[0, 0]
    return box.v[1] * x[0, 1]


def an_attribute_that_varies(x):
    box = Box()
    box.v = np.mean(x)
    grown = box.v
    grown -= np.full(2, 0.8)
    grown += x[0]
    grown += x[0]
    return np.sum(grown[::1] ** 2) * x[0, 0]


def an_entry(x):
    slots = {"a": x[0, 0]}
    grown = slots["a"]
    for _ in range(3):
        grown += OUTSIDE
    return grown[1] if 0.3 < x[0, 1] < 3.5 else grown[0]


def an_item(x):
    items = [x[0, 0], 1.0]
    items[0] += OUTSIDE
    items[1] += x[0]
    items[1] += x[0]
    return np.sum(items[0] * items[1] * x[0])


@pytest.mark.parametrize("f", [an_attribute, an_attribute_that_varies, an_entry, an_item])
def test_what_may_be_a_number_or_an_array(f):
    check_grads(f, X, modes=("forward",))
