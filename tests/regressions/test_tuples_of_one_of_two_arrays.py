"""A tuple that holds a new array on one way and one that is stored into on another."""

import numpy as np
import pytest

from tests import laws

V = np.array([1.167, 0.6, 1.485])


def returned_from_branches(a, pair):
    if pair[0] > 1.17:
        return (a, pair[1] * 2.0)
    pair[1][1] = a
    return (a, pair[1])


def rolled(a, pair):
    if pair[0] > 1.17:
        return (a, np.roll(pair[1], 1))
    pair[1][1] = a
    return (2.0 * a, pair[1])


def with_an_else(a, pair):
    if pair[0] > 1.17:
        both = (a, pair[1] * a)
    else:
        pair[1][1] = a
        both = (a, pair[1])
    return both


def nested_tuples(a, pair):
    if pair[0] > 1.17:
        return (a, (pair[1] * 2.0, a))
    pair[1][1] = a
    return (a, (pair[1], a * a))


def returned_from_a_loop(a, pair):
    for k in range(3):
        pair[1][k] = pair[1][k] * a
        if pair[1][k] > 1.2:
            return (a, np.sin(pair[1]))
    return (a, pair[1])


def inner(a, pair):
    if pair[0] > 1.17:
        return (a, pair[1] * 2.0)
    pair[1][1] = a
    return (a, pair[1])


def in_a_callee(a, pair):
    b, c = inner(a, pair)
    return np.sum(c * c) * b


@pytest.mark.parametrize("first", [1.291, 1.0])
@pytest.mark.parametrize(
    "function",
    [
        returned_from_branches,
        rolled,
        with_an_else,
        nested_tuples,
        returned_from_a_loop,
        in_a_callee,
    ],
)
def test_both_have_their_cotangents_in_one_place(function, first):
    laws.check_function(function, (1.055, (first, V)))
