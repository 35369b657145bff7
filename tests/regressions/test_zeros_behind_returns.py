"""Adjoints start from zero before what an early return may skip, and read nothing that is bound there."""

import collections

import numpy as np
import pytest

from tapeless.testing import check_grads

X = np.array([-0.703, 1.402, 0.832])


SCALES = {"k": 1.311, "m": 1.139}


def returned_before_a_list_is_made(x):
    held = [0]
    if held:
        held.pop()
        if True:
            return min(SCALES["m"] + 0.57, SCALES["k"])
    n = 0
    while n < 2:
        n += 1
        for _ in range(1):
            queue = collections.deque([SCALES["k"], SCALES["m"]])
        for _ in range(2):
            queue.appendleft(1 + n)
            queue[-1] *= SCALES["m"]
            lengths = [queue.appendleft(x[n % 3])]
        total = sum(queue)
    return np.sum(np.cos(x))


def returned_where_the_list_is_read(x):
    if x[0] < 0.0:
        return x[0] * x[1]
    for _ in range(2):
        rows = [1.0, 2.0]
        rows.append(x[1])
    return rows[0] * rows[2]


def returned_before_an_array_is_made(x):
    if x[0] < 0.0:
        return x[0] * x[1]
    for k in range(2):
        rows = np.zeros(3)
        rows[k] = x[k] ** 2
    return np.sum(rows * x)


@pytest.mark.parametrize(
    "f",
    [
        returned_before_a_list_is_made,
        returned_where_the_list_is_read,
        returned_before_an_array_is_made,
    ],
)
def test_replayed(f):
    check_grads(f, X, order=1, replay=True)
    check_grads(f, -X, order=1, replay=True)
