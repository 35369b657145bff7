"""`np.array` of arrays at second order: where a row has no cotangent, 0.0 stands for all of it."""

import numpy as np
import pytest

import tapeless as tl


def of_one_row(x, y):
    m = np.array([np.array([1.15, 1.22, 0.65]), np.full(3, x), np.full(3, y)])

    def unused(t=0.7):
        pass

    unused(m[1, 1] ** 2)
    return y


def of_a_row_that_counts(x, y):
    m = np.array([np.full(2, x), np.full(2, y * x)])
    return m[1, 0] ** 2 * y


def of_rows_in_a_loop(x, y):
    total = 0.0
    for k in range(2):
        m = np.array([np.full(2, x), np.full(2, y * k)])
        total = total + m[k, 0] ** 2
    return total * y


@pytest.mark.parametrize("f", [of_one_row, of_a_row_that_counts, of_rows_in_a_loop])
def test_second_order(f):
    tl.check_grads(f, 0.453, 0.61, order=2, replay=True)
