"""The grad of `arm` in primals/practice.py, as printed."""

import numpy as np


def arm_grad(angles, start, target):
    # Forward sweep
    saved = []
    position = start
    for angle in angles:
        sin_angle = np.sin(angle)
        cos_angle = np.cos(angle)
        c = cos_angle
        s = sin_angle
        array_c_s = np.array([[c, -s], [s, c]])
        saved.append((position, array_c_s, cos_angle, sin_angle))
        position = array_c_s @ position + np.array([1.0, 0.0])
    # Reverse sweep
    position_difference_bar = 2.0 * (position - target)
    position_bar = position_difference_bar
    target_bar = -position_difference_bar
    angles_bar = np.zeros_like(angles)
    for k in range(len(angles) - 1, -1, -1):
        position, array_c_s, cos_angle, sin_angle = saved.pop()
        array_c_s_bar = np.outer(position_bar, position)
        position_bar = array_c_s.T @ position_bar
        c_bar = array_c_s_bar[1, 1] + array_c_s_bar[0, 0]
        s_bar = array_c_s_bar[1, 0] - array_c_s_bar[0, 1]
        angle_bar = s_bar * cos_angle - c_bar * sin_angle
        angles_bar[k] += angle_bar
    return angles_bar, np.array(position_bar), target_bar
