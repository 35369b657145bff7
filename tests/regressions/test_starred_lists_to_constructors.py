"""A list of unknown length passed by a star to a class whose `__init__` takes `*args`."""

import functools

import numpy as np
import pytest

import tapeless as tl

W = np.array([0.4, -0.3, 0.8])


class Polynomial:
    def __init__(self, *coefficients):
        self.c = list(coefficients)

    def __mul__(self, other):
        out = [0.0] * (len(self.c) + len(other.c) - 1)
        for i, a in enumerate(self.c):
            for j, b in enumerate(other.c):
                out[i + j] += a * b
        return Polynomial(*out)

    def __call__(self, x):
        total = 0.0
        for c in reversed(self.c):
            total = total * x + c
        return total

    def slope(self):
        return Polynomial(*[k * c for k, c in enumerate(self.c)][1:])


def of_roots(w):
    p = functools.reduce(lambda a, b: a * b, [Polynomial(-r, 1.0) for r in w])
    return p(0.3) * p.slope()(0.7)


class Unit:
    def __init__(self, w):
        self.w = w

    def __call__(self, x):
        return np.tanh(self.w * x)


class Network:
    def __init__(self, *layers, scale=1.0):
        self.layers = layers
        self.scale = scale

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x * self.scale


def built(w):
    layers = []
    for v in w:
        layers.append(Unit(v))
    return Network(*layers, scale=w[0])


def objects(w):
    return built(w)(0.7) * Network(*[Unit(v) for v in w])(0.2)


class Mixture:
    def __init__(self, first, *rest):
        self.first = first
        self.rest = rest

    def total(self):
        return self.first * sum(self.rest)


class Passed(Mixture):
    def __init__(self, *parts):
        super().__init__(*parts)


def after_a_parameter(w):
    parts = [v * v for v in w]
    one = Mixture(*parts)
    other = Mixture(parts[0], *parts[1:])
    return one.total() + other.total() + Mixture(*w).total()


def handed_to_the_parent(w):
    parts = [v * v for v in w]
    return Passed(*parts).total()


def in_a_branch(w):
    total = 0.0
    for k in range(3):
        parts = [v * w[k] for v in w[k:]]
        if w[k] > 0:
            total = total + Mixture(w[0], *parts).total()
    return total


class Pair:
    def __init__(self, a, b, *, scale=2.0):
        self.product = a * b * scale


def as_many_as_it_takes(w):
    parts = [v * v for v in w[:2]]
    return Pair(*parts).product


@pytest.mark.parametrize(
    "f",
    [of_roots, objects, after_a_parameter, handed_to_the_parent, in_a_branch, as_many_as_it_takes],
)
def test_laws(f):
    tl.check_grads(f, W, order=1, replay=True)
    tl.check_grads(f, W, modes=("forward",))
