"""Interpolation where two points are one: nothing is divided by their distance."""

import numpy as np
import pytest

from tests import laws

X = np.array([0.3, 0.5, -0.7, 1.1])
FP = np.array([1.0, 2.0, 5.0, 3.0])


def a_jump(x, xp):
    return np.sum(np.interp(x, xp, FP) ** 2)


def all_alike(fp):
    return np.sum(np.interp(X, np.full(4, 0.51), fp) ** 2)


def both_ends(x, fp):
    return np.sum(np.interp(x, np.array([0.0, 0.0, 1.0, 1.0]), fp) ** 2)


CASES = [
    (a_jump, (X, np.array([0.0, 0.4, 0.4, 1.0]))),
    (all_alike, (FP,)),
    (both_ends, (1.1 * X, FP)),
]


@pytest.mark.parametrize("f, args", CASES, ids=lambda case: getattr(case, "__name__", ""))
def test_derivatives(f, args):
    with np.errstate(all="raise"):
        laws.check_orders(f, *args)
