"""An attribute or a name that holds a function or None, which one is known only where it is asked."""

import numpy as np
import pytest

import tapeless as tl
from tests import laws

X = np.array([0.3, 0.7, 1.1])


def double(y):
    return 2.0 * y


class Layer:
    def __init__(self, w, act=None):
        self.w = w
        self.act = act
        self.before = None

    def register(self, f):
        self.before = f

    def __call__(self, x):
        if self.before:
            x = self.before(x)
        y = self.w * x
        if callable(self.act):
            y = self.act(y)
        return y if self.act is None else y + 1.0


def set_after_construction(x):
    layer, plain = Layer(2.0, np.tanh), Layer(3.0)
    layer.register(double)
    return np.sum(plain(layer(x)))


def some_of_a_list(x):
    layers = [Layer(2.0, np.tanh), Layer(0.5), Layer(1.5, np.sin)]
    layers[1].register(np.exp)
    for layer in layers:
        x = layer(x)
    return np.sum(x)


def or_a_default(x):
    layer = Layer(2.0)
    if x[0] > 0.0:
        layer.register(np.cos)
    f = layer.before or double
    return np.sum(f(x))


def found_in_a_loop(x):
    f, y = None, x
    for i in range(4):
        if f is not None:
            y = f(y) * x
        f = np.sin if i % 2 else np.cos
    return np.sum(y)


def looked_up(x):
    table = {"sin": np.sin, "cos": np.cos}
    y = 0.0
    for key in ["sin", "nothing", "cos"]:
        g = table.get(key)
        y = y + (g(x) if g is not None else x)
    return np.sum(y)


def local_one(x):
    g = None
    k = x[1] * 2.0
    if x[0] > 0.0:

        def g(y):
            return y * k

    return np.sum(x if g is None else g(x) ** 2)


def object_or_function(x):
    layer = Layer(2.0)
    if x[0] > 0.0:
        layer.before = Layer(3.0, double)
    elif x[0] < -1.0:
        layer.before = np.sin
    return np.sum(layer(x))


def told_by_identity(x):
    f = None
    if x[0] > 0.0:
        f = np.sin
    if x[1] > 0.9:
        f = np.cos
    if f is np.sin:
        return np.sum(f(x))
    return np.sum(x if f is None else f(x) * 2.0)


@pytest.mark.parametrize(
    "f",
    [
        set_after_construction, some_of_a_list, or_a_default, found_in_a_loop, looked_up, local_one,
        object_or_function, told_by_identity,
    ],
)  # fmt: skip
@pytest.mark.parametrize("x", [X, -X])
def test_the_function_that_is_there_is_called(f, x):
    laws.check_orders(f, x)


def perhaps_none(x):
    f = None
    if x[0] > 0.0:
        f = np.sin
    return np.sum(f(x))


def test_none_is_not_called():
    g = tl.grad(perhaps_none)
    np.testing.assert_allclose(g(X), np.cos(X))
    with pytest.raises(TypeError, match="'NoneType' object is not callable"):
        g(-X)
