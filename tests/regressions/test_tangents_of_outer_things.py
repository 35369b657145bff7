"""What a module or a class holds has no tangent, beside what varies in the same object, list or tuple."""

import numpy as np
import pytest

import tapeless as tl
from tests import laws

GRID = (np.linspace(0.0, 1.0, 5), np.linspace(0.0, 2.0, 4))
TABLE = {"weights": np.arange(3.0), "power": 2.0}


class Table:
    def __init__(self, points, values):
        self.points = points
        self.values = values

    def total(self, x):
        return self.points[0][1] * x + np.sum(self.values * self.points[0])


class Sensor:
    gains = (np.ones(3), np.arange(3.0))
    options = {"offset": np.full(3, 0.5), "power": 2.0}
    scale = 3.0

    def __init__(self, s):
        self.s = s
        self.biases = [np.ones(3), np.arange(3.0)]

    def __call__(self, x):
        self.scale = self.scale * self.s
        lifted = (x - self.options["offset"]) ** self.options["power"]
        return np.sum(self.gains[1] * lifted * self.s + self.biases[1]) * self.scale


def tabulated(values, x):
    return Table(GRID, values).total(x)


def tabulated_twice(values, x):
    total = 0.0
    for table in (Table(GRID, values), Table(points=GRID, values=values**2)):
        total = total + table.total(x) * x
    return total


def listed(x, s):
    parts = [TABLE["weights"], s, x]
    held = {"table": TABLE, "s": s}
    return np.sum(parts[0] * parts[2] * parts[1]) + np.sum(held["table"]["weights"] * x * held["s"])


def sensed(x, s):
    return Sensor(s)(x)


def chosen(x, s):
    weights = TABLE["weights"] if s > 1.0 else x * s
    return np.sum(weights * x) + np.sum(TABLE["weights"] * x**2) * s


X = np.array([0.1, 0.2, 0.3])
PROGRAMS = [
    (tabulated, (np.arange(5.0), 0.3)),
    (tabulated_twice, (np.arange(5.0), 0.3)),
    (listed, (X, 2.0)),
    (sensed, (X, 2.0)),
    (chosen, (X, 2.0)),
    (chosen, (X, 0.5)),
]


@pytest.mark.parametrize(("f", "args"), PROGRAMS, ids=lambda x: getattr(x, "__name__", ""))
def test_both_modes_and_orders(f, args):
    laws.check_orders(f, *args)


class Buffered:
    buffer = np.zeros(3)

    def __init__(self, s):
        self.s = s

    def run(self, x):
        self.buffer[:] = x * self.s
        return np.sum(self.buffer**2)


def test_a_store_into_what_a_class_holds():
    def f(x, s):
        return Buffered(s).run(x)

    np.testing.assert_allclose(tl.grad(f)(X, 2.0), 8.0 * X)
    with pytest.raises(
        tl.GradientError, match=r"what `self\.buffer` holds is stored into and varies"
    ):
        tl.jvp(f, (X, 2.0), (X, 0.0))


class Layer:
    def __init__(self, w):
        self.w = w


class Net:
    def __init__(self):
        self.layers = [Layer(1.0), Layer(2.0)]


NET = Net()


def test_a_store_into_what_a_module_holds():
    def f(w, x):
        NET.layers[0].w = w
        for layer in NET.layers:
            x = np.tanh(layer.w * x)
        NET.layers[0].w = 1.0
        return np.sum(x)

    x_dot, w_dot = np.array([0.5, -1.0, 2.0]), 0.7
    forward = tl.jvp(f, (1.3, X), (w_dot, x_dot))[1]
    w_bar, x_bar = tl.grad(f, wrt=(0, 1))(1.3, X)
    np.testing.assert_allclose(forward, w_bar * w_dot + x_bar @ x_dot)
    steps = [f(1.3 + t * w_dot, X + t * x_dot) for t in (1e-6, -1e-6)]
    np.testing.assert_allclose(forward, (steps[0] - steps[1]) / 2e-6, rtol=1e-8)
