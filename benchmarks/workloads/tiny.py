"""A formula in two numbers: what a derivative costs where there is almost nothing to compute."""

import math

import numpy as np

WRT = (0, 1)
SIZES = {"test": (), "2 numbers": ()}


def make_inputs(rng):
    return 0.7, -1.3


def primal(x, y):
    r = np.sqrt(x**2 + y**2)
    return np.exp(-r) * np.sin(x * y) / (1.0 + r)


def hand(x, y):
    r = math.sqrt(x * x + y * y)
    quotient = math.exp(-r) / (1.0 + r)
    value = quotient * math.sin(x * y)
    # d(value)/dr, over r because both of r's partials divide by it
    over_r = -value * (1.0 + 1.0 / (1.0 + r)) / r
    product_bar = quotient * math.cos(x * y)
    return over_r * x + product_bar * y, over_r * y + product_bar * x
