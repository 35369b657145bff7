"""The jvp of `normalized` in primals/ranks.py, as printed."""

import numpy as np
from tapeless.runtime import as_gradient, private_tangent


def normalized_jvp(x, x_dot):
    x_dot = private_tangent(x_dot, x)
    r_dot = x_dot - np.mean(x_dot)
    r = x - np.mean(x)
    sqrt_mean = np.sqrt(np.mean(r * r))
    z = r / sqrt_mean
    sum_z_cubed = np.sum(z**3)
    return (
        sum_z_cubed,
        as_gradient(
            np.sum(
                (
                    r_dot / sqrt_mean
                    - np.mean(r_dot * r + r * r_dot) * 0.5 / sqrt_mean * z / sqrt_mean
                )
                * (3.0 * z**2)
            ),
            sum_z_cubed,
        ),
    )
