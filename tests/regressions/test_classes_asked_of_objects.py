"""Classes that an object is asked for, to make another one like it, or for what they hold."""

from dataclasses import dataclass

import pytest

from tests import laws


class Curve:
    steepness = 3.0

    def __init__(self, level):
        self.level = level
        self.logs = [level, 2.0 * level]

    @classmethod
    def doubled(cls, level):
        return cls(2.0 * level)

    @staticmethod
    def bent(x):
        return x * x

    def times(self, x):
        return self.level * x

    def __add__(self, spread):
        return type(self)(self.level + spread)

    def __sub__(self, spread):
        return self.__class__(self.level - spread)

    def __mul__(self, factor):
        made = object.__new__(type(self))
        made.level = self.level * factor
        made.logs = [v * factor for v in self.logs]
        return made

    def __truediv__(self, factor):
        cls = self.__class__
        made = cls.__new__(cls)
        made.level, made.logs = self.level / factor, list(self.logs)
        return made

    def of_class(self, x):
        return type(self).doubled(x).level * type(self).bent(x) * type(self).steepness

    def by_class(self, x):
        return type(self).times(self, x) * self.__class__.steepness


class Steep(Curve):
    steepness = 4.0

    @staticmethod
    def bent(x):
        return x**3


@dataclass
class Point:
    x: float
    y: float = 2.0

    def __add__(self, other):
        if isinstance(other, type(self)):
            return self.__class__(self.x + other.x, self.y + other.y)
        return NotImplemented


def made_by_type(x):
    curve = Curve(x) + 0.5 * x
    return curve.level * curve.logs[1]


def made_by_class(x):
    curve = Steep(x) - 0.5 * x
    return curve.level * curve.logs[1]


def made_by_new(x):
    curve = Curve(x) * (0.5 * x)
    return curve.level * curve.logs[1]


def made_by_new_of_class(x):
    curve = Steep(x) / (2.0 + x)
    return curve.level * curve.logs[1]


def held_by_class(x):
    return Curve(x).of_class(x) + Steep(x).of_class(x)


def called_by_class(x):
    return Curve(x).by_class(x) + Steep(x).by_class(x)


def either_class(x):
    y = 0.0
    for curve in [Curve(x), Steep(x)]:
        y = y + curve.of_class(x) * (curve + x).level
        y = y + (type(curve)(x).level if type(curve) is Curve else x**3)
    return y


def dataclasses_add(x):
    total = Point(x) + Point(2.0, x * x)
    return total.x * total.y


PROGRAMS = [
    made_by_type, made_by_class, made_by_new, made_by_new_of_class, held_by_class, called_by_class,
    either_class, dataclasses_add,
]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_class(f):
    laws.check_function(f, (0.7,))
