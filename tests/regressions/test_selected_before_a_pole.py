"""What was not selected has the derivative 0, also where a root of what was selected has a pole."""

import numpy as np
import pytest

import tapeless as tl
from tests.laws import check_function

X = np.array([-1.0, 2.0, 0.5, -0.3])


def root_of_a_maximum(x):
    return np.sum(np.sqrt(np.maximum(x, 0.0)))


def root_of_clipped(x):
    return np.sum(np.sqrt(np.clip(x, 0.0, None)) * x)


def root_of_where(x):
    return np.sum(np.sqrt(np.where(x > 0.0, x, 0.0)))


def power_of_a_maximum(x):
    return np.sum(np.maximum(x, 0.0) ** 0.5)


def root_of_masked(x):
    return np.sum(np.sqrt(x * (x > 0.0)))


def root_of_numbers(x):
    return sum(np.sqrt(max(v, 0.0)) for v in x)


def root_of_a_product(x):
    return np.sum(np.sqrt(np.maximum(x, 0.0) * (2.0 + x[1])))


def powers_of_one_number(x):
    return np.sum(np.maximum(np.exp(x[0]) ** np.arange(-2.0, 2.0), 0.9) * x)


def logarithm(x):
    y = np.maximum(x, 0.0)
    return np.sum(np.where(y > 0.0, np.log(y), 0.0))


def in_a_loop(x):
    v, s = x, np.ones(4)
    for k in range(3):
        positive = np.maximum(v, 0.0)
        s = s * np.exp(np.sqrt(positive * 0.1) - 0.05 * positive)
        v = v + 0.3 * (0.2 - positive) + 0.1 * k * np.sqrt(positive)
    return np.sum(s)


def item_of_a_maximum(x):
    y = np.maximum(x, 0.0)
    return (y[0] * x[1]) ** 0.5 + np.sqrt(y[3] * x[2]) + y[1]


def root(v):
    return v**0.5


def slices_of_a_maximum_in_a_callee(x):
    head = np.maximum(x, 0.0)[:2]
    return np.sum(root(head * x[1])) + x[3]


def items_of_a_maximum_in_a_loop(x):
    s = 0.0
    for v in np.maximum(x, 0.0):
        s += np.sqrt(v * x[2])
    return s


PROGRAMS = [
    root_of_a_maximum, root_of_clipped, root_of_where, power_of_a_maximum, root_of_masked,
    root_of_numbers, root_of_a_product, logarithm, in_a_loop, item_of_a_maximum,
    slices_of_a_maximum_in_a_callee, items_of_a_maximum_in_a_loop, powers_of_one_number,
]  # fmt: skip


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_derivative(f):
    check_function(f, (X,))


def test_what_is_at_least_a_number_has_no_pole():
    def normalized(x):
        return np.sum(x / np.maximum(np.sqrt(np.sum(x * x)), 1e-12))

    assert "times_partial" not in tl.source(normalized, like=(X,))
