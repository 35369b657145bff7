"""A constant that stands beside what varies in a tuple carries no derivative: it may be a key."""

from collections import defaultdict, namedtuple

import numpy as np
import pytest

import tapeless as tl

X = np.array([0.25, 0.4, 0.22])
Sample = namedtuple("Sample", "time value")


def keys_beside_items(x):
    surface = dict(zip((90.0, 100.0, 110.0), x))
    return sum(k * v * v for k, v in surface.items())


def keys_from_a_list(x):
    keys = [90.0, 100.0, 110.0]
    found = {}
    for i, key in enumerate(keys):
        found[key] = x[i] * x[i]
    return found[90.0] + found[100.0] * 3


def pairs_of_a_list(x):
    found = {}
    for key, value in [(90.0, x[0]), (100.0, x[1] * 2)]:
        found[key] = value * value
    return found[90.0] + found[100.0] * 3


def fields(x):
    samples = [Sample(0.5 * i, v) for i, v in enumerate(x)]
    found = {sample.time: sample.value**2 for sample in samples}
    replaced = samples[1]._replace(value=x[2])
    return found[0.5] * found[0.0] * replaced.value + found[replaced.time]


def joined_and_cut(x):
    row = (1.0,) + (x[0], 2.0) + (x[1],)
    middle = row[1:3]
    found = {row[0]: x[2], middle[1]: x[1]}
    return found[1.0] * found[2.0] * middle[0]


def ordered_by_them(x):
    found = defaultdict(list)
    for key, value in sorted([(2.0, x[0]), (1.0, x[1]), (2.0, x[2])], key=lambda pair: pair[0]):
        found[key].append(value * value)
    least, value = min([(2.0, x[0]), (1.0, x[1])], key=lambda pair: pair[0])
    return sum(found[2.0]) * found[1.0][0] + least * value


FOUND_BY_KEYS = [
    keys_beside_items, keys_from_a_list, pairs_of_a_list, fields, joined_and_cut, ordered_by_them,
]  # fmt: skip


@pytest.mark.parametrize("f", FOUND_BY_KEYS, ids=lambda f: f.__name__)
def test_second_derivatives_where_they_are_keys(f):
    tl.check_grads(f, X, order=2, replay=True)


def exchanged(x):
    pair = (1.0, x[0])
    for i in range(3):
        pair = (pair[1], pair[0] * x[i])
    return pair[0] * pair[1]


def bound_to_what_varies_later(x):
    a, b = 1.0, 2.0
    for i in range(3):
        a, b = (a, x[i])
        a = b if i == 1 else a
    return a * b


def one_of_two_pairs(x):
    pair = (0.0, 1.0)
    if x[0] > 0.1:
        pair = (x[1], 2.0)
    a, b = pair
    return a * b * x[0]


def total(pair):
    return np.sum(pair[0] ** 2) * pair[1]


def stored_into_later(x):
    a = np.zeros(3)
    pair = (a, 1.0)
    nested = ((a, 2.0), x[1])
    a[0] = x[0]
    return total(pair) + total(nested[0]) * nested[1]


def stored_into_by_a_call(x):
    def fill(pair, value):
        array, k = pair
        array[0] = value
        return array, k

    a = np.zeros(2)
    pair = fill((a, 3.0), x[0])
    pair = fill((pair[0] * x[1], pair[1]), x[1])
    return total(pair) + a[0] * x[2]


def a_list_that_is_filled_later(x):
    items = []
    pair = (items, x)
    for v in x:
        pair[0].append(v * v)
    found, y = pair
    return sum(found) * y[0] + found[1]


def an_argument_that_is_asked_for(x):
    slope = tl.grad(lambda pair: pair[0] * pair[1] ** 2)((2.0, x[0]))
    return slope[0] * slope[1]


@tl.custom_gradient
def handed_on(pair):
    def grad(upstream):
        return (3.0 * upstream[0], 5.0 * upstream[1])

    return (pair[0], pair[1]), grad


def in_an_array_of_constants(x):
    first, second = (2.0, np.ones(2) * x[0])
    second[1] = first
    return np.sum(second * x[:2])


ANY_OF_THEM_MAY_VARY = [
    exchanged, bound_to_what_varies_later, one_of_two_pairs, stored_into_later,
    stored_into_by_a_call, a_list_that_is_filled_later, an_argument_that_is_asked_for,
    in_an_array_of_constants,
]  # fmt: skip


@pytest.mark.parametrize("f", ANY_OF_THEM_MAY_VARY, ids=lambda f: f.__name__)
def test_second_derivatives_where_constants_come_to_vary(f):
    tl.check_grads(f, X, order=2, replay=True)


def test_what_a_custom_gradient_says_of_a_constant_beside_it():
    def f(x, y):
        first, second = handed_on((x, y))
        return first * second

    def of_a_pair(x):
        first, second = handed_on((2.0, x))
        return first * second

    assert tl.grad(f, (0, 1))(2.0, 3.0) == (9.0, 10.0)
    assert tl.grad(of_a_pair)(3.0) == 10.0


def places_as_keys(x):
    rows = np.outer(x, np.array([1.0, 3.0]))
    cells = {}
    for row in rows:
        key = tuple((row / 0.3).astype(int))
        cells[key] = cells.get(key, 0.0) + row @ row
    return sum(v * v for v in cells.values())


def test_integers_made_of_what_varies_are_keys():
    tl.check_grads(places_as_keys, X, order=1, replay=True)
