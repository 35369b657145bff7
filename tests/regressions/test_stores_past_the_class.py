"""Stores that go past the `__setattr__` of a class, and classes that have one of their own."""

import copy
import dataclasses
import functools

import numpy as np
import pytest

import tapeless as tl
from tests import laws

X = np.array([0.7, 1.3, 0.4])


@dataclasses.dataclass(frozen=True)
class Ellipse:
    a: float
    b: float
    norm: float = dataclasses.field(init=False)

    def __post_init__(self):
        object.__setattr__(self, "norm", np.sqrt(self.a**2 + self.b**2))

    @functools.cached_property
    def area(self):
        return np.pi * self.a * self.b

    def value(self, x):
        return np.sum(self.a * x**2) + self.norm * self.b


@dataclasses.dataclass(frozen=True, slots=True)
class Unit:
    q: np.ndarray

    def __post_init__(self):
        n = np.sqrt(np.sum(self.q**2))
        if n == 0.0:
            raise ValueError("a vector without length")
        object.__setattr__(self, "q", self.q / n)


@dataclasses.dataclass(frozen=True)
class Shell(Ellipse):
    depth: float = 0.5
    scale: dataclasses.InitVar[float] = 2.0
    more: list = dataclasses.field(default_factory=lambda: [1.0])

    def __post_init__(self, scale):
        super().__post_init__()
        for name in ("a", "depth"):
            object.__setattr__(self, name, getattr(self, name) * scale)
        self.__dict__["volume"] = self.norm * self.depth
        object.__setattr__(self, "more", [*self.more, self.depth])


def made_in_post_init(x):
    p = Ellipse(x[0], x[1])
    return p.value(x) * p.norm


def normalised(x):
    p = Unit(x)
    for _ in range(2):
        p = Unit(p.q * x)
    return np.sum(p.q * x)


def normalised_unless_it_raises(x):
    try:
        p = Unit(x * 0.0)
    except ValueError:
        p = Unit(x)
    return np.sum(p.q * x**2)


def inherited(x):
    p, q = Shell(x[0], x[1]), Shell(x[0], x[1], x[2], 3.0)
    return p.volume * q.volume + p.a * q.more[1]


def replaced_on_one_way(x):
    p = Ellipse(x[0], x[1])
    for v in x:
        if v > 0.5:
            p = dataclasses.replace(p, a=p.a * v)
    return p.norm * p.area


def copied(x):
    p = Ellipse(x[0], x[1])
    return copy.copy(p).norm * copy.deepcopy(p).area


def cached(x):
    p, y = Ellipse(x[0], x[1]), 0.0
    for v in x:
        y = y + p.area * v
    return y * p.area


def stored_from_outside(x):
    p = Ellipse(x[0], x[1])
    object.__setattr__(p, "b", x[2])
    object.__setattr__(p, "more", p.b * x[0])
    return p.more * p.b * p.norm


class Positive:
    def __init__(self, w, scale):
        self.w, self.scale = w, scale

    def __setattr__(self, name, value):
        if name == "scale":
            value = np.exp(value)
        super().__setattr__(name, value)


class Doubled(Positive):
    def __setattr__(self, name, value):
        super().__setattr__(name, value * 2.0)


class Plain:
    def __init__(self, w, scale):
        self.w, self.scale = w, scale


class Counted:
    def __init__(self, w):
        object.__setattr__(self, "changes", 0)
        self.w = w

    def __setattr__(self, name, value):
        object.__setattr__(self, "changes", self.changes + 1)
        self.__dict__[name] = value


class Locked:
    __slots__ = ("a", "b")

    def __init__(self, a, b):
        object.__setattr__(self, "a", a)
        object.__setattr__(self, "b", b)

    def __setattr__(self, name, value):
        raise AttributeError(name)

    def plus(self, other):
        return Locked(self.a + other.a, self.b * other.b)


class Module:
    def __init__(self):
        object.__setattr__(self, "parameters", {})

    def __setattr__(self, name, value):
        self.parameters[name] = value
        object.__setattr__(self, name, value)


class Net(Module):
    def __init__(self, w, b):
        super().__init__()
        self.w = w
        self.b = b


@dataclasses.dataclass
class Squared:
    a: float
    b: float = 2.0

    def __setattr__(self, name, value):
        object.__setattr__(self, name, value * value)


def changed_on_the_way(x):
    p = Positive(x, x[0])
    p.scale = x[1] * 0.5
    p.w = p.w * p.scale
    return np.sum(p.w * x) * p.scale


def changed_in_place(x):
    p = Positive(x, x[0])
    p.scale += x[1]
    p.w *= 2.0
    return np.sum(p.w * x) * p.scale


def changed_by_name(x):
    p = Doubled(x, x[0])
    for name in ("scale", "w"):
        setattr(p, name, getattr(p, name) * 0.1)
    return np.sum(p.w * x) * p.scale


def of_several_classes(x):
    y = 0.0
    for p in [Positive(x, x[0]), Plain(x * 2.0, x[1])]:
        p.scale = p.scale * 0.3
        y = y + np.sum(p.w) * p.scale
    return y


def counted(x):
    p = Counted(x)
    p.w = p.w * x
    return np.sum(p.w * x) * p.changes


def never_changed(x):
    p = Locked(x[0], x).plus(Locked(x[1], x * 2.0))
    return np.sum(p.a * p.b)


def registered(x):
    n = Net(x, x[0] * 2.0)
    return np.sum(n.w) * n.b + sum(np.sum(v**2) for v in n.parameters.values())


def fields_told_of(x):
    p = Squared(x[0])
    q = dataclasses.replace(p, a=x[1])
    q.b = x[2]
    return p.a * p.b + q.a * q.b


PROGRAMS = [
    made_in_post_init, normalised, normalised_unless_it_raises, inherited, replaced_on_one_way, copied,
    cached, stored_from_outside, changed_on_the_way, changed_in_place, changed_by_name,
    of_several_classes, counted, never_changed, registered, fields_told_of,
]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS)
def test_stores_past_the_class(f):
    laws.check_orders(f, X)


def test_a_class_that_asks_is_asked():
    """A store of the user's goes through the class also in the text of a derivative."""
    value, _ = tl.value_and_grad(changed_on_the_way)(X)
    assert value == changed_on_the_way(X)
    with pytest.raises(AttributeError):
        tl.grad(stored_into)(X)


def stored_into(x):
    p = Locked(x[0], x)
    p.a = x[1]
    return p.a
