"""Arrays that one line makes, one after the other, may be of several sizes, and one of them of size 1.

They were taken to be as long as each other, for they have one place in the text: the cotangent of the one
that was repeated was not summed.
"""

from dataclasses import dataclass

import numpy as np
import pytest

import tapeless as tl
from tests import laws
from tests.laws import check_function

X = np.array([0.3, -0.2, 0.9])


def in_a_list(x):
    parts = [np.full(k, x[0]) for k in (1, 3)]
    return np.sum(parts[0] * parts[1])


def grown_in_a_loop(x):
    parts = []
    for k in range(1, 4):
        parts.append(x[:k] * 2.0)
    return np.sum(parts[0] * parts[2])


def in_a_dict(x):
    parts = {}
    for k in (1, 3):
        parts[str(k)] = np.full(k, x[1])
    return np.sum(parts["1"] * parts["3"])


def unpacked(x):
    a, b = [np.sin(x[:k]) for k in (1, 3)]
    return np.sum(a * b)


def mapped(x):
    a, b = list(map(lambda k: np.full(k, x[0]), (1, 3)))
    return np.sum(a * b)


def repeated(x):
    for k in (1, 3):
        yield np.full(k, x[1])


def yielded(x):
    a, b = repeated(x)
    return np.sum(a * b)


def of_the_trip_before(x):
    total, old = 0.0, None
    for k in (3, 1):
        new = np.full(k, x[0])
        if old is not None:
            total = total + np.sum(old * new)
        old = new
    return total


def of_the_first_trip(x):
    total = 0.0
    for k in range(1, 4):
        new = np.sin(x[:k])
        if k == 1:
            first = new
        total = total + np.sum(new * first)
    return total


def of_two_trips_before(x):
    total = 0.0
    a = b = x[:1]
    for k in range(1, 4):
        total = total + np.sum(a * b)
        b = a
        a = np.sin(x[:k])
    return total


def each_with_each(x):
    parts = [np.full(k, x[0]) for k in (1, 3)]
    total = 0.0
    for a in parts:
        for b in parts:
            total = total + np.sum(a * b)
    return total


def side_by_side(x):
    parts = [np.full(k, x[2]) for k in (1, 3, 1)]
    total = 0.0
    for a, b in zip(parts, parts[1:], strict=False):
        total = total + np.sum(a * b)
    return total


def stored_into(x):
    parts = []
    for k in (1, 3):
        part = np.zeros(k)
        part[:] = x[0]
        parts.append(part)
    return np.sum(parts[0] * parts[1])


@dataclass
class Part:
    values: object


def in_objects(x):
    parts = []
    for k in range(1, 4, 2):
        parts.append(Part(np.full(k, x[1])))
    return np.sum(parts[0].values * parts[1].values)


class Last:
    def __init__(self):
        self.values = None

    def product(self, new):
        old = new if self.values is None else self.values
        self.values = new
        return np.sum(old * new)


def in_an_attribute(x):
    last, total = Last(), 0.0
    for k in (3, 1, 3):
        total = total + last.product(np.full(k, x[1]))
    return total


def halves(x, k):
    return np.tanh(x[:k]), np.tanh(x[k:])


def of_a_callee(x):
    first, rest = halves(x, 1)
    return np.sum(first * rest)


def transposed(x, rows):
    square = np.outer(x[:rows], x)
    return square if rows > 1 else square * 2.0


def two_axes_of_a_callee(x):
    a = transposed(x, 1)
    return np.sum(a * a.T)


PROGRAMS = [
    in_a_list, grown_in_a_loop, in_a_dict, unpacked, mapped, yielded, of_the_trip_before,
    of_the_first_trip, of_two_trips_before, each_with_each, side_by_side, stored_into, in_objects,
    in_an_attribute, of_a_callee, two_axes_of_a_callee,
]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_derivative(f):
    check_function(f, (X,))
    laws.check_orders(f, X)


def product_of_items(parts):
    return np.sum(parts[0] * parts[1])


def product_of_unpacked(parts):
    a, b = parts
    return np.sum(a * b)


def products_of_neighbours(parts):
    total, before = 0.0, parts[0]
    for part in parts:
        total = total + np.sum(before * part)
        before = part
    return total


@pytest.mark.parametrize("f", [product_of_items, product_of_unpacked, products_of_neighbours])
def test_derivative_by_a_list(f):
    parts = [np.array([2.0]), X]
    tl.check_grads(f, parts, order=2)
    laws.check_orders(f, parts)
