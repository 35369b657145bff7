"""Functions that return an argument, or an array that they make, both of which are stored into elsewhere."""

import numpy as np
import pytest

from tests import laws

X = np.array([0.3, -0.4, 0.5])


def first_above(us, limit):
    for u in us:
        if np.sum(u) > limit:
            return u
    return us[-1] * 0.5


def with_a_number(us, limit):
    for u in us:
        if np.sum(u) > limit:
            return u, limit
    return us[-1] * 0.5, limit * np.sum(us[0])


def by_way_of_another(us, limit):
    return first_above(us, limit)


def halved(u, limit):
    y = u * 0.5
    if limit > 1.0:
        y = u
    return y


def used(x, s):
    a = x * 1.0
    a[2] += 0.6
    c = first_above([a, x], s)
    return np.sum(a**2) + np.sum(c * c)


def not_used(x, s):
    a = x * 1.0
    a[2] += 0.6
    c = first_above([a, x], s)
    c = x * s
    return np.sum(a**2) + np.sum(c)


def stored_into(x, s):
    a = x * 1.0
    c = first_above([a, x * x], s)
    c[1] = a[2]
    return np.sum(a**2) + np.sum(c * c)


def in_a_tuple(x, s):
    a = x * 1.0
    c, k = with_a_number([a, x], s)
    c[1] = a[2] * k
    return np.sum(a**2) + np.sum(c * c)


def two_deep(x, s):
    a = x * 1.0
    c = by_way_of_another([a, x * x], s)
    c[1] = a[2] * c[0]
    c = c * 2.0
    return np.sum(a**2) + np.sum(c * c)


def of_a_name_bound_twice(x, s):
    a = x * 1.0
    c = halved(a, s)
    c[1] = a[2]
    return np.sum(a**2) + np.sum(c * c)


CASES = [used, not_used, stored_into, in_a_tuple, two_deep, of_a_name_bound_twice]


@pytest.mark.parametrize("s", [-5.0, 0.45, 2.5])
@pytest.mark.parametrize("f", CASES, ids=[f.__name__ for f in CASES])
def test_their_derivatives(f, s):
    laws.check_orders(f, X, s)
