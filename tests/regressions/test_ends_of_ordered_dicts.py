"""Ordered dicts whose first and last items are taken out, and moved."""

from collections import OrderedDict
from collections.abc import Mapping

import numpy as np
import pytest

from tests import laws

X = np.array([0.5, 1.5])


def first_out(x):
    waiting = OrderedDict([("a", x[0]), ("b", x[1]), ("c", x[0] * x[1])])
    total = 0.0
    while waiting:
        key, value = waiting.popitem(last=False)
        total = total * x[0] + value**2
        if key == "b":
            waiting["d"] = value * total
    return total


def moved(x):
    table = OrderedDict(a=x[0], b=x[1] * x[0])
    table["c"] = x[1]
    table.move_to_end("a")
    table.move_to_end("c", last=False)
    total = 0.0
    for value in table.values():
        total = total * 2.0 + value * value
    return total


def least_recently_used(x):
    cache = OrderedDict()
    total = 0.0
    for i in [0, 1, 2, 0, 3, 1, 0]:
        if i in cache:
            cache.move_to_end(i)
            total += cache[i]
        else:
            cache[i] = x[0] * (i + 1) + x[1] * total
            if len(cache) > 2:
                cache.popitem(last=False)
        for value in cache.values():
            total = total * 0.5 + np.sin(value) * x[1]
    return total


class Settings(Mapping):
    def __init__(self, held):
        self.held = held

    def __getitem__(self, key):
        return self.held[key]

    def __iter__(self):
        return iter(self.held)

    def __len__(self):
        return len(self.held)


def mappings_spread_into_displays(x):
    settings = Settings({"a": x[0], "b": x[1] * x[0]})
    table = {**settings, "c": x[1], **Settings({"a": x[1]})}
    return table["a"] * table["b"] + table["c"] ** 2


@pytest.mark.parametrize(
    "f", [first_out, moved, least_recently_used, mappings_spread_into_displays]
)
def test_laws(f):
    laws.check_orders(f, X)
