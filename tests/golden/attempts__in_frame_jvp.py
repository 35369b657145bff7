"""The jvp of `in_frame` in primals/attempts.py, as printed."""

import numpy as np
from tapeless.runtime import record_of
from tests.golden.primals.attempts import Frame


def init_jvp(self, angle, self_dot, angle_dot):
    self_dot.angle = angle_dot
    self.angle = angle
    return None, None


def exit_jvp(self, kind, error, trace, self_dot):
    self_dot.angle = 0.0
    self.angle = 0.0
    return None, None


def in_frame_jvp(x, y, x_dot, y_dot):
    manager = Frame.__new__(Frame)
    manager_dot = record_of()
    init_jvp(manager, x, manager_dot, x_dot)
    manager_angle = manager.angle
    c_dot = -(np.sin(manager_angle) * manager_dot.angle)
    c = np.cos(manager_angle)
    try:
        result = c * y
        result_dot = c_dot * y + c * y_dot
    except BaseException as error:
        type_error = type(error)
        manager.__exit__(type_error, error, error.__traceback__)
        raise
    else:
        exit_jvp(manager, None, None, None, manager_dot)
    return result, result_dot
