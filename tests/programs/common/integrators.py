"""Steps of ordinary differential equations, shared by several programs."""

import numpy as np


def euler(f, t, y, h, *args):
    return y + h * f(t, y, *args)


def rk4(f, t, y, h, *args):
    """One classical Runge-Kutta step."""
    k1 = f(t, y, *args)
    k2 = f(t + h / 2, y + h / 2 * k1, *args)
    k3 = f(t + h / 2, y + h / 2 * k2, *args)
    k4 = f(t + h, y + h * k3, *args)
    return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


METHODS = {"euler": euler, "rk4": rk4}


def integrate(f, y0, t0, t1, n, method="rk4", callback=None):
    """Integrate from t0 to t1 in n steps; returns times and states, a row per time."""
    step = METHODS[method]
    h = (t1 - t0) / n
    ts = np.linspace(t0, t1, n + 1)
    ys = np.empty((n + 1, len(y0)))
    ys[0] = y0
    for i in range(n):
        ys[i + 1] = step(f, ts[i], ys[i], h)
        if callback is not None:
            callback(i, ys[i + 1])
    return ts, ys
