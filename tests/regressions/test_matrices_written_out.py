"""Arrays that are written out: their cotangents are read entry by entry, also where rows are arrays."""

import numpy as np
import pytest

import tapeless as tl
from tests.laws import check_function

X = np.array([0.4, -1.1, 0.7])


def rotated(x):
    c, s = np.cos(x[0]), np.sin(x[0])
    return np.sum((np.array([[c, -s], [s, c]]) @ x[1:]) ** 2)


def with_numbers(x):
    m = np.array([[1, 0, x[0]], [0.0, 1.0, x[1] * x[2]], [0, 0, 1]])
    return np.sum(m @ m)


def rows_that_are_arrays(x):
    m = np.array([x * x, np.sin(x), [1.0, x[0], 2.0]])
    return np.sum(m**3)


def stacked_twice(x):
    m = np.array([[x, 2.0 * x], [x * x, np.ones(3)]])
    return np.sum(m[0, 1] * m[1, 0] * m[0, 0])


def a_number_among_columns(x):
    return np.sum(np.array([[x[0]], [x[1]]]) * x)


def in_a_loop(x):
    p = np.array([1.0, 0.5])
    for angle in x:
        p = np.array([[np.cos(angle), angle], [-angle, 1.0]]) @ p
    return p[0] * p[1]


def changed_after_it_was_written(x):
    m = np.array([[x[0], x[1]], [x[2], 1.0]])
    n = 2.0 * m
    m[0, 1] = x[0] * x[1]
    m *= x[2]
    return np.sum(m * n) + np.sum(n**2)


def read_twice(x):
    row = [x[0] * x[1], x[2]]
    m = np.array([row, row])
    return np.sum(m**2) * row[0]


def made_by_a_callee(x):
    def generator(v):
        return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])

    k = generator(x)
    return np.sum((k @ k + np.eye(3)) @ x)


class Motion:
    def __init__(self, dt):
        self.dt = dt

    def matrix(self):
        return np.array([[1.0, self.dt], [0.0, 1.0]])


def made_by_a_method(x):
    motion = Motion(x[0] * x[1])
    return np.sum(motion.matrix() @ motion.matrix() @ x[1:])


def one_of_two(x):
    if x[0] > 0.0:
        m = np.array([[x[0], x[1]], [0.0, 1.0]])
    else:
        m = np.array([[1.0, 0.0], [x[2], x[0]]])
    return np.sum(m @ x[:2])


PROGRAMS = [
    rotated, with_numbers, rows_that_are_arrays, stacked_twice, a_number_among_columns, in_a_loop,
    changed_after_it_was_written, read_twice, made_by_a_callee, made_by_a_method, one_of_two,
]  # fmt: skip


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_derivatives(function):
    check_function(function, (X,))
    check_function(function, (-X,))


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_second_derivatives(function):
    gradient, step = tl.grad(function), 1e-6
    columns = [(gradient(X + step * e) - gradient(X - step * e)) / (2 * step) for e in np.eye(3)]
    np.testing.assert_allclose(tl.hessian(function)(X), np.array(columns).T, atol=1e-5)


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_single_precision(function):
    single = tl.grad(function)(X.astype(np.float32))
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, tl.grad(function)(X), rtol=2e-4, atol=2e-4)


def test_an_entry_is_read_where_it_lies():
    text = tl.source(rotated, like=(X,))
    assert "array_bar" not in text and "[1, 0]" in text
