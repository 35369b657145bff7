"""The jvp of `tumbling` in primals/vectors.py, as printed."""

import numpy as np
from tapeless.runtime import floats_of


def tumbling_jvp(w, inertia, h, steps, w_dot, inertia_dot, h_dot):
    # w, inertia as floats
    w_0_dot, w_1_dot, w_2_dot = floats_of(w_dot)
    w_0, w_1, w_2 = w.tolist()
    inertia_0_dot, inertia_1_dot, inertia_2_dot = floats_of(inertia_dot)
    inertia_0, inertia_1, inertia_2 = inertia.tolist()
    for _ in range(steps):
        inertia_0_w_0_dot = inertia_0_dot * w_0 + inertia_0 * w_0_dot
        inertia_0_w_0 = inertia_0 * w_0
        inertia_1_w_1_dot = inertia_1_dot * w_1 + inertia_1 * w_1_dot
        inertia_1_w_1 = inertia_1 * w_1
        inertia_2_w_2_dot = inertia_2_dot * w_2 + inertia_2 * w_2_dot
        inertia_2_w_2 = inertia_2 * w_2
        w_1_difference = w_1 * inertia_2_w_2 - w_2 * inertia_1_w_1
        w_2_difference = w_2 * inertia_0_w_0 - w_0 * inertia_2_w_2
        w_0_difference = w_0 * inertia_1_w_1 - w_1 * inertia_0_w_0
        divisor_inertia_0 = float(inertia_0) or np.float64(inertia_0)
        divisor_inertia_1 = float(inertia_1) or np.float64(inertia_1)
        divisor_inertia_2 = float(inertia_2) or np.float64(inertia_2)
        h_w_1_ratio = h * w_1_difference / divisor_inertia_0
        h_w_2_ratio = h * w_2_difference / divisor_inertia_1
        h_w_0_ratio = h * w_0_difference / divisor_inertia_2
        w_1_h_difference_dot = w_1_dot - (
            (
                h_dot * w_2_difference
                + h
                * (
                    w_2_dot * inertia_0_w_0
                    + w_2 * inertia_0_w_0_dot
                    - (w_0_dot * inertia_2_w_2 + w_0 * inertia_2_w_2_dot)
                )
            )
            / divisor_inertia_1
            - inertia_1_dot * h_w_2_ratio / divisor_inertia_1
        )
        w_2_h_difference_dot = w_2_dot - (
            (
                h_dot * w_0_difference
                + h
                * (
                    w_0_dot * inertia_1_w_1
                    + w_0 * inertia_1_w_1_dot
                    - (w_1_dot * inertia_0_w_0 + w_1 * inertia_0_w_0_dot)
                )
            )
            / divisor_inertia_2
            - inertia_2_dot * h_w_0_ratio / divisor_inertia_2
        )
        w_0_dot = w_0_dot - (
            (
                h_dot * w_1_difference
                + h
                * (
                    w_1_dot * inertia_2_w_2
                    + w_1 * inertia_2_w_2_dot
                    - (w_2_dot * inertia_1_w_1 + w_2 * inertia_1_w_1_dot)
                )
            )
            / divisor_inertia_0
            - inertia_0_dot * h_w_1_ratio / divisor_inertia_0
        )
        w_0 = w_0 - h_w_1_ratio
        w_1_dot = w_1_h_difference_dot
        w_1 = w_1 - h_w_2_ratio
        w_2_dot = w_2_h_difference_dot
        w_2 = w_2 - h_w_0_ratio
    return (
        np.dot(np.array([w_0, w_1, w_2]), np.array([w_0, w_1, w_2])),
        w_0_dot * w_0
        + w_1_dot * w_1
        + w_2_dot * w_2
        + w_0 * w_0_dot
        + w_1 * w_1_dot
        + w_2 * w_2_dot,
    )
