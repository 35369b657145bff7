"""Rosenbrock's valley in many dimensions: slices of one vector."""

import numpy as np

WRT = (0,)
SIZES = {"test": (4,), "100": (100,), "100,000": (100_000,)}


def make_inputs(rng, n):
    return (rng.normal(size=n),)


def primal(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def hand(x):
    start = x[:-1]
    step = start * start
    np.subtract(x[1:], step, out=step)
    step *= 200.0
    x_bar = np.empty_like(x)
    x_bar[0] = 0.0
    x_bar[1:] = step
    step *= start
    step -= start
    step += 1.0
    step *= 2.0
    x_bar[:-1] -= step
    return (x_bar,)
