"""Reductions along an axis that is a parameter: their rank is known all the same."""

import numpy as np
import pytest

from tests import laws

X = np.array([[0.3, -0.6, 1.1], [0.7, 2.2, -0.4]])


def softmax(z, axis=-1):
    z = z - np.max(z, axis=axis, keepdims=True)
    e = np.exp(z)
    e /= e.sum(axis=axis, keepdims=True)
    return e


def log_of_sum(a, axis=None, keepdims=False):
    m = np.max(a, axis=axis, keepdims=True)
    s = np.log(np.sum(np.exp(a - m), axis=axis, keepdims=keepdims))
    return s + (m if keepdims else np.squeeze(m, axis=axis))


def normed(z, axis):
    z = z - z.mean(axis, keepdims=True)
    z /= z.std(axis=axis, keepdims=True)
    return z


def mean_along(z, axis=0):
    return np.mean(z, axis=axis)


def of_a_default(x):
    return np.sum(softmax(x) * X**2)


def of_rows_and_columns(x):
    return np.sum(softmax(x, 0) * X**2) + np.sum(normed(x, 1) * X**2)


def of_all(x):
    return log_of_sum(x) + np.sum(log_of_sum(x, axis=1)) + np.sum(log_of_sum(x, 0, True) ** 2)


def of_several(x):
    return np.sum(normed(x, (0, 1)) ** 3) + np.sum(normed(x[0], None) ** 3)


def changed_in_place(x):
    y = mean_along(x)
    y -= y[0] * y
    return y @ y


def a_number(x):
    y = mean_along(x[0])
    y *= x[1, 0]
    return y


def in_a_loop(x):
    for axis in (0, 1, -1):
        x = softmax(x, axis) * x
        x /= 1.0 + np.abs(x).sum(axis=axis, keepdims=True)
    return np.sum(x**2)


@pytest.mark.parametrize(
    "f",
    [
        of_a_default,
        of_rows_and_columns,
        of_all,
        of_several,
        changed_in_place,
        a_number,
        in_a_loop,
    ],
)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_what_is_changed_in_place_is_an_array(f, dtype):
    laws.check_function(f, (X.astype(dtype),))
