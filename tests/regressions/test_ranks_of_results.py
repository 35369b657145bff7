"""Results whose rank or sizes were taken for those of one argument alone."""

import numpy as np
import pytest

from tests import laws

X = np.array([[0.3, -1.2, 2.5], [1.7, 0.4, -0.6]])
STACK = np.stack([np.eye(3) + 0.1 * np.outer(X[0], X[1]), 2.0 * np.eye(3) + 0.2])


@pytest.mark.parametrize("b", [X[0], X.T, np.stack([X.T, 2.0 * X.T])])
@pytest.mark.parametrize("a", [STACK, STACK[:1], STACK[0]])
def test_systems_with_stacks_of_matrices(a, b):
    def f(a, b):
        y = np.linalg.solve(a, b)
        return np.sum(y * y)

    laws.check_function(f, (a, b))


def test_sorted_without_axes():
    def f(x):
        y = np.sort(x, axis=None)
        y[0] = y[1] * y[2]
        return y[0] * y[-1] + y @ y

    laws.check_function(f, (X,))


def test_taken_from_all_entries():
    def f(x):
        y = np.take_along_axis(x, np.array([4, 0, 3]), axis=None)
        return y[0] * y[2] + y @ y

    laws.check_function(f, (X,))


@pytest.mark.parametrize("mean", [np.zeros((2, 1, 3)), np.zeros(3), 0.0])
def test_spread_around_means_of_another_rank(mean):
    def f(x, mean):
        y = np.var(x, axis=0, mean=mean)
        return np.sum(y * y)

    laws.check_function(f, (X, mean + 0.1))


def test_sums_over_axes_of_one_entry():
    def f(x, y):
        z = np.einsum("ij,ij->i", x, y)
        return np.sum(z * z[::-1])

    laws.check_function(f, (X[:1], X + 0.5))


def test_an_array_that_is_made_of_doubles():
    def f(x):
        y = np.float64(x) * x
        return np.sum(y[0] * y)

    laws.check_function(f, (X,))


def test_a_copy_of_a_number_is_an_array():
    def f(x):
        y = np.copy(x)
        y *= x
        z = y
        z += x
        return y * y

    laws.check_function(f, (0.7,))


def test_an_array_of_truths_that_are_written_out():
    def f(x):
        mask = np.array([True, False, x[0] > 0])
        kept = mask * x
        kept[1] += x[0]
        return np.sum(kept * x)

    laws.check_function(f, (np.array([0.7, -0.3, 0.4]),))
