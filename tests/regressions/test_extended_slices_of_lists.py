"""Stores into every other item of a list, and items taken from dicts without saying which."""

import numpy as np
import pytest

import tapeless as tl
from tests import laws

X = np.array([0.3, 0.7, 1.1])


def every_other(x):
    items = [0.0] * 6
    items[::2] = [v * v for v in x]
    items[1::2] = [1.0, 2.0, 3.0]
    return sum(v * (i + 1) for i, v in enumerate(items))


def backwards(x):
    items = [x[0], x[1], x[2], 1.0]
    items[::-2] = x[:2]
    return items[0] * items[1] + items[2] * items[3] ** 2


def in_a_loop(x):
    items = list(x) + list(x**2)
    for k in (2, 3):
        items[::k] = tuple(2.0 * v for v in items[::k])
    return sum(v * i for i, v in enumerate(items))


def of_itself(x):
    items = [x[0]] * 4
    items[::2] = items[1::2]
    items[::2] = [items[0] * items[1], x[2]]
    return items[0] + items[1] * items[2]


def last_of_a_dict(x):
    held = {"a": x[0], "b": x[1] ** 2}
    key, value = held.popitem()
    return value * held["a"] * len(key)


def all_of_a_dict(x):
    held, s = {i: v * v for i, v in enumerate(x)}, 0.0
    while held:
        key, value = held.popitem()
        s = s * 0.5 + value * (key + 1)
    return s


def dropped(x):
    held = {"a": x[0]}
    held.popitem()
    held["c"] = x[1]
    return held["c"] ** 2 + len(held)


def of_nothing(x):
    held = {}
    try:
        held.popitem()
    except KeyError:
        return x[0] ** 2
    return x[1]


@pytest.mark.parametrize(
    "f",
    [
        every_other, backwards, in_a_loop, of_itself, last_of_a_dict, all_of_a_dict, dropped, of_nothing
    ],
)  # fmt: skip
def test_derivatives(f):
    laws.check_orders(f, X)


def test_items_that_do_not_fit():
    def f(x):
        items = [x, x, x]
        items[::2] = [x]
        return sum(items)

    with pytest.raises(ValueError, match="do not fit"):
        tl.grad(f)(1.0)
