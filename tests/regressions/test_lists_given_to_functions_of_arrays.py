"""Constant lists and tuples that NumPy's functions are given beside what varies count as arrays."""

import numpy as np
import pytest

import tapeless as tl
from tests import laws
from tests.laws import check_function

W = np.array([0.37, 0.44])
PAIR = [1.0, 2.0]
SMALL = [0.1, 0.2]
SQUARE = [[1.0, 0.5], [0.2, 2.0]]


def products(w):
    return np.dot(PAIR, w) * np.inner(w, PAIR) + np.vdot(w, (3, 4)) + np.dot([1, 2], w)


def outer(w):
    return np.sum(np.add.outer(PAIR, w) ** 2 * np.multiply.outer(w, [1, 2])) + np.sum(
        np.subtract.outer((1.0, 2.0), 3.0) * w
    )


def solved(w):
    return np.sum(np.linalg.solve(SQUARE, w) * np.linalg.solve([[2, 1], [1, 3]], w))


def multiplied(w):
    return np.sum(np.matmul(SQUARE, w) * np.matmul(w, SQUARE)) + np.sum(np.multiply(SQUARE, w))


def powers(w):
    return np.sum(np.power(w, PAIR) + np.power(PAIR, w) + np.float_power(w, [2, 3]))


def nested_powers(w):
    return np.sum(np.power(SQUARE, w) * np.power(w, SQUARE))


def of_two(w):
    return np.sum(
        np.arctan2(PAIR, w) + np.hypot(w, (1, 2)) + np.divide(PAIR, w) * np.subtract((3, 2), w)
    )


def of_a_number(x):
    return (
        np.sum(np.multiply(x, (1.0, 2.0)))
        + np.sum(np.hypot(PAIR, x))
        + np.sum(np.clip(PAIR, x, 3.0))
    )


def interpolated(w):
    return np.sum(np.interp([0.12, 0.17], SMALL, w)) * np.interp(0.15, SMALL, w)


def polynomials(w):
    return np.sum(np.polyval(w, PAIR) * np.polyval(PAIR, w)) + np.sum(
        np.polyfit([0, 1, 3], np.append(w, 1.0), 1)
    )


def least_squares(w):
    return np.sum(np.linalg.lstsq(SQUARE, w, rcond=None)[0] * w)


def chosen(w):
    return np.sum(np.where([True, False], PAIR, w)) + np.sum(
        np.maximum(w, SMALL) * np.fmin(SMALL, w)
    )


def partly_varying(w):
    rows = [[w[0], 1.0], [2.0, w[1]]]
    return np.sum(np.dot(rows, w)) + np.sum(np.multiply([w[0], 3.0], PAIR))


def what_says_how(w):
    m = np.reshape(np.outer(w, PAIR), (1, 4))
    return np.sum(np.pad(m, ((0, 0), (1, 1))) * np.transpose(np.ones((6, 1)), (1, 0))) + np.sum(
        m, axis=(0, 1)
    )


def out_of_a_dict(x):
    held = {(1.0, 2.0): 3.0}
    total = 0.0
    for pair in held:
        total += np.sum(np.multiply(x, np.asarray(pair)))
    return total


PROGRAMS = [
    products, outer, solved, multiplied, powers, nested_powers, of_two, interpolated, polynomials,
    least_squares, chosen, partly_varying, what_says_how,
]  # fmt: skip


@pytest.mark.parametrize("function", PROGRAMS)
def test_of_arrays(function):
    check_function(function, (W,))
    tl.check_grads(function, W, order=1, replay=True)
    if function not in (least_squares, polynomials):  # solved in double precision
        check_function(function, (W.astype(np.float32),))


@pytest.mark.parametrize("function", [of_a_number, out_of_a_dict])
def test_of_numbers(function):
    check_function(function, (0.37,))
    laws.check_orders(function, 0.37)


def values_of_polynomials(w):
    rows = [w, 2.0 * w]
    below = np.polyval([v * w for v in w], w) * np.polyval(np.outer(w, w), w[0])
    return np.sum(np.polyval(rows, 2.0) * w) + np.sum(below) + np.polyval(rows, rows)[0, 1]


def reduced_by_a_method(w):
    rows = []
    for v in w:
        rows.append(w * v)
    return np.sum(np.logaddexp.reduce(rows) * w) + np.logaddexp.reduce(list(w))


def an_array_beside_a_list(w):
    rows = [w, [1.0, 2.0]]
    return np.sum(np.matmul(rows, rows) * w) + np.sum(np.dot(rows, w))


def a_list_on_one_way(w):
    x = [w[0], [w[1], 2.0]][1]
    return np.matmul(x, x)


@pytest.mark.parametrize(
    "f", [values_of_polynomials, reduced_by_a_method, an_array_beside_a_list, a_list_on_one_way]
)
def test_lists_of_lists_and_of_arrays(f):
    laws.check_orders(f, W)
