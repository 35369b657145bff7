"""Tuples within the items of lists and dicts, and functions that keep values, which are such tuples.

Each item is added to by its place; in a second derivative the sums of their adjoints are things of their own.
"""

from functools import partial

import numpy as np
import pytest

from tests import laws

X = np.array([0.3, 0.5, 0.9])


def power_law(t, a, b):
    return a * t**b


def potential(a):
    return lambda t: a * t**4


def partials_in_a_list(x):
    terms = [partial(power_law, a=x[k], b=2.0) for k in range(2)]
    terms.append(partial(power_law, a=x[0], b=x[1]))
    return sum(term(x[2]) for term in terms)


def partials_one_after_another(x):
    terms, t = [], x[2]
    for k in range(2):
        terms.append(partial(power_law, a=x[k], b=2.0))
    for term in terms:
        t = term(t)
    return t


def functions_in_a_dict(x):
    terms = {"kinetic": lambda v: 0.5 * x[0] * v**2, "potential": lambda v: x[1] * np.cos(v)}
    return sum(term(x[2]) for term in terms.values())


def made_by_a_function(x):
    terms = [potential(a) for a in x]
    return sum(term(x[1]) for term in terms)


def pairs_within_pairs(x):
    rows = []
    for i in range(3):
        if x[i] > 0.4:
            rows.append((x[i], (x[0], x[i] ** 2)))
        else:
            rows.append((x[i] ** 2, (x[1], 1.0)))
    s = 1.0
    for k in range(3):
        row = rows[k]
        if k == 1:
            inner = row[1]
            s = s + inner[0] * row[0]
        else:
            a, b = row[1]
            s = s * a + b
    return s


def one_pair_in_two_places(x):
    pair = (x[0] * x[1], (x[1], x[2]))
    rows = [pair, pair, (x[2], pair[1])]
    s = 1.0
    for weight, (a, b) in rows:
        s = s * weight * a + b**2
    for weight, (a, b) in rows:
        s = s + weight * a * b * s
    return s


def used(row, s):
    weight, (a, b) = row
    return s * weight + a * b * s


def taken_apart_by_a_callee(x):
    rows = [(x[i], (x[0], x[i] ** 2)) for i in range(3)]
    s = 1.0
    for row in rows:
        s = used(row, s)
    for row in reversed(rows):
        s = s + used(row, row[1][1])
    return s


def put_elsewhere(x):
    rows = [(x[0], (x[1], x[2])), (x[2], (x[0], x[1]))]
    rows[0], rows[1] = rows[1], rows[0]
    rows[0] = (rows[0][0] * rows[1][0], rows[1][1])
    s = 1.0
    for weight, (a, b) in rows:
        s = s * weight + a**2 * b
    return s


def arrays_within(x):
    rows = [(i, (x * (i + 1), x[0])) for i in range(2)]
    s = np.zeros(3)
    for _, (v, a) in rows:
        s = s + v**2 * a
    rows[0][1][0][1] = s[0] * x[2]
    return np.sum(s * rows[0][1][0])


PROGRAMS = [
    partials_in_a_list,
    partials_one_after_another,
    functions_in_a_dict,
    made_by_a_function,
    pairs_within_pairs,
    one_pair_in_two_places,
    taken_apart_by_a_callee,
    put_elsewhere,
    arrays_within,
]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_tuples_within_items(f):
    laws.check_function(f, (X,))
