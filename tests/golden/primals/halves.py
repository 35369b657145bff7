"""Calls of which one half is left, results that are taken apart at once, comments on nothing."""

import numpy as np

import tapeless as tl

INPUTS = {
    "several_results": (np.array([0.5, -1.2, 2.0]),),
    "idle_half": (np.array([0.5, -1.2, 2.0]),),
    "idle_comment": (0.7,),
}


def stats(x):
    mean = np.mean(x)
    return mean, np.mean((x - mean) ** 2)


def several_results(x: "Float[np.ndarray, 'n']"):
    mean, var = stats(x)
    return mean * var


class Average:
    def __init__(self, weight):
        self.weight = weight
        self.state = 0.0

    def update(self, value):
        self.state = self.weight * self.state + (1.0 - self.weight) * value
        return self.state


def idle_half(xs: "Float[np.ndarray, 'n']"):
    average = Average(0.8)
    y = 0.0
    for k in range(len(xs)):
        y = y + average.update(xs[k]) ** 2
    return y


@tl.custom_gradient
def product(x, y):
    def grad(g):
        return g * y, g * x

    return x * y, grad


def idle_comment(x: float):
    return product(x, x) + product(2.0, 3.0)
