"""Loops over the fields of a dataclass, which look its attributes up by their names."""

import dataclasses
from dataclasses import dataclass, fields

import numpy as np
import pytest

from tests import laws


@dataclass
class Rates:
    beta: float
    gamma: float
    waning: float = 0.01

    def __post_init__(self):
        for f in fields(self):
            if getattr(self, f.name) < -100.0:
                raise ValueError(f"{f.name} must not be negative")

    def scaled(self, factor):
        return Rates(**{f.name: getattr(self, f.name) * factor for f in fields(self)})

    def __add__(self, other):
        added = [getattr(self, f.name) + getattr(other, f.name) for f in dataclasses.fields(self)]
        return Rates(*added)


@dataclass
class Weights:
    w: np.ndarray
    b: float


def total_of_fields(x):
    rates = Rates(x[0], x[1] ** 2)
    return sum(getattr(rates, f.name) ** 2 for f in fields(rates))


def rebuilt_by_names(x):
    rates = Rates(x[0], x[1]).scaled(x[2])
    return rates.beta * rates.gamma + rates.waning


def added_field_by_field(x):
    rates = Rates(x[0], x[1]) + Rates(x[1], x[2], x[0])
    return rates.beta * rates.gamma * rates.waning


def set_by_name(x):
    weights = Weights(x * 2.0, x[0])
    for field in fields(Weights):
        setattr(weights, field.name, np.sin(getattr(weights, field.name)))
    return np.sum(weights.w) * weights.b


def names_only(x):
    weights, y = Weights(x, x[1]), 0.0
    for i, name in enumerate([f.name for f in fields(weights)]):
        y = y + (i + len(name)) * np.sum(weights.w)
    return y


PROGRAMS = [
    total_of_fields,
    rebuilt_by_names,
    added_field_by_field,
    set_by_name,
    names_only,
]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_fields(f):
    laws.check_function(f, (np.array([0.3, 0.2, -0.5]),))
