"""Cotangents left to broadcast: they are used in the reverse of earlier statements."""

import numpy as np
import pytest

from tests.laws import check_function

X = np.array([0.5, -1.2, 2.0])


def divided_by_an_extremum(x):
    c = x - 1.0
    return np.sum(np.sin(c) * c / np.max(x))


def divided_by_a_size(x):
    c = np.sin(x)
    return np.sum(2.0 * c / x.size)


def in_a_loop(x):
    total = 0.0
    for i in range(3):
        c = np.sin(x) * (i + 1.0)
        scale = np.sum(c * c)
        total = total + np.sum(c * x / scale)
    return total


@pytest.mark.parametrize("f", [divided_by_an_extremum, divided_by_a_size, in_a_loop])
def test_they_keep_the_values_of_their_own_statement(f):
    check_function(f, (X,))
