"""Networks that go through layers of several classes, which hold functions: local ones, and of NumPy.

Where a layer calls a function that it holds, and that is made inside of another function, the text asks which
one it is and calls the value itself. What an array and a number, or arrays of several ranks, are joined to
has no more dimensions than they have: added to an array of as many, it makes such an array.
"""

import math

import numpy as np
import pytest

from tests import laws


class Layer:
    def forward(self, x):
        raise NotImplementedError

    def __call__(self, x):
        return self.forward(x)


class Linear(Layer):
    def __init__(self, w, b):
        self.w, self.b = w, b

    def forward(self, x):
        return self.w @ x + self.b


class Activation(Layer):
    def __init__(self, function):
        self.function = function

    def forward(self, x):
        return self.function(x)


class Chain(Layer):
    def __init__(self, *layers):
        self.layers = layers

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


def of_layers_of_two_ranks(w, v, x):
    return Chain(Linear(w, np.zeros(4)), Linear(v, 0.1))(x)[0]


def with_local_functions(w, v, x):
    net = Chain(
        Linear(w, np.zeros(4)),
        Activation(np.tanh),
        Linear(v, 0.1),
        Activation(lambda z: z**2),
        Activation(lambda z: z / (1.0 + np.abs(z))),
    )
    return net(x)[0]


def gone_through_here(w, v, x):
    for layer in [Linear(w, 1.0), Activation(lambda z: z**2), Linear(v, np.ones(1))]:
        x = layer(x)
    return np.sum(x)


def made_by_functions(x):
    def scaled(k):
        def times(z):
            return k * z**2

        return times

    def bent(k):
        def sine(z):
            return k * np.sin(z)

        return sine

    both = [scaled(2.0), bent(x)]
    return both[0](x) + both[1](x)


def applied(functions, x):
    for function in functions:
        x = function(x)
    return x


def named_alike(x):
    def tanh(z):
        return z**2

    return applied((math.tanh, tanh, np.sin), x)


def of_a_list_beside_others(x, y):
    def mean(*items, power=1):
        return (sum(items) / len(items)) ** power

    return mean(*[x, y], x, power=3) * mean(*(x, *[y, y]), *[])


def summed_rows(x, shift):
    """The bias is a number, a vector, or a matrix of one row."""
    y = x
    for bias in [shift, np.array([shift, 2.0 * shift]), np.array([[shift, 1.0]])]:
        y = np.tanh(y + bias)
    y[0] *= 2.0
    return np.sum(y[0])


W = np.arange(8.0).reshape(4, 2) / 10.0
V = np.array([[0.3, -0.2, 0.5, 0.1]])
X = np.array([0.5, -0.2])

CASES = [
    (of_layers_of_two_ranks, (W, V, X)),
    (with_local_functions, (W, V, X)),
    (gone_through_here, (W, V, X)),
    (made_by_functions, (0.7,)),
    (named_alike, (0.7,)),
    (of_a_list_beside_others, (0.7, 0.4)),
    (summed_rows, (np.array([[0.3, 0.4], [0.5, 0.1]]), 0.2)),
]


@pytest.mark.parametrize("f, args", CASES, ids=lambda case: getattr(case, "__name__", ""))
def test_derivatives(f, args):
    laws.check_orders(f, *args)
