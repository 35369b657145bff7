"""Calls of which one half is left, or none; results taken apart at once; functions that turn out alike."""

import numpy as np

import tapeless as tl

INPUTS = {
    "several_results": (np.array([0.5, -1.2, 2.0]),),
    "alike": (np.array([0.5, -1.2, 2.0]),),
    "idle_half": (np.array([0.5, -1.2, 2.0]),),
    "idle_comment": (0.7,),
    "for_a_test": (np.array([0.5, 1.2, 2.0]),),
    "stored_by_a_callee": (np.array([0.5, 1.2, 2.0]), 0.3),
}


def first_rise(x):
    for k in range(1, len(x)):
        if x[k] > x[k - 1]:
            return x[k - 1], x[k]
    return x[0], x[0]


def several_results(x: "Float[np.ndarray, 'n']"):
    low, high = first_rise(x)
    return low * (high - low)


def alike(x: "Float[np.ndarray, 'n']"):
    low, high = first_rise(x)
    inner = first_rise(x[1:])
    return low * high * inner[1]


class Filter:
    def __init__(self, weights):
        self.weights = weights
        total = 0.0
        for w in weights:
            total = total + w
        self.total = total

    def smooth(self, xs):
        y = 0.0
        for k in range(len(self.weights)):
            y = y + self.weights[k] * xs[k]
        return y / self.total


def idle_half(xs: "Float[np.ndarray, 'n']"):
    return Filter([1.0, 2.0, 0.5]).smooth(xs) ** 2


@tl.custom_gradient
def product(x, y):
    def grad(g):
        return g * y, g * x

    return x * y, grad


def idle_comment(x: float):
    return product(x, x) + product(2.0, 3.0)


def largest_step(old, new):
    largest = 0.0
    for a, b in zip(old, new):
        largest = max(largest, abs(a - b))
    return largest


def for_a_test(x: "Float[np.ndarray, 'n']"):
    y = x
    while True:
        old = y
        y = 0.5 * (y + x / y)
        if largest_step(old, y) < 0.1:
            return np.sum(y)


def relaxed(x, rate):
    y = np.zeros(len(x))
    for k in range(1, len(x)):
        y[k] = np.sin(y[k - 1]) + rate * x[k]
        if y[k] > 10.0:
            return y
    return y


def stored_by_a_callee(x: "Float[np.ndarray, 'n']", rate: float):
    return np.sum(relaxed(x, rate) * relaxed(x * x, 2.0 * rate))
