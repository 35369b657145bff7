"""Objects that a loop or a branch carries on through operators and built-in functions of their class."""

import numpy as np
import pytest

from tests import laws


class Number:
    def __init__(self, value):
        self.value = value

    def __add__(self, other):
        return Number(self.value + other.value)

    def __mul__(self, other):
        if isinstance(other, Number):
            return Number(self.value * other.value)
        return Number(self.value * other)

    __rmul__ = __mul__

    def __isub__(self, other):
        self.value = self.value - 0.5 * other.value
        return self

    def __neg__(self):
        return Number(-self.value)

    def __float__(self):
        return float(self.value)

    def __abs__(self):
        return abs(self.value)


class Scaled(Number):
    def __add__(self, other):
        return Scaled(self.value * other.value + 1.0)


class Series(Number):
    def __getitem__(self, k):
        return Series(self.value * (k + 1.0))


class Linked:
    def __init__(self, value, parents=()):
        self.value = value
        self.parents = parents

    def __add__(self, other):
        return Linked(self.value + other.value, (self, other))

    def __mul__(self, other):
        return Linked(self.value * other.value, (self, other))


def linked_with_what_it_is_made_of(x):
    total = Linked(x)
    for _ in range(3):
        total = total * Linked(x) + total.parents[0] if total.parents else total + Linked(1.0)
    return total.value * total.parents[1].value


def added(x):
    total = Number(0.0)
    for _ in range(3):
        total = total + Number(x) * Number(x)
    return total.value


def multiplied_from_the_left(x):
    total = Number(1.0)
    for k in range(3):
        total = (0.5 + k) * total * x
    return total.value


def updated(x):
    total = Number(x)
    for k in range(3):
        total *= Number(x + k)
        total -= Number(x)
    return total.value


def negated_in_a_branch(x):
    total = Number(x)
    for k in range(4):
        if k % 2:
            total = -total
        else:
            total = total + Number(x * k)
    return total.value


def taken_by_index(x):
    node = Series(x)
    for k in range(3):
        node = node[k]
    return node.value


def of_one_of_two_classes(x):
    total = Number(x) if x > 0.0 else Scaled(x)
    for _ in range(2):
        total = total + Number(x * x)
    return total.value


def in_a_while_with_a_break(x):
    total = Number(x)
    while True:
        total = total + total * x
        if total.value > 4.0:
            break
    return total.value


def kept_in_a_list(x):
    found = [Number(x)]
    for _ in range(3):
        found.append(found[-1] * found[0])
    return found[-1].value


def as_a_float(x):
    total = Number(x)
    y = 0.0
    for _ in range(2):
        total = total * x
        y = y + float(total) * abs(-total)
    return y


def of_arrays(x):
    total = Number(np.zeros(2))
    for k in range(3):
        total = total + Number(np.array([x, x * k]))
    return np.sum(total.value**2)


@pytest.mark.parametrize(
    "f",
    [
        linked_with_what_it_is_made_of,
        added,
        multiplied_from_the_left,
        updated,
        negated_in_a_branch,
        taken_by_index,
        of_one_of_two_classes,
        in_a_while_with_a_break,
        kept_in_a_list,
        as_a_float,
        of_arrays,
    ],
)
def test_each_trip_knows_their_class(f):
    laws.check_function(f, (0.7,))
