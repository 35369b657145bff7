"""Calls that nothing is passed back through: what they construct is constructed as its author wrote it."""

import numpy as np
import pytest

from tests import laws

X = np.array([1.3, 0.7])


class Part:
    def __init__(self, level, values):
        self.level = level
        self.values = values

    def size(self):
        return self.level * 2.0


def made_and_dropped(x):
    def inner():
        part = Part(x[0], [x[1]])  # noqa: F841

    inner()
    return x[0] * x[1]


def made_for_a_test(x):
    def size(v):
        return Part(np.max(np.abs(v)), v).size()

    s = x
    while size(s) > 0.5:
        s = 0.5 * s
    return np.sum(s * s)


def made_in_a_list_for_a_test(x):
    def size(v):
        parts = [Part(u, v) for u in v]
        return max(part.size() for part in parts)

    s = x
    while size(s) > 0.5:
        s = 0.5 * s
    return np.sum(s * s)


def made_of_what_does_not_vary(x):
    def inner(v):
        return Part(v[0], v)

    return x[0] * inner(np.ones(2)).size()


@pytest.mark.parametrize(
    "f",
    [made_and_dropped, made_for_a_test, made_in_a_list_for_a_test, made_of_what_does_not_vary],
)
def test_laws_and_replay(f):
    laws.check_function(f, (X,), smooth=True)
