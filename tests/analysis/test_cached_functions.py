"""Functions whose results `functools.lru_cache` keeps: entered where they are given what varies."""

import functools
import math

import numpy as np
import pytest

import tapeless as tl
from tapeless.errors import GradientError


@functools.cache
def nodes(n):
    return tuple(k / n for k in range(1, n + 1))


@functools.cache
def grid(n):
    return np.linspace(0.0, 1.0, n)


@functools.cache
def steps(n):
    return 1 if n < 2 else steps(n - 1) + steps(n - 2)


@functools.cache
def square(x):
    return x * x


@functools.cache
def reads_what_cannot_be_seen(n):
    return float(eval("n + 1"))


class Basis:
    def __init__(self, scale):
        self.scale = scale

    @functools.lru_cache(maxsize=8)
    def weight(self, k):
        return self.scale**k / math.factorial(k)

    @staticmethod
    @functools.cache
    def order(n):
        return n + 1


def over_tuple(x):
    return sum(math.sin(x * t) for t in nodes(5))


def over_array(x):
    return np.sum(np.exp(x * grid(6)) * grid(6))


def over_recursion(x):
    return x ** steps(4)


def of_what_varies(x):
    return square(x) + square(2.0)


def of_an_object(x):
    basis = Basis(x)
    return basis.weight(2) + basis.weight(basis.order(2))


def of_an_object_that_does_not_vary(x):
    basis = Basis(1.5)
    return x * basis.weight(2)


def of_what_cannot_be_read(x):
    return x * reads_what_cannot_be_seen(2)


@pytest.mark.parametrize(
    "f",
    [
        over_tuple,
        over_array,
        over_recursion,
        of_what_varies,
        of_an_object,
        of_an_object_that_does_not_vary,
        of_what_cannot_be_read,
    ],
)
def test_derivatives_are_right(f):
    tl.check_grads(f, 0.7, order=2, replay=True)


def test_what_is_given_what_varies_keeps_nothing():
    square.cache_clear()
    tl.grad(of_what_varies)(0.7)
    assert square.cache_info().currsize == 1  # of 2.0


def test_what_a_call_returns_is_known():
    text = tl.source(over_array, like=(0.7,))
    assert "grid(6)" in text
    assert "unbroadcast" not in text


def store_what_varies(x):
    a = grid(4)
    a[0] = x
    return np.sum(a) * x


def store_through_another_function(x):
    a = fetched(4)
    a *= 2.0
    return np.sum(a) * x


def fetched(n):
    return grid(n)


@pytest.mark.parametrize("f", [store_what_varies, store_through_another_function])
def test_stores_into_what_is_kept_are_refused(f):
    with pytest.raises(GradientError, match="which it keeps for its other calls"):
        tl.grad(f)(0.7)
