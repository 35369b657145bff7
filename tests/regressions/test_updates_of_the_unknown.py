"""`place op= value` where it is not known what the place holds: an array changes, a number is replaced."""

import copy

import numpy as np
import pytest

import tapeless as tl
from tapeless.testing import check_replay

KEPT = [None]
ARGUMENTS = 0.889, (1.188, np.array([1.274, 1.298, 0.649]))


def of_a_name(x, pair):
    KEPT[0] = pair
    m = KEPT[0][1]
    m *= KEPT[0][1][0]
    return x * 3.0


def of_a_name_in_a_loop(x, pair):
    KEPT[0] = pair
    for _ in range(2):
        m = KEPT[0][1]
        m += x
    return x * 2.0


def scaled(x):
    m = KEPT[0][1]
    m *= x
    return x * 2.0


def of_a_name_in_a_callee(x, pair):
    KEPT[0] = pair
    return scaled(x)


def of_a_name_in_a_branch(x, pair):
    KEPT[0] = pair
    if x > 0.0:
        m = KEPT[0][1]
        m -= x
    return x * x


FUNCTIONS = [of_a_name, of_a_name_in_a_loop, of_a_name_in_a_callee, of_a_name_in_a_branch]


SLOPES = {of_a_name: 3.0, of_a_name_in_a_loop: 2.0, of_a_name_in_a_callee: 2.0}


@pytest.mark.parametrize("f", FUNCTIONS)
def test_what_a_tuple_kept_outside_holds_is_known(f):
    slope = SLOPES.get(f, 2.0 * ARGUMENTS[0])
    assert np.isclose(tl.grad(f)(*copy.deepcopy(ARGUMENTS)), slope)
    assert np.isclose(tl.vjp(f, *copy.deepcopy(ARGUMENTS))[1](1.0)[0], slope)
    tangents = 1.0, (1.0, np.ones(3))
    assert np.isclose(tl.jvp(f, copy.deepcopy(ARGUMENTS), tangents)[1], slope)
    check_replay(f, *copy.deepcopy(ARGUMENTS))


@pytest.mark.parametrize("f", FUNCTIONS)
def test_pullbacks_leave_arguments_as_they_were(f):
    arguments = copy.deepcopy(ARGUMENTS)
    tl.vjp(f, *arguments)[1](1.0)
    assert np.array_equal(arguments[1][1], ARGUMENTS[1][1])
