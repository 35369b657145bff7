"""Short numerical programs as people write them, run as loops, too."""

import math

import numpy as np
from lowered_programs import x1, x2


def energy_of_bodies(places, mass):
    n = len(mass)
    energy = 0.0
    for i in range(n):
        for j in range(i + 1, n):
            d = places[i] - places[j]
            energy -= mass[i] * mass[j] / math.sqrt(np.dot(d, d) + 0.01)
    return energy


def roots_of_functions(a, b):
    c = np.add(a, b) + np.subtract(a, 2.0) * np.multiply(b, b)
    return np.divide(c, math.sqrt(a)) + np.power(a, b) + np.negative(b) * np.clip(a, 0.1, 0.9)


def binomial_tree(s, sigma, n):
    dt = 1.0 / n
    u = math.exp(sigma * math.sqrt(dt))
    p = (math.exp(0.03 * dt) - 1.0 / u) / (u - 1.0 / u)
    value = np.zeros(n + 1)
    for i in range(n + 1):
        value[i] = max(s * u**i * (1.0 / u) ** (n - i) - 100.0, 0.0)
    for step in range(n):
        for i in range(n - step):
            value[i] = math.exp(-0.03 * dt) * (p * value[i + 1] + (1.0 - p) * value[i])
    return value[0]


def powers_in_a_loop(x):
    total = 0.0
    for k in range(4):
        total += np.sum(x**k) + x[0] ** (k - 1)
    return total


