"""The grad of `kepler` in primals/numbers.py, as printed."""

import numpy as np


def kepler_grad(anomaly, eccentricity, steps):
    # Forward sweep
    saved = []
    x = anomaly
    for _ in range(steps):
        sin_x = float(np.sin(x))
        cos_x = float(np.cos(x))
        slope = 1.0 - eccentricity * cos_x
        slope = slope or np.float64(slope)
        x_eccentricity_ratio = (x - eccentricity * sin_x - anomaly) / slope
        x = x - x_eccentricity_ratio
        saved.append((slope, cos_x, sin_x, x_eccentricity_ratio))
    # Reverse sweep
    x_bar = 2.0 * x
    anomaly_bar = 0.0
    eccentricity_bar = 0.0
    for slope, cos_x, sin_x, x_eccentricity_ratio in reversed(saved):
        x_difference_bar = -x_bar / slope
        slope_bar = -x_difference_bar * x_eccentricity_ratio
        anomaly_bar -= x_difference_bar
        eccentricity_bar -= x_difference_bar * sin_x
        x_bar = x_bar + x_difference_bar - x_difference_bar * eccentricity * cos_x
        eccentricity_bar -= slope_bar * cos_x
        x_bar += slope_bar * eccentricity * sin_x
    anomaly_bar += x_bar
    return np.float64(anomaly_bar), np.float64(eccentricity_bar)
