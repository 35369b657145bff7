"""The jvp of `arm` in primals/practice.py, as printed."""

import numpy as np
from tapeless.runtime import array_dot


def arm_jvp(angles, start, target, angles_dot, start_dot, target_dot):
    position_dot = start_dot
    position = start
    for angle, angle_dot in zip(angles, angles_dot):
        cos_angle_dot = -(np.sin(angle) * angle_dot)
        sin_angle_dot = np.cos(angle) * angle_dot
        c = np.cos(angle)
        s = np.sin(angle)
        array_c_s = np.array([[c, -s], [s, c]])
        position_dot = (
            array_dot(((cos_angle_dot, -sin_angle_dot), (sin_angle_dot, cos_angle_dot)), array_c_s)
            @ position
            + array_c_s @ position_dot
        )
        position = array_c_s @ position + np.array([1.0, 0.0])
    position_difference = position - target
    return (
        np.sum(position_difference**2),
        np.sum((position_dot - target_dot) * (2.0 * position_difference)),
    )
