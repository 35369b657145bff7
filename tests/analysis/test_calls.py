"""What each call means, as the facts say it: beside the line stands what its call is."""

import dataclasses
import inspect
import math

import gast
import numpy as np
import pytest

import tapeless as tl
from tapeless.analysis.calls import Called
from tapeless.tree.names import nodes
from tests.beside import facts_of


class Scale:
    def __init__(self, k):
        self.k = k

    def apply(self, x):
        return self.k * x


@dataclasses.dataclass
class Pair:
    a: float
    b: float


@tl.custom_gradient
def doubled(x):
    return 2.0 * x, lambda upstream: 2.0 * upstream


def square(x):
    return x * x


def by_identity(x: float):
    a = math.sin(x)  # RuleCall
    b = square(x)  # UserCall
    c = doubled(x)  # CustomCall
    p = Pair(a, b)  # Construction
    return p.a * p.b + c


def by_kind(x: float):
    f = math.sin
    a = f(x)  # RuleCall

    def g(y):
        return y * x

    b = g(a)  # UserCall
    o = Scale(b)  # UserCall
    return o.apply(a)  # UserCall


def by_owner(x: np.ndarray):
    items = [x]
    items.append(x)  # MethodCall
    y = items.pop()  # MethodCall
    return y.sum()  # RuleCall


def in_the_last_round(x: float, n: int):
    f = math.cos
    y = x
    for _ in range(n):  # RuleCall
        y = f(y)  # UserCall
        f = square
    return y


def said(function):
    """Map each line with a comment to the comment."""
    lines, first = inspect.getsourcelines(function)
    return {
        first + i: line.partition("  # ")[2].strip()
        for i, line in enumerate(lines)
        if "  # " in line
    }


CASES = [
    (by_identity, (0.5,)),
    (by_kind, (0.5,)),
    (by_owner, (np.array([1.0, 2.0]),)),
    (in_the_last_round, (0.5, 3)),
]


@pytest.mark.parametrize(("function", "args"), CASES, ids=[f.__name__ for f, _ in CASES])
def test_calls(function, args):
    facts = facts_of(function, *args)
    for line, expected in said(function).items():
        calls = [
            facts.calls[part]
            for s in nodes(facts.function.tree)
            if getattr(s, "lineno", None) == line and isinstance(s, gast.stmt)
            for part in nodes(s)
            if part in facts.calls
        ]
        assert expected in {type(called).__name__ for called in calls}, (line, calls)


def test_facts_are_frozen():
    facts = facts_of(by_kind, 0.5)
    s = facts.function.tree.body[0]
    for table in (facts.before, facts.results, facts.callees, facts.calls, facts.heap):
        with pytest.raises(TypeError):
            table[s] = None
    with pytest.raises(dataclasses.FrozenInstanceError):
        facts.stored = set()
    assert isinstance(facts.stored, frozenset) and isinstance(facts.varied, frozenset)
    assert all(isinstance(called, Called) for called in facts.calls.values())
