"""Fits the rates of a Lotka-Volterra system with a classical Runge-Kutta integrator."""

from typing import Callable, NamedTuple

import numpy as np


class Rates(NamedTuple):
    alpha: float
    beta: float
    gamma: float
    delta: float


def lotka_volterra(t, y, rates: Rates):
    prey, predator = y
    return np.array(
        [
            rates.alpha * prey - rates.beta * prey * predator,
            rates.delta * prey * predator - rates.gamma * predator,
        ]
    )


def rk4_step(f: Callable, t, y, h, *args):
    k1 = f(t, y, *args)
    k2 = f(t + h / 2, y + h / 2 * k1, *args)
    k3 = f(t + h / 2, y + h / 2 * k2, *args)
    k4 = f(t + h, y + h * k3, *args)
    return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


def euler_step(f, t, y, h, *args):
    return y + h * f(t, y, *args)


STEPPERS = {"rk4": rk4_step, "euler": euler_step}


def integrate(f, y0, ts, args=(), method="rk4", substeps=2, callback=None):
    """Return the states at all `ts`."""
    step = STEPPERS[method]
    ys = np.empty((len(ts), len(y0)))
    ys[0] = y0
    y = np.array(y0, dtype=float)
    for i in range(1, len(ts)):
        h = (ts[i] - ts[i - 1]) / substeps
        t = ts[i - 1]
        for _ in range(substeps):
            y = step(f, t, y, h, *args)
            t += h
        ys[i] = y
        if callback is not None:
            callback(i, y)
    return ys


class Fit:
    def __init__(self, times, data, sigma=0.1):
        self.times = times
        self.data = data
        self.sigma = sigma
        self.evaluations = 0

    def residuals(self, theta):
        self.evaluations += 1
        rates = Rates(*np.exp(theta))
        y = integrate(lotka_volterra, [1.0, 0.5], self.times, args=(rates,), method="rk4")
        return (y - self.data) / self.sigma

    def chi2(self, theta):
        r = self.residuals(theta)
        return np.sum(r**2) / r.size


def objective(theta):
    times = np.linspace(0, 2, 6)
    data = np.stack([1 + 0.3 * np.sin(times), 0.5 + 0.1 * np.cos(times)], axis=-1)
    return Fit(times, data).chi2(theta)


ARGUMENTS = (np.array([-0.2, 0.1, -0.4, -0.6]),)
