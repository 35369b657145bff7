"""Loops over `zip` and `enumerate` of lists and arrays into which the body stores."""

import numpy as np
import pytest

from tests import laws

X = np.array([0.9, 1.3, 0.4])


def the_next_item(x):
    items = list(x)
    for a, b in zip(items, items[1:]):
        items[2] = a * b + items[2]
    return sum(items) * items[2]


def numbered(x):
    items, rates = list(x), [1.0, 2.0, 3.0]
    for i, (a, b) in enumerate(zip(items, rates)):
        if i < 2:
            items[i + 1] = items[i + 1] * a
        rates[i] = a * b
    return sum(items) * sum(rates)


def whole_pairs(x):
    items = list(x)
    for k, pair in enumerate(zip(items, (1.0, 2.0, 3.0)), 1):
        items[1] = items[1] * pair[0] * pair[1] * k
    return sum(items) * items[1]


def entries_of_an_array(x):
    a = x * 1.0
    for i, (u, v) in enumerate(zip(a, x), start=2):
        a[i % 3] += u * v
    return np.sum(a * x)


def numbered_beside_others(x):
    items = list(x)
    for (i, a), b in zip(enumerate(items), (x[0], 2.0, x[1])):
        if i:
            items[i - 1] *= a * b
        else:
            items.append(b)
    return sum(items) * items[1]


def lists_that_grow(x):
    items, others = [x[0]], [1.0]
    for a, b in zip(items, others):
        if len(items) < 5:
            items.append(a * x[1] + 1.0)
        if len(others) < 4:
            others.append(b + x[2])
    return sum(items) * sum(others)


def left_and_gone_on_with(x):
    items = list(x)
    for i, (a, b) in enumerate(zip(items, x)):
        if a < 0.5:
            continue
        items[i] = a * b
        if i == 1:
            break
    else:
        items.append(x[0])
    return sum(items) * (i + 1)


def rows_of_lists(x):
    rows = [[x[0], x[1]], [x[2], 1.0]]
    for row, other in zip(rows, rows[1:]):
        other[0] += row[1]
        rows[0] = other
    return rows[0][0] * rows[1][1] * row[0]


def bound_anew_on_the_way(x):
    items = list(x)
    for a, b in zip(items, x):
        items[2] = a * b
        items = items + [b]
    return sum(items) * items[2]


@pytest.mark.parametrize(
    "f",
    [
        the_next_item, numbered, whole_pairs, entries_of_an_array, numbered_beside_others,
        lists_that_grow, left_and_gone_on_with, rows_of_lists, bound_anew_on_the_way,
    ],
)  # fmt: skip
def test_lists_stored_into_beside_others(f):
    laws.check_function(f, (X,))
