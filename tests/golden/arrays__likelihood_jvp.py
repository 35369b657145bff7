"""The jvp of `likelihood` in primals/arrays.py, as printed."""

import numpy as np


def likelihood_jvp(x, scale, x_dot, scale_dot):
    z = x / scale
    z_dot = x_dot / scale - scale_dot * z / scale
    minus_half_z = -0.5 * z
    return (
        np.sum(minus_half_z * z - np.log(scale)),
        np.sum(-(0.5 * z_dot) * z + minus_half_z * z_dot - scale_dot / scale),
    )
