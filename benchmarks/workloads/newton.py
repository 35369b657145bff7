"""Kepler's equation by Newton's method: a loop over numbers that calls a function."""

import math

import numpy as np

WRT = (0, 1)
SIZES = {"test": (3,), "20 steps": (20,)}


def make_inputs(rng, steps):
    return 0.8, 0.3, steps


def correction(x, anomaly, eccentricity):
    value = x - eccentricity * np.sin(x) - anomaly
    slope = 1.0 - eccentricity * np.cos(x)
    return value / slope


def primal(anomaly, eccentricity, steps):
    x = anomaly
    for _ in range(steps):
        x = x - correction(x, anomaly, eccentricity)
    return x * x


def hand(anomaly, eccentricity, steps):
    x = anomaly
    saved = []
    for _ in range(steps):
        sine, cosine = math.sin(x), math.cos(x)
        slope = 1.0 - eccentricity * cosine
        change = (x - eccentricity * sine - anomaly) / slope
        saved.append((sine, cosine, slope, change))
        x -= change
    x_bar = 2.0 * x
    anomaly_bar = eccentricity_bar = 0.0
    for sine, cosine, slope, change in reversed(saved):
        value_bar = -x_bar / slope
        slope_bar = -value_bar * change
        anomaly_bar -= value_bar
        eccentricity_bar -= value_bar * sine + slope_bar * cosine
        # d(value)/dx is the slope: it takes all of x_bar away
        x_bar = slope_bar * eccentricity * sine
    return anomaly_bar + x_bar, eccentricity_bar
