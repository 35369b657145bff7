"""The grad of `filtered` in primals/practice.py, as printed."""

import numpy as np


def filtered_grad(kernel, image):
    # Forward sweep
    saved = []
    out = np.zeros(image.shape)
    for i in range(2):
        for j in range(2):
            i_j_items = (i, j)
            roll_image_i = np.roll(image, i_j_items, (0, 1))
            saved.append((i_j_items, roll_image_i))
            out += kernel[i, j] * roll_image_i
    # Reverse sweep
    out_bar = 2.0 * out
    image_bar = np.zeros_like(image)
    kernel_bar = np.zeros_like(kernel)
    for i in reversed(range(2)):
        for j in reversed(range(2)):
            i_j_items, roll_image_i = saved.pop()
            image_bar += np.roll(out_bar * kernel[i, j], np.negative(i_j_items), axis=(0, 1))
            kernel_bar[i, j] += np.vdot(out_bar, roll_image_i)
    return kernel_bar, image_bar
