"""Loops over numbers: they compute with Python's floats."""

import numpy as np

INPUTS = {
    "kepler": (0.8, 0.3, 3),
}


def kepler(anomaly: float, eccentricity: float, steps: int):
    x = anomaly
    for _ in range(steps):
        slope = 1.0 - eccentricity * np.cos(x)
        x = x - (x - eccentricity * np.sin(x) - anomaly) / slope
    return x * x
