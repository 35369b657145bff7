"""Functions of arrays of which the rank is not known: what has one shape is not summed to it."""

import numpy as np

INPUTS = {
    "normalized": (np.array([0.5, -1.2, 2.0]),),
    "log_loss": (np.array([0.5, -1.2]), np.array([[1.0, 0.2], [0.3, -0.4]]), np.array([1.0, 0.0])),
    "first_scaled": (np.array([0.5, -1.2, 2.0]),),
}


def normalized(x: np.ndarray):
    r = x - np.mean(x)
    z = r / np.sqrt(np.mean(r * r))
    return np.sum(z**3)


def log_loss(w, x, y):
    p = 1.0 / (1.0 + np.exp(-(x @ w)))
    return -np.mean(y * np.log(p) + (1.0 - y) * np.log(1.0 - p))


def first_scaled(x: "Float[np.ndarray, 'n']"):
    for v in x:
        return v * x[1]
    return 0.0
