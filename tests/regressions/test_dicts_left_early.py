"""Loops over dicts that are left early, and the first of what is gone through: `next(iter(d.values()))`."""

import collections

import numpy as np
import pytest

from tests import laws

X = np.array([0.7, 1.3, 0.4])


def table_of(x):
    return {"a": x[0], "b": x[1], "c": x[2]}


def left_by_break(x):
    total = 0.0
    for _, value in table_of(x).items():
        total += value * value
        if total > 1.0:
            break
    return total * x[2]


def first_over(table, limit):
    for key, value in table.items():
        if value > limit:
            return key, value
    return None, 0.0


def left_by_return(x):
    table = table_of(x)
    key, value = first_over(table, 1.0)
    return value * table[key] * x[0]


def left_and_changed_afterwards(x):
    table = table_of(x)
    s = 1.0
    for value in table.values():
        s = np.sin(s * value) + value
        if s > 1.5:
            break
    table["d"] = 2.0 * table.pop("a")
    for value in table.values():
        s = np.cos(s * value) + value
        if s > 2.5:
            break
    return s


def stored_into_and_left(x):
    table = table_of(x)
    s = 1.0
    for key, value in table.items():
        table[key] = value * value
        s = np.sin(s * value) + table[key]
        if key == "b":
            break
    return s * table["a"] * table["c"]


def of_a_default_dict(x):
    table = collections.defaultdict(float, a=x[0], b=x[1])
    s = 1.0
    for key, value in table.items():
        s = np.sin(s * value) + value
        if key == "b":
            break
    return s * x[2] + table["new"]


def within_each_other(x):
    s = 1.0
    for _ in range(3):
        table = {"a": x[0] * s, "b": x[1], "c": x[2]}
        for value in table.values():
            if value > 1.0:
                s = s * value
                break
            for other in table.values():
                if other < 0.5:
                    continue
                s = np.sin(s * other) + value
                break
        else:
            s = 2.0 * s
    return s


class Model:
    def __init__(self, x):
        self.parameters = {"w": x[:2], "b": x[2:]}

    def size(self, limit):
        total = 0.0
        for _, value in self.parameters.items():
            total += np.sum(value**2)
            if total > limit:
                break
        return total


def of_an_object(x):
    model = Model(x)
    return model.size(0.1) * model.size(10.0)


def first_of_list(x):
    squares = [v * v for v in x]
    return next(iter(squares)) * next(iter([v * x[1] for v in squares]))


def first_of_values(x):
    return next(iter(table_of(x).values())) * x[1]


def first_key(x):
    table = table_of(x)
    return table[next(iter(table))] * x[1]


def first_of_lazy(x):
    return next(map(np.sin, x)) * next(reversed(x)) + next(filter(None, []), x[1])


def first_pair(x):
    i, v = next(enumerate(x * x, 3))
    return i * v * x[1]


@pytest.mark.parametrize(
    "f",
    [
        left_by_break,
        left_by_return,
        left_and_changed_afterwards,
        stored_into_and_left,
        of_a_default_dict,
        within_each_other,
        of_an_object,
        first_of_list,
        first_of_values,
        first_key,
        first_of_lazy,
        first_pair,
    ],
)
def test_orders(f):
    laws.check_orders(f, X)
