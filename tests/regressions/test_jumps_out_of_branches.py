"""What is saved behind a jump out of a branch is asked for only where no jump was taken."""

import numpy as np
import pytest

from tapeless.testing import check_replay
from tests import laws

KEPT = [None]


def stored_outside_behind_a_return(x):
    if x[2] > 1.24:
        if 0.55 < x[0] < 1.5:
            return x[0] * 2.0
        KEPT[0] = x[1] * x[0]
    return x[1] ** 2


def stored_behind_a_return(x):
    a = [0.0]
    if x[2] > 1.24:
        if 0.55 < x[0] < 1.5:
            return x[0] * 2.0
        a[0] = x[1] * x[0]
    return x[1] ** 2 + a[0]


def returned_in_the_other_branch(x):
    held = [1.0]
    if x[0] > 1.63:
        held = []
        held.append(x[1] * 2.0)
    elif x[0] > 1.15:
        return x[0] ** 2
    return x[1] ** 2 * held[0]


def returned_from_a_loop(x):
    s = 0.0
    for k in range(3):
        held = []
        if x[k] > 1.63:
            held.append(np.sin(x[k]))
        elif x[k] > 1.4:
            return s
        s += len(held) + sum(held) * x[k]
    return s


@pytest.mark.parametrize(
    "x", [(0.3, 0.4, 0.5), (1.3, 0.4, 1.5), (0.3, 0.4, 1.5), (1.7, 0.4, 1.5), (1.7, 1.8, 1.9)]
)
@pytest.mark.parametrize(
    "function",
    [
        stored_outside_behind_a_return,
        stored_behind_a_return,
        returned_in_the_other_branch,
        returned_from_a_loop,
    ],
)
def test_every_way_is_right(function, x):
    laws.check_function(function, (np.array(x),), smooth=False)
    check_replay(function, np.array(x))
