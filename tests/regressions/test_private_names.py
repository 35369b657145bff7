"""Names that begin with two underscores: in a class Python spells them with the class's name."""

import numpy as np
import pytest

from tests import laws


class Spring:
    __rest = 0.5

    def __init__(self, k, __scale=2.0):
        self.__k = k
        self.__hidden = [k, __scale]

    def __stretch(self, x):
        return x - self.__rest

    def energy(self, x):
        __d = self.__stretch(x)
        return 0.5 * self.__k * __d * __d

    def soften(self, x):
        self.__k *= x
        self.__hidden[0] = self.__hidden[0] * self.__k
        return sum(self.__hidden)

    @staticmethod
    def __square(x):
        return x * x

    def squared(self, x):
        def inner(v):
            return self.__square(v) * self.__k

        return inner(x) + (lambda v: v * self.__k)(x)


class _Stiff(Spring):
    def __init__(self, k):
        super().__init__(k)
        self.__k = k * k

    def both(self, x):
        return self.energy(x) * self.__k


def energy(x):
    return Spring(x).energy(x)


def soften(x):
    spring = Spring(x)
    y = 1.0
    for _ in range(2):
        y *= spring.soften(x) + y
    return y


def squared(x):
    return Spring(np.sin(x)).squared(x)


def of_two_classes(x):
    return _Stiff(x).both(x)


@pytest.mark.parametrize("f", [energy, soften, squared, of_two_classes])
def test_private_names(f):
    laws.check_function(f, (1.3,))


def test_a_method_as_the_function():
    spring = Spring(2.0)
    laws.check_function(spring.energy, (1.3,))
