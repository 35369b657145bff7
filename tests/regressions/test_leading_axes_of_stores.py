"""What is stored may have leading axes of one entry, which its place lacks; numbers may have axes added."""

import numpy as np
import pytest

from tests import laws
from tests.laws import check_function

X = np.array([0.3, 0.5, 0.9])


def one_row(x):
    y = x.copy()
    y[:] = (x * 2.0)[None]
    return np.sum(y**2)


def two_axes(x):
    y = np.ones(3)
    y[1:] = np.sin(x[1:])[None, None]
    return np.sum(y**3)


def one_entry(x):
    y = x.copy()
    y[:1] = (x * x)[:1, None]
    return np.sum(y * x)


def spread_as_it_is_stored(x):
    y = np.zeros((2, 3))
    y[:] = x[None, None]
    return np.sum(y * np.array([[1.0], [2.0]]))


def kept_in_a_loop(x):
    y = x * 1.0
    for k in range(2):
        y[:] = np.cos(y + k)[None]
    return np.sum(y * x)


def number_or_array_with_an_axis(x):
    if x[0] > 0.0:
        v = np.sum(x)
    else:
        v = x * 2.0
    return np.sum(v[None] ** 2)


def all_of_a_number_or_array(x):
    if x[0] > 0.0:
        v = np.sum(x)
    else:
        v = x * 2.0
    return np.sum(v[...] ** 2 * x)


def array_with_axes(x):
    if x[0] > 5.0:
        v = np.sum(x)
    else:
        v = x * 2.0
    return np.sum(v[..., None] ** 2 * x)


PROGRAMS = [
    one_row, two_axes, one_entry, spread_as_it_is_stored, kept_in_a_loop, number_or_array_with_an_axis,
    all_of_a_number_or_array, array_with_axes,
]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_derivative(f):
    check_function(f, (X,))
    laws.check_orders(f, X)
