"""`np.r_` and `np.c_` join lists and tuples as the arrays for which they stand."""

import numpy as np
import pytest

from tests import laws


def list_of_a_loop(w):
    h = np.zeros(2)
    for x in ([0.1, 0.2], [0.3, -0.1]):
        h = np.tanh(w @ np.r_[h, x])[:2]
    return h.sum()


def tuple_and_range(h):
    x = (0.1, h[0])
    return np.sum(np.r_[h, x][1:] ** 2) + np.sum(np.r_[x, h[1], range(2)] ** 2)


def in_columns(h):
    return np.sum(np.c_[list(h), h, (0.5, h[1])][1] ** 2)


def nothing_varies_yet(h):
    y = np.ones(1)
    for _ in range(2):
        y = np.r_[y, 2.0][:1] * h
    return y.sum()


def rows_below_each_other(h):
    rows = [[1.0, h[0]], [h[1], 2.0]]
    return np.sum(np.r_[rows, rows][3] * np.array([1.0, 2.0]))


def arrays_below_each_other(h):
    rows = [h, 2.0 * h]
    return np.sum(np.r_[rows, rows][3] * np.array([1.0, 2.0]))


CASES = [
    (list_of_a_loop, (np.arange(16.0).reshape(4, 4) / 20.0,)),
    (tuple_and_range, (np.array([0.3, 0.2]),)),
    (in_columns, (np.array([0.3, 0.2]),)),
    (nothing_varies_yet, (np.array([0.3]),)),
    (rows_below_each_other, (np.array([0.3, 0.2]),)),
    (arrays_below_each_other, (np.array([0.3, 0.2]),)),
]


@pytest.mark.parametrize("f, args", CASES, ids=lambda case: getattr(case, "__name__", ""))
def test_derivatives(f, args):
    laws.check_orders(f, *args)
