"""The grad of `tumbling` in primals/vectors.py, as printed."""

import numpy as np


def tumbling_grad(w, inertia, h, steps):
    # Forward sweep
    saved = []
    # w, inertia as floats
    w_0, w_1, w_2 = w.tolist()
    inertia_0, inertia_1, inertia_2 = inertia.tolist()
    for _ in range(steps):
        inertia_0_w_0 = inertia_0 * w_0
        inertia_1_w_1 = inertia_1 * w_1
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
        saved.append(
            (
                w_0,
                w_1,
                w_2,
                h_w_1_ratio,
                h_w_2_ratio,
                h_w_0_ratio,
                w_1_difference,
                w_2_difference,
                w_0_difference,
                divisor_inertia_0,
                divisor_inertia_1,
                divisor_inertia_2,
            )
        )
        w_0 = w_0 - h_w_1_ratio
        w_1 = w_1 - h_w_2_ratio
        w_2 = w_2 - h_w_0_ratio
    # Reverse sweep
    w_0_bar = 2.0 * w_0
    w_1_bar = 2.0 * w_1
    w_2_bar = 2.0 * w_2
    h_bar = 0.0
    inertia_0_bar = 0.0
    inertia_1_bar = 0.0
    inertia_2_bar = 0.0
    for (
        w_0,
        w_1,
        w_2,
        h_w_1_ratio,
        h_w_2_ratio,
        h_w_0_ratio,
        w_1_difference,
        w_2_difference,
        w_0_difference,
        divisor_inertia_0,
        divisor_inertia_1,
        divisor_inertia_2,
    ) in reversed(saved):
        h_w_0_product_bar = -w_2_bar / divisor_inertia_2
        h_w_2_product_bar = -w_1_bar / divisor_inertia_1
        h_w_1_product_bar = -w_0_bar / divisor_inertia_0
        inertia_2_bar -= h_w_0_product_bar * h_w_0_ratio
        inertia_1_bar -= h_w_2_product_bar * h_w_2_ratio
        inertia_0_bar -= h_w_1_product_bar * h_w_1_ratio
        h_bar += h_w_0_product_bar * w_0_difference
        w_0_difference_bar = h_w_0_product_bar * h
        h_bar += h_w_2_product_bar * w_2_difference
        w_2_difference_bar = h_w_2_product_bar * h
        h_bar += h_w_1_product_bar * w_1_difference
        w_1_difference_bar = h_w_1_product_bar * h
        w_0_bar = (
            w_0_bar
            + w_0_difference_bar * (inertia_1 * w_1)
            - w_2_difference_bar * (inertia_2 * w_2)
        )
        inertia_0_w_0_bar = w_2_difference_bar * w_2 - w_0_difference_bar * w_1
        w_2_bar = (
            w_2_bar
            + w_2_difference_bar * (inertia_0 * w_0)
            - w_1_difference_bar * (inertia_1 * w_1)
        )
        inertia_1_w_1_bar = w_0_difference_bar * w_0 - w_1_difference_bar * w_2
        w_1_bar = (
            w_1_bar
            - w_0_difference_bar * (inertia_0 * w_0)
            + w_1_difference_bar * (inertia_2 * w_2)
        )
        inertia_2_w_2_bar = w_1_difference_bar * w_1 - w_2_difference_bar * w_0
        inertia_2_bar += inertia_2_w_2_bar * w_2
        w_2_bar += inertia_2_w_2_bar * inertia_2
        inertia_1_bar += inertia_1_w_1_bar * w_1
        w_1_bar += inertia_1_w_1_bar * inertia_1
        inertia_0_bar += inertia_0_w_0_bar * w_0
        w_0_bar += inertia_0_w_0_bar * inertia_0
    inertia_bar = np.array([inertia_0_bar, inertia_1_bar, inertia_2_bar])
    w_bar = np.array([w_0_bar, w_1_bar, w_2_bar])
    return w_bar, inertia_bar, h_bar
