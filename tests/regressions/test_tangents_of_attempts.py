"""The tangent of a pole in a `try` reads what the statement read, where its name is bound anew."""

import math

import numpy as np
import pytest

from tests import laws


def powers_of_itself(x, y):
    grown = y[1]
    for _ in range(2):
        try:
            grown **= x
        except ZeroDivisionError:
            pass
    return grown


def rooted(x, y):
    total = x
    for v in y:
        try:
            total = math.sqrt(total * v) + x
        except ValueError:
            total = 0.0
    return total


def returned(x, y):
    def settled(total):
        try:
            total = total**x
            return total
        except OverflowError:
            return 1.0

    return settled(y[0]) * settled(y[1] * x)


def in_a_branch(x, y):
    grown = y[0] * x
    if grown > 0.0:
        try:
            power = grown**x
            grown = power
            kept = grown
        except ZeroDivisionError:
            kept = 1.0
        return grown * kept
    return grown


ARGUMENTS = {
    powers_of_itself: (np.array([0.445, 1.025, 1.117]), [0.512, 1.468, 0.955]),
    rooted: (0.7, [0.512, 1.468]),
    returned: (0.7, [0.512, 1.468]),
    in_a_branch: (0.7, [0.512, 1.468]),
}


@pytest.mark.parametrize("f", ARGUMENTS, ids=lambda f: f.__name__)
def test_both_modes_and_orders(f):
    laws.check_orders(f, *ARGUMENTS[f])
