"""Second derivatives, reverse over reverse, of what dicts and lists hold: layers, bodies, a history."""

import functools
import operator
from collections import defaultdict
from dataclasses import dataclass, replace

import numpy as np
import pytest

import tapeless as tl

RNG = np.random.default_rng(0)
X = RNG.normal(size=(3, 2))
V = np.array([0.3, -0.7])


def layers():
    return {f"layer{i}": {"w": RNG.normal(size=(2, 2)), "b": RNG.normal(size=2)} for i in range(3)}


def network(params, x):
    names = sorted(params)
    for name in names[:-1]:
        p = params[name]
        x = np.tanh(x @ p["w"] + p["b"])
    last = params[names[-1]]
    return np.sum((x @ last["w"] + last["b"]) ** 2)


def penalty_by_reduce(params, x):
    squared = functools.reduce(operator.add, (np.sum(p["w"] ** 2) for p in params.values()))
    return squared + np.sum(x**2)


def penalty_by_sum(params, x):
    return sum(np.sum(p["w"] ** 3) for p in params.values()) + np.sum(x**2)


class Recorder:
    def __init__(self):
        self.lists = defaultdict(list)
        self.all = []

    def add(self, y):
        self.lists["odd" if len(self.all) % 2 else "even"].append(y)
        self.all.append(y**2)


def history(x):
    kept = Recorder()
    for i in range(3):
        kept.add(x * (i + 1.0))
    return sum(np.sum(y**3) for y in kept.all) + sum(np.sum(y) ** 2 for y in kept.lists["even"])


def of_unlike_items(a, x):
    total = 0.0
    items = [a, x]
    for y in items:
        total = total + np.sum(y**3)
    for y in items:
        total = total + np.sum(y**2) * total
    return total


@dataclass(frozen=True)
class Body:
    mass: float
    position: np.ndarray
    velocity: np.ndarray

    def moved(self, dx, dv):
        return replace(self, position=self.position + dx, velocity=self.velocity + dv)


def pulls(bodies):
    found = []
    for i, a in enumerate(bodies):
        total = np.zeros(2)
        for j, b in enumerate(bodies):
            if i == j:
                continue
            d = b.position - a.position
            total += b.mass * d / (d @ d + 0.1) ** 1.5
        found.append(total)
    return found


def stepped(bodies, dt):
    return [b.moved(dt * b.velocity, dt * a) for b, a in zip(bodies, pulls(bodies))]


def orbits(v):
    bodies = [Body(1.0, np.zeros(2), v), Body(2.0, np.ones(2), -v[::-1])]
    for _ in range(3):
        bodies = stepped(bodies, 0.1)
    return sum(np.sum(b.position**2) for b in bodies)


CASES = [
    (network, (layers(), X)),
    (penalty_by_reduce, (layers(), X)),
    (penalty_by_sum, (layers(), X)),
    (history, (X,)),
    (of_unlike_items, (0.5, X)),
    (of_unlike_items, (0.0, X)),
    (orbits, (V,)),
]


@pytest.mark.parametrize(("f", "args"), CASES, ids=[f"{f.__name__}-{len(a)}" for f, a in CASES])
def test_second_derivatives(f, args):
    tl.check_grads(f, *args, order=2, replay=True)
