"""Two series aligned by soft dynamic time warping: a table filled cell by cell."""

import math

import numpy as np

WRT = (0, 1)
SIZES = {"test": (3, 2), "30 x 40": (30, 40)}


def make_inputs(rng, n, m):
    return np.cumsum(rng.normal(size=n)), np.cumsum(rng.normal(size=m)), 0.5


def soft_minimum(a, b, c, gamma):
    low = min(a, b, c)
    total = np.exp((low - a) / gamma) + np.exp((low - b) / gamma) + np.exp((low - c) / gamma)
    return low - gamma * np.log(total)


def primal(x, y, gamma):
    n, m = len(x), len(y)
    cost = np.full((n + 1, m + 1), np.inf)
    cost[0, 0] = 0.0
    for i in range(n):
        for j in range(m):
            before = soft_minimum(cost[i, j], cost[i, j + 1], cost[i + 1, j], gamma)
            cost[i + 1, j + 1] = (x[i] - y[j]) ** 2 + before
    return cost[n, m]


def hand(x, y, gamma):
    x, y = x.tolist(), y.tolist()
    n, m = len(x), len(y)
    above = [0.0] + [math.inf] * m
    saved = []
    for x_i in x:
        diagonal, left = above[0], math.inf
        row, weights = [left], []
        for j in range(m):
            up = above[j + 1]
            low = min(diagonal, up, left)
            a = math.exp((low - diagonal) / gamma)
            b = math.exp((low - up) / gamma)
            c = math.exp((low - left) / gamma)
            total = a + b + c
            gap = x_i - y[j]
            left = gap * gap + (low - gamma * math.log(total))
            row.append(left)
            weights.append((gap, a / total, b / total, c / total))
            diagonal = up
        saved.append(weights)
        above = row
    x_bar, y_bar = [0.0] * n, [0.0] * m
    below = [0.0] * m + [1.0]  # the adjoints of a row of costs, filled from below
    for i in range(n - 1, -1, -1):
        weights = saved[i]
        above_bar = [0.0] * (m + 1)
        cost_bar = below[m]
        total_bar = 0.0
        for j in range(m - 1, -1, -1):
            gap, a, b, c = weights[j]
            gap_bar = 2.0 * gap * cost_bar
            total_bar += gap_bar
            y_bar[j] -= gap_bar
            above_bar[j + 1] += b * cost_bar
            above_bar[j] += a * cost_bar
            cost_bar = below[j] + c * cost_bar
        x_bar[i] = total_bar
        below = above_bar
    return np.array(x_bar), np.array(y_bar)
