"""Loops over numbers and over entries of arrays: they compute with Python's floats and lists."""

import numpy as np

INPUTS = {
    "kepler": (0.8, 0.3, 3),
    "smoothed": (np.array([0.3, -0.2, 0.5]), 0.4),
}


def kepler(anomaly: float, eccentricity: float, steps: int):
    x = anomaly
    for _ in range(steps):
        slope = 1.0 - eccentricity * np.cos(x)
        x = x - (x - eccentricity * np.sin(x) - anomaly) / slope
    return x * x


def smoothed(x: "Float[np.ndarray, 'n']", weight: float):
    y = np.zeros(len(x))
    for i in range(1, len(x)):
        y[i] = weight * y[i - 1] + np.sin(x[i])
    return np.sum(np.sin(y))
