"""A `grad` whose only argument is a sequence returns its structure: a list or tuple is one gradient then."""

import numpy as np
import pytest

import tapeless as tl
from tapeless.testing import check_grads

X = np.array([1.3, 2.1, -0.4])


@tl.custom_gradient
def stacked(rows):
    def grad(upstream):
        return [upstream[0] * 1.0, upstream[1] * 1.0]

    return np.stack(rows), grad


@tl.custom_gradient
def multiplied(rows):
    def grad(upstream):
        return upstream * rows[1], upstream * rows[0]

    return rows[0] * rows[1], grad


@tl.custom_gradient
def within_a_list(rows):
    def grad(upstream):
        return [[upstream * rows[1], upstream * rows[0]]]

    return rows[0] * rows[1], grad


@tl.custom_gradient
def of_a_pair(pair):
    a, b = pair

    def grad(upstream):
        return (upstream * b, np.sum(upstream * a)), None

    return a * b, grad


def changed(x):
    row = x * 2.0
    row[0] = x[1]
    return multiplied([row, x * x]) * row


@pytest.mark.parametrize(
    "function",
    [
        lambda x: stacked([x, x * x]) * x,
        lambda x: multiplied([x, x * x]) * x,
        lambda x: within_a_list([x, x * x]) * x,
        lambda x: of_a_pair((x, x[0])) * x,
        changed,
    ],
    ids=["a list", "a tuple", "a list of it", "before a None", "of what is stored into"],
)
def test_gradients_of_one_sequence(function):
    check_grads(function, X, replay=True)
