"""A sparse array times what may be a number or an array, as far as the text tells: `@` takes no number."""

import numpy as np
import pytest

from tests import laws

sparse = pytest.importorskip("scipy.sparse")

X = np.array([0.3, 0.5, -0.7, 1.1])
BANDS = sparse.diags([1.0, -2.0, 1.0], [0, 1, 2], shape=(2, 4)).tocsr()


def waves(x):
    total = 0.0
    for k in range(3):
        total = total + np.sin(k * x)
    return total


def of_a_sum(x):
    total = 0
    for k in range(2):
        total = total + x * k
    return np.sum((BANDS @ total) ** 2)


def of_a_result(x):
    return np.sum((BANDS @ waves(x)) ** 2)


def from_the_left(x):
    return np.sum((waves(x) @ BANDS.T) ** 3)


def of_a_matrix(x):
    total = 0
    for k in range(2):
        total = total + np.outer(x, x) * (k + 1)
    return np.sum((BANDS @ total) ** 2)


def that_varies(x):
    a = sparse.csr_array((x, (np.arange(4), np.arange(4))), shape=(4, 4))
    return np.sum((a @ waves(x)) ** 2)


@pytest.mark.parametrize("f", [of_a_sum, of_a_result, from_the_left, of_a_matrix, that_varies])
def test_laws_and_replay(f):
    laws.check_orders(f, X)
