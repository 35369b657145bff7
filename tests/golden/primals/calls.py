"""Calls: defaults, keywords, starred arguments, recursion, nested functions, lambdas, closures."""

import numpy as np

INPUTS = {
    "plain": (0.7, 1.2), "defaults": (0.7,), "starred": (0.7, 1.2), "recursive": (1.1, 3),
    "nested": (0.7, 1.2), "by_lambda": (0.7, 1.2),
}


def scaled(x, factor=2.0, shift=0.0):
    return np.sin(x) * factor + shift


def plain(x: float, y: float):
    return scaled(x, y) * y


def defaults(x: float):
    return scaled(x, shift=x) * scaled(x)


def total(*terms):
    s = 0.0
    for t in terms:
        s = s + t * t
    return s


def starred(x: float, y: float):
    return total(x, y, x * y)


def power(x, n):
    if n == 0:
        return 1.0
    return x * power(x, n - 1)


def recursive(x: float, n: int):
    return power(x, n)


def nested(x: float, y: float):
    def inner(z):
        return z * y

    return inner(np.sin(x)) + inner(x)


def by_lambda(x: float, y: float):
    square = lambda z: z * z * y
    return square(x) + square(y)
