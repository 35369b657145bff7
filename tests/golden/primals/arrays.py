"""Arrays: products of matrices, broadcasting, reductions, conditions."""

import numpy as np

W = np.array([[0.3, -0.2, 0.5], [0.8, 0.1, -0.4]])
INPUTS = {
    "layer": (W, np.array([0.1, -0.3]), np.array([1.0, 2.0, -0.5])),
    "normalized": (np.array([[0.3, 1.2], [-0.7, 0.4], [0.9, -1.1]]),),
    "safe_root": (np.array([-1.0, 0.25, 4.0]),),
    "mirrored": (np.array([-1.0, 0.25, 4.0]), np.array([0.5, -1.5, 2.0])),
    "likelihood": (np.array([-1.0, 0.25, 4.0]), 0.7),
}


def layer(w: "Float[np.ndarray, 'm n']", b: "Float[np.ndarray, 'm']", x: "Float[np.ndarray, 'n']"):
    h = np.tanh(w @ x + b)
    return np.sum(h * h)


def normalized(x: "Float[np.ndarray, 'n d']"):
    z = x - np.mean(x, axis=0)
    return np.sum(z * z * x)


def safe_root(x: "Float[np.ndarray, 'n']"):
    return np.sum(np.where(x > 0, np.sqrt(x), 0.0))


def mirrored(x: "Float[np.ndarray, 'n']", weights: "Float[np.ndarray, 'n']"):
    tail = 0.5 * np.exp(-np.abs(x))
    return weights @ np.where(x >= 0.0, 1.0 - tail, tail)


def likelihood(x: "Float[np.ndarray, 'n']", scale: float):
    z = x / scale
    return np.sum(-0.5 * z * z - np.log(scale))
