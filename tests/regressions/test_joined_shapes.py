"""Shapes are tuples, whichever function gives them: `+` joins them, and adds no lengths."""

import math

import numpy as np
import pytest

from tests import laws

X = np.array([[0.3, -1.2, 0.8], [0.7, 2.1, -0.4]])


def of_two_arrays(x, y):
    shape = np.broadcast_shapes(x.shape[:1], y.shape[:1]) + x.shape[1:]
    return np.sum(x * y) / math.prod(shape)


def of_a_list_of_arrays(x, y):
    shape = np.broadcast_shapes(*[np.shape(a) for a in (x, y)])
    return np.sum(np.broadcast_to(x * y, (2,) + shape) ** 2) / len(shape + (1,))


@pytest.mark.parametrize("f", [of_two_arrays, of_a_list_of_arrays])
def test_shapes_are_joined(f):
    laws.check_function(f, (X, X[:1] if f is of_a_list_of_arrays else X + 1.0))
