"""Objects of classes whose instances `object` does not make are copied for the reverse sweep."""

import types

import numpy as np

from tests import laws

GAS = types.SimpleNamespace(heat=2.0, mass=0.5)
GASES = {"a": GAS, "b": types.SimpleNamespace(heat=1.5, mass=0.7)}


def through_a_table(x):
    return sum(np.sum(g.heat * x**2) * g.mass for g in GASES.values())


def through_an_argument(x, gas):
    return np.sum(np.sin(gas.heat * x)) * gas.mass


def test_replayed():
    x = np.array([0.5, 1.5])
    laws.check_orders(through_a_table, x)
    laws.check_orders(lambda x: through_an_argument(x, GAS), x)
