"""A list that is added to what may be an array or a number is added item by item."""

import numpy as np

from tests import laws

X = np.array([0.6, -1.4, 2.3, 0.9])
OUTSIDE = [None]


def added_in_place(x):
    OUTSIDE[0] = x
    row = [OUTSIDE[0][0], OUTSIDE[0][1]]
    t = OUTSIDE[0] * 1.0
    t[:2] += row
    return np.sum(t * t)


def added(x):
    OUTSIDE[0] = x
    v = OUTSIDE[0][:2] * x[3]
    return np.sum(([x[1], x[2] * x[0]] + v) ** 2)


def taken_from(x):
    OUTSIDE[0] = x
    v = (x[1], x[2] * x[0]) - OUTSIDE[0][:2]
    v -= (x[0], 2.0)
    return v[0] * v[1]


def a_number_at_one_time(x):
    s = 1.0
    for _ in range(2):
        s = np.float64(x[0]) * s
        v = [x[1], x[2]] + s * x[:2]
    return np.sum(v * v)


def test_lists_beside_unknown_arrays():
    rng = np.random.default_rng(3)
    for f in (added_in_place, added, taken_from, a_number_at_one_time):
        laws.check_reverse(f, (X,), (0,), rng)
        laws.check_forward(f, (X,), (0,), rng)
        laws.check_grad(f, (X,), (0,), rng)


def test_again():
    laws.check_function(a_number_at_one_time, (X,), smooth=True)
