"""Functions that return lists of records, of which a part changes later: their second derivatives."""

import numpy as np
import pytest

import tapeless as tl

X = np.array([0.25, 0.4, 0.22])


def pairs(xs):
    return [(v * v, np.array([v, 1.0])) for v in xs]


def arrays_in_pairs(x):
    total = 0.0
    for v, a in pairs(x):
        a[1] = v * 2
        total += np.sum(a**2) * v
    return total


def records(xs):
    return [{"w": v, "h": [v, v * v]} for v in xs]


def lists_in_records(x):
    total = 0.0
    for record in records(x):
        record["h"].append(2.0)
        total += record["w"] * sum(record["h"])
    return total


@pytest.mark.parametrize("f", [arrays_in_pairs, lists_in_records], ids=lambda f: f.__name__)
def test_second_derivatives(f):
    tl.check_grads(f, X, order=2, replay=True)
