"""Selected values that cancel out of all that is computed with them have no derivative of their own."""

import math
import re

import numpy as np
import pytest

import tapeless as tl
from tests.beside import facts_of
from tests.laws import check_function

X = np.array([[0.5, -1.2, 2.0], [0.1, 0.7, -0.3]])
W = np.array([[1.0, 2.0, -1.5], [0.5, -0.5, 3.0]])


def log_sum_exp(x):
    top = np.max(x, axis=1, keepdims=True)
    return np.sum(np.squeeze(top, axis=1) + np.log(np.sum(np.exp(x - top), axis=1)))


def without_keepdims(x):
    top = x.max(axis=-1)
    return np.sum(top + np.log(np.sum(np.exp(x - top[:, None]), axis=-1)))


def with_dots(x):
    top = np.max(x, axis=0)
    shifted = x.T - top[..., None]
    return np.sum(np.log(np.exp(shifted).sum(axis=1)) + top)


def of_everything(x):
    top = np.max(x)
    return np.log(np.mean(np.exp(x - top))) + top


def softmax(x):
    top = np.max(x, axis=1, keepdims=True)
    e = np.exp(x - top)
    return np.sum(W * (e / np.sum(e, axis=1, keepdims=True)))


def log_softmax(x):
    top = np.max(x, axis=1, keepdims=True)
    shifted = x - top
    return np.sum(W * (shifted - np.log(np.sum(np.exp(shifted), axis=1, keepdims=True))))


def negative(x):
    low = np.min(x, axis=1)
    return np.sum(-np.log(np.sum(np.exp(low[:, None] - x), axis=1)) + low)


def replaced(x):
    top = np.max(x, axis=0)
    top_1 = np.where(np.isfinite(top), top, 0.0)
    return np.sum(np.log(np.sum(np.exp(x - top_1), axis=0)) + top_1)


def in_a_loop(x):
    p = x[0]
    for row in x:
        v = p[:, None] + row
        top = np.max(v, axis=0)
        p = top + np.log(np.sum(np.exp(v - top), axis=0))
    return np.sum(p)


def temperature(x):
    top = np.max(x, axis=1, keepdims=True)
    return np.sum(np.log(np.sum(np.exp((x - top) / 2.0), axis=1)) + top[:, 0] / 2.0)


def root_of_squares(x):
    top = np.max(np.abs(x))
    return np.log(np.sqrt(np.sum(np.square(np.exp(x - top))))) + top


def by_a_name(x):
    k = x[0, 0] + 2.0
    top = np.max(x, axis=1, keepdims=True)
    return np.sum(top[:, 0] + k * np.log(np.sum(np.exp((x - top) / k), axis=1)))


def of_scalars(x):
    a, b, c = x[0]
    top = min(a, b, c)
    return top - 0.5 * math.log(math.exp((top - a) / 0.5) + math.exp(2.0 * (top - b)))


def under_one_name(x):
    x = W * x
    x = x - np.max(x, axis=1, keepdims=True)
    return np.sum(W * (x - np.log(np.sum(np.exp(x), axis=1, keepdims=True))))


def under_one_name_that_is_bound_anew(x):
    x = x - np.max(x)
    y = x - np.log(np.sum(np.exp(x)))
    x = y * W
    return np.sum(x)


CANCELLING = [
    under_one_name, under_one_name_that_is_bound_anew, by_a_name, of_scalars,
    log_sum_exp, without_keepdims, with_dots, of_everything, softmax, log_softmax, negative, replaced,
    in_a_loop, temperature, root_of_squares,
]  # fmt: skip


def added_twice(x):
    top = np.max(x, axis=1)
    return np.sum(top + top + np.log(np.sum(np.exp(x - top[:, None]), axis=1)))


def summed_over_other_rows(x):
    top = np.max(x, axis=1, keepdims=True)
    return np.sum(np.log(np.sum(np.exp(x - top), axis=0))) + np.sum(top)


def along_another_axis(x):
    square = x @ x.T
    top = np.max(square, axis=1)
    return np.sum(np.log(np.sum(np.exp(square - top), axis=1)) + top)


