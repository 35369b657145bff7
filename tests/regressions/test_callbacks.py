"""Functions that are given to a library's function, which is not looked into and calls them."""

import numpy as np
import pytest

import tapeless as tl
from tests import laws

X = np.array([1.0, 2.0, 3.0])
scale = np.ones(3)
calls = [0]


@pytest.fixture(autouse=True)
def _start_anew():
    scale[:] = 1.0
    calls[0] = 0


def put(v):
    scale[0] += 1.0
    return float(v[0])


def count(v):
    calls[0] += 1
    return v


def changed_outside(x):
    y = x * scale
    np.apply_along_axis(put, 0, np.array([0.0]))
    return np.sum(y * scale)


def changed_outside_by_a_vectorized(x):
    y = x * scale
    np.vectorize(lambda v: put([v]), otypes=[float])(np.array([0.0]))
    return np.sum(y * scale)


kept_outside = np.vectorize(lambda v: put([v]), otypes=[float])


def changed_outside_by_one_kept_outside(x):
    y = x * scale
    kept_outside(np.array([0.0]))
    return np.sum(y * scale)


def counted_outside(x):
    y = np.apply_along_axis(count, 0, np.ones(3))
    return np.sum(y * x * x)


def counted_here(x):
    n = [0]

    def fun(v):
        n[0] += 1
        return v

    y = np.apply_along_axis(fun, 0, np.ones(3))
    return np.sum(y * x * x)


def counted_by_a_nonlocal(x):
    n = 0

    def fun(v):
        nonlocal n
        n += 1
        return v

    y = np.apply_along_axis(fun, 0, np.ones(3))
    return np.sum(y * x * x) * n


def changes_what_varies(x):
    z = x * 1.0

    def fun(i):
        z[int(i[0])] = 5.0
        return 0.0

    np.apply_along_axis(fun, 0, np.array([0.0]))
    return np.sum(z * z)


def keeps_what_changes(x):
    z = x * 1.0

    def fun(i):
        z[int(i)] = 5.0
        return 0.0

    kept = np.vectorize(fun)
    kept(np.array([0.0]))
    return np.sum(z * z)


RIGHT = {
    changed_outside: [2.0, 1.0, 1.0],
    changed_outside_by_a_vectorized: [2.0, 1.0, 1.0],
    changed_outside_by_one_kept_outside: [2.0, 1.0, 1.0],
    counted_outside: 2.0 * X,
    counted_here: 2.0 * X,
    counted_by_a_nonlocal: 2.0 * X,
}


@pytest.mark.parametrize("f", RIGHT)
def test_what_a_callback_changes_is_undone(f):
    np.testing.assert_allclose(tl.grad(f)(X), RIGHT[f], rtol=1e-10)


@pytest.mark.parametrize("f", RIGHT)
def test_forward_mode(f):
    _, y_dot = tl.jvp(f, (X,), (np.ones(3),))
    np.testing.assert_allclose(y_dot, np.sum(RIGHT[f]), rtol=1e-10)


def test_a_callback_that_changes_what_varies():
    laws.check_function(changes_what_varies, (X,))


def test_a_callback_that_keeps_what_changes_is_refused():
    laws.right_or_refused(keeps_what_changes, (X,))
    with pytest.raises(tl.TapelessError):
        tl.grad(keeps_what_changes)(X)
    with pytest.raises(tl.TapelessError):
        tl.jvp(keeps_what_changes, (X,), (X,))


def vectorized_with_a_count(x):
    n = [0.0]

    def fun(v):
        return v + n[0]

    return np.sum(x * np.vectorize(fun)(np.arange(3.0)))


def test_a_vectorized_function_that_only_reads():
    laws.check_function(vectorized_with_a_count, (X,))
