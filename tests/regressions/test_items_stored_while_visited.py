"""A loop over the items of a dict into which its body stores finds again what it has visited."""

import numpy as np
import pytest

import tapeless.testing
from tests import laws

X = np.array([0.9, 1.3, 0.4])


def by_items(x):
    d, s = {"a": x[0], "b": x[1], "c": 0.3}, 0.7
    for key, t in d.items():
        s += np.sin(t)
        d[key] = d["b"] * 2.0
    return s + d["c"]


def by_values(x):
    d, s = {"a": x[0], "b": x[1] * x[2]}, 0.0
    for t in d.values():
        d["b"] = d["b"] * t
        s += t * t
    return s * d["b"]


def by_keys(x):
    d, s = {"a": x[0], "b": x[1]}, 1.0
    for key in d:
        s *= np.cos(d[key])
        d["b"] = d[key] * x[2]
    return s + d["b"]


def in_a_branch(x):
    d, s = {k: x[k] * x[0] for k in range(3)}, 0.0
    for key, t in d.items():
        if t > 0.5:
            d[2] = t * s
            s += t * t
    return s * d[2]


def in_a_callee(x):
    def scale(d, key):
        d[key] = d[key] * x[1]

    d, s = {"a": x[0], "b": x[2]}, 0.0
    for key, t in d.items():
        scale(d, "b")
        s += t**3 * d[key]
    return s


def nothing_stored(x):
    d, s = {"a": x[0], "b": x[1]}, 0.0
    for key, t in d.items():
        s += t**2 * len(key)
    return s


@pytest.mark.parametrize(
    "f", [by_items, by_values, by_keys, in_a_branch, in_a_callee, nothing_stored]
)
def test_items_stored_while_visited(f):
    laws.check_reverse(f, (X,), (0,), np.random.default_rng(1))
    laws.check_forward(f, (X,), (0,), np.random.default_rng(1))
    tapeless.testing.check_replay(f, X)
