"""A missing entry of a counter reads as 0 and is not made, wherever the counter comes from.

The adjoint and the tangent of a counter have no such entry either.
"""

from collections import Counter

import numpy as np
import pytest

from tapeless.testing import check_replay
from tests import laws

X = np.array([0.5, 1.5, 0.7])
SEEN = Counter({"a": 2.0})


def made():
    return Counter()


def made_by_a_callee(x):
    counts = made()
    for word, v in zip("aba", x):
        counts[word] += v
    return counts["a"] * counts["b"] + counts["zzz"]


def in_a_slot(x):
    slots = {"v": Counter()}
    for word, v in zip("aba", x):
        slots["v"][word] += v * v
    return slots["v"]["a"] * x[1] + slots["v"]["zzz"]


def by_another_name(x):
    counts = Counter()
    for word, v in zip("aba", x):
        same = counts
        same[word] += v**3
    return counts["a"] * counts["b"] + counts["zzz"] * x[0]


class Tally:
    def __init__(self):
        self.counts = Counter()

    def add(self, key, v):
        self.counts[key] += v
        return self.counts[key] - self.counts["none"]


def kept_by_an_object(x):
    tally = Tally()
    t = 1.0
    for i, v in enumerate(x):
        t = t * tally.add(i % 2, v * v)
    return t + tally.counts[0] + tally.counts[7] + len(tally.counts)


def outside(x):
    return x[0] ** 2 * SEEN["a"] + x[1] * SEEN["none"]


def one_of_two(x):
    few, many = Counter(), Counter()
    for word, v in zip("aba", x):
        (few if v < 1.0 else many)[word] *= 2.0
        (few if v < 1.0 else many)[word] += v * v
    return few["a"] * many["b"] + many["a"] * few["b"]


@pytest.mark.parametrize(
    "f", [made_by_a_callee, in_a_slot, by_another_name, kept_by_an_object, outside, one_of_two]
)
def test_counters(f):
    laws.check_function(f, [X])
    check_replay(f, X)
