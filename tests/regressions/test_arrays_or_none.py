"""What is None at first and an array later is an array wherever it is computed with."""

import numpy as np
import pytest

import tapeless.testing
from tests import laws

V = np.array([0.5, 0.7, 1.2])


def changed_in_place_later(v):
    total = None
    for k in range(3):
        if total is None:
            total = v * v
        else:
            total += v * k
    return np.sum(total * total)


def chosen_by_a_conditional(v):
    total = None
    for _ in range(3):
        total = np.sin(v) if total is None else total * np.cos(v)
    total[1] = 2.0 * total[0]
    found = 0.0
    for x in total:
        found += x * x
    return found + np.sum(total.T) + total.sum() + len(total) * v[0]


def best_so_far(v):
    best, least = None, np.inf
    for k in range(3):
        y = np.sin(v * k)
        error = np.sum((y - 1.0) ** 2)
        if error < least:
            best, least = y, error
    return np.sum(best**2) + least


class Regulator:
    def __init__(self, weight=None):
        self.weight = weight
        self.gain = None
        self.history = None

    def solve(self, v):
        self.gain = np.outer(v, v)
        self.weight = np.eye(3) if self.weight is None else self.weight

    def run(self, v):
        if self.gain is None:
            self.solve(v)
        states, cost = [v], 0.0
        for _ in range(3):
            u = -self.gain @ states[-1]
            cost += u @ u + states[-1] @ self.weight @ states[-1]
            states.append(np.tanh(u))
        self.history = np.array(states)
        return cost


def in_attributes(v):
    regulator = Regulator()
    cost = regulator.run(v)
    regulator.history[0] *= 2.0
    return cost + np.sum(regulator.history**2)


def given_weights(v):
    regulator = Regulator(np.diag([1.0, 0.5, 2.0]))
    return regulator.run(v)


def unless_given(v, bias=None):
    bias = v * 0.5 if bias is None else bias
    bias[0] += v[1]
    return np.sum(bias * v)


def in_a_callee(v):
    return unless_given(v) + unless_given(v, v**2) + unless_given(v, np.ones(3))


class Held:
    def __init__(self, v):
        slots = [None]
        slots[0] = v
        self.v = slots[0]

    def scale(self, by):
        self.v *= by


def slots_updated_in_place(v):
    held = Held(v * 1.0)
    alias = held.v
    held.v *= v[0]
    held.v -= alias * v[1]
    held.scale(v)
    return alias * 2.0


def items_updated_in_place(v):
    row, table = [None], {"k": None}
    row[0] = v * 2.0
    table["k"] = row[0] * v
    row[0] **= 2
    for _ in range(2):
        table["k"] += v
    return np.sum(row[0] * v)


KEPT = [None]


def kept_outside_and_updated(v):
    w = v * 1.0
    KEPT[0] = w[1, ...]
    KEPT[0] *= v[0]
    KEPT[0][...] += 3.0
    return w


CASES = [
    slots_updated_in_place,
    changed_in_place_later, chosen_by_a_conditional, best_so_far, in_attributes, given_weights,
    in_a_callee,
]  # fmt: skip


@pytest.mark.parametrize("f", CASES)
def test_laws_and_replay(f):
    laws.check_function(f, (V,))
    tapeless.testing.check_replay(f, V)


def test_none_that_stays_is_seen_by_tests():
    def f(v, k):
        kept = None
        for _ in range(k):
            kept = v * v
        return np.sum(v) if kept is None else np.sum(kept)

    for k in (0, 2):
        laws.check_function(f, (V, k))


@pytest.mark.parametrize("f", [items_updated_in_place, kept_outside_and_updated])
def test_updates_in_place_of_what_was_none(f):
    rng = np.random.default_rng(0)
    laws.check_reverse(f, (V,), (0,), rng)
    laws.check_forward(f, (V,), (0,), rng)
    tapeless.testing.check_replay(f, V)
