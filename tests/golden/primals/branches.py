"""if, elif and else, and early returns."""

import numpy as np

INPUTS = {
    "f": (0.4, 1.5),
    "early": (0.4, 1.5),
    "fallback": (0.4, 1.5),
    "always_left": (np.array([0.4, 1.5]),),
}


def f(x: float, y: float):
    if x > y:
        z = x * y
    elif x > 0:
        z = np.sin(x)
    else:
        z = y
    return z * y


def early(x: float, y: float):
    if x > y:
        return x * x
    z = x * y
    if z > 10.0:
        return y
    return np.cos(z)


def fallback(x: float, y: float):
    scale = None or y
    return scale * x


def always_left(x: "Float[np.ndarray, 'n']"):
    for v in x:
        return v * x[1]
    else:
        x[1] = x[0]
