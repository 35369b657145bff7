"""Attributes, properties and static methods that are reached through `super()`."""

import pytest

from tests import laws


class Gas:
    constant = 2.0
    table = (1.0, 3.0)

    def __init__(self, n):
        self.n = n

    @property
    def pressure(self):
        return self.n * self.n

    def energy(self):
        return self.n * self.constant

    @staticmethod
    def square(x):
        return x * x


class Real(Gas):
    @property
    def pressure(self):
        return super().pressure * self.n

    def energy(self):
        return super().energy() * super().pressure


class Dense(Real):
    @property
    def pressure(self):
        return super(Dense, self).pressure + 1.0  # noqa: UP008

    def energy(self):
        found = super().energy
        return found() * super().constant * super().table[1]


class Still(Gas):
    @property
    def pressure(self):
        return super().pressure

    def energy(self):
        self.n = self.n * 3.0
        return super().square(self.n) + sum([super(Still, self).pressure for _ in range(2)])


@pytest.mark.parametrize("cls", [Gas, Real, Dense, Still])
def test_they_are_those_of_the_class_that_follows(cls):
    def pressure(n):
        return cls(n).pressure

    def energy(n):
        return cls(n).energy()

    def in_a_loop_and_a_branch(n):
        gas = cls(n)
        total = 0.0
        for k in range(3):
            total += gas.pressure * k if k else gas.energy()
            gas.n = gas.n * n
        return total

    for f in (pressure, energy, in_a_loop_and_a_branch):
        laws.check_function(f, (1.3,))
