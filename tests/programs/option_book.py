"""A book of options priced by a binomial tree or a formula, with a registry of payoffs and bumped greeks."""

import functools
import math
from abc import ABC, abstractmethod
from collections import defaultdict
from enum import Enum, auto
from typing import Callable, Dict, NamedTuple, Optional

import numpy as np


class Right(Enum):
    CALL = auto()
    PUT = auto()

    @property
    def sign(self):
        return 1.0 if self is Right.CALL else -1.0


class Market(NamedTuple):
    spot: float
    vol: float
    rate: float = 0.02
    dividend: float = 0.0

    def bumped(self, **changes):
        return self._replace(**{k: getattr(self, k) + v for k, v in changes.items()})


@functools.lru_cache(maxsize=None)
def year_fraction(days: int, basis: str = "ACT/365") -> float:
    if basis == "ACT/365":
        return days / 365.0
    if basis == "ACT/360":
        return days / 360.0
    raise ValueError(f"unknown basis {basis!r}")


def smooth_max(a, b, width=0.05):
    d = a - b
    return b + 0.5 * (d + np.sqrt(d * d + width))


PAYOFFS: Dict[str, Callable] = {}


def payoff(name):
    def register(f):
        PAYOFFS[name] = f
        return f

    return register


@payoff("vanilla")
def vanilla(s, k, sign):
    return smooth_max(sign * (s - k), 0.0)


@payoff("digital")
def digital(s, k, sign):
    return 1.0 / (1.0 + np.exp(-4.0 * sign * (s - k)))


def norm_cdf(x):
    return 0.5 * (1.0 + math.erf(x / math.sqrt(2.0)))


class Instrument(ABC):
    def __init__(self, strike, days, right=Right.CALL, quantity=1):
        self.strike, self.days, self.right, self.quantity = strike, days, right, quantity

    @property
    def maturity(self):
        return year_fraction(self.days)

    @abstractmethod
    def unit_price(self, m: Market) -> float: ...

    def value(self, m):
        return self.quantity * self.unit_price(m)

    def delta(self, m, h=0.5):
        up, down = self.value(m.bumped(spot=h)), self.value(m.bumped(spot=-h))
        return (up - down) / (2 * h)


class European(Instrument):
    def unit_price(self, m):
        t, s = self.maturity, self.right.sign
        sq = m.vol * math.sqrt(t)
        d1 = (math.log(m.spot / self.strike) + (m.rate - m.dividend + 0.5 * m.vol**2) * t) / sq
        d2 = d1 - sq
        return s * (
            m.spot * math.exp(-m.dividend * t) * norm_cdf(s * d1)
            - self.strike * math.exp(-m.rate * t) * norm_cdf(s * d2)
        )


class Tree(Instrument):
    def __init__(self, *args, steps=6, kind="vanilla", american=False, **kwargs):
        super().__init__(*args, **kwargs)
        self.steps = steps
        self.payoff = PAYOFFS[kind]
        self.american = american

    def unit_price(self, m):
        dt = self.maturity / self.steps
        u = math.exp(m.vol * math.sqrt(dt))
        p = (math.exp((m.rate - m.dividend) * dt) - 1.0 / u) / (u - 1.0 / u)
        disc = math.exp(-m.rate * dt)
        n = self.steps
        prices = m.spot * u ** np.arange(-n, n + 1, 2)
        values = self.payoff(prices, self.strike, self.right.sign)
        while n > 0:
            n -= 1
            values = disc * (p * values[1:] + (1 - p) * values[:-1])
            if self.american:
                spots = m.spot * u ** np.arange(-n, n + 1, 2)
                values = smooth_max(values, self.payoff(spots, self.strike, self.right.sign))
        return values.item()


class Book:
    def __init__(self, instruments=(), limit: Optional[float] = None):
        self._items = list(instruments)
        self.limit = limit

    def __iter__(self):
        return iter(self._items)

    def __len__(self):
        return len(self._items)

    def by_right(self, market):
        totals = defaultdict(float)
        for item in self._items:
            totals[item.right.name] += item.value(market)
        return totals

    def exposure(self, market):
        total = sum(i.delta(market) for i in self._items)
        if self.limit is None:
            return 0.0
        return max(abs(total) - self.limit, 0.0) ** 2


def objective(spot, vol, strikes):
    market = Market(spot, vol, dividend=0.01)
    k1, k2, k3 = strikes
    book = Book(
        [
            European(k1, 90, quantity=10),
            European(k2, 180, Right.PUT, quantity=-5),
            Tree(k2, 120, Right.PUT, american=True, quantity=3),
            Tree(k3, 60, kind="digital", steps=4),
        ],
        limit=1.0,
    )
    totals = book.by_right(market)
    assert len(book) == 4
    return totals["CALL"] + 0.5 * totals["PUT"] + 0.01 * book.exposure(market)


ARGUMENTS = (100.0, 0.25, np.array([95.0, 100.0, 108.0]))
