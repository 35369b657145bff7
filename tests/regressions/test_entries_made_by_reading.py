"""A default dict gives itself the entries that it is asked for: the reverse sweep takes them away again."""

import collections

import numpy as np
import pytest

from tapeless.testing import check_replay
from tests import laws

X = np.array([1.2, 0.4, -0.7])


def table(kind):
    return collections.defaultdict(kind)


def visited_while_it_grows(x):
    d = table(float)
    t = 0.0
    for i, v in enumerate(x):
        d[i % 2] += v * v
        for k in d:
            t = t * 0.5 + d[k] * d[k]
    return t


def counted_while_it_grows(x):
    d = table(float)
    t = 1.0
    for i, v in enumerate(x):
        w = d[i]
        t = t * (v + len(d)) + w
        for k in d:
            d[k] = d[k] + v * t
    return t * d[0]


def asked_in_a_test(x):
    d = table(float)
    t = 1.0
    for v in x:
        if d["a"] < 1.0:
            d["a"] += v * v
        t = t * d["a"] + len(d)
    return t


def lists_that_come_and_grow(x):
    d = table(list)
    t = 1.0
    for i, v in enumerate(x):
        d[i % 2].append(v)
        t = t * 0.5 + sum(d[0]) * len(d)
    return t


def asked_and_counted_only(x):
    d = table(float)
    t = 1.0
    for i, v in enumerate(x):
        t = t * (v + len(d)) * (2.0 if i in d else v) + d[i]
    return t


def changed_by_items(x):
    d = table(float)
    t = 1.0
    for i, v in enumerate(x):
        d[i] += v
        for k, w in d.items():
            t = t + w * v
        for w in d.values():
            t = t * w
        for k in d.keys():
            d[k] *= v
    return t * d[0]


class Tally:
    def __init__(self):
        self.sums = collections.defaultdict(float)

    def add(self, key, v):
        self.sums[key] += v

    def total(self):
        t = 0.0
        for v in self.sums.values():
            t = t + v**2
        return t


def kept_by_an_object(x):
    tally = Tally()
    t = 0.0
    for i, v in enumerate(x):
        tally.add(i % 2, v)
        t = t * v + tally.total()
    return t


@pytest.mark.parametrize(
    "f",
    [
        visited_while_it_grows,
        counted_while_it_grows,
        asked_and_counted_only,
        changed_by_items,
        asked_in_a_test,
        lists_that_come_and_grow,
        kept_by_an_object,
    ],
)
def test_entries(f):
    laws.check_function(f, [X])
    check_replay(f, X)
