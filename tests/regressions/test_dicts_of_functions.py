"""Loops over dicts that hold functions, and calls that a dict without one of its keys fills."""

from functools import partial

import numpy as np
import pytest

import tapeless as tl
from tests import laws


def proportional(trade, rate):
    return rate * np.sqrt(trade**2 + 1e-2)


def impact(trade, coefficient, power=1.5):
    return coefficient * (trade**2 + 1e-2) ** (power / 2)


class Account:
    def __init__(self, n, models):
        self.position = np.zeros(n)
        self.models = models
        self.names = []

    def rebalance(self, wanted):
        delta, cost = wanted - self.position, 0.0
        for label, model in self.models.items():
            if label == "none":
                continue
            cost += model(delta).sum()
            self.names.append(label)
        self.position = wanted
        return cost * len(self.names)

    def total(self, wanted):
        return sum(np.sum(model(wanted)) for model in self.models.values())


def lambdas_of_another_function(x):
    rate = x[0]
    models = {"a": lambda d: proportional(d, rate), "b": lambda d: impact(d, 0.2)}
    account = Account(3, models)
    return account.rebalance(x) + account.rebalance(2.0 * x) + account.total(x)


def partials_of_unlike_functions(x):
    models = dict(a=partial(proportional, rate=x[1]), b=partial(impact, coefficient=0.2))
    account = Account(3, models)
    return account.rebalance(x) + account.rebalance(2.0 * x)


def a_partial_and_a_lambda(x):
    cost = 0.0
    models = {"none": np.sin, "p": partial(impact, coefficient=x[2]), "q": lambda d: d * d}
    for label in models:
        model = models[label]
        if label != "none":
            cost += np.sum(model(x)) * (len(label) + 1)
    return cost


def left_early(x):
    models = {"p": partial(impact, coefficient=x[2]), "q": lambda d: d * x[0], "r": np.sin}
    for label, model in models.items():
        y = np.sum(model(x))
        if y > 0.3:
            return y * x[1]
    return y


class Signal:
    kinds = {}

    @classmethod
    def from_config(cls, config):
        kind = config.pop("kind")
        return cls.kinds[kind](**config)


class Momentum(Signal):
    def __init__(self, fast, slow=2.0):
        self.fast, self.slow = fast, slow

    def __call__(self, x):
        return np.tanh(self.fast * x - self.slow)


class Reversal(Signal):
    def __init__(self, strength=1.0):
        self.strength = strength

    def __call__(self, x):
        return -self.strength * x**2


Signal.kinds = {"momentum": Momentum, "reversal": Reversal}


def a_key_taken_out(x):
    config = {"kind": "momentum", "fast": x[0], "slow": 0.5}
    kind = config.pop("kind")
    return np.sum(Signal.kinds[kind](**config)(x))


def a_key_taken_out_by_a_method(x):
    signals = [
        Signal.from_config({"kind": "momentum", "fast": x[0]}),
        Signal.from_config({"kind": "reversal", "strength": x[1] * x[2]}),
    ]
    return sum(np.sum(s(x)) for s in signals)


def a_default_for_what_is_not_there(x):
    config = {"fast": x[0], "n": 3}
    n = config.pop("n", 1)
    m = config.pop("m", 2)
    return n * m * np.sum(Momentum(**config)(x))


def unlike_items_carried_over(x):
    config = {"label": "p", "w": x, "scale": x[0], "more": None}
    other = {"w": 2.0}
    other.update(config)
    return np.sum(other["w"] ** 2) * other["scale"] * len(other["label"])


PROGRAMS = [
    lambdas_of_another_function,
    partials_of_unlike_functions,
    a_partial_and_a_lambda,
    left_early,
    a_key_taken_out,
    a_key_taken_out_by_a_method,
    a_default_for_what_is_not_there,
    unlike_items_carried_over,
]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_what_dicts_hold(f):
    laws.check_function(f, (np.array([0.3, 0.2, -0.5]),))


def a_key_that_is_still_there(x):
    config = {"kind": "momentum", "fast": x[0]}
    if x[0] > 0.0:
        config.pop("kind")
    return np.sum(Momentum(**config)(x))


def test_a_key_that_no_parameter_takes():
    x = np.array([0.3, 0.2, -0.5])
    laws.check_function(a_key_that_is_still_there, (x,))
    for derivative in (tl.grad(a_key_that_is_still_there), a_key_that_is_still_there):
        with pytest.raises(TypeError, match="__init__.. got an unexpected keyword argument 'kind'"):
            derivative(-x)
