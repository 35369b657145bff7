"""A natural cubic spline through heights at knots, fitted to many points."""

import numpy as np

WRT = (0,)
SIZES = {"test": (5, 6), "30 knots, 2,000 points": (30, 2_000)}


def make_inputs(rng, knots, points):
    x = np.linspace(0.0, 1.0, knots) + 0.2 / knots * rng.random(knots)
    t = rng.uniform(x[0], x[-1], size=points)
    return rng.normal(size=knots), x, t, np.sin(6.0 * t) + 0.1 * rng.normal(size=points)


def second_derivatives(y, x):
    n = len(x)
    h = np.diff(x)
    slopes = np.diff(y) / h
    matrix = np.eye(n)
    rhs = np.zeros(n)
    for i in range(1, n - 1):
        matrix[i, i - 1] = h[i - 1] / 6.0
        matrix[i, i] = (h[i - 1] + h[i]) / 3.0
        matrix[i, i + 1] = h[i] / 6.0
        rhs[i] = slopes[i] - slopes[i - 1]
    return np.linalg.solve(matrix, rhs)


def primal(y, x, t, data):
    bend = second_derivatives(y, x)
    i = np.clip(np.searchsorted(x, t) - 1, 0, len(x) - 2)
    h = x[i + 1] - x[i]
    a = (x[i + 1] - t) / h
    b = 1.0 - a
    cubic = ((a**3 - a) * bend[i] + (b**3 - b) * bend[i + 1]) * h**2 / 6.0
    fit = a * y[i] + b * y[i + 1] + cubic
    return np.mean((fit - data) ** 2) + 1e-6 * np.sum(bend**2)


def hand(y, x, t, data):
    n = len(x)
    h = np.diff(x)
    slopes = np.diff(y) / h
    matrix = np.eye(n)
    inner = np.arange(1, n - 1)
    matrix[inner, inner - 1] = h[:-1] / 6.0
    matrix[inner, inner] = (h[:-1] + h[1:]) / 3.0
    matrix[inner, inner + 1] = h[1:] / 6.0
    rhs = np.zeros(n)
    rhs[1:-1] = np.diff(slopes)
    bend = np.linalg.solve(matrix, rhs)
    i = np.clip(np.searchsorted(x, t) - 1, 0, n - 2)
    width = h[i]
    a = (x[i + 1] - t) / width
    b = 1.0 - a
    width *= width
    width /= 6.0
    low = (a * a * a - a) * width
    high = (b * b * b - b) * width
    fit_bar = a * y[i] + b * y[i + 1] + low * bend[i] + high * bend[i + 1]
    fit_bar -= data
    fit_bar *= 2.0 / len(t)
    for weight in (a, b, low, high):
        weight *= fit_bar
    bend_bar = 2e-6 * bend
    bend_bar[:-1] += np.bincount(i, low, minlength=n - 1)
    bend_bar[1:] += np.bincount(i, high, minlength=n - 1)
    y_bar = np.zeros(n)
    y_bar[:-1] = np.bincount(i, a, minlength=n - 1)
    y_bar[1:] += np.bincount(i, b, minlength=n - 1)
    rhs_bar = np.linalg.solve(matrix.T, bend_bar)
    slopes_bar = np.zeros(n - 1)
    slopes_bar[1:] = rhs_bar[1:-1]
    slopes_bar[:-1] -= rhs_bar[1:-1]
    slopes_bar /= h
    y_bar[1:] += slopes_bar
    y_bar[:-1] -= slopes_bar
    return (y_bar,)
