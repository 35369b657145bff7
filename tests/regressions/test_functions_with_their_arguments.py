"""Tuples of functions, each beside the arguments that go with it alone."""

import numpy as np
import pytest

import tapeless as tl
from tests import laws

X = np.array([0.3, -0.7, 1.1])


def dense(x, act=np.sin):
    return act(x * 2.0)


def scale(x, k=1.0):
    return x * k


def shift(x, *, b=0.0):
    return x + b


LAYERS = ((dense, {"act": np.tanh}), (scale, {"k": 2.0}), (shift, {}))
STEPS = ((scale, (3.0,), {}), (dense, (), {"act": np.exp}))


def outside(x):
    for f, given in LAYERS:
        x = f(x, **given)
    return np.sum(x * x)


def with_arguments_by_place(x):
    for f, args, given in STEPS:
        x = f(x, *args, **given)
    return np.sum(x * x)


def with_arguments_that_vary(x):
    layers = [(dense, {"act": np.cos}), (scale, {"k": x[0]}), (shift, dict(b=x[1]))]
    for f, given in layers:
        x = f(x, **given)
    return np.sum(x * x)


class Net:
    layers = LAYERS

    def __call__(self, x):
        for f, given in self.layers:
            x = f(x, **given)
        return x


def of_an_object(x, net):
    return np.sum(net(x) ** 2)


def given(x, layers):
    for f, named in layers:
        x = f(x, **named)
    return np.sum(x * x)


LISTED = [("scale", scale, {"k": 3.0}), ("shift", shift, {}), ("again", scale, {})]


def in_a_list_outside(x):
    for _, f, named in LISTED:
        x = f(x, **named)
    return np.sum(x * x)


def in_a_list_that_grows(x):
    steps = [(scale, {"k": x[0]})]
    for i in range(2):
        steps.append((scale, {"k": x[i]} if i else {}))
    steps.append((shift, dict(b=x[2])))
    for f, named in steps:
        x = f(x, **named)
    return np.sum(x * x)


def one_of_two_dicts(f, named, x):
    return f(x, **named)


def some_without_it(x):
    total = 0.0
    for i in range(3):
        total = total + np.sum(one_of_two_dicts(scale, {"k": x[i]} if i != 1 else {}, x) ** 2)
    return total


class Steps:
    def __init__(self, steps):
        self.steps = steps

    def __call__(self, x):
        for f, named in self.steps:
            x = f(x, **named)
        return x


def held_by_an_object(x):
    return np.sum(Steps([(scale, {"k": x[0]}), (shift, {"b": 2.0})])(x) ** 2)


def held_and_added_to(x):
    net = Steps([(scale, {"k": x[0]})])
    net.steps.append((shift, {"b": x[1]}))
    return np.sum(net(x) ** 2)


@pytest.mark.parametrize(
    "f",
    [
        in_a_list_outside,
        in_a_list_that_grows,
        some_without_it,
        held_by_an_object,
        held_and_added_to,
    ],
)
def test_dicts_of_which_each_has_keys_of_its_own(f):
    tl.check_grads(f, X, order=1, replay=True)


@pytest.mark.parametrize("f", [in_a_list_outside, in_a_list_that_grows, some_without_it])
def test_they_are_differentiated_twice(f):
    tl.check_grads(f, X, order=2, replay=True)


def test_a_list_that_has_changed(monkeypatch):
    g = tl.grad(in_a_list_outside)
    np.testing.assert_allclose(g(X), 18.0 * X)
    monkeypatch.setitem(LISTED[2][2], "k", 2.0)
    np.testing.assert_allclose(g(X), 72.0 * X)
    monkeypatch.setitem(globals(), "LISTED", LISTED[:1])
    np.testing.assert_allclose(g(X), 18.0 * X)


@pytest.mark.parametrize(
    ("f", "arguments"),
    [
        (outside, (X,)), (with_arguments_by_place, (X,)), (with_arguments_that_vary, (X,)),
        (of_an_object, (X, Net())), (given, (X, LAYERS)),
    ],
)  # fmt: skip
def test_functions_with_their_arguments(f, arguments):
    laws.check_orders(f, *arguments)


def test_other_functions_and_arguments(monkeypatch):
    g = tl.grad(outside)
    for layers, factor in [
        (((scale, {"k": 3.0}), (shift, {"b": 1.0})), 3.0),
        (((scale, {"k": 4.0}), (shift, {"b": 1.0})), 4.0),
        (((scale, {}), (shift, {"b": 1.0})), 1.0),
        (((shift, {"b": 1.0 / 5.0}), (scale, {"k": 5.0})), 5.0),
    ]:
        monkeypatch.setitem(globals(), "LAYERS", layers)
        np.testing.assert_allclose(g(X), 2.0 * factor * (factor * X + 1.0))
    layers[1][1]["k"] = 7.0
    np.testing.assert_allclose(g(X), 2.0 * 7.0 * 7.0 * (X + 0.2))
