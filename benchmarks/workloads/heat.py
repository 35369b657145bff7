"""The heat equation on a rod with a conductivity of its own at each place, in explicit steps."""

import numpy as np

WRT = (0, 1)
SIZES = {"test": (6, 3), "100 places": (100, 100), "1,000 places": (1_000, 100)}


def make_inputs(rng, n, steps):
    return rng.normal(size=n), rng.uniform(0.1, 0.4, size=n), rng.normal(size=n), steps


def primal(u0, alpha, target, steps):
    u = u0.copy()
    for _ in range(steps):
        u[1:-1] += alpha[1:-1] * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return np.sum((u - target) ** 2)


def hand(u0, alpha, target, steps):
    u = u0.copy()
    left, middle, right = u[:-2], u[1:-1], u[2:]
    inner = alpha[1:-1]
    bends = []
    for _ in range(steps):
        bend = right - 2.0 * middle + left
        bends.append(bend)
        middle += inner * bend
    u -= target
    u *= 2.0
    alpha_bar = np.zeros_like(alpha)
    inner_bar = alpha_bar[1:-1]
    for bend in reversed(bends):
        bend *= middle
        inner_bar += bend
        bend_bar = inner * middle
        right += bend_bar
        left += bend_bar
        bend_bar *= 2.0
        middle -= bend_bar
    return u, alpha_bar
