"""Objects, tuples and calls that are given the entries of an array or the items of a list by `*x`."""

from collections import namedtuple
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import pytest

import tapeless as tl
from tests import laws

X = np.array([0.7, 1.3])


class Written:
    def __init__(self, a, b, c=2.0):
        self.a, self.b, self.c = a, b, c

    def value(self):
        return self.a * self.b + self.c * self.a**2

    def times(self, u, v=1.0):
        return self.value() * u * v


@dataclass
class Made:
    a: float
    b: float
    c: float = 2.0

    def value(self):
        return self.a * self.b + self.c * self.a**2


@dataclass
class WithFactory:
    a: float
    b: float
    kept: list = field(default_factory=list, init=False)

    def value(self):
        self.kept.append(self.a * self.b)
        return self.kept[0] * self.b


@dataclass
class OwnConstructor:
    a: float
    b: float = 2.0

    def __init__(self, p, q):
        self.a, self.b = p * q, q

    def value(self):
        return self.a * self.b


class Derived(Made):
    def value(self):
        return super().value() * self.b


class Named(NamedTuple):
    a: float
    b: float

    def value(self):
        return self.a * self.b**2


Three = namedtuple("Three", "a b c", defaults=[3.0])


@tl.custom_gradient
def product(a, b):
    def grad(upstream):
        return upstream * b, upstream * a

    return a * b, grad


def of_a_class(x):
    return Written(*x).value()


def of_a_dataclass(x):
    return Made(*x).value()


def of_a_dataclass_with_a_factory(x):
    return WithFactory(*x).value()


def of_a_dataclass_with_its_own_constructor(x):
    return OwnConstructor(*x).value()


def of_a_derived_dataclass(x):
    return Derived(*x).value()


def of_a_named_tuple(x):
    return Named(*x).value()


def of_a_tuple_with_defaults(x):
    return Three(*x).c * Three(*x).a * Three(*x, x[0] * x[1]).c


def a_keyword_beside_it(x):
    return Made(*x, c=x[0]).value() + Named(x[0], *x[1:]).value()


def of_a_list(x):
    return Named(*[v * v for v in x]).value()


def of_a_list_of_the_entries(x):
    return Written(*list(x)).value()


def in_a_loop(x):
    total = 0.0
    for row in np.outer(x, x):
        total += Made(*row).value() * total + Named(*row).value()
    return total


def in_a_branch(x):
    if x[0] > 0:
        made = Made(*x)
    else:
        made = Made(1.0, *x)
    return made.value()


def of_a_method(x):
    return Written(1.0, x[1]).times(*x) + Written(*x).times(x[0], *x[1:])


def of_a_custom_gradient(x):
    return product(*x)


def of_a_ufunc(x):
    return np.arctan2(*x) * np.add(*x)


@pytest.mark.parametrize(
    "f",
    [
        of_a_class,
        of_a_dataclass,
        of_a_dataclass_with_a_factory,
        of_a_dataclass_with_its_own_constructor,
        of_a_derived_dataclass,
        of_a_named_tuple,
        of_a_tuple_with_defaults,
        a_keyword_beside_it,
        of_a_list,
        of_a_list_of_the_entries,
        in_a_loop,
        in_a_branch,
        of_a_method,
        of_a_custom_gradient,
        of_a_ufunc,
    ],
)
def test_each_entry_has_its_derivative(f):
    laws.check_function(f, (X,))


class AnyNumber:
    def __init__(self, *items):
        self.items = list(items)


def of_any_number(x):
    return sum(v * v for v in AnyNumber(*x).items)


def test_any_number_of_items():
    laws.check_orders(of_any_number, X)


@pytest.mark.parametrize("differentiate", [tl.grad, lambda f: lambda x: tl.jvp(f, (x,), (x,))])
def test_a_rule_that_is_given_a_list_is_refused(differentiate):
    def f(x):
        return np.einsum("i,i", *[v * x for v in x if v > 0.0])

    with pytest.raises(tl.TapelessError, match=r"how many arguments .* passes is not known"):
        differentiate(f)(X)
