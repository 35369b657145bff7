"""Attributes that an object lacks until a loop binds them, in derivatives of second order."""

import numpy as np
import pytest

import tapeless as tl


class Box:
    pass


def first_above(x, limit):
    box = Box()
    for box.v in x:
        if box.v > limit:
            return box.v * box.v
    return x[0] * limit


def last_kept(x, limit):
    box = Box()
    for v in x:
        if v > limit:
            box.v = v * v
            break
        box.w = v
    else:
        return x[0] * limit
    return box.v * limit


@pytest.mark.parametrize("limit", [1.0, 9.0, 0.1])
@pytest.mark.parametrize("f", [first_above, last_kept])
def test_a_loop_that_is_left(f, limit):
    tl.check_grads(f, np.array([0.6, -1.4, 2.3, 0.9]), limit, order=2, replay=True)
