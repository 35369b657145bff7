"""Classes that inherit methods from `collections.abc`: mappings and sequences of the user's."""

from collections.abc import MutableMapping, Sequence

import numpy as np
import pytest

import tapeless as tl
from tests import laws


class Table(MutableMapping):
    def __init__(self, **items):
        self.items_by_name = dict(items)

    def __getitem__(self, key):
        return self.items_by_name[key]

    def __setitem__(self, key, value):
        self.items_by_name[key] = value

    def __delitem__(self, key):
        del self.items_by_name[key]

    def __iter__(self):
        return iter(self.items_by_name)

    def __len__(self):
        return len(self.items_by_name)


class Row(Sequence):
    def __init__(self, items):
        self.held = items

    def __getitem__(self, i):
        return self.held[i]

    def __len__(self):
        return len(self.held)


def values(a):
    table = Table(a=a, b=a * a)
    return sum(v**2 for v in table.values())


def items(a):
    table = Table(a=a, b=a * a)
    table["cc"] = table["a"] * 3
    total = 0.0
    for key, value in table.items():
        total += value * len(key)
    return total * sum(table[key] for key in table.keys())


def looked_up(a):
    table = Table(a=a, b=a * a)
    found = table["b"] if "b" in table else 1.0
    return table.get("a") * table.get("z", 2.0) * found


def in_order(a):
    row = Row([a, a * a, 2.0])
    first, *others = row
    return first * sum(others) + sum(v * w for v, w in zip(row, (1.0, 2.0, 3.0)))


def as_dicts(a):
    table = Table(a=a, b=a * a)
    found, pairs = dict(table), dict(table.items())
    return found["a"] * found["b"] + pairs["b"]


@pytest.mark.parametrize(
    "f", [values, items, looked_up, in_order, as_dicts], ids=lambda f: f.__name__
)
def test_derivatives(f):
    laws.check_orders(f, 0.5)


def test_update():
    def f(a):
        table = Table(a=a, b=a * a)
        table.update({"b": a * 3})
        return table["b"] * table["a"]

    tl.check_grads(f, 0.5, order=1, replay=True)


def test_values_that_change_while_they_are_gone_through():
    def f(x):
        table = Table(a=x[0], b=x[1])
        total = 0.0
        for value in table.values():
            total += value
            table["b"] = value * 2
        return total

    tl.check_grads(f, np.array([0.3, 0.7]), order=2, replay=True)


def test_values_that_are_kept_are_refused():
    def f(a):
        table = Table(a=a, b=a * a)
        found = table.values()
        table["b"] = a * 7
        return sum(found)

    with pytest.raises(tl.GradientError, match="not used up where it is called"):
        tl.grad(f)(0.5)
