"""Settings in dicts and keywords: merged, checked, made attributes, looked up by name."""

import enum

import numpy as np
import pytest

import tapeless.testing
from tests import laws

V = np.array([0.5, 0.7, 1.2])
DEFAULTS = {"rate": 0.1, "trips": 3, "label": "plain", "verbose": False}


class Descent:
    def __init__(self, **options):
        unknown = set(options) - set(DEFAULTS)
        if unknown:
            raise TypeError(f"unknown options {sorted(unknown)}")
        self.options = {**DEFAULTS, **options}

    def run(self, v):
        for k in range(self.options["trips"]):
            v = v - self.options["rate"] * v**3
            if self.options["verbose"]:
                print(k, v)
        return v


def merged_options(v):
    return np.sum(Descent(rate=v[0]).run(v)) * np.sum(Descent(trips=2).run(v))


def delayed(v, **options):
    config = {**DEFAULTS, **options}
    waiting = [0.0] * config["trips"]
    total = 0.0
    for x in v:
        waiting.append(x * config["rate"])
        total += waiting.pop(0) * 2.0
    return total


def lengths_beside_rates(v):
    return delayed(v, rate=v[1], trips=1) + delayed(v, trips=2)


class Model:
    def __init__(self, **params):
        self.config = dict(DEFAULTS)
        self.config.update(params)
        for key, value in params.items():
            if not hasattr(self, key):
                setattr(self, key, value)

    def get_params(self):
        return {key: getattr(self, key) for key in ("rate", "shift")}

    def value(self, v):
        params = self.get_params()
        return params["rate"] * v + params["shift"] * self.config["trips"]


def attributes_by_name(v):
    return np.sum(Model(rate=v[0], shift=v[1] * v[2]).value(v) ** 2)


def functions_by_name(v):
    total = getattr(v, "sum")() ** 2
    for label in ("sin", "cos", "exp"):
        total += np.sum(getattr(np, label)(v) * v)
    return total


def methods_of_arrays(v):
    dot, total = v.dot, v.sum
    return dot(np.sin(v)) * total()


class Scheme(enum.Enum):
    EULER = "euler"
    MIDPOINT = "midpoint"


class Order(enum.Enum):
    FIRST = 1
    SECOND = 2


class Problem:
    def __init__(self):
        self.rules = {}

    def choose(self, part, scheme=Scheme.EULER):
        self.rules[part] = scheme
        return self


def chosen_by_members(v):
    problem = Problem().choose("left", Scheme.MIDPOINT).choose("right")
    total = 0.0
    for part, scheme in problem.rules.items():
        if scheme is Scheme.MIDPOINT:
            total += np.sum(v**2) * len(part)
        elif scheme == Scheme.EULER:
            total += np.sum(np.sin(v))
    return total


def values_of_members(v):
    total = 0.0
    for order in (Order.FIRST, Order.SECOND):
        total += np.sum(v) ** order.value / order.value * len(order.name)
    return total


CASES = [
    merged_options, lengths_beside_rates, attributes_by_name, functions_by_name,
    methods_of_arrays, chosen_by_members, values_of_members,
]  # fmt: skip


@pytest.mark.parametrize("f", CASES)
def test_laws_and_replay(f):
    laws.check_function(f, (V,))
    tapeless.testing.check_replay(f, V)


def test_keys_that_are_stored_are_not_taken_for_those_of_the_call():
    def scaled(v, **options):
        if v[0] > 0.0:
            options["late"] = v[1]
        config = {"late": 1.0}
        for key in options:
            config[key] = options[key]
        return v[2] * config["late"] * config["rate"]

    def f(v):
        return scaled(v, rate=v[0])

    laws.check_function(f, (V,))
