"""Second derivatives of what is changed in place after functions that keep what is known of the rank."""

import numpy as np
import pytest

from tests import laws

M = np.array([[0.3, 0.5, -0.7], [1.1, 0.2, 0.9], [0.4, -0.6, 0.8]])


def of_a_power(m):
    p = np.linalg.matrix_power(m, 5)[0]
    p[1] *= p[0]
    return np.sum(p**2)


def of_covariances(m):
    c = np.cov(m, rowvar=False) + np.cov(m[0], m[1])[0, 1]
    c[0] *= c[1]
    return np.sum(c)


def of_what_is_left(m):
    c = np.compress([True, False, True], m, axis=1)
    c[0] *= c[1]
    return np.sum(c) + np.sum(np.extract(m > 0.0, m) ** 2)


def of_products(m):
    c = np.tensordot(m, m, axes=(0, 0))
    c[0] *= c[1]
    return np.sum(c) * np.sum(np.vecdot(m, m, axis=0) ** 2)


@pytest.mark.parametrize("f", [of_a_power, of_covariances, of_what_is_left, of_products])
def test_derivatives(f):
    laws.check_orders(f, M)