def warped(a, b):
    n, m = len(a), len(b)
    cost = np.full((n + 1, m + 1), np.inf)
    cost[0, 0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            least = min(cost[i - 1, j], cost[i, j - 1], cost[i - 1, j - 1])
            cost[i, j] = (a[i - 1] - b[j - 1]) ** 2 + least
    return cost[n, m]


def largest_of_others(x, y):
    i, j = np.argmax(x), y.argmin()
    return x[i] * y[j] + x[j] + y[i]


def farthest_in_each_trip(x):
    total = 0.0
    for row in x:
        total += row[np.argmax(np.abs(row))] * row[0]
    return total


def between_knots(c, t):
    total = 0.0
    for x in t:
        place = abs(x) * (len(c) - 1)
        i = int(place)
        if i > len(c) - 2:
            i = len(c) - 2
        weight = place - i
        total += ((1.0 - weight) * c[i] + weight * c[i + 1]) ** 2
    return total


def on_the_diagonal(d, a):
    return np.sum(np.diag(d) @ a) + np.sum(np.log(np.diag(a) ** 2 + 1.0) * np.diag(np.diag(a)))


def products_so_far(x):
    return np.sum(np.cumprod(x) * np.cumsum(x)) + np.cumprod(x)[-1]


def products_along_axes(x):
    return np.sum(np.cumprod(x, axis=0) * x) + np.sum(np.cumprod(x, axis=1)[:, -1])


def of_three(a, b, c):
    total = np.einsum("ij,jk,ki->", a, b, c) + np.einsum("ij,ij", a, b)
    return total + np.sum(np.einsum("ij,ki,jl->kl", a, b, c) * c) + np.einsum("ij->", a)


def channels(x, w):
    n, m = x.shape
    out = np.zeros((3, n - 1, m - 1))
    for i in range(2):
        for j in range(2):
            out += np.einsum("o,hw->ohw", w[:, 2 * i + j], x[i : i + n - 1, j : j + m - 1])
    return np.mean(np.maximum(out, 0.0) ** 2)


def factor_by_rows(a):
    n = len(a)
    root = np.zeros_like(a)
    for j in range(n):
        root[j, j] = np.sqrt(a[j, j] - np.dot(root[j, :j], root[j, :j]))
        for i in range(j + 1, n):
            root[i, j] = (a[i, j] - np.dot(root[i, :j], root[j, :j])) / root[j, j]
    return 2.0 * np.sum(np.log(np.diag(root)))


def factor_and_solve(a, b):
    n = len(a)
    root = np.zeros_like(a)
    for j in range(n):
        root[j, j] = np.sqrt(a[j, j] - np.dot(root[j, :j], root[j, :j]))
        for i in range(j + 1, n):
            root[i, j] = (a[i, j] - np.dot(root[i, :j], root[j, :j])) / root[j, j]
    y = np.zeros(n)
    for i in range(n):
        y[i] = (b[i] - root[i, :i] @ y[:i]) / root[i, i]
    return y @ y + 2.0 * np.sum(np.log(np.diag(root)))


def rows_above_each_other(a):
    total = 0.0
    for j in range(len(a)):
        for i in range(j + 1, len(a)):
            total += np.sum(np.tanh(a[i] * a[j]) * a[i])
    return total


def items_filled_one_by_one(x):
    n = len(x)
    out = [0.0] * n
    for i in range(n):
        out[i] = x[i] * x[i - 1]
    return np.sum(np.array(out) ** 2) + sum(out)


def rows_filled_one_by_one(x):
    n = len(x)
    out = [0.0] * n
    for i in range(n):
        out[i] = np.sin(x[i]) * i
    return np.sum(np.array(out) * x)


def smoothed_into_a_list(x):
    n = len(x)
    out = [0.0] * n
    out[0] = x[0]
    for i in range(1, n):
        out[i] = 0.9 * out[i - 1] + x[i]
    return np.sum(np.array(out) * x)


def implicit_steps(u, r):
    n = len(u)
    a = np.diag(np.full(n, 1.0 + 2.0 * r))
    a = a + np.diag(np.full(n - 1, -r), 1) + np.diag(np.full(n - 1, -r), -1)
    for _ in range(3):
        u = np.linalg.solve(a, u)
    return np.sum(u**2) + np.sum(np.diag(a, 1) * np.diag(a, k=-1))


def averages_from_the_first(x, y):
    s = x[0]
    out = [s]
    for i in range(1, len(x)):
        s = 0.9 * s + 0.1 * x[i]
        out.append(s)
    return np.sum(np.array(out) * y)


def states_from_the_first(x, n):
    y = x * 1.0
    states = [y]
    for _ in range(n):
        y = y + 0.1 * np.sin(y)
        states.append(y)
    return np.sum(np.array(states) ** 2) + np.sum(np.stack(states, axis=1)[0])


def numbers_from_two(x, n):
    y = float(x)
    found = [y, 2.0 * y]
    for _ in range(n):
        y = 3.0 * y * (1.0 - y)
        found.append(y)
    total = 0.0
    for v in found:
        total += v * v
    return total + found[-1] + found[0] + sum(found)


def chosen(x, y):
    pieces = np.select([x < 0.0, x < 0.5], [x**2, np.sin(x)], default=y)
    return np.sum(pieces) + np.sum(np.select([x < 0.0, x < 0.3], [1.0, y]) * x) + np.ptp(x)


def positive(n):
    return np.cos(x2(n, n)) @ np.cos(x2(n, n)).T + n * np.eye(n)


KERNELS = [
    (energy_of_bodies, lambda: (x2(5, 3), 1.0 + x1(5) ** 2)),
    (roots_of_functions, lambda: (0.4, 1.3)),
    (binomial_tree, lambda: (100.0, 0.2, 5)),
    (powers_in_a_loop, lambda: (x1(),)),
    (warped, lambda: (x1(5), np.cos(x1(4)))),
    (largest_of_others, lambda: (x1(), np.cos(x1()))),
    (farthest_in_each_trip, lambda: (x2(),)),
    (between_knots, lambda: (x1(), 0.8 * np.cos(x1(4)))),
    (on_the_diagonal, lambda: (x1(4), x2(4, 4))),
    (products_so_far, lambda: (x1(),)),
    (products_along_axes, lambda: (x2(),)),
    (of_three, lambda: (x2(3, 3), x2(3, 3), np.cos(x2(3, 3)))),
    (channels, lambda: (x2(4, 5), x2(3, 4))),
    (factor_and_solve, lambda: (positive(5), x1(5))),
    (rows_above_each_other, lambda: (x2(5, 3),)),
    (items_filled_one_by_one, lambda: (x1(),)),
    (rows_filled_one_by_one, lambda: (x2(),)),
    (smoothed_into_a_list, lambda: (x1(),)),
    (implicit_steps, lambda: (x1(), 0.2)),
    (averages_from_the_first, lambda: (x1(), np.cos(x1()))),
    (states_from_the_first, lambda: (x1(), 4)),
    (numbers_from_two, lambda: (0.3, 4)),
    (chosen, lambda: (x1(), np.cos(x1()))),
    (factor_by_rows, lambda: (positive(4),)),
]
