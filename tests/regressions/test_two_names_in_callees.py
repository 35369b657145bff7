"""What a callee stores into or shortens is seen by its caller under all of its names."""

import numpy as np
import pytest

from tests import laws

X = np.array([0.6, -1.4, 2.3, 0.9])


def store_seen_through_a_third(a, b, c):
    b[0] = 5.0 * b[1]
    return c[0] * c[1]


def one_of_two_passed_beside_both(x):
    a, b = x * 2.0, x * 3.0
    c = a if x[0] > 3.0 else b
    return store_seen_through_a_third(a, b, c) + a[0] * b[0]


class Log:
    def __init__(self):
        self.places = []

    def push(self, place):
        self.places.append(place)

    def pop(self):
        return self.places.pop()

    def drop(self):
        self.places.pop()


def shortened_by_a_method(x):
    log = Log()
    log.push(0)
    log.push(1)
    total = 0.0
    for i in log.places:
        total += x[i] ** 3
    j = log.pop()
    return total * total * x[j]


def shortened_and_forgotten(x):
    log = Log()
    log.push(0)
    log.push(1)
    total = 0.0
    for i in log.places:
        total += x[i] ** 3
    log.drop()
    return total * total


@pytest.mark.parametrize(
    "f", [one_of_two_passed_beside_both, shortened_by_a_method, shortened_and_forgotten]
)
def test_what_a_callee_stores_into_or_shortens_is_seen_by_its_caller(f):
    laws.check_function(f, (X,))


def store_into_the_first(pair, v):
    pair[0][0] = v


def append_to_the_first(pair, v):
    pair[0].append(v)


def pop_of_the_first(pair):
    return pair[0].pop()


def array_in_a_tuple(x):
    a = x * 1.0
    pair = (a, 1)
    first = a[0] * 2.0
    store_into_the_first(pair, x[1] * x[2])
    return a[0] * a[1] * first


def list_in_a_tuple(x):
    items = [x[0], x[1]]
    pair = (items, 1)
    first = items[0] * 2.0
    store_into_the_first(pair, x[1] * x[2])
    return items[0] * items[1] * first


def list_in_a_tuple_grows_and_shrinks(x):
    items = []
    pair = (items, 1)
    append_to_the_first(pair, x[0])
    append_to_the_first(pair, x[1] * x[0])
    last = pop_of_the_first(pair)
    append_to_the_first(pair, x[2] * last)
    return items[0] * items[1] * last


@pytest.mark.parametrize(
    "f", [array_in_a_tuple, list_in_a_tuple, list_in_a_tuple_grows_and_shrinks]
)
def test_what_a_tuple_holds_and_a_callee_stores_into(f):
    laws.check_function(f, (X,), smooth=False)
