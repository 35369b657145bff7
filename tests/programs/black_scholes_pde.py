"""An American-style option by Crank-Nicolson on a grid, with Thomas's algorithm and a penalty."""

import time
from contextlib import contextmanager

import numpy as np

TIMINGS = {}


@contextmanager
def stopwatch(label):
    start = time.perf_counter()
    try:
        yield
    finally:
        TIMINGS[label] = time.perf_counter() - start


def thomas(lower, diagonal, upper, rhs):
    """Solve a tridiagonal system; the arguments are left as they are."""
    n = len(diagonal)
    c, d = np.zeros(n), np.zeros(n)
    c[0], d[0] = upper[0] / diagonal[0], rhs[0] / diagonal[0]
    for i in range(1, n):
        pivot = diagonal[i] - lower[i] * c[i - 1]
        c[i] = upper[i] / pivot if i < n - 1 else 0.0
        d[i] = (rhs[i] - lower[i] * d[i - 1]) / pivot
    x = np.zeros(n)
    x[-1] = d[-1]
    for i in range(n - 2, -1, -1):
        x[i] = d[i] - c[i] * x[i + 1]
    return x


class Grid:
    def __init__(self, s_max, n_space, maturity, n_time):
        self.s = np.linspace(0.0, s_max, n_space + 1)
        self.dt = maturity / n_time
        self.n_time = n_time

    def __iter__(self):
        return iter(range(self.n_time))


class PDEPricer:
    """Prices one option at all spots of a grid."""

    def __init__(self, sigma, rate, strike, kind="put", early_exercise=False, penalty=40.0):
        self.sigma, self.rate, self.strike = sigma, rate, strike
        self.kind = kind
        self.early_exercise = early_exercise
        self.penalty = penalty

    def payoff(self, s):
        if self.kind == "put":
            return np.maximum(self.strike - s, 0.0)
        if self.kind == "call":
            return np.maximum(s - self.strike, 0.0)
        raise NotImplementedError(self.kind)

    def solve(self, grid):
        j = np.arange(1, len(grid.s) - 1)
        a = 0.25 * grid.dt * (self.sigma**2 * j**2 - self.rate * j)
        b = -0.5 * grid.dt * (self.sigma**2 * j**2 + self.rate)
        c = 0.25 * grid.dt * (self.sigma**2 * j**2 + self.rate * j)
        payoff = self.payoff(grid.s)
        v = payoff.copy()
        for _ in grid:
            rhs = a * v[:-2] + (1 + b) * v[1:-1] + c * v[2:]
            diagonal = 1 - b
            if self.early_exercise:
                active = payoff[1:-1] > v[1:-1] + 1e-9
                diagonal = diagonal + np.where(active, self.penalty * grid.dt, 0.0)
                rhs = rhs + np.where(active, self.penalty * grid.dt * payoff[1:-1], 0.0)
            rhs[0] += a[0] * v[0]
            v[1:-1] = thomas(-a, diagonal, -c, rhs)
        return v


def objective(sigma, rate, strike):
    grid = Grid(2.0, 8, maturity=0.5, n_time=3)
    with stopwatch("european"):
        european = PDEPricer(sigma, rate, strike).solve(grid)
    with stopwatch("american"):
        american = PDEPricer(sigma, rate, strike, early_exercise=True).solve(grid)
    premium = american - european
    delta = np.gradient(european, grid.s)
    return european[4] + 5.0 * premium[3] + 0.1 * np.sum(delta**2)


ARGUMENTS = (0.3, 0.05, 1.03)
