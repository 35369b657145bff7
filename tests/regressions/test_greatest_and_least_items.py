"""`heapq.nlargest` and `heapq.nsmallest`: they choose items by their order, as `sorted` does."""

import heapq

import numpy as np
import pytest

from tests import laws

x = np.array([0.7, -0.4, 1.3, 0.9])


def of_an_array(x):
    top = heapq.nlargest(2, x)
    return top[0] * top[1]


def of_a_list(x):
    low = heapq.nsmallest(2, list(x * x[0]))
    return low[0] * low[-1]


def added_up(x):
    return sum(heapq.nlargest(3, x)) ** 2


def unpacked(x):
    a, b = heapq.nsmallest(2, x)
    return a * b**2


def by_key(x):
    a, b = heapq.nlargest(2, x, key=lambda v: -abs(v))
    return a * b**2


def by_key_named_after_what_it_is(x):
    best = heapq.nsmallest(2, [(v**2, k) for k, v in enumerate(x)], key=lambda pair: pair[0])
    return best[0][0] * best[1][0] * (1 + best[1][1])


def of_a_list_that_is_made(x):
    return np.prod(heapq.nlargest(2, [v * x[1] for v in x]))


def more_than_there_are(x):
    return sum(v * k for k, v in enumerate(heapq.nlargest(9, x))) + x[0] ** 2


def none_of_them(x):
    return sum(heapq.nsmallest(0, x)) + x[0] ** 2


PROGRAMS = [
    of_an_array,
    of_a_list,
    added_up,
    unpacked,
    by_key,
    by_key_named_after_what_it_is,
    of_a_list_that_is_made,
    more_than_there_are,
    none_of_them,
]


@pytest.mark.parametrize("f", PROGRAMS)
def test_derivatives(f):
    laws.check_orders(f, x)


def test_constants_are_left_to_python():
    def f(x):
        return x[heapq.nlargest(1, [0, 2, 1])[0]] ** 2

    laws.check_orders(f, x)
