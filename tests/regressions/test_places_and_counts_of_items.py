"""`index` and `count` of tuples, lists and texts: integers, found by what is equal."""

import numpy as np
import pytest

import tapeless as tl
from tapeless.testing import check_grads

X = np.array([0.3, 0.7, 1.1])


def of_a_tuple_of_unknown_length(x):
    t = tuple(x)
    return x[t.index(x[1])] ** 2 * t.count(x[0])


def of_a_tuple_made_by_a_mask(x):
    t = tuple(v * 2.0 for v in x[x > 0.0])
    return t.count(t[0]) * t[0] ** 2 + t.index(t[1]) * x[0]


def of_a_tuple_that_is_sorted(x):
    t = tuple(sorted(x))
    return t.count(t[0]) * t[0] ** 2 + t.index(t[2], 1) * x[1]


def of_a_list_that_grows(x):
    items, t = [], 0.0
    for v in x:
        items.append(v)
        t = t + v**2 * items.index(v)
    return t * items.count(x[0])


def of_an_order(x):
    order = sorted(range(3), key=lambda i: -x[i])
    return x[order.index(0)] * x[order.index(2)] ** 2


def of_a_text(x):
    s = "abcab"
    return x[s.index("b")] * s.count("a") * x[s.find("c")] * len(s.upper()) * x[s.rindex("b") - 3]


def not_in_it(x):
    items = list(x)
    try:
        i = items.index(5.0)
    except ValueError:
        i = 1
    return items[i] ** 3


def found_by_a_callee(x):
    def place(t, v):
        return t.index(v)

    return x[place((x[0], x[1]), x[1])] ** 2 * x[place([x[0], x[2]], x[2])]


PROGRAMS = (
    of_a_tuple_of_unknown_length, of_a_tuple_made_by_a_mask, of_a_tuple_that_is_sorted,
    of_a_list_that_grows, of_an_order, of_a_text, not_in_it, found_by_a_callee,
)  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_places_and_counts(f):
    check_grads(f, X, order=2, replay=True)


def test_error_of_the_function():
    with pytest.raises(ValueError, match="not in tuple"):
        tl.grad(lambda x: x[tuple(x).index(5.0)])(X)
