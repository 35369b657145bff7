"""Nested lists in which a row of integers stands before one that carries a derivative."""

import numpy as np
import pytest

import tapeless as tl
from tests import laws

X = np.array([0.3, 0.75, 0.52])


def matrix_times_vector(x):
    return np.sum(np.array([[0, 1], [0, -x[0]]]) @ x[:2])


def of_one_column(x):
    return np.sum(np.array([x[0], 1]) * np.array([[2], [x[1]]]))


def given_to_functions(x):
    return np.sum(np.hypot([x[0], 1], [[2], [x[1]]])) + np.vdot(
        [[x[0], 1], [2, 1]], [[1, 2], [3, x[2]]]
    )


def given_to_linear_algebra(x):
    a = np.linalg.solve([[x[0], 1], [2, x[1]]], [[1, 2, 3], [3, 4, x[2]]])
    return np.sum(a) + np.linalg.det([[0, 1, 2], [3, 4, 5], [1, 1, x[0]]])


def rows_of_rows(x):
    tuples = np.asarray(((0, 1), [2, x[0]]))
    return np.sum(np.array([[[0, 1], [1, 0]], [[1, 2], [3, x[1]]]]) ** 2) * np.sum(tuples**2)


def rows_that_were_appended(x):
    rows = [[0] * 3, [1, 2, 3]]
    rows.append(list(x))
    return np.sum(np.array(rows) ** 3)


def stored_into(x):
    m = np.array([[1, 0, 0], [0, 1, 0], [0, 0, x[0]]])
    m[0, 0] = x[1]
    m[:2, 1:] += [[1, 2], [3, x[2]]]
    return np.linalg.det(m) * m.sum()


def complex_in_the_last_row(x):
    return np.sum(np.abs(np.array([[0, 1], [1j, x[0]]]) * x[1]) ** 2)


def truths_first(x):
    return np.sum(np.array([[True, False], [True, x[0]]]) * x[1])


def joined(x):
    rows = [[0, 1], [1, x[0]]]
    return (
        np.sum(np.stack(rows) ** 2)
        + np.sum(np.vstack(rows) ** 3)
        + np.sum(np.concatenate(rows) ** 4)
    )


@pytest.mark.parametrize(
    "function",
    [
        matrix_times_vector, of_one_column, given_to_functions, given_to_linear_algebra, rows_of_rows,
        rows_that_were_appended, stored_into, complex_in_the_last_row, truths_first, joined,
    ],
    ids=lambda function: function.__name__,
)  # fmt: skip
def test_rows_of_integers_before_others(function):
    laws.check_orders(function, X)


def test_the_last_row_counts():
    gradient = tl.grad(lambda k: np.linalg.det(np.array([[1, 2], [3, k]])))
    assert gradient(0.5) == pytest.approx(1.0)
