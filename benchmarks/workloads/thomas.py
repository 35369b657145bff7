"""A tridiagonal system by Thomas's elimination, element by element."""

import numpy as np

WRT = (0, 1, 2, 3)
SIZES = {"test": (4,), "200 rows": (200,)}


def make_inputs(rng, n):
    lower, upper, rhs = rng.normal(size=(3, n))
    return lower, 5.0 + rng.random(n), upper, rhs


def solve(lower, diagonal, upper, rhs):
    n = len(diagonal)
    c = np.zeros(n)
    d = np.zeros(n)
    c[0] = upper[0] / diagonal[0]
    d[0] = rhs[0] / diagonal[0]
    for i in range(1, n):
        pivot = diagonal[i] - lower[i] * c[i - 1]
        c[i] = upper[i] / pivot
        d[i] = (rhs[i] - lower[i] * d[i - 1]) / pivot
    x = np.zeros(n)
    x[n - 1] = d[n - 1]
    for i in range(n - 2, -1, -1):
        x[i] = d[i] - c[i] * x[i + 1]
    return x


def primal(lower, diagonal, upper, rhs):
    x = solve(lower, diagonal, upper, rhs)
    return np.sum(x**2)


def hand(lower, diagonal, upper, rhs):
    lower, diagonal = lower.tolist(), diagonal.tolist()
    upper, rhs = upper.tolist(), rhs.tolist()
    n = len(diagonal)
    pivots, c, d = [0.0] * n, [0.0] * n, [0.0] * n
    pivots[0] = pivot = diagonal[0]
    c[0] = upper[0] / pivot
    d[0] = rhs[0] / pivot
    for i in range(1, n):
        pivots[i] = pivot = diagonal[i] - lower[i] * c[i - 1]
        c[i] = upper[i] / pivot
        d[i] = (rhs[i] - lower[i] * d[i - 1]) / pivot
    x = d.copy()
    for i in range(n - 2, -1, -1):
        x[i] = d[i] - c[i] * x[i + 1]
    c_bar, d_bar = [0.0] * n, [0.0] * n
    x_bar = 0.0
    for i in range(n - 1):
        d_bar[i] = x_bar = 2.0 * x[i] + x_bar
        c_bar[i] = -x_bar * x[i + 1]
        x_bar = -x_bar * c[i]
    d_bar[n - 1] = 2.0 * x[n - 1] + x_bar
    lower_bar, diagonal_bar, upper_bar, rhs_bar = ([0.0] * n for _ in range(4))
    for i in range(n - 1, 0, -1):
        rhs_bar[i] = over = d_bar[i] / pivots[i]
        upper_bar[i] = c_over = c_bar[i] / pivots[i]
        diagonal_bar[i] = pivot_bar = -(over * d[i] + c_over * c[i])
        lower_bar[i] = -(over * d[i - 1] + pivot_bar * c[i - 1])
        d_bar[i - 1] -= over * lower[i]
        c_bar[i - 1] -= pivot_bar * lower[i]
    rhs_bar[0] = d_bar[0] / pivots[0]
    upper_bar[0] = c_bar[0] / pivots[0]
    diagonal_bar[0] = -(rhs_bar[0] * d[0] + upper_bar[0] * c[0])
    return tuple(map(np.array, (lower_bar, diagonal_bar, upper_bar, rhs_bar)))
