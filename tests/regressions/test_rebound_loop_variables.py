"""The variable of a `for` may be bound anew in the body: what it held at the end of a trip is kept.

The reverse sweep visits the items again, which gives what it held at the start of a trip.
"""

import numpy as np
import pytest

from tapeless.testing import check_replay
from tests import laws

X = np.array([0.7, 1.2, 0.4])


def an_item(x):
    total = 1.0
    for v in x:
        v = v * v
        total = total * v
    return total


def a_number_of_a_range(x):
    total = 1.0
    for i in range(3):
        i = i + 1
        total = total * x[i - 1] * i
    return total


def twice_beside_a_count(x):
    total = 1.0
    for i, v in enumerate(x):
        i = 2 * i
        v = v * v + i
        v = np.sin(v)
        total = total * v
    return total


def in_a_branch(x):
    total = 1.0
    for v in x:
        if v > 0.5:
            v = v * v
        total = total * v
    return total


def an_item_of_a_slot(x):
    slots = [None]
    slots[0] = x
    total = 0.0
    for v in slots[0]:
        v = v * v
        v = np.sin(v)
        total = total + v
    return total


def before_a_break(x):
    total = 1.0
    for v in x:
        v = 2.0 * v
        if v > 2.0:
            total = total * v
            break
        total = total + np.sin(v) * v
    return total * v


def before_a_continue(x):
    total = 1.0
    for v in x:
        v = 2.0 * v
        if v > 2.0:
            continue
        v = v * total
        total = total + np.sin(v) * v
    return total


def before_a_return(x):
    total = 1.0
    for v in x:
        v = 2.0 * v
        if v > 2.0:
            return total * v * v
        total = total + np.sin(v) * v
    return total


def by_an_inner_loop(x):
    total = 1.0
    for v in x:
        for v in (v, v * v):  # noqa: B020
            total = total * np.sin(v)
        total = total + v * v
    return total


def keys_of_a_dict(x):
    table = {"a": x[0], "ab": x[1]}
    total = x[2]
    for key in table:
        value = table[key]
        key = len(key)
        total = total * value**key
    return total


def items_of_a_dict(x):
    table = {1: x[0], 2: x[1]}
    total = x[2]
    for key, value in table.items():
        key = key + 1
        value = value**key
        total = total * value * key
    return total


def backwards(x):
    total = 1.0
    for v in reversed(x):
        v = v * total
        total = total + v * v
    return total


def rows(x):
    a = np.outer(x, x)
    total = 1.0
    for row in a:
        row = row * total
        row = np.sin(row)
        total = total + np.sum(row * row)
    return total


FUNCTIONS = [
    an_item, a_number_of_a_range, twice_beside_a_count, in_a_branch, an_item_of_a_slot, before_a_break,
    before_a_continue, before_a_return, by_an_inner_loop, keys_of_a_dict, items_of_a_dict, backwards, rows,
]  # fmt: skip


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_rebound_loop_variables(f):
    laws.check_function(f, (X,))
    check_replay(f, X)
