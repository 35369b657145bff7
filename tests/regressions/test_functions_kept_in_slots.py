"""Local functions and methods that objects, dicts and lists keep, with what they capture."""

import numpy as np
import pytest

import tapeless as tl
import tapeless.testing
from tests import laws

V = np.array([0.5, 0.7, 1.2])


class Stepper:
    def __init__(self, step, callback=None):
        self.step = step
        self.callback = callback

    def run(self, v, trips):
        for k in range(trips):
            v = self.step(v, 0.5 * k)
            if self.callback is not None:
                self.callback(k, v)
        return v


def callbacks_of_an_object(v):
    decay, drift = v[0], np.exp(v[1])

    def step(state, t):
        return decay * state + drift * t

    seen = []
    last = Stepper(step, lambda k, state: seen.append(np.sum(state) * k)).run(v * v, 3)
    return np.sum(last**2) + seen[2]


def passed_through_a_helper(v):
    def made(step):
        return Stepper(step).run(v, 2)

    total = np.sum(v)
    return np.sum(made(lambda state, t: state * total + t))


def pair_of_closures(rate):
    def grow(t):
        return rate * t

    def shift(t):
        return rate + t

    return grow, shift


def returned_in_a_tuple(v):
    grow, shift = pair_of_closures(v[0])
    return grow(v[1]) * shift(v[2])


def recorder(log):
    def record(k, value):
        log.append(value * k)

    return record


def returned_and_kept(v):
    log = []
    last = Stepper(lambda state, t: state - 0.1 * state**3 + t, recorder(log)).run(v, 3)
    return np.sum(last) + np.sum(log[1])


def appended_and_called(v):
    scale = v[0] * 2.0
    steps = [lambda t: t * scale, lambda t: t + scale]
    steps.append(lambda t: np.sin(t) * scale)
    found = v[1]
    for step in steps:
        found = step(found)
    return found


def handed_on_in_a_dict(v):
    weights = v[:2] * 2.0
    table = {"dot": lambda t: np.sum(t * weights), "shift": lambda t: t + np.sum(weights)}
    return applied(table, "dot", v[1:]) + applied(table, "shift", v[2])


def applied(table, label, t):
    return table[label](t)


class Loss:
    def __init__(self, name, delta):
        self.delta = delta
        self.rho = {"squared": self.squared, "cubed": self.cubed}[name]

    def squared(self, r):
        return 0.5 * r**2

    def cubed(self, r):
        return self.delta * r**3

    def total(self, r):
        return np.sum(self.rho(r))


def methods_chosen_from_a_dict(v):
    return Loss("cubed", 0.5).total(v) + Loss("squared", 1.0).total(v * v)


def chosen_by_an_argument(v, name="cubed"):
    return Loss(name, 2.0).total(v)


CASES = [
    callbacks_of_an_object, passed_through_a_helper, returned_in_a_tuple, returned_and_kept,
    appended_and_called, handed_on_in_a_dict, methods_chosen_from_a_dict, chosen_by_an_argument,
]  # fmt: skip


@pytest.mark.parametrize("f", CASES)
def test_laws_and_replay(f):
    laws.check_function(f, (V,))
    tapeless.testing.check_replay(f, V)


def test_what_is_bound_anew_is_not_taken_along():
    def f(v):
        decay = v[0]
        stepper = Stepper(lambda state, t: decay * state + t)
        first = stepper.run(v, 1)
        decay = v[1]
        return np.sum(stepper.run(first, 1))

    for derive in (tl.grad(f), lambda v: tl.jvp(f, (v,), (np.ones(3),))):
        with pytest.raises(tl.TapelessError, match="is not looked into|is not known here"):
            derive(V)