def read_elsewhere(x):
    top = np.max(x)
    y = top + np.log(np.sum(np.exp(x - top)))
    if x[0, 0] > 0.0:
        y = y * top
    return y


def bound_again(x):
    top = np.max(x)
    y = np.log(np.sum(np.exp(x - top)))
    top = top * 2.0
    return y + top


def of_the_trip_before(x):
    total = 0.0
    top = np.max(x)
    for row in x:
        total = total + top
        e = np.exp(row - top)
        top = np.max(row)
        total = total + np.log(np.sum(e))
    return total


def scaled_by_a_name(x):
    top = np.max(x)
    k = x[0, 0]
    return np.log(np.sum(np.exp(k * (x - top)))) + top


def by_another_name(x):
    k = x[0, 0] + 2.0
    n = x[0, 1] + 3.0
    top = np.max(x)
    return top + n * np.log(np.sum(np.exp((x - top) / k)))


def by_a_name_bound_meanwhile(x):
    k = 2.0
    top = np.max(x)
    y = np.sum(np.exp((x - top) / k))
    for _ in range(2):
        k = k + 1.0
    return top + k * np.log(y)


def normalized(x):
    top = np.max(np.abs(x))
    return top * np.sum(np.sin(x / top))


def stored(x):
    top = np.max(x, axis=1)
    e = np.exp(x - top[:, None])
    e[0, 0] = 1.0
    return np.sum(np.log(np.sum(e, axis=1)) + top)


def read_under_its_new_name(x):
    top = np.max(x)
    x = x - top
    y = np.log(np.sum(np.exp(x)))
    x = top * W
    return y + np.sum(x)


def read_by_a_function(x):
    x = x - np.max(x)
    shifted = lambda: np.sum(x * W)
    y = np.log(np.sum(np.exp(x)))
    return y + shifted()


def left_by_a_jump(x):
    y = W
    for k in range(3):
        y = x * (k + 1.0) - np.max(x)
        if k == 1:
            break
        y = y - np.log(np.sum(np.exp(y)))
    return np.sum(y)


REMAINING = [
    read_under_its_new_name, read_by_a_function, left_by_a_jump, by_another_name, by_a_name_bound_meanwhile,
    added_twice, summed_over_other_rows, along_another_axis, read_elsewhere, bound_again,
    of_the_trip_before, scaled_by_a_name, normalized, stored,
]  # fmt: skip


def names_that_cancel(function):
    return {s.targets[0].id for s in facts_of(function, X).function.cancelling}


@pytest.mark.parametrize("function", CANCELLING)
def test_what_cancels_is_found(function):
    assert names_that_cancel(function)


@pytest.mark.parametrize("function", REMAINING)
def test_what_does_not_cancel_is_left(function):
    found = names_that_cancel(function)
    assert not found & {"top", "top_1"} and not any(key.startswith("v") for key in found)


@pytest.mark.parametrize("function", [*CANCELLING, *REMAINING])
def test_derivatives(function):
    check_function(function, (X,))


def test_neither_the_ties_nor_the_maximum_stand_in_the_reverse_sweep():
    text = tl.source(log_sum_exp, like=(X,))
    assert "==" not in text and not re.search(r"\btop_bar\b", text)


def test_a_row_that_is_no_number_stays_none():
    rows = np.array([[0.5, np.nan, 1.0], [np.inf, 0.0, 1.0], [0.0, -np.inf, 1.0]])
    with np.errstate(invalid="ignore"):
        found = tl.grad(log_sum_exp)(rows)
    assert np.isnan(found[:2]).all()
    np.testing.assert_allclose(found[2], [1 / (1 + np.e), 0.0, np.e / (1 + np.e)])


def test_a_rule_of_the_users_is_asked():
    @tl.custom_gradient
    def steep(x):
        return np.exp(x), lambda y_bar: 2.0 * y_bar

    def f(x):
        top = np.max(x)
        return top + np.log(np.sum(steep(x - top)))

    assert not names_that_cancel(f)
