"""Iterators with a start, in each other, and handed to functions and classes."""

import itertools
import operator
from collections import Counter

import numpy as np
import pytest

from tests import laws

X = np.array([0.3, 0.5, -0.7, 1.1])


def accumulated_from_a_start(a):
    return sum(itertools.accumulate(X, lambda h, e: a * h + e**2, initial=0.1))


def accumulated_into_an_array(x):
    return np.array(list(itertools.accumulate(x[:-1], lambda a, b: a * b + b, initial=x[0]))).sum()


def accumulated_and_numbered(x):
    s = 0.0
    for i, v in enumerate(itertools.accumulate(x, initial=1.0)):
        s += v**2 * i
    return s


def accumulated_products(x):
    s = [v * x[0] for v in itertools.accumulate(x, operator.mul, initial=x[1])]
    return sum(s)


def accumulated_by_indices(x):
    path = list(itertools.accumulate(range(4), lambda h, k: h * x[k] + k, initial=0.5))
    return path[-1] + path[1]


def taken_while(a):
    return sum(itertools.takewhile(lambda v: v * a < 5.0, X)) * a


def counted(x):
    c = Counter(i % 2 for i in range(3))
    return x[0] * c[0] + x[1] ** 2 * c[1]


def pools(x):
    k = np.array([1.0, 2.0])
    return sum((zi * zj for zi, zj in itertools.combinations(map(lambda a: a * x[1], x), 2))) + sum(
        (a * b for a, b in itertools.product((v * v for v in x), k))
    )


def tot(it):
    return sum(v * v for v in it)


def map_and_filter(y):
    return (
        tot(map(np.sin, y))
        + tot(filter(lambda v: v > 0, y))
        + tot(map(lambda a, b: a * b, y, y[::-1]))
    )


def filter_of_none(y):
    g = lambda v: v * y[0]
    return tot(map(g, y)) + tot(filter(None, [y[0], y[1]]))


def tr(pts):
    return np.vstack(list(pts)).sum(0)


def map_listed_by_a_function(par):
    h = lambda s: np.array([np.sin(s) + par[2] * s**2])
    return tr(map(h, par)).sum()


def like_its_class(x):
    t = (x, x * 2.0)
    p = type(t)(v for v in t)
    return np.sum(p[0] ** 2) * np.sum(p[1])


CASES = [
    (accumulated_from_a_start, (0.3,)),
    (accumulated_into_an_array, (X,)),
    (accumulated_and_numbered, (X,)),
    (accumulated_products, (X,)),
    (accumulated_by_indices, (X,)),
    (taken_while, (0.3,)),
    (counted, (np.array([0.3, 0.5]),)),
    (pools, (np.array([0.3, 0.5]),)),
    (map_and_filter, (X,)),
    (filter_of_none, (X,)),
    (map_listed_by_a_function, (np.array([0.5, 1.2, 0.3]),)),
    (like_its_class, (np.array([0.3, 0.5]),)),
]


@pytest.mark.parametrize("f, args", CASES, ids=lambda case: getattr(case, "__name__", ""))
def test_derivatives(f, args):
    laws.check_orders(f, *args)
