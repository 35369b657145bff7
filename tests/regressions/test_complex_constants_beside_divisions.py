"""A complex constant has no sign, and is asked for none where a division stands beside it."""

import numpy as np
import pytest

from tapeless.testing import check_grads

Y = np.array([0.942, 1.193, 1.34])


def in_a_local_function(x, y):
    held = {"a": x * 0.98, "c": ((1.31 + 1j * y[0]) * (0.6 - 0.8j)).real}
    share = lambda t: np.sqrt(3.0) / (1.5 + t[0] ** 2)  # noqa: E731
    return held["a"] * share(y)


def of_a_product(x, y):
    z = (2.0j * y[0]) * (1.0 - 2.0j)
    return x / (1.0 + z.real * z.real) + x / (2.5 + (1j * x * 1j).real ** 2)


def of_a_sum(x, y):
    w = 1.0 + (3j + y[1])
    return np.abs(x / w) ** 2


@pytest.mark.parametrize("f", [in_a_local_function, of_a_product, of_a_sum])
def test_derivative(f):
    check_grads(f, 1.333, Y)
