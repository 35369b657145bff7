"""Namespaces that are made, stored into and handed on in the function are followed like other objects."""

import types

import numpy as np
import pytest

import tapeless as tl

X = np.array([0.9, 2.0, 1.1])
SETTINGS = types.SimpleNamespace(scale=2.0)


class Config(types.SimpleNamespace):
    def step(self, g):
        self.count = getattr(self, "count", 0) + 1
        return self.rate * g


def settings_that_decay(x):
    config = types.SimpleNamespace(rate=0.1, decay=x[0], steps=3)
    w = x[1]
    for _ in range(config.steps):
        w = w - config.rate * (2.0 * w + np.sin(w))
        config.rate *= config.decay
    return w**2 + config.rate


def one_within_another(x):
    config = Config(rate=x[0], count=0)
    total = 0.0
    for v in x:
        total = total + config.step(v)
        config.rate = config.rate * v
    config = Config(before=config, total=total)
    return config.total * config.before.rate + config.before.count


def attributes_of_a_dict(x):
    point = types.SimpleNamespace(**{"u": x[0], "v": x[1]})
    return point.u**2 * point.v


def changed(point, k):
    point.x = point.x * k
    return point.x * point.v**2


def changed_on_the_way(x):
    point = types.SimpleNamespace(x=x[0], v=x[1])
    if x[0] > 0:
        point.v = point.v * point.x
    del point.v
    point.v = x[1] ** 2
    total = changed(point, x[0])
    return total + point.x


def moved(state, dt):
    return types.SimpleNamespace(x=state.x + dt * state.v, v=state.v - dt * state.x)


def made_by_a_callee(x):
    state = types.SimpleNamespace(x=x[0], v=x[1])
    for _ in range(3):
        state = moved(state, 0.1)
    return state.x * state.v


def several_in_a_list(x):
    parts = [types.SimpleNamespace(m=v, p=np.zeros(2), v=np.array([v, 1.0])) for v in x]
    for _ in range(2):
        for part in parts:
            part.p = part.p + 0.1 * part.v
            part.v -= 0.1 * part.p * part.m
    return sum(np.sum(part.p * part.v) for part in parts)


def put_back_outside(x):
    before = SETTINGS.scale
    SETTINGS.scale = x[0] * 2.0
    y = np.sum(x * SETTINGS.scale)
    SETTINGS.scale = before
    return y


def filled_from(x, **options):
    options["a"] = x[0]
    return types.SimpleNamespace(**options)


def of_keys_that_may_change(x):
    made = filled_from(x, b=x[1])
    return made.a * made.b


@pytest.mark.parametrize(
    "f", [settings_that_decay, one_within_another, attributes_of_a_dict, changed_on_the_way]
)
def test_to_second_order(f):
    tl.check_grads(f, X, replay=True)


@pytest.mark.parametrize("f", [made_by_a_callee, several_in_a_list, put_back_outside])
def test_to_first_order_in_reverse_and_second_in_forward(f):
    tl.check_grads(f, X, order=1, replay=True)
    tl.check_grads(f, X, modes=("forward",))
    assert SETTINGS.scale == 2.0


def test_refused_where_the_names_are_not_known():
    with pytest.raises(tl.GradientError, match="`\\*\\*` in this call"):
        tl.grad(of_keys_that_may_change)(X)
