"""A read of the user's that nobody needs goes only where the reverse sweep surely raises what it raised."""

import numpy as np
import pytest

import tapeless as tl
from tests import laws


def product(x, w):
    s = 0.0
    for i in range(len(x)):
        s += w[i] * x[i]
    return s


def mean(x, w):
    s = 0.0
    for i in range(len(w)):
        s += w[i] * x[i]
    return s / len(w)


def second_column(x, w):
    s = 0.0
    for i in range(x.shape[0]):
        s += w * x[i, 1]
    return s


def behind_a_test(x, w, asked):
    s = x * 2.0
    t = s / w
    if asked:
        s = s + t
    return s


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (product, (np.arange(1.0, 4.0), np.arange(3.0))),
        (product, ([1.0, 2.0], [3.0, 4.0])),
        (mean, (np.arange(1.0, 4.0), [1.0, 2.0, 3.0])),
        (second_column, (np.ones((3, 2)), 2.0)),
        (behind_a_test, (1.0, 2.0, True)),
    ],
)
def test_derivative(function, args):
    laws.check_function(function, args)


@pytest.mark.parametrize(
    ("function", "args", "error"),
    [
        (product, (np.ones(3), np.ones(2)), IndexError),
        (product, ([1.0, 2.0], [3.0]), IndexError),
        (mean, (np.ones(3), []), ZeroDivisionError),
        (second_column, (np.ones((3, 1)), 2.0), IndexError),
        (behind_a_test, (1.0, 0.0, False), ZeroDivisionError),
    ],
)
def test_errors_stay(function, args, error):
    with pytest.raises(error):
        function(*args)
    with pytest.raises(error):
        tl.grad(function)(*args)


def test_nothing_is_read_twice():
    text = tl.source(product, like=(np.ones(3), np.ones(3)))
    assert text.count("w[i]") == 1
