"""Functions as one writes them first: nothing is promised of their parameters, and loops are plain.

That the result is a scalar tells the ranks of most of them. The last ones are for any rank.
"""

import numpy as np

V = np.array([0.3, 1.2, -0.4, 0.9])
T = np.array([0.1, 0.7, 1.9, 2.5])
P = np.array([[0.0, 0.2], [1.0, 0.7], [1.3, -0.6]])
INPUTS = {
    "chain_energy": (V, 1.7, 0.2), "decay_fit": (T, V, 1.3, 0.8),
    "decay_fit_annotated": (T, V, 1.3, 0.8), "sir": (0.4, 0.1, 0.9, 0.1, 5), "horner": (V, 0.7),
    "root": (2.0, 1.0), "logistic_growth": (0.1, 0.9, 2.0, 0.3, 4), "line_fit": (1.2, 0.3, T, V),
    "repulsion": (V, 0.7), "path_length": (P,), "smoothing_error": (V, 0.3),
    "hinge": (np.array([0.4, -0.3]), P, np.array([1.0, -1.0, 1.0])),
    "poisson": (np.array([0.2, 0.3]), T), "springs": (0.8, V), "rosenbrock": (V,), "tail": (V,),
    "any_rank_first": (V, T, 2), "asks_rank": (V,),
}  # fmt: skip


def chain_energy(positions, stiffness, rest):
    energy = 0.0
    for i in range(len(positions) - 1):
        stretch = positions[i + 1] - positions[i] - rest
        energy += 0.5 * stiffness * stretch ** 2
    return energy


def decay_fit(t, y, amplitude, rate):
    loss = 0.0
    for i in range(len(t)):
        predicted = amplitude * np.exp(-rate * t[i])
        loss += (predicted - y[i]) ** 2
    return loss / len(t)


def decay_fit_annotated(t: np.ndarray, y: np.ndarray, amplitude: float, rate: float):
    loss = 0.0
    for i in range(len(t)):
        predicted = amplitude * np.exp(-rate * t[i])
        loss += (predicted - y[i]) ** 2
    return loss / len(t)


def sir(beta, gamma, s0, i0, steps):
    s, i, r = s0, i0, 0.0
    total = 0.0
    for _ in range(steps):
        infected = beta * s * i
        recovered = gamma * i
        s, i, r = s - infected, i + infected - recovered, r + recovered
        total += i
    return total


def horner(coefficients, x):
    y = 0.0
    for c in coefficients:
        y = y * x + c
    return y


def root(a, x):
    while abs(x * x - a) > 1e-5:
        x = 0.5 * (x + a / x)
    return x


def slope(y, rate, capacity):
    return rate * y * (1.0 - y / capacity)


def logistic_growth(y0, rate, capacity, h, steps):
    y = y0
    for _ in range(steps):
        k1 = slope(y, rate, capacity)
        k2 = slope(y + 0.5 * h * k1, rate, capacity)
        y = y + h * k2
    return y


def line_fit(a, b, x, y):
    return sum([(a * xi + b - yi) ** 2 for xi, yi in zip(x, y)]) / len(x)


def repulsion(x, charge):
    energy = 0.0
    for i in range(len(x)):
        for j in range(i):
            energy += charge / (x[i] - x[j]) ** 2
    return energy


def path_length(points):
    total = 0.0
    for i in range(1, points.shape[0]):
        dx = points[i, 0] - points[i - 1, 0]
        dy = points[i, 1] - points[i - 1, 1]
        total += np.sqrt(dx * dx + dy * dy)
    return total


def smoothing_error(series, alpha):
    level = series[0]
    error = 0.0
    for value in series[1:]:
        error += (value - level) ** 2
        level = alpha * value + (1.0 - alpha) * level
    return error


def hinge(w, rows, labels):
    loss = 0.0
    for row, label in zip(rows, labels):
        margin = label * (w @ row)
        if margin < 1.0:
            loss += 1.0 - margin
    return loss


def poisson(rate, counts):
    total = 0.0
    for i, count in enumerate(counts):
        mean = np.exp(rate[0] + rate[1] * i)
        total += mean - count * np.log(mean)
    return total


class Spring:
    def __init__(self, k):
        self.k = k

    def energy(self, x):
        return 0.5 * self.k * x * x


def springs(k, x):
    spring = Spring(k)
    total = 0.0
    for xi in x:
        total += spring.energy(xi)
    return total


def rosenbrock(x):
    total = 0
    for a, b in zip(x[:-1], x[1:]):
        total += 100 * (b - a**2) ** 2 + (1 - a) ** 2
    return total


def tail(x):
    y = np.zeros(len(x))
    y[0] = x[0]
    for i in range(1, len(x)):
        y[i] = 0.9 * y[i - 1] + x[i]
    return y[-1]


def any_rank_first(w, x, n):
    total = np.sum(w * w)
    for i in range(n):
        total += x[i] * np.sum(w)
    return total


def asks_rank(x):
    if np.ndim(x) == 0:
        return x * x
    return np.sum(x * x)
