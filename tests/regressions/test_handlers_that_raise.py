"""A `try` whose handlers all raise has one way out, which the reverse sweep goes back."""

import numpy as np

from tests import laws

X = np.array([0.5, 0.3, 1.2, 0.7])


def first_above_one(x):
    for _ in range(1):
        try:
            i = 0
            while i < 4:
                if x[i] > 1.0:
                    break
                i += 1
            y = x[i] ** 3
        except ValueError:
            raise
        return y


def left_in_the_midst(x):
    total = 0.0
    for k in range(3):
        try:
            v = x[k] * total
            if v > 10.0:
                break
            total = total + np.sin(v) * x[k] + x[0]
        except ValueError:
            raise RuntimeError("never") from None
    return total * v


def cut_short(x):
    total = x[0]
    for k in range(4):
        try:
            if x[k] < 0.4:
                continue
            v = x[k] * total
            total = total + v
        except (TypeError, KeyError):
            raise
    return total * total


def in_a_callee(x):
    return left_in_the_midst(x) * cut_short(x)


def test_handlers_that_raise():
    for f in (first_above_one, left_in_the_midst, cut_short, in_a_callee):
        laws.check_function(f, (X,), smooth=True)
