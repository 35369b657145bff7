"""What only a branch binds begins as None: no shape of it can be saved where the branch was not taken."""

import numpy as np
import pytest

import tapeless as tl

X = np.array([0.5, 1.2, 2.0, 3.0])


def solved_or_fitted(x):
    y = np.array([1.0, 1.0]) * x[0]
    for _ in range(3):
        jacobian = np.array([[2.0 * y[0], 1.0], [-x[2], 3.0 * y[1]]])
        try:
            step = np.linalg.solve(jacobian, y)
        except np.linalg.LinAlgError:
            step = np.linalg.lstsq(jacobian, y, rcond=None)[0]
        y = y - step
    return np.sum(y**2)


def one_of_three_results(x):
    y = x * 1.0
    for k in range(3):
        if k == 1:
            step = np.linalg.eigh(np.outer(y, y) + np.diag(x))[0]
        elif k == 0:
            step = np.linalg.lstsq(np.outer(x, x) + np.eye(4), y, rcond=None)[0]
        else:
            step = np.linalg.svd(np.outer(y, y) + np.diag(x))[1]
        y = y - 0.1 * step
    return np.sum(y**2)


@pytest.mark.parametrize("f", [solved_or_fitted, one_of_three_results], ids=lambda f: f.__name__)
def test_right(f):
    tl.check_grads(f, X, order=2, replay=True)
