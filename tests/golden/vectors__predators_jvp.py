"""The jvp of `predators` in primals/vectors.py, as printed."""

import numpy as np
from tapeless.runtime import floats_of


def predators_jvp(p, y, h, steps, p_dot, y_dot, h_dot):
    # p, y, k as floats
    p_0_dot, p_1_dot, p_2_dot, p_3_dot = floats_of(p_dot)
    p_0, p_1, p_2, p_3 = p.tolist()
    y_0_dot, y_1_dot = floats_of(y_dot)
    y_0, y_1 = y.tolist()
    for _ in range(steps):
        p_1_y_0 = p_1 * y_0
        k_0 = p_0 * y_0 - p_1_y_0 * y_1
        p_3_y_0 = p_3 * y_0
        k_1 = p_3_y_0 * y_1 - p_2 * y_1
        y_1_plus_h_k_1_dot = y_1_dot + (
            h_dot * k_1
            + h
            * (
                (p_3_dot * y_0 + p_3 * y_0_dot) * y_1
                + p_3_y_0 * y_1_dot
                - (p_2_dot * y_1 + p_2 * y_1_dot)
            )
        )
        y_0_dot = y_0_dot + (
            h_dot * k_0
            + h
            * (
                p_0_dot * y_0
                + p_0 * y_0_dot
                - ((p_1_dot * y_0 + p_1 * y_0_dot) * y_1 + p_1_y_0 * y_1_dot)
            )
        )
        y_0 = y_0 + h * k_0
        y_1_dot = y_1_plus_h_k_1_dot
        y_1 = y_1 + h * k_1
    return (
        np.float64(y_0 * y_0 + y_1 * y_1),
        np.float64(y_0_dot * y_0 + y_0 * y_0_dot + (y_1_dot * y_1 + y_1 * y_1_dot)),
    )
