"""`d.get(key)` is None where the dict has no such key: what is then done is not left out."""

import numpy as np
import pytest

import tapeless as tl

X = np.array([0.3, 0.5, 1.2, 0.8])


def made_where_missing(x):
    table = {}
    for i in range(4):
        item = table.get(i)
        if item is None:
            table[i] = x[i] * 2.0
        else:
            table[i] = 0.0
    return table[0] * table[1]


def memo(x):
    known = {}

    def number(n):
        found = known.get(n)
        if found is not None:
            return found
        made = x[n] if n < 2 else number(n - 1) * number(n - 2) + x[0]
        known[n] = made
        return made

    return number(4)


def stored_on_one_way(x):
    d = {}
    if x[0] > 1.0:
        d["a"] = x[1]
    item = d.get("a")
    if item is None:
        item = x[2]
    return item * x[3]


def taken_out_before(x):
    d = {"a": x * 2.0}
    y = d.pop("a")
    item = d.get("a")
    if item is None:
        item = x * 3.0
    return np.sum(item * y)


def keys_that_are_there(x):
    d = {"a": x * 2.0, "b": x[0]}
    item = d.get("a")
    return np.sum(item * x) * d.get("b")


def options(x, p):
    y = np.sum(p.get("w") * x)
    b = p.get("b")
    return y if b is None else y + b * b


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (made_where_missing, (X,)),
        (memo, (X,)),
        (stored_on_one_way, (X,)),
        (taken_out_before, (X,)),
        (keys_that_are_there, (X,)),
        (options, (X, {"w": 2.0 * X, "b": 1.0})),
        (options, (X, {"w": 2.0 * X})),
    ],
)
def test_what_is_looked_up_may_be_none(f, args):
    tl.check_grads(f, *args, order=1, replay=True)


def test_second_derivatives_of_what_is_made_where_it_is_missing():
    tl.check_grads(stored_on_one_way, X)
    tl.check_grads(keys_that_are_there, X)
