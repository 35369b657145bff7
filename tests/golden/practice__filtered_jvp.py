"""The jvp of `filtered` in primals/practice.py, as printed."""

import numpy as np


def filtered_jvp(kernel, image, kernel_dot, image_dot):
    out_dot = np.zeros(image.shape)
    out = np.zeros(image.shape)
    for i in range(2):
        for j in range(2):
            kernel_i_j = kernel[i, j]
            i_j_items = (i, j)
            items = (0, 1)
            roll_image_i = np.roll(image, i_j_items, items)
            out_dot += kernel_dot[i, j] * roll_image_i + kernel_i_j * np.roll(
                image_dot, i_j_items, items
            )
            out += kernel_i_j * roll_image_i
    return np.sum(out**2), np.sum(out_dot * (2.0 * out))
