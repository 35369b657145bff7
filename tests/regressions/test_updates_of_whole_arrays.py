"""Updates of whole arrays in place: the result has the shape of the array, whatever is added."""

import numpy as np
import pytest

import tapeless as tl
from tests.laws import check_function

X = np.array([[0.4, -1.1, 0.7], [1.3, 0.2, -0.5]])


def summed_over_windows(x):
    out = np.zeros((1, 2))
    for i in range(2):
        for j in range(2):
            out += (i + 2.0 * j) * x[i : i + 1, j : j + 2] ** 2
    return np.sum(out**2)


def of_a_row(x):
    y = x * x
    y += x[0]
    y *= x[:, :1]
    return np.sum(np.sin(y))


def of_a_number(x):
    y = x * 2.0
    y -= x[0, 0]
    y /= 2.0 + x[1, 1] ** 2
    return np.sum(y**3)


def of_a_part(x):
    y = x * x
    for k in range(3):
        y[k % 2] += x[0] * (k + 1.0)
        y[:, 1:] *= x[:, :1]
    return np.sum(y)


def of_a_view(x):
    y = x * x
    row = y[1]
    row += x[0] * x[1, 2]
    return np.sum(y**2)


def read_between(x):
    y, total = np.ones(3), 0.0
    for row in x:
        total += np.sum(y * row)
        y += row * row
    return total + np.sum(y)


class State:
    def __init__(self, start):
        self.sum = start * 1.0


def of_an_attribute(x):
    state = State(x[0])
    for k in range(2):
        state.sum += x[k] * state.sum
    return np.sum(state.sum)


def of_an_item(x):
    sums = [x[0] * 2.0, x[1] * 1.0]
    for k in range(2):
        sums[k] += x[1 - k] * x[0, 0]
    return np.sum(sums[0] * sums[1])


def started_by_a_part(x):
    y = x * x
    y += 1.0
    return np.sum(y[0]) + np.sum(y * x) + y[1, 1]


PROGRAMS = [
    summed_over_windows, of_a_row, of_a_number, of_a_part, of_a_view, read_between,
    of_an_attribute, of_an_item, started_by_a_part,
]  # fmt: skip


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_derivatives(function):
    check_function(function, (X,))


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_single_precision(function):
    single = tl.grad(function)(X.astype(np.float32))
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, tl.grad(function)(X), rtol=2e-4, atol=2e-4)


def test_the_update_stands_as_it_was_written():
    text = tl.source(summed_over_windows, like=(X,))
    assert "out += " in text and "copy()" not in text


def test_what_does_not_fit_raises_as_a_plain_call():
    def too_large(x):
        y = x[0] * 1.0
        y += x
        return np.sum(y)

    with pytest.raises(ValueError, match="broadcast"):
        too_large(X)
    with pytest.raises(ValueError, match="broadcast"):
        tl.grad(too_large)(X)
