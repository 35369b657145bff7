"""What is held outside a function may change between two calls: each call sees what is there now."""

import collections
import dataclasses
import importlib
import sys
import types

import numpy as np
import pytest

import tapeless as tl

pytestmark = pytest.mark.usefixtures("noticed")

ROW = np.array([1.0, 2.0])
TABLE = {"w": 2.0, "deep": {"k": [2.0]}}
NUMBERS = [2.0]
CALLED = {"activation": np.sin}


class Box:
    table = {"w": 2.0}  # noqa: RUF012

    def __init__(self):
        self.w = 2.0
        self.own = self  # what holds itself is looked at once

    def loss(self, x):
        return np.sum(x * self.w)


@dataclasses.dataclass
class Settings:
    sub: dict


BOX = Box()
SETTINGS = Settings({"w": 2.0})
LAYERS = [np.sin]


def of_a_dict(x):
    return np.sum(x * TABLE["w"])


def of_a_deep_list(x):
    return np.sum(x * TABLE["deep"]["k"][0])


def of_a_list(x):
    total = 0.0
    for w in NUMBERS:
        total = total + np.sum(x * w)
    return total


def of_an_object(x):
    return np.sum(x * BOX.w)


def of_a_dataclass(x):
    return np.sum(x * SETTINGS.sub["w"])


def of_a_class(x):
    return np.sum(x * Box.table["w"])


def with_a_default(x, table={"w": 2.0}):  # noqa: B006
    return np.sum(x * table["w"])


def of_a_default(x):
    return with_a_default(x)


CHANGES = [
    (of_a_dict, TABLE, "w"),
    (of_a_deep_list, TABLE["deep"]["k"], 0),
    (of_a_list, NUMBERS, 0),
    (of_an_object, vars(BOX), "w"),
    (BOX.loss, vars(BOX), "w"),
    (of_a_dataclass, SETTINGS.sub, "w"),
    (of_a_class, Box.table, "w"),
    (of_a_default, with_a_default.__defaults__[0], "w"),
]


@pytest.mark.parametrize(("f", "holder", "key"), CHANGES)
def test_a_number_that_became_an_array(f, holder, key):
    g = tl.grad(f)
    try:
        assert g(3.0) == 2.0
        holder[key] = ROW
        assert g(3.0) == 3.0
        assert g(3.0) == 3.0
        holder[key] = 5.0
        assert g(3.0) == 5.0
    finally:
        holder[key] = 2.0


def test_a_function_in_a_dict_that_was_replaced():
    def through(x):
        return CALLED["activation"](x)

    g = tl.grad(through)
    try:
        assert g(1.0) == np.cos(1.0)
        CALLED["activation"] = np.cos
        assert g(1.0) == -np.sin(1.0)
    finally:
        CALLED["activation"] = np.sin


def test_a_function_of_another_module_that_was_replaced(monkeypatch):
    module = types.ModuleType("settings_of_the_user")
    module.scale = 2.0
    monkeypatch.setitem(sys.modules, module.__name__, module)
    settings = importlib.import_module(module.__name__)

    def scaled(x):
        return np.sum(x * settings.scale)

    g = tl.grad(scaled)
    assert g(3.0) == 2.0
    module.scale = ROW
    assert g(3.0) == 3.0


class Double:
    def __call__(self, x):
        return 2.0 * x


class Square:
    def __call__(self, x):
        return x * x


def test_objects_of_other_classes_in_a_list():
    steps = [Double()]

    def through(x):
        for step in steps:
            x = step(x)
        return x

    g = tl.grad(through)
    assert g(3.0) == 2.0
    steps.append(Square())
    assert g(3.0) == 24.0
    steps[0] = Square()
    assert g(3.0) == 108.0
    steps.clear()
    assert g(3.0) == 1.0


def test_a_switch_held_by_an_object():
    box = types.SimpleNamespace(squared=True)

    def switched(x):
        return x * x if box.squared else x

    g = tl.grad(switched)
    assert g(3.0) == 6.0
    box.squared = False
    assert g(3.0) == 1.0
    box.squared = None
    assert g(3.0) == 1.0


def test_a_key_that_a_dict_with_a_default_does_not_have():
    plain = collections.defaultdict(float)
    computed = collections.defaultdict(lambda: ROW)
    counted = collections.Counter()

    def of_defaults(x):
        return np.sum(x * (1.0 + plain["b"]) * (2.0 + computed["c"])) + x * counted["d"]

    assert tl.grad(of_defaults)(3.0) == 7.0
    plain["b"], counted["d"] = 1.0, 4
    assert tl.grad(of_defaults)(3.0) == 18.0
