"""`functools.reduce` over functions: each is called with what the one before gave."""

import functools

import numpy as np
import pytest

import tapeless as tl
from tests import laws

W = np.array([[0.5, 0.7], [0.2, 0.1]])


def layers(w):
    steps = (lambda h: h @ w, np.tanh)
    return np.sum(functools.reduce(lambda h, step: step(h), steps, np.ones((3, 2))) ** 2)


def functions_of_numpy(w):
    return np.sum(functools.reduce(lambda h, step: step(h), [np.sin, np.tanh], w) ** 2)


def of_the_first_item(w):
    return np.sum(functools.reduce(np.matmul, [w, w.T, w])) * functools.reduce(max, list(w[0]))


def test_layers_that_capture_weights():
    tl.check_grads(layers, W, order=1, replay=True)


@pytest.mark.parametrize("f", [functions_of_numpy, of_the_first_item], ids=lambda f: f.__name__)
def test_derivatives(f):
    laws.check_orders(f, W)
