"""Keywords and items that a call spreads, in loops and branches."""

import numpy as np
import pytest

from tests import laws


def scaled(p, **more):
    return p * more["a"]


def kept(q, r=2.0):
    return q * q * r


def summed(*values, **more):
    return sum(values) * more.get("b", 1.0)


def further_keywords(x):
    s = 0.0
    for i in range(3):
        s += scaled(x[i], a=x[0]) ** 2
    return s


def in_nested_loops(x):
    s = 1.0
    for i in range(2):
        for j in range(2):
            s = s * scaled(x[i], a=s + x[j])
    return s


def of_a_dict(x):
    s = 0.0
    for i in range(3):
        s += kept(**{"q": x[i], "r": s + 1.0})
    return s


def in_a_branch(x):
    s = 0.0
    for i in range(3):
        if x[i] > 0:
            s += scaled(x[i], a=s + 1.0)
        else:
            s -= kept(**{"q": x[i]})
    return s


def together(x):
    s = 0.0
    for i in range(3):
        s = s + summed(x[i], *(s, x[0]), b=x[1])
    return s


def passed_on(x):
    def outer(p, **more):
        return scaled(p, **more) + kept(p, r=more["a"])

    s = 0.0
    for v in x:
        s += outer(v, a=s + 1.0)
    return s


@pytest.mark.parametrize(
    "f", [further_keywords, in_nested_loops, of_a_dict, in_a_branch, together, passed_on]
)
def test_spread_in_loops(f):
    laws.check_function(f, (np.array([0.3, -0.7, 0.5]),))
