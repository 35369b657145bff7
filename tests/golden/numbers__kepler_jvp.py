"""The jvp of `kepler` in primals/numbers.py, as printed."""

import numpy as np


def kepler_jvp(anomaly, eccentricity, steps, anomaly_dot, eccentricity_dot):
    x_dot = anomaly_dot
    x = anomaly
    for _ in range(steps):
        cos_x = np.cos(x)
        slope = 1.0 - eccentricity * cos_x
        sin_x = np.sin(x)
        x_eccentricity_ratio = (x - eccentricity * sin_x - anomaly) / slope
        x_dot = x_dot - (
            (x_dot - (eccentricity_dot * sin_x + eccentricity * (np.cos(x) * x_dot)) - anomaly_dot)
            / slope
            - -(eccentricity_dot * cos_x + eccentricity * -(np.sin(x) * x_dot))
            * x_eccentricity_ratio
            / slope
        )
        x = x - x_eccentricity_ratio
    return x * x, x_dot * x + x * x_dot
