"""`place op= value` where it is not known what the place holds: an array changes, a number is replaced."""

import copy

import numpy as np
import pytest

import tapeless as tl

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


@pytest.mark.parametrize("f", FUNCTIONS)
@pytest.mark.parametrize("mode", [tl.value_and_grad, tl.vjp])
def test_reverse_mode_refuses_it(f, mode):
    arguments = copy.deepcopy(ARGUMENTS)
    with pytest.raises(tl.GradientError, match="`m` is an array or a number is not known here"):
        mode(f)(*arguments) if mode is tl.value_and_grad else mode(f, *arguments)
    assert np.array_equal(arguments[1][1], ARGUMENTS[1][1])


@pytest.mark.parametrize("f", [of_a_name])
def test_forward_mode_refuses_it(f):
    arguments = copy.deepcopy(ARGUMENTS)
    with pytest.raises(tl.GradientError, match="`m` is an array or a number is not known here"):
        tl.jvp(f, arguments, (1.0, (1.0, np.ones(3))))
    assert np.array_equal(arguments[1][1], ARGUMENTS[1][1])
