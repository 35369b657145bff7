"""The jvp of `over_zip` in primals/loops.py, as printed."""

import numpy as np


def over_zip_jvp(xs, ys, xs_dot, ys_dot):
    s_dot = 0.0
    s = 0.0
    for (x, y), (x_dot, y_dot) in zip(zip(xs, ys), zip(xs_dot, ys_dot)):
        exp_y = np.exp(y)
        s_dot = s_dot + (x_dot * exp_y + x * (exp_y * y_dot))
        s += x * exp_y
    return s, s_dot
