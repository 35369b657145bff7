"""Second derivatives where a callee returns an object, whose adjoints are added attribute by attribute."""

import types

import numpy as np
import pytest

import tapeless as tl

X = np.array([0.4, -0.3, 0.8])


class Vector:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y)

    def __mul__(self, k):
        return Vector(self.x * k, self.y * k)

    def squared(self):
        return self.x * self.x + self.y * self.y


class Body:
    def __init__(self, mass, place, velocity):
        self.mass, self.place, self.velocity = mass, place, velocity


def moved(state, dt):
    return types.SimpleNamespace(x=state.x + dt * state.v, v=state.v - dt * state.x**3)


def in_a_loop(x):
    state = types.SimpleNamespace(x=x[0], v=x[1])
    for _ in range(3):
        state = moved(state, 0.1)
    return state.x * state.v


def in_a_branch(x):
    a, b = Vector(x[0], x[1]), Vector(x[1], x[2])
    c = a + b * x[2] if x[0] > 0 else a
    return c.squared() ** 2


def objects_within_objects(x):
    body = Body(x[0], Vector(x[1], 0.5), Vector(0.1, x[2]))
    for _ in range(2):
        body = Body(body.mass, body.place + body.velocity * 0.1, body.velocity * body.mass)
    return body.mass * body.place.squared() + body.velocity.squared()


class Unit:
    def __init__(self, w):
        self.w = w

    def __call__(self, x):
        return np.tanh(self.w * x)


class Network:
    def __init__(self, *layers):
        self.layers = layers

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


def objects_in_a_list(x):
    return Network(*[Unit(v) for v in x])(0.7) * np.sum(x)


class Wave:
    def __init__(self, w, scale):
        self.w, self.scale = w, scale

    def run(self, x):
        return np.sin(self.w * x) * self.scale


def applied(f, x):
    return f(x) * x


def methods_handed_on(x):
    one, other = Wave(x[0], x[1]), Wave(x[1], 2.0)
    chosen = one.run if x[0] > 0 else other.run
    total = applied(chosen, x[2]) * applied(other.run, x[0])
    for v in x:
        total = total + applied(Wave(v, x[0]).run, x[1]) ** 2
    return total


@pytest.mark.parametrize(
    "f", [in_a_loop, in_a_branch, objects_within_objects, objects_in_a_list, methods_handed_on]
)
def test_to_second_order(f):
    tl.check_grads(f, X, replay=True)
