"""Class methods that are called on an object, or on the class that an object turns out to have."""

import numpy as np
import pytest

from tests import laws

X = np.array([0.6, 1.4, 2.3])


class Vector:
    scale = 0.5

    def __init__(self, a):
        self.a = a

    @classmethod
    def of(cls, a):
        return cls(a * cls.scale)

    @staticmethod
    def squared(a):
        return a * a

    def again(self):
        return self.of(self.a)

    def by_class(self):
        return self.__class__.of(type(self).squared(self.a))


class Wide(Vector):
    scale = 0.7


def by_type(x):
    v = Wide(x)
    return np.sum(type(v).of(x).a ** 2)


def on_the_object(x):
    return np.sum(Wide(x).again().a ** 2)


def on_the_class_of_the_object(x):
    return np.sum(Wide(x).by_class().a ** 2)


def stored_into_in_a_loop(x):
    w = type(Wide(x)).of(x)
    for i in range(2):
        w.a[i] = w.a[i] * w.a[2]
    return np.sum(w.a**2)


def of_one_of_two_classes(x):
    total = 0.0
    for v in [Wide(x), Vector(x * x)]:
        total = total + np.sum(v.of(v.a).a ** 2)
    return total


CASES = [
    by_type, on_the_object, on_the_class_of_the_object, stored_into_in_a_loop, of_one_of_two_classes,
]  # fmt: skip


@pytest.mark.parametrize("f", CASES, ids=[f.__name__ for f in CASES])
def test_methods_of_classes(f):
    laws.check_orders(f, X)
