"""The dict of an object's attributes, read by keys and gone through."""

from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pytest

import tapeless as tl
from tests import laws

X = np.array([0.3, 0.7, 1.1])


class Pair:
    def __init__(self, a, b):
        self.a = a
        self.b = b

    def norm(self):
        return sum(v * v for v in vars(self).values())

    def named(self, name):
        return self.__dict__[name]


def by_constants(x):
    p = Pair(x[0], x[1] * x[2])
    return vars(p)["a"] * p.__dict__["b"] * p.named("b") + p.norm()


def gone_through(x):
    p = Pair(x[0], x[1] * x[2])
    total = 0.0
    for key, value in vars(p).items():
        total = total * 2.0 + value * value * len(key)
    for name in sorted(vars(p)):
        total = total * 2.0 + vars(p)[name] ** 3
    squares = {k: v**2 for k, v in p.__dict__.items()}
    return total + squares["a"] * len(vars(p))


def changed_while_gone_through(x):
    p = Pair(x[0], x[1])
    total = 0.0
    for value in vars(p).values():
        total = total * 2.0 + value * value
        p.b = total * p.a
    return total


def kept_under_a_name(x):
    p = Pair(x[0], x[1])
    held = vars(p)
    p.b = x[2]
    return held["a"] * held["b"] * held.get("c", 2.0) * held.get("b")


def handed_on(x):
    p, q = Pair(x[0], x[1]), Pair(0.0, 0.0)
    q.__dict__.update(p.__dict__)
    r = Pair(**vars(q))
    table = {**vars(r), "c": x[2]}
    return q.a * r.b * table["a"] * table["c"] + dict(vars(r))["b"]


def stored_by_key(x):
    p = Pair(x[0], x[1])
    vars(p)["a"] = p.b * x[2]
    return p.a * p.b


def set_on_a_way(x):
    p = SimpleNamespace(a=x[0])
    if x[1] > 0.5:
        p.b = x[1]
    if x[1] > 5.0:
        p.c = x[2]
    total = len(p.__dict__) * x[0]
    for value in vars(p).values():
        total = total * x[2] + value
    return total + (p.b if "b" in vars(p) else 0.0)


def looked_up_in_vain(x):
    p = Pair(x[0], x[1])
    try:
        found = p.__dict__["c"]
    except KeyError:
        found = x[2]
    return found * p.a


class Lazy:
    def __init__(self, a):
        self.a = a

    @property
    def square(self):
        if "_square" not in self.__dict__:
            self.__dict__["_square"] = self.a**2
        return self.__dict__["_square"]


def kept_by_a_property(x):
    lazy = Lazy(x[0])
    return lazy.square * lazy.square * x[1]


@dataclass
class Mixed:
    name: str
    weights: np.ndarray
    gain: float

    def flat(self):
        return np.concatenate([np.ravel(v) for k, v in vars(self).items() if k != "name"])


def of_unlike_attributes(x):
    return np.sum(Mixed("layer", x[:2] * x[2], x[0]).flat() ** 2)


@pytest.mark.parametrize(
    "f",
    [
        by_constants, gone_through, changed_while_gone_through, kept_under_a_name, handed_on,
        stored_by_key, set_on_a_way, looked_up_in_vain, kept_by_a_property, of_unlike_attributes,
    ],
)  # fmt: skip
def test_their_values_carry_derivatives(f):
    laws.check_orders(f, X)


def in_its_order(p):
    total = 0.0
    for value in vars(p).values():
        total = total * 10.0 + value
    return total


def test_attributes_of_an_argument_in_another_order():
    backwards = Pair.__new__(Pair)
    backwards.b, backwards.a = 1.0, 2.0
    for p in (Pair(2.0, 1.0), backwards):
        g = tl.grad(in_its_order)(p)
        first, second = vars(p)
        assert (getattr(g, first), getattr(g, second)) == (10.0, 1.0)


def seen_by_others(p):
    return max([vars(p)], key=len)["a"]


def test_what_may_come_to_see_it_change_is_refused():
    with pytest.raises(tl.GradientError, match="reached by `__dict__` or `vars`"):
        tl.grad(seen_by_others)(Pair(1.0, 2.0))
