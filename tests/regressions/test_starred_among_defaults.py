"""A star whose length is not known fills parameters with defaults, be they many."""

import numpy as np
import pytest

from tests import laws

AXIS = np.array([0.3, 0.5, -0.7])


def turned(angle, w=1.0, x=0.0, y=0.0, z=0.0):
    return angle * w + x * y * z


class Quaternion:
    def __init__(self, w=1.0, x=0.0, y=0.0, z=0.0):
        self.w = w
        self.v = np.array([x, y, z])

    def norm(self):
        return self.w**2 + self.v @ self.v


def of_a_function(axis):
    return turned(1.0, *axis)


def of_a_constructor(axis):
    return Quaternion(1.0, *axis).norm()


def of_a_part(axis):
    return turned(2.0, *axis[:2]) * turned(axis[2])


def of_a_list(axis):
    items = [v * v for v in axis]
    return turned(2.0, *items)


class Phase:
    def __init__(self, last, rate):
        self.last, self.rate = last, rate


class Model:
    def __init__(self, beta, sigma, gamma, phases=(), population=1000.0):
        self.beta, self.sigma, self.gamma = beta, sigma, gamma
        self.phases = list(phases)
        self.population = population

    def rate(self, t):
        found = self.beta * self.sigma + self.gamma
        for phase in self.phases:
            if t < phase.last:
                found = found * (1.0 - phase.rate)
        return found


def beside_a_keyword_in_the_middle(axis):
    return Model(*axis, phases=[Phase(4.0, axis[0]), Phase(1.0, axis[1])]).rate(3.0)


@pytest.mark.parametrize(
    "f", [of_a_function, of_a_constructor, of_a_part, of_a_list, beside_a_keyword_in_the_middle]
)
def test_laws_and_replay(f):
    laws.check_orders(f, AXIS)
