"""`f(u, *items)` with a list or an array, where `f` takes any number of arguments."""

import json

import numpy as np
import pytest

import tapeless as tl
from tests import laws

X = np.array([1.3, 0.7, 0.4])


def total(*values):
    return sum(values)


class Scaled:
    def __init__(self, rate):
        self.rate = rate

    def of(self, first, *others):
        found = first
        for k, other in enumerate(others):
            found = found + self.rate * (k + 1.0) * other * other
        return found


def functions_of_a_list(x):
    functions = [np.sin, np.cos]

    def applied(*each):
        found = 0.0
        for f in each:
            found = found + np.sum(f(x))
        return found

    return applied(*functions)


def numbers_of_a_list(x):
    counts = [1, 2]

    def scaled(*each):
        found = 0.0
        for count in each:
            found = found + count * x[0]
        return found

    return scaled(*counts)


def grown_in_a_loop(x):
    powers = []
    for k in range(3):
        powers.append(x[k] ** (k + 1.0))
    return total(*powers) * x[0]


def items_of_an_array(x):
    return total(*(x * x))


def after_the_first(x):
    items = [x[1] * x[0], x[2]]
    items.append(x[0])
    return Scaled(x[1]).of(x[0], *items)


def items_of_a_mask(x):
    return total(*(np.array([True, False, True]) * x)) * x[0]


def of_one_rank_or_another(x):
    y = np.outer(x, x)
    for k in range(1):
        y = y[k]
    return total(*y) * sum(tuple(y)) * list(y)[1]


class Sequence:
    def __init__(self, items):
        self.items = items

    def __iter__(self):
        return iter(self.items)


def items_of_an_object(x):
    return total(*Sequence([x[0] * x[1], x[2]])) * x[0]


def what_is_read_from_a_text(x):
    return total(*json.loads("[1.0, 2.0]")) * x[0] ** 2


@pytest.mark.parametrize(
    "f",
    [
        functions_of_a_list, numbers_of_a_list, grown_in_a_loop, items_of_an_array, after_the_first,
        items_of_a_mask, items_of_an_object,
    ],
)  # fmt: skip
def test_laws_and_replay(f):
    laws.check_function(f, (X,), smooth=True)


@pytest.mark.parametrize("f", [of_one_rank_or_another, what_is_read_from_a_text])
def test_what_is_not_known(f):
    rng = np.random.default_rng(0)
    laws.check_reverse(f, (X,), (0,), rng)


def test_what_may_fill_a_default_too_is_refused():
    def f(x):
        def added(first=1.0, *rest):
            return first + sum(rest) * x[0]

        return added(*[v * v for v in x])

    for attempt in (lambda: tl.grad(f)(X), lambda: tl.jvp(f, (X,), (X,))):
        with pytest.raises(tl.GradientError, match="how many arguments"):
            attempt()


def after_parameters_of_its_own(x):
    def added(first, *rest, scale=2.0, **more):
        return first * sum(rest) * scale + sum(more.values())

    return added(*x) + added(x[0], x[1], scale=x[2], more=x[0] ** 2)


def of_a_list_that_grew(x):
    items = [v * x[1] for v in x]
    items.append(x[2])
    scaled = Scaled(x[0])
    return scaled.of(*items) + scaled.of(x[0], *items)


def in_a_recursion(x):
    def folded(first, *rest):
        return first if not rest else first * folded(*rest) + 1.0

    return folded(x[0], x[1], x[2])


def as_long_as_there_are_some(x):
    def folded(*items):
        if items:
            return items[0] * items[-1] + folded(*items[1:])
        return 0.0

    return folded(x[0], x[1], x[2])


@pytest.mark.parametrize(
    "f",
    [
        after_parameters_of_its_own, of_a_list_that_grew, in_a_recursion,
        as_long_as_there_are_some,
    ],
)  # fmt: skip
def test_what_fills_parameters_too(f):
    laws.check_function(f, (X,))


def two_at_once(x):
    return total(*x, *(x * x)) * x[0]


def between_others(x):
    return total(x[0] ** 2, *x, x[1] * x[2])


def the_first_by_a_star(x):
    def weighted(first, *rest):
        return first * sum((k + 1.0) * v for k, v in enumerate(rest))

    return weighted(*x, *x[:2]) + weighted(x[1], *x, x[0])


def to_a_constructor_and_a_method(x):
    class Sensor:
        def __init__(self, *gains):
            self.gains = gains

        def read(self, *values):
            return sum(g * v for g, v in zip(self.gains, values, strict=True))

    return Sensor(*x, *x).read(*x[::-1], *x)


@pytest.mark.parametrize(
    "f", [two_at_once, between_others, the_first_by_a_star, to_a_constructor_and_a_method]
)
def test_several_stars(f):
    laws.check_orders(f, X)
