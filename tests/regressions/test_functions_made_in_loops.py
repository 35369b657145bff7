"""A loop may make a function of functions, one around the other: what it makes changes from trip to trip."""

import functools
import operator

import numpy as np
import pytest

import tapeless as tl

X = np.array([0.5, 1.2, 2.0, 3.0])


def after(first, second):
    return lambda z: second(first(z))


def compose(*functions):
    return functools.reduce(after, functions)


def two_functions(x):
    return np.sum(functools.reduce(after, [np.sin, np.cos])(x))


def three_functions(x):
    return np.sum(functools.reduce(after, (np.sin, lambda z: z**2, np.cos))(x))


def of_starred_functions(x):
    pipeline = compose(np.sin, lambda z: z**2, functools.partial(np.multiply, 2.0))
    return np.sum(pipeline(x))


def around_a_first_one(x):
    layer = lambda z: z * x[0]  # noqa: E731
    for f in (np.sin, np.exp, np.sqrt):
        layer = after(layer, f)
    return np.sum(layer(x))


def innermost_last(x):
    layer = np.tanh
    for f in reversed([np.sin, np.exp]):
        layer = after(f, layer)
    return np.sum(layer(x) * x)


def with_an_item(x):
    return compose(np.sin, operator.itemgetter(slice(1, None)), operator.itemgetter(-1))(x)


def with_items(x):
    first, last = operator.itemgetter(0, slice(-2, None))(x)
    return first * np.sum(last**2)


FUNCTIONS = [
    two_functions,
    three_functions,
    of_starred_functions,
    around_a_first_one,
    innermost_last,
    with_an_item,
    with_items,
]


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_right(f):
    tl.check_grads(f, X, order=2, replay=True)
