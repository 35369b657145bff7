"""A range that a function or an operator of arrays is given is an array of integers, as for NumPy."""

import numpy as np
import pytest

from tests.laws import check_function

Y = np.array([1.0, 2.2, 2.9, 4.3, 5.1])


def sampled(y):
    return np.interp(1.3, range(5), y) * np.sum(np.interp([0.5, 2.5], range(5), y))


def fitted(y):
    slope, start = np.polyfit(range(5), y, 1)
    return slope * start + np.polyval(range(1, 3), y[0]) + np.sum(np.polyval(y, range(3)))


def integrated(y):
    return np.trapezoid(y, x=range(5)) ** 2


def correlated(y):
    r = range(len(y))
    return np.corrcoef(r, y)[0, 1] * np.cov(r, y)[0, 1]


def weighted(y):
    return np.average(y, weights=range(1, 6)) ** 2 + np.dot(range(5), y) ** 2


def contracted(y):
    return np.einsum("i,i->", range(5), y) ** 2 + np.inner(y, range(5)) * np.vdot(range(5), y)


def operated(y):
    return (
        np.sum(range(5) * y * y)
        + (range(5) @ y) * np.sum(y ** range(5))
        + np.sum((y - range(5)) ** 3)
    )


def called(y):
    return np.sum(np.power(y, range(5))) + np.sum(np.maximum(y, range(5)) ** 2)


def joined(y):
    return np.sum(np.stack([y, range(5)]) ** 2) + np.sum(np.concatenate([y, range(5)]) ** 3)


def stored(y):
    z = y * 1.0
    z += range(5)
    z[1:3] = range(1, 3)
    z[3:] *= y[range(1, 3)]
    np.add.at(z, range(2), y[:2])
    return np.sum(z**2)


def axes(y):
    cube = np.outer(y, range(5)).reshape(5, 5, 1)
    return np.sum(np.transpose(cube, range(2, -1, -1)) ** 2) + np.sum(np.take(y, range(3)) ** 2)


PROGRAMS = (
    sampled, fitted, integrated, correlated, weighted, contracted, operated, called, joined, stored, axes,
)  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_as_numpy_reads_it(f):
    check_function(f, (Y,))


def methods(y):
    v = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    return (
        y.dot([1, 2, 3, 4, 5]) * y.dot(range(5)) + v.dot(list(y)) ** 2 + y.dot([y[0], 2, 3, 4, 5])
    )


def test_as_methods_of_arrays_read_it():
    check_function(methods, (Y,))
