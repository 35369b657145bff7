"""Arrays in attributes and items of which methods read parts, trip by trip: one buffer is added to."""

import numpy as np
import pytest

import tapeless.testing
from tests import laws

V = np.array([0.6, 1.4, 2.3, 0.9])


class Walker:
    def __init__(self, path, gains=None):
        self.path, self.gains, self.height = path, gains, 0.0

    def step(self, k):
        self.height = self.height * 0.9 + self.path[k] ** 2

    def weighted(self, k):
        self.height = self.height + self.path[k] * self.gains[k - 1]

    def so_far(self, k):
        return np.sum(self.path[:k] ** 2) * self.path[-1]

    def stepped(self, k):
        self.step(k)
        return self.path[k]

    def stretched(self, k):
        self.path = self.path * 1.1
        return self.path[k]


class Tables:
    def __init__(self, tables):
        self.tables = tables

    def product(self, i, j):
        return self.tables["a"][i] * self.tables["b"][j]


def one_by_one(v):
    walker = Walker(v)
    for k in range(len(v)):
        walker.step(k)
    return walker.height


def and_whole(v):
    walker = Walker(v)
    for k in range(4):
        walker.step(k)
    return walker.height + np.sum(walker.path**2) + v[0] * walker.path[1]


def one_array_in_two_attributes(v):
    walker = Walker(v, v)
    for k in range(4):
        walker.weighted(k)
    return walker.height * np.sum(walker.gains)


def in_slices(v):
    walker, total = Walker(v * v), 0.0
    for k in range(1, 4):
        total += walker.so_far(k)
    return total * walker.path[0]


def of_two_objects(v):
    first = Walker(v)
    second, total, k = Walker(first.path), 0.0, 0
    while k < 3:
        total += first.stepped(k) * second.stepped(k)
        k += 1
    return total + first.height * second.height


def bound_anew_in_each_trip(v):
    walker, total = Walker(v), 0.0
    for k in range(3):
        total += walker.stretched(k) * walker.path[0]
    return total + np.sum(walker.path**2)


def of_objects_in_a_list(v):
    walkers, total = [Walker(v), Walker(v * 2)], 0.0
    for k in range(3):
        for walker in walkers:
            total += walker.stepped(k)
    return total * walkers[1].height


def of_a_view(v):
    walker, total = Walker(v[1:]), 0.0
    for k in range(3):
        total += walker.stepped(k)
    return total * v[0] + walker.path[0]


def of_an_object_that_is_returned(v):
    def walked(v):
        walker = Walker(v)
        for k in range(3):
            walker.step(k)
        return walker

    walker = walked(v * 1.5)
    return walker.height * walker.path[2] + np.sum(walker.path)


def out_of_a_dict(v):
    tables, total = Tables({"a": v, "b": v * v}), 0.0
    for i in range(3):
        for j in range(2):
            total += tables.product(i, j)
    return total


def beside_a_number(v):
    scale, walker, total = Walker(v[0]), Walker(v), 0.0
    for k in range(3):
        total += walker.stepped(k) * scale.path
    return total


@pytest.mark.parametrize(
    "f",
    [
        one_by_one,
        and_whole,
        one_array_in_two_attributes,
        in_slices,
        of_two_objects,
        bound_anew_in_each_trip,
        of_objects_in_a_list,
        of_a_view,
        of_an_object_that_is_returned,
        out_of_a_dict,
        beside_a_number,
    ],
)
def test_laws_and_replay(f):
    laws.check_function(f, (V,))
    tapeless.testing.check_replay(f, V)
