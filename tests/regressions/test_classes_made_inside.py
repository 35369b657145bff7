"""Classes that are made in functions: named tuples, dataclasses, and plain ones."""

import dataclasses
from collections import namedtuple
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import pytest

import tapeless as tl
from tests import laws

X = np.array([0.3, 0.7, 1.1])


def named_tuples(x):
    Point = namedtuple("Point", "x y")
    State = namedtuple("State", ["point", "gain"], defaults=(2.0,))

    def stepped(s):
        return s._replace(point=Point(s.point.x + 0.1 * s.point.y, y=s.point.y - s.point.x))

    s = State(Point(x[0], x[1]))
    for _ in range(3):
        s = stepped(s)
    a, b = s.point
    return a * b * s.gain * x[2]


def moved(point, by, cls):
    return cls(point.x + by, point.y * by)


def handed_to_others(x):
    Point = NamedTuple("Point", [("x", float), ("y", float)])  # noqa: UP014
    moved_twice = moved(moved(Point(x[0], x[1]), x[2], Point), x[0], Point)
    return moved_twice.x * moved_twice.y


def written_out(x):
    class Point(NamedTuple):
        x: float
        y: float = 2.0

        def norm(self):
            return self.x**2 + self.y**2

    return Point(x[0]).norm() * Point(x[1], x[2]).norm()


def dataclasses_inside(x):
    @dataclass(frozen=True)
    class Rate:
        value: float

    @dataclass
    class Log:
        rate: Rate
        held: list = field(default_factory=list)

        def put(self, v):
            self.held.append(v * self.rate.value)
            return self

    first, second = Log(Rate(x[0])).put(x[1]).put(x[2]), Log(Rate(x[1])).put(x[0])
    other = dataclasses.replace(second, rate=Rate(x[2]), held=[]).put(x[2])
    return sum(v**2 for v in first.held) * second.held[0] + other.held[0]


def calls_itself(x):
    class Base:
        gain = 3.0

        def __init__(self, a):
            self.a = a

        def value(self):
            return self.a * self.gain

    class Vector(Base):
        def __init__(self, a, b):
            super().__init__(a)
            self.b = b

        def __add__(self, other):
            return Vector(self.a + other.a, self.b * other.b)

    total = Vector(x[0], x[1])
    for _ in range(2):
        total = total + Vector(x[2], x[1])
    return total.value() * total.b if isinstance(total, Base) else 0.0


def layer(weight):
    class Layer:
        def __init__(self, weight):
            self.weight = weight

        def __call__(self, h):
            return np.tanh(self.weight * h)

    return Layer(weight)


def that_leave(x):
    h = x
    for apply in [layer(w) for w in x]:
        h = apply(h)
    return np.sum(h)


def exceptions_of_its_own(x):
    class Stop(Exception):
        pass

    try:
        total = x[0] * x[1]
        if total > 0.1:
            raise Stop
    except Stop:
        total = x[2] ** 2
    return total


@pytest.mark.parametrize(
    "f",
    [
        named_tuples, handed_to_others, written_out, dataclasses_inside, calls_itself, that_leave,
        exceptions_of_its_own,
    ],
)  # fmt: skip
def test_what_they_hold_carries_derivatives(f):
    laws.check_orders(f, X)


def point_of(x):
    Point = namedtuple("Point", "x y")
    return Point(x, x * x)


def test_a_value_is_of_the_class():
    y, y_dot = tl.jvp(point_of, (3.0,), (1.0,))
    assert (type(y).__name__, y.y, y_dot.y) == ("Point", 9.0, 6.0)


def captures(x):
    class Scale:
        def of(self, v):
            return v * x[0]

    return Scale().of(x[1])


def counts(x):
    class Counted:
        made = 0

        def __init__(self, v):
            Counted.made += 1
            self.v = v

    return Counted(x[0]).v * Counted(x[1]).v * Counted.made


def counts_by_class_method(x):
    class Counted:
        made = 0

        @classmethod
        def of(cls, v):
            cls.made += 1
            return v * cls.made

    return Counted.of(x[0]) * Counted.of(x[1])


def holds_a_list(x):
    class Shared:
        items = []

    Shared.items.append(x[0])
    return sum(Shared.items)


def of_names_that_are_computed(x):
    names = ["a", "b"][: len(x)]
    Point = namedtuple("Point", names)
    return Point(x[0], x[1]).a


@pytest.mark.parametrize(
    "f", [captures, counts, counts_by_class_method, holds_a_list, of_names_that_are_computed]
)
def test_another_one_in_each_call_is_refused(f):
    with pytest.raises(tl.TapelessError):
        tl.grad(f)(X)
