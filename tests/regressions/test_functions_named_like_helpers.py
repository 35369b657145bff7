"""Functions of the user's that have the names of helpers which a derivative calls."""

import numpy as np
import pytest

from tests import laws

X = np.array([[0.965, 1.213, 0.966], [0.368, 1.264, 0.674]])


class Pair:
    def __init__(self, re, im):
        self.re = re
        self.im = im

    def __add__(self, other):
        return Pair(self.re + other.re, self.im)


def added_objects(x):
    pair = Pair(0.3, 1.0)
    total = sum([pair, pair], pair)
    rows = {0: [v for v in x[:, 2]]}
    found = sum(sum(row) for row in rows.values())
    return np.sum(x**2) * total.re + found**2


def add(a, b):
    return Pair(a, b)


def zeros(n):
    return [0.5] * n


def full(n):
    return n * 2.0


def of_modules(x):
    pair = add(0.3, 1.0)
    rows = {0: [v for v in x[:, 2]], 1: zeros(3)}
    found = sum(sum(row) for row in rows.values())
    return np.sum(x**2) * pair.re + found**2 * full(3)


def copied(rows):
    return list(rows)


def add_to(rows, k):
    rows.append(k)
    return rows


def of_lists(x):
    rows = copied([v for v in x[:, 1]])
    places = add_to([0], 1)
    table = {k: rows for k in places}
    return sum(sum(row) ** 2 for row in table.values())


@pytest.mark.parametrize("f", [added_objects, of_modules, of_lists])
def test_laws_and_replay(f):
    laws.check_orders(f, X)
