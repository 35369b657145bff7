"""Functions of `operator` that are given objects: the methods behind the operators are called."""

import itertools
import operator
from functools import reduce

import numpy as np
import pytest

from tests import laws

MATRIX = np.array([[1.0, 0.5], [0.2, 1.0]])


class Map:
    def __init__(self, matrix):
        self.matrix = matrix

    def __matmul__(self, other):
        return Map(self.matrix @ other.matrix)

    def __add__(self, other):
        return Map(self.matrix + other.matrix)

    def __iadd__(self, other):
        self.matrix = self.matrix + other.matrix
        return self

    def __mul__(self, factor):
        return Map(self.matrix * factor)

    __rmul__ = __mul__

    def __neg__(self):
        return Map(-self.matrix)

    def __getitem__(self, i):
        return self.matrix[i]

    def __lt__(self, other):
        return self.matrix.sum() < other.matrix.sum()


def called(x):
    return operator.matmul(Map(x * MATRIX), Map(MATRIX)).matrix.sum() ** 2


def reflected(x):
    total = operator.mul(2.0, Map(x * MATRIX)) + operator.mul(Map(MATRIX), x)
    return total.matrix.sum() ** 2


def one_operand(x):
    return operator.getitem(operator.neg(Map(x * MATRIX)), 0)[1] * x


def in_place(x):
    total = Map(x * MATRIX)
    total = operator.iadd(total, Map(MATRIX))
    return total.matrix.sum() ** 2


def compared(x):
    first, second = Map(x * MATRIX), Map(MATRIX)
    return x * x if operator.lt(first, second) else x


def in_a_loop(x):
    product, apply = Map(x * MATRIX), operator.matmul
    for factor in [Map(MATRIX), Map(x * MATRIX)]:
        product = apply(product, factor)
    return product.matrix.sum()


def reduced(x):
    return reduce(operator.matmul, [Map(x * MATRIX), Map(x * MATRIX)]).matrix.sum()


def reduced_generator(x):
    return reduce(operator.add, (Map(x * MATRIX * k) for k in range(1, 4))).matrix.sum() ** 2


def accumulated(x):
    parts = [Map(x * MATRIX), Map(MATRIX), Map(MATRIX * 3.0)]
    products = list(itertools.accumulate(parts, operator.matmul))
    return products[-1].matrix.sum() * products[1].matrix[0, 1]


PROGRAMS = [
    called, reflected, one_operand, in_place, compared, in_a_loop, reduced, reduced_generator,
    accumulated,
]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_operator(f):
    laws.check_function(f, (0.7,))
