"""What a branch alone makes, and its mirror reads, is known at second order as it is at first."""

import numpy as np
import pytest

from tapeless.testing import check_grads

X = np.array([0.35, -0.2, 0.9, 0.1])


def changed_by_a_mask(x):
    y = x * 2.0
    if np.any(y > 0.5):
        far = y > 0.5
        y[far] = np.sin(y[far]) * (3.0 - np.abs(y[far]))
    return y * x


def added_by_places(x):
    y = x * 2.0
    if y[0] > 0.5:
        places = np.nonzero(y > 0.5)[0]
        y[places] += x[places] ** 2
    return y * x


def changed_in_one_of_the_loops(x):
    y = x * 1.0
    for k in range(3):
        if k == 1:
            low = y < 0.2
            y[low] *= x[low]
        y = y + x * y
    return y


def changed_and_returned_early(x):
    y = x * x
    if y[0] > 10.0:
        return y
    low = y < 0.2
    y[low] -= np.exp(y[low])
    return y * x


@pytest.mark.parametrize(
    "function", [changed_by_a_mask, added_by_places, changed_in_one_of_the_loops,
                 changed_and_returned_early],
)  # fmt: skip
def test_masks_made_in_branches(function):
    check_grads(function, X, replay=True)
