"""The jvp of `slices` in primals/stores.py, as printed."""

import numpy as np


def slices_jvp(x, x_dot):
    y_dot = +x_dot
    y = x.copy()
    x_part = x[2:]
    x_part_1 = x[:-2]
    y_dot[1:-1] = x_dot[2:] * x_part_1 + x_part * x_dot[:-2]
    y[1:-1] = x_part * x_part_1
    return np.sum(y * y), np.sum(y_dot * y + y * y_dot)
