"""Objects that keep functions which capture what varies: written classes, dataclasses, partials."""

import functools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest

from tests import laws

X = np.array([0.3, 0.5])


@dataclass
class Market:
    spot: float
    surface: Callable


@dataclass(frozen=True)
class FrozenMarket:
    spot: float
    surface: Callable


class WrittenMarket:
    def __init__(self, spot, surface):
        self.spot = spot
        self.surface = surface


def price(market, k):
    return market.surface(k) * market.spot


def a_local_function(x):
    def surface(k):
        return x[1] * k

    return price(Market(x[0], surface), 1.0)


def a_lambda(x):
    return price(FrozenMarket(spot=x[0], surface=lambda k: x[1] * np.sin(k)), x[1])


def of_a_written_class(x):
    market = WrittenMarket(x[0], lambda k: x[1] * k)
    return price(market, 1.0) * market.surface(x[0])


class Engine:
    def __init__(self, market):
        self.market = market

    def run(self, n):
        total = 0.0
        for i in range(n):
            total = total + self.market.surface(0.1 * i) * self.market.spot
        return total


def two_objects_below(x):
    return Engine(Market(x[0], lambda k: x[1] * k)).run(4)


def wave(t, a, b):
    return np.sin(a * t) * b


class Squared:
    def __init__(self, f):
        self.f = f

    def __call__(self, t):
        return self.f(t) ** 2


def a_partial(x):
    squared = Squared(functools.partial(wave, a=x[0], b=x[1]))
    return squared(1.0) + squared(2.0)


@pytest.mark.parametrize(
    "f", [a_local_function, a_lambda, of_a_written_class, two_objects_below, a_partial]
)
def test_laws_and_replay(f):
    laws.check_orders(f, X)
