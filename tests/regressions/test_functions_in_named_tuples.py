"""Named tuples of functions, as optimizers and layers are made: each takes along what it captures."""

from collections import namedtuple
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest

from tests import laws

Optimizer = namedtuple("Optimizer", "init update get")
Layer = namedtuple("Layer", "init apply")


class Problem(NamedTuple):
    cost: Callable
    slope: Callable
    scale: float = 1.0

    def total(self, t):
        return self.scale * self.cost(t) + self.slope(t)


def momentum(rate):
    def init(p):
        return p, np.zeros_like(p)

    def update(i, g, state):
        p, v = state
        v = 0.9 * v + 0.1 * g
        return p - rate / (i + 1) * v, v

    def get(state):
        return state[0]

    return Optimizer(init, update, get)


def optimized(x):
    method = momentum(x[1])
    state = method.init(x)
    for i in range(3):
        state = method.update(i, 2 * method.get(state) ** 3, state)
    return np.sum(method.get(state))


def unpacked(x):
    init, update, get = momentum(x[0])
    state = init(x)
    for i in range(2):
        state = update(i, np.sin(get(state)), state)
    return np.sum(get(state) ** 2)


def dense(n):
    def init(w):
        return {"w": w * n, "b": 0.1 * n}

    def apply(p, t):
        return np.tanh(p["w"] * t + p["b"])

    return Layer(init, apply)


def serial(*layers):
    def init(weights):
        return [layer.init(w) for layer, w in zip(layers, weights, strict=True)]

    def apply(parameters, t):
        for layer, p in zip(layers, parameters, strict=True):
            t = layer.apply(p, t)
        return t

    return Layer(init, apply)


def layers_one_after_another(x):
    net = serial(dense(2), dense(3))
    return net.apply(net.init(x), 0.5)


def problem(a, b):
    def cost(t):
        return a * t**2 + b

    def slope(t):
        return 2 * a * t

    return Problem(cost, slope=slope)


def descended(p, t):
    for _ in range(3):
        t = t - 0.1 * p.slope(t)
    return t


def by_keyword_and_replaced(x):
    p = problem(x[0], x[1])
    return p.total(x[1]) + p._replace(scale=x[0]).total(x[0])


def handed_on(x):
    p = problem(x[0], x[1])
    return p.cost(descended(p, x[1]))


def in_a_dict(x):
    problems = {"a": problem(x[0], x[1]), "b": problem(x[1], 1.0)}
    s = 1.0
    for key in ("a", "b"):
        s = s + problems[key].cost(s)
    for p in problems.values():
        s = s * p.slope(0.3)
    return s


def made_of_a_place(v):
    p = Problem(lambda t: v[0] * t, lambda t: v[1] * t)
    v[0] = v[0] ** 2
    return p


def stored_into_later(x):
    v = x.copy()
    p = made_of_a_place(v)
    first = p.cost(x[0])
    v[1] = 2.0 * x[0]
    return first * p.slope(x[1])


PROGRAMS = [
    optimized,
    unpacked,
    layers_one_after_another,
    by_keyword_and_replaced,
    handed_on,
    in_a_dict,
    stored_into_later,
]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_functions_in_named_tuples(f):
    laws.check_function(f, (np.array([0.7, 0.3]),))
