"""Objects that are composed of others, which they hold in a tuple: sums and products of kernels."""

import functools
import operator

import numpy as np
import pytest

import tapeless as tl

V = np.array([1.5, 0.7])


class Kernel:
    def __add__(self, other):
        return Sum(self, other)

    def __mul__(self, other):
        return Product(self, other if isinstance(other, Kernel) else Constant(other))

    __rmul__ = __mul__


class Constant(Kernel):
    def __init__(self, value):
        self.value = value

    def __call__(self, x):
        return self.value * np.ones_like(x)


class Gaussian(Kernel):
    def __init__(self, width):
        self.width = width

    def __call__(self, x):
        return np.exp(-(x**2) / self.width)


class Sum(Kernel):
    def __init__(self, *parts):
        self.parts = parts

    def __call__(self, x):
        return functools.reduce(operator.add, (part(x) for part in self.parts))


class Product(Sum):
    def __call__(self, x):
        return functools.reduce(operator.mul, (part(x) for part in self.parts))


class Named:
    def __init__(self, first, second):
        self.pair = "pair", first, second

    def __call__(self, x):
        _, first, second = self.pair
        return first(x) + self.pair[2](x) * second(x)


X = np.array([0.3, 1.2])


def one_within_another(v):
    return np.sum(Sum(Product(Constant(v[0]), Gaussian(v[1])), Constant(v[1]))(X))


def by_operators(v):
    return np.sum(
        (v[0] * Gaussian(v[1]) + 0.5 * Gaussian(v[0]) * Gaussian(2.0) + Constant(v[1]))(X)
    )


def one_of_two_places(v):
    shared = Gaussian(v[0])
    return np.sum(Sum(Product(shared, Constant(v[1])), shared)(X))


def beside_a_name(v):
    return np.sum(Named(Named(Constant(v[0]), Gaussian(v[1])), Gaussian(v[0]))(X))


def changed_later(v):
    inner = Constant(v[0])
    outer = Sum(Product(inner, Gaussian(v[1])), Constant(v[1]))
    first = outer(X)
    inner.value = inner.value * v[1]
    return np.sum(first * outer(X))


COMPOSED = [by_operators, one_within_another, one_of_two_places, beside_a_name, changed_later]


@pytest.mark.parametrize("f", COMPOSED, ids=lambda f: f.__name__)
def test_second_derivatives(f):
    tl.check_grads(f, V, replay=True)
