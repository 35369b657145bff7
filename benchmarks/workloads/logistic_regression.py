"""Logistic regression with labels -1 and 1, and a ridge."""

import numpy as np

WRT = (0, 1)
SIZES = {"test": (6, 3), "100 x 10": (100, 10), "10,000 x 100": (10_000, 100)}


def make_inputs(rng, rows, columns):
    x = rng.normal(size=(rows, columns))
    y = np.where(rng.random(rows) < 0.5, -1.0, 1.0)
    return 0.1 * rng.normal(size=columns), 0.2, x, y


def primal(w, b, x, y):
    margin = y * (x @ w + b)
    return np.mean(np.logaddexp(0.0, -margin)) + 0.01 * np.sum(w**2)


def hand(w, b, x, y):
    z_bar = x @ w
    z_bar += b
    z_bar *= y
    np.exp(z_bar, out=z_bar)
    z_bar += 1.0
    np.divide(y, z_bar, out=z_bar)
    z_bar *= -1.0 / len(y)
    return z_bar @ x + 0.02 * w, np.sum(z_bar)
