"""Tuples of functions, each beside the arguments that go with it alone."""

import numpy as np
import pytest

import tapeless as tl

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


@pytest.mark.parametrize(
    ("f", "arguments"),
    [
        (outside, (X,)), (with_arguments_by_place, (X,)), (with_arguments_that_vary, (X,)),
        (of_an_object, (X, Net())), (given, (X, LAYERS)),
    ],
)  # fmt: skip
def test_functions_with_their_arguments(f, arguments):
    tl.check_grads(f, *arguments, order=2, replay=True)


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
