"""Objects made by a class out of a table: what their attributes hold is known by their names."""

import numpy as np
import pytest

from tests import laws

X = np.array([0.5, 0.7, 0.2])


class Part:
    def __init__(self, node, value):
        self.node, self.value = node, value


class Resistor(Part):
    def current(self, places):
        return self.value * places[self.node]


class Diode(Part):
    def current(self, places):
        return self.value**2 * places[self.node]


KINDS = {"R": Resistor, "D": Diode}


def in_a_comprehension(x):
    rows = (("R", "in", x[0]), ("D", "out", x[1]))
    parts = [KINDS[kind](node, value) for kind, node, value in rows]
    places = {node: k for k, node in enumerate(sorted({part.node for part in parts}))}
    return sum(part.current(places) for part in parts)


def built(rows, values):
    parts = []
    for (kind, node), value in zip(rows, values):
        parts.append(KINDS[kind](node, value * 2))
    return parts


def in_a_function(x):
    parts = built([("R", "in"), ("D", "out"), ("R", "out")], x)
    places = {}
    for part in parts:
        places.setdefault(part.node, len(places))
    return sum(part.current(places) for part in parts)


def in_a_loop(x):
    total = 0.0
    for i in range(3):
        cls = Resistor if i % 2 else Diode
        total += cls("a", x[0] * x[1] + i).current({"a": 2.0})
    return total


@pytest.mark.parametrize(
    "f", [in_a_comprehension, in_a_function, in_a_loop], ids=lambda f: f.__name__
)
def test_derivatives(f):
    laws.check_orders(f, X)
