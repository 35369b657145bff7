"""Stores into arrays that are copied only if they have to be."""

import numpy as np
import pytest

import tapeless as tl
from tests import laws

X = np.array([0.3, 0.5, -0.7, 1.1])


def by_the_method(x):
    y = np.sin(x)
    z = y.astype(float, copy=False)
    z[0] *= z[1]
    return (y**2).sum() + z[2]


def by_array(x):
    y = np.sin(x)
    z = np.array(y, copy=None)
    z[0] *= z[1]
    return (y**2).sum() + z[2]


def of_an_argument(x):
    x = x.astype(np.float64, copy=False)
    x[0] = x[1] * 2.0
    return (x**2).sum()


def by_array_or_raise(x):
    y = np.sin(x)
    z = np.array(y, copy=False)
    z[0] *= z[1]
    return (y**2).sum() + z[2]


def of_a_rank_at_least(x):
    y = np.sin(x)
    z = np.array(y, ndmin=1, copy=None)
    z[0] *= z[1]
    return (y**2).sum() + z[2]


def copied_always(x):
    y = np.sin(x)
    z = y.astype(np.float64)
    z[0] *= z[1]
    return (y**2).sum() + z[2]


def by_asarray(x):
    y = np.sin(x)
    z = np.asarray(y, dtype=float)
    z[0] *= z[1]
    return (y**2).sum() + z[2]


def by_strides(x):
    y = np.sin(x)
    z = np.lib.stride_tricks.as_strided(y, (3,), (8,))
    z[0] *= z[1]
    return (y**2).sum() + z[2]


def by_the_function(x):
    y = np.sin(x)
    z = np.astype(y, float, copy=False)
    z[0] *= z[1]
    return (y**2).sum() + z[2]


def in_single_precision(x):
    y = np.sin(x)
    z = y.astype(np.float32, copy=False).astype(float)
    z[0] *= z[1]
    return (y**2).sum() + z[2]


def copied_as_asked(x):
    y = np.sin(x)
    z = y.astype(float, copy=True)
    z[0] *= z[1]
    return (y**2).sum() + z[2]


def windows_by_strides(x):
    z = np.lib.stride_tricks.as_strided(x * x, (3, 2), (8, 8))
    return np.sum(z[:, 0] * z[:, 1] ** 2)


def every_other_by_strides(x):
    y = x.copy()
    z = np.lib.stride_tricks.as_strided(y, (2,), (16,))
    z *= 3.0
    return np.sum(np.sin(y) * x)


def scaled_by_what_varies(x):
    y = np.outer(x, x) + 0.1
    z = y.astype(float, copy=False)
    z /= x[1]
    w = np.array(y, copy=None)
    w *= x[0]
    return np.sum(y)


CASES = [
    (scaled_by_what_varies, (X,)),
    (by_the_method, (X,)),
    (by_array, (X,)),
    (of_an_argument, (X,)),
    (by_array_or_raise, (X,)),
    (of_a_rank_at_least, (X,)),
    (copied_always, (X,)),
    (by_asarray, (X,)),
    (by_strides, (X,)),
    (by_the_function, (X,)),
    (in_single_precision, (X,)),
    (copied_as_asked, (X,)),
    (windows_by_strides, (X,)),
    (every_other_by_strides, (X[::-1],)),
]


@pytest.mark.parametrize("f, args", CASES, ids=lambda case: getattr(case, "__name__", ""))
def test_derivatives(f, args):
    laws.check_orders(f, *args)


def copied_or_not(x, copy):
    y = np.sin(x)
    z = np.array(y, copy=copy)
    z[0] *= z[1]
    return np.sum(y * z)


def test_what_is_not_known_is_refused():
    with pytest.raises(tl.GradientError, match="whether this copies the array"):
        tl.grad(copied_or_not)(X, X[0] > 0.0)


def test_what_nobody_changes_is_left_as_it_stands():
    def f(x, copy):
        return np.sum(np.array(np.sin(x), copy=copy) ** 2)

    np.testing.assert_allclose(tl.grad(f)(X, True), np.sin(2.0 * X))


def grids_of_what_changes(x):
    y = np.sin(x)
    g, h = np.meshgrid(y, x, copy=False)
    y[0] = 0.5
    return np.sum(g * h) + np.sum(y)


def grids_that_change(x):
    y = np.sin(x)
    g, h = np.meshgrid(y, x, copy=False, sparse=True)
    g *= 2.0
    return np.sum(g * h) + np.sum(y)


@pytest.mark.parametrize("f", [grids_of_what_changes, grids_that_change], ids=lambda f: f.__name__)
def test_grids_of_views(f):
    with pytest.raises(tl.GradientError, match="grids may be views of what is stored into"):
        tl.grad(f)(X)


def test_grids_that_nobody_changes():
    laws.check_orders(lambda x: np.sum(np.prod(np.meshgrid(x, x * x, copy=False), axis=0)), X)
