"""The grad of `in_frame` in primals/attempts.py, as printed."""

import numpy as np
from tapeless.runtime import AdjointRecord
from tests.golden.primals.attempts import Frame


def exit_fwd(self, kind, error, trace):
    angle = self.angle
    self.angle = 0.0
    return None, (angle, self)


def exit_rev(saved, self_bar):
    angle, self = saved
    self_bar.angle = 0.0
    self.angle = angle


def init_rev(self_bar):
    angle_bar = self_bar.angle
    return angle_bar


def in_frame_grad(x, y):
    # Forward sweep
    manager = Frame(x)
    c = np.cos(manager.angle)
    try:
        result = c * y
    except BaseException as error:
        type_error = type(error)
        manager.__exit__(type_error, error, error.__traceback__)
        raise
    else:
        _, saved_exit = exit_fwd(manager, None, None, None)
    # Reverse sweep
    manager_bar = AdjointRecord()
    exit_rev(saved_exit, manager_bar)
    manager_bar.angle = manager_bar.angle - y * np.sin(manager.angle)
    x_bar = init_rev(manager_bar)
    return x_bar, c
