"""print, assert and np.errstate stand where they stood."""

import numpy as np

INPUTS = {"f": (0.7, 1.2)}


def f(x: float, y: float):
    assert y > 0, "y must be positive"
    with np.errstate(divide="ignore"):
        z = np.log(y) * x
    print("z =", z)
    return z * z
