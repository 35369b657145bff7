"""A `return` of a function that is defined in a loop leaves that function, not the loop.

What a trip binds is restored where trips may end in a `return`, and where they only seem to.
"""

import numpy as np
import pytest

from tapeless.testing import check_replay
from tests import laws

X = np.array([[0.343, 0.336, 0.443], [0.369, 1.044, 0.676], [0.482, 0.931, 0.354]])


def lambda_of_what_changes(x):
    s = 0.0
    for row in x:
        best, y = 0, 0.0
        for i in range(1, 3):
            if row[i] > row[best]:
                best = i
            y += row[best] ** 2
            weigh = lambda t: t if x[best, i] > 1.37 else y * t  # noqa: B023, E731
            s += weigh(x[0, 2])
    return s


def definition_in_a_while(x):
    s, k = 0.0, 0
    while k < 3:
        best = 0
        for i in range(1, 3):
            if x[k, i] > x[k, best]:
                best = i
            s += x[k, best] ** 2

            def weigh(t):
                if t > 1.0:
                    return t
                return t * x[k, best]  # noqa: B023

            s = np.sin(s) + weigh(s)
        k += 1
    return s


def definition_in_a_branch(x):
    s = 0.0
    for row in x:
        best = 0
        for i in range(3):
            if row[i] > row[best]:
                best = i

                def weigh(t):
                    return t * row[best]  # noqa: B023

                s += weigh(row[i])
            else:
                s = s * row[best]
    return s


class Best:
    def find(self, row):
        best, y = 0, 0.0
        for i in range(1, 3):
            if row[i] > row[best]:
                best = i
            y += row[best] ** 2
            weigh = lambda t: t * row[best]  # noqa: B023, E731
            y = y + weigh(y)
        return y


def definition_in_a_method(x):
    s = 0.0
    for row in x:
        s += Best().find(row)
    return s


def returns_by_itself(x):
    s = 0.0
    for row in x:
        best = 0
        for i in range(1, 3):
            if row[i] > row[best]:
                best = i
            s += row[best] ** 2
            if s > 2.0:
                return s * row[best]
    return s


def returns_and_breaks(x):
    s = 0.0
    for row in x:
        best = 0
        if row[0] > 0.45:
            break
        for i in range(1, 3):
            if row[i] > row[best]:
                best = i
            s += row[best] ** 2
            if s > 20.0:
                return s * row[best]
    return s


@pytest.mark.parametrize(
    "function",
    [
        lambda_of_what_changes,
        definition_in_a_while,
        definition_in_a_branch,
        definition_in_a_method,
        returns_by_itself,
        returns_and_breaks,
    ],
)
def test_what_the_loop_binds_is_restored(function):
    laws.check_function(function, (X,))
    check_replay(function, X)
