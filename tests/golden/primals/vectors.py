"""Short vectors whose length the text fixes: they become numbers side by side."""

import numpy as np

INPUTS = {
    "predators": (np.array([1.1, 0.4, 0.4, 0.1]), np.array([10.0, 5.0]), 0.02, 3),
    "tumbling": (np.array([0.3, -0.2, 0.5]), np.array([1.0, 2.0, 3.0]), 0.1, 2),
    "relaxed": (np.array([0.3, 0.8]), 0.2, 3),
    "sheared": (np.array([[0.3, 0.8], [-0.4, 1.1], [0.7, 0.2]]),),
}


def predators(p: "Float[np.ndarray, '4']", y: "Float[np.ndarray, '2']", h: float, steps: int):
    for _ in range(steps):
        k = np.array([p[0] * y[0] - p[1] * y[0] * y[1], p[3] * y[0] * y[1] - p[2] * y[1]])
        y = y + h * k
    return np.sum(y * y)


def tumbling(w: "Float[np.ndarray, '3']", inertia: "Float[np.ndarray, '3']", h: float, steps: int):
    for _ in range(steps):
        w = w - h * np.cross(w, inertia * w) / inertia
    return w @ w


def relaxed(x: "Float[np.ndarray, '2']", k: float, steps: int):
    a, b = x
    for _ in range(steps):
        held = np.tanh(np.array([b - a, a * b]))
        a, b = a - k * held[0], b - k * held[1]
    return a * b


def sheared(x: "Float[np.ndarray, 'n m']"):
    s = 0.0
    for i in range(len(x)):
        row = x[i]
        s = s + 0.5 * row[0] * row[1]
    return s
