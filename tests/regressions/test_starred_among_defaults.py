"""A star whose length is not known fills parameters with defaults, be they many."""

import numpy as np
import pytest

import tapeless as tl

AXIS = np.array([0.3, 0.5, -0.7])


def turned(angle, w=1.0, x=0.0, y=0.0, z=0.0):
    return angle * w + x * y * z


class Quaternion:
    def __init__(self, w=1.0, x=0.0, y=0.0, z=0.0):
        self.w = w
        self.v = np.array([x, y, z])

    def norm(self):
        return self.w**2 + self.v @ self.v


def of_a_function(axis):
    return turned(1.0, *axis)


def of_a_constructor(axis):
    return Quaternion(1.0, *axis).norm()


def of_a_part(axis):
    return turned(2.0, *axis[:2]) * turned(axis[2])


def of_a_list(axis):
    items = [v * v for v in axis]
    return turned(2.0, *items)


@pytest.mark.parametrize("f", [of_a_function, of_a_constructor, of_a_part, of_a_list])
def test_laws_and_replay(f):
    tl.check_grads(f, AXIS, order=2, replay=True)
