"""What the `__iter__` of a class gives stays what it gives, wherever the call of it is written out."""

import math

import numpy as np
import pytest

import tapeless as tl

X = np.array([0.5, 1.2, 2.0, 3.0])


class Point:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __iter__(self):
        return iter((self.x, self.y))

    def norm(self):
        return math.sqrt(sum(c * c for c in self))

    def dot(self, other):
        return sum(a * b for a, b in zip(self, other, strict=True))


class Pair(Point):
    def __iter__(self):
        return iter([self.x, self.y])


def total(point):
    sum_of_squares = 0.0
    for c in point:
        sum_of_squares = sum_of_squares + c * c
    return sum_of_squares


def made_of_starred_items(x):
    return Point(*x[:2]).norm()


def in_a_function(x):
    return total(Point(*x[2:])) * total(Pair(*x[1:3]))


def with_another(x):
    return Point(*x[:2]).dot(Pair(*x[2:]))


def in_a_list(x):
    points = [Point(*pair) for pair in (x[:2], x[2:])]
    return sum(total(point) * point.norm() for point in points)


def taken_apart(x):
    a, b = Point(*x[:2])
    return a * b + np.sum(np.array(list(Pair(*x[:2]))) ** 3)


FUNCTIONS = [made_of_starred_items, in_a_function, with_another, in_a_list, taken_apart]


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_right(f):
    tl.check_grads(f, X, order=2, replay=True)
