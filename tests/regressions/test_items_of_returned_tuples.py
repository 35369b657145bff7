"""Tuples that functions return, kept as a whole while what one item holds is stored into.

The item has a name, and stands in the tuple: what reaches the tuple reaches what the name stands for.
"""

import numpy as np
import pytest

from tests import laws

X = np.array([0.3, -0.4, 0.5])


def halved(p, q):
    p[0][1] *= 0.5
    return p[0] + q[0], q[1] * p[1]


def store_of_a_constant(p, q):
    r = halved(p, q)
    r[0][2] = 5.0
    return r


def store_of_an_item(p, q):
    r = halved(p, q)
    r[0][2] = p[1][0]
    return r


def store_before_a_call(p, q):
    r = halved(p, q)
    r[0][0] = p[1][1]
    return halved(r, q)


def unpacked_and_returned(p, q):
    r = halved(p, q)
    u, _ = r
    u[2] = p[1][0]
    return r


def by_another_name(p, q):
    r = halved(p, q)
    kept = r
    r[0][2] = p[1][0]
    return kept


def in_a_branch(p, q):
    r = halved(p, q)
    if p[1][0] > 0.0:
        r[1][0] = q[0][1]
    return r


FUNCTIONS = [
    store_of_a_constant,
    store_of_an_item,
    store_before_a_call,
    unpacked_and_returned,
    by_another_name,
    in_a_branch,
]


@pytest.mark.parametrize("stores", FUNCTIONS)
@pytest.mark.parametrize("alike", [True, False])
def test_stores_into_items(stores, alike):
    def f(x, s):
        p = (x * 1.0, s * x)
        q = p if alike else (np.sin(x), s * x * x)
        r = stores(p, q)
        return np.sum(r[0] ** 2) + np.sum(r[1] ** 3)

    laws.check_orders(f, X, 0.6)
