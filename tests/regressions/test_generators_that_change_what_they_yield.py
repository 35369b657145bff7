"""Generators that change later what they have yielded, or read what the loop outside changes.

A list of all that is yielded would hold one thing several times, as it is in the end.
"""

import numpy as np
import pytest

from tests import laws

X = np.array([0.4, -0.7, 1.3, 0.9])


def filled(x, n):
    row = np.zeros(4)
    for k in range(n):
        row[k] = x[k] ** 2
        yield row


def in_a_loop(x):
    total = 0.0
    for row in filled(x, 3):
        total += row.sum()
    return total


def in_a_comprehension(x):
    return sum(row.sum() for row in filled(x, 3))


def numbered(x):
    total = 0.0
    for k, row in enumerate(filled(x, 3)):
        total += row.sum() * k
    return total


def beside_another(x):
    total = 0.0
    for row, v in zip(filled(x, 3), x, strict=False):
        total += row.sum() * v
    return total


def a_list_that_grows(x):
    def states():
        state = []
        for v in x:
            state.append(v)
            yield state

    return sum(state[-1] * len(state) for state in states())


def a_dict_that_is_updated(x):
    def states():
        state = {"v": 0.0}
        for v in x:
            state["v"] += v
            yield state

    return sum(state["v"] ** 2 for state in states())


def views_of_what_is_filled(x):
    def parts():
        row = np.zeros(4)
        for k in range(3):
            row[k:] = x[k] ** 2
            yield row[: k + 2]

    return sum(part.sum() for part in parts())


def changed_by_the_loop(x):
    def sums():
        row = np.zeros(4)
        for v in x:
            row = row + v**2
            yield row

    total = 0.0
    for row in sums():
        row *= x
        total += row.sum()
    return total


IN_STEP = [
    in_a_loop, in_a_comprehension, numbered, beside_another, a_list_that_grows, a_dict_that_is_updated,
    views_of_what_is_filled, changed_by_the_loop,
]  # fmt: skip


def all_at_once(x):
    rows = list(filled(x, 3))
    rows[0][1] = x[3]
    return sum(row.sum() * k for k, row in enumerate(rows))


def a_new_row_for_each_step(x):
    def rows():
        for k in range(3):
            row = np.zeros(4)
            row[k] = x[k] ** 2
            yield row

    total = 0.0
    for row in rows():
        row *= x
        total += row.sum()
    return total


def states_bound_anew(x):
    def states():
        u, v = x[:2], x[2:]
        for k in range(3):
            u, v = u + 0.1 * v, v - 0.1 * u
            yield k, u, v

    return sum(u @ v * k for k, u, v in states())


def batches_that_are_let_go_of(x):
    def batches(n):
        batch = []
        for v in x:
            batch.append(v)
            if len(batch) == n:
                yield batch
                batch = []
        if batch:
            yield batch

    return sum(sum(batch) ** 2 for batch in batches(3))


def copies(x):
    def batches(n):
        batch = []
        for v in x:
            batch.append(v)
            if len(batch) == n:
                yield np.array(batch)
                batch.clear()

    return sum(batch @ batch for batch in batches(2))


def in_order(x):
    def walk(node):
        if node is not None:
            yield from walk(node[1])
            yield node[0]
            yield from walk(node[2])

    tree = (x[0], (x[1], None, None), (x[2], None, (x[3], None, None)))
    return sum(v * k for k, v in enumerate(walk(tree)))


def nothing_for_some_arguments(x):
    def first(node):
        if node is not None:
            yield node[0]

    return sum(first((x[0] * x[1], None))) + sum(first(None)) * x[2]


RIGHT = [
    all_at_once, a_new_row_for_each_step, states_bound_anew, batches_that_are_let_go_of, copies,
    in_order, nothing_for_some_arguments,
]  # fmt: skip


@pytest.mark.parametrize("function", [*RIGHT, *IN_STEP], ids=lambda function: function.__name__)
def test_right(function):
    laws.check_orders(function, X)
