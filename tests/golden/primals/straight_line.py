"""A straight line of formulas, with a ternary and unpacking."""

import numpy as np

INPUTS = {"f": (0.7, 1.3), "unpacking": (1.2, 0.4), "ternary": (0.3, 2.0)}


def f(x: float, y: float):
    a = np.sin(x) * y
    b = np.exp(-a * a) / (1.0 + y)
    return a + np.sqrt(b)


def unpacking(x: float, y: float):
    a, b = x * y, x + y
    a, b = b, a * b
    return a * b


def ternary(x: float, y: float):
    return np.log(y) if x > y else x * y * y
