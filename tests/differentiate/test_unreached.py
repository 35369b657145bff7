"""What the analysis takes for unreached, and is reached, is an error: mistakes are put into the analysis."""

import numpy as np
import pytest

import tapeless as tl
from tapeless.analysis.abstract import NOTHING
from tapeless.analysis.interpret import items, statements
from tapeless.analysis.interpret.renaming import Renaming
from tapeless.errors import InternalError
from tapeless.kinds import Iterator

LENGTHS = (0.4, 0.3)


class Joint:
    def __init__(self, length):
        self.length = length


class Arm:
    def __init__(self, joints):
        self.joints = list(joints)

    def reach(self, x):
        reach = 0.0
        for joint, angle in zip(self.joints, x, strict=True):
            reach += joint.length * np.cos(angle)
        return reach


def arm(x):
    return Arm(Joint(length) for length in LENGTHS).reach(x)


def sum_of_list(x):
    total = x[0]
    for value in [x[0] * x[1], x[1] ** 2]:
        total = total + value * value
    return total


def item_of_dict(x):
    table = {"a": x[0] * x[1], "b": x[1]}
    return table["a"] * table["b"]


def item_in_a_branch(x):
    table = {"a": x[0] * x[1]}
    y = x[1]
    if x[0] > 0.0:
        y = y * table["a"]
    return y * y


def memory_of_iterators_lost(monkeypatch):
    """The memory of what an iterator visits keeps its name at a call."""
    for way in ("kind", "kind_back"):
        renamed = getattr(Renaming, way)

        def kind(self, kind, *place, renamed=renamed):
            return kind if isinstance(kind, Iterator) else renamed(self, kind, *place)

        monkeypatch.setattr(Renaming, way, kind)


def no_loop_has_trips(monkeypatch):
    monkeypatch.setattr(statements, "never_comes", lambda item: True)


def no_dict_has_items(monkeypatch):
    monkeypatch.setattr(items, "dict_item", lambda *asked: NOTHING)


def tangent(f):
    return lambda x: tl.jvp(f, (x,), (np.ones_like(x),))


@pytest.mark.parametrize("operator", [tl.grad, tangent], ids=["grad", "jvp"])
@pytest.mark.parametrize(
    "mistake, f",
    [
        (memory_of_iterators_lost, arm),
        (no_loop_has_trips, sum_of_list),
        (no_dict_has_items, item_of_dict),
        (no_dict_has_items, item_in_a_branch),
    ],
)
def test_mistakes_of_the_analysis_are_errors(mistake, f, operator, monkeypatch):
    mistake(monkeypatch)
    with pytest.raises(InternalError, match="taken to raise an error"):
        operator(f)(np.array([0.7, 1.3]))


def test_what_raises_an_error_raises_it_still():
    def f(x, trips):
        table = {}
        for k in range(trips):
            x = x * table[k]
        return x * x

    assert "raise unreached()" in tl.source(tl.grad(f), like=(2.0, 1))
    assert tl.grad(f)(2.0, 0) == 4.0
    for derivative in (tl.grad(f), tl.grad(tl.grad(f)), lambda x, n: tangent(lambda y: f(y, n))(x)):
        with pytest.raises(KeyError):
            derivative(2.0, 1)
