"""Generators handed to functions that make a list of them under the same name: `vals = list(vals)`."""

import itertools

import numpy as np
import pytest

import tapeless as tl
from tests import laws

X = np.array([0.3, 0.5, -0.7, 1.1])


def total_of(vals):
    vals = list(vals)
    return sum(v**2 for v in vals) / len(vals)


def listed_first(x):
    return total_of(v * 2.0 for v in x)


class Transform:
    def transform(self, pts, r):
        pts = np.array(list(pts))
        m = pts.mean(0)
        return (m, (pts - m).sum() + r)


def by_a_method(x):
    m, d = Transform().transform(map(lambda p: np.array([p, p * x[0]]), x), x[1])
    return np.sum(m**2) + d


def both(vals, w=None):
    """doc"""
    if w is None:
        w = 1.0
    vals = tuple(vals)
    return vals[0] * vals[-1] * w


def made_a_tuple(x):
    return both(v * 2.0 for v in x)


def tr(pts, r):
    pts = np.array(list(pts))
    return pts.sum() + r


def in_an_array(x):
    return tr((v * 2.0 for v in x), x[1])


class P:
    def __init__(self, c):
        self.c = list(c)

    def __add__(self, o):
        return P((a + b for a, b in itertools.zip_longest(self.c, o.c, fillvalue=0.0)))

    def __call__(self, t):
        return sum((c * t**i for i, c in enumerate(self.c)))


def by_a_constructor(x):
    return (P([x[0], x[1]]) + P([x[2], x[3], x[0]]))(2.0)


def late(vals, d):
    d[0] = d[0] * 2.0
    vals = list(vals)
    return sum(vals)


def changed_before(x):
    d = [x[0], x[1]]
    return late((v * d[0] for v in x), d)


def first_changed(vals, d):
    d[0] *= 2.0
    vals = list(vals)
    return sum(vals)


def changed_in_place_before(x):
    d = x * 1.0
    return first_changed((v * d[0] for v in x), d)


def norm2(vals):
    if not isinstance(vals, list):
        vals = list(vals)
    return sum(v * v for v in vals) + len(vals)


def asked_what_it_is(x):
    return norm2(v * 2.0 for v in x) + norm2([x[0]])


@pytest.mark.parametrize("f", [listed_first, by_a_method, made_a_tuple, in_an_array])
def test_derivatives(f):
    laws.check_orders(f, X)


def test_first_derivatives():
    tl.check_grads(by_a_constructor, X, order=1, replay=True)


@pytest.mark.parametrize("f", [changed_before, changed_in_place_before, asked_what_it_is])
def test_what_a_list_does_not_mean_the_same_for_is_refused(f):
    with pytest.raises(tl.GradientError, match="the generator"):
        tl.grad(f)(X)
