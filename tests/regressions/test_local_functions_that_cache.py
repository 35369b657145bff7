"""Local functions that `functools` caches, or that call themselves with defaults of their own."""

import functools
from functools import lru_cache

import numpy as np
import pytest

import tapeless as tl
from tests import laws


def cached(x):
    @functools.cache
    def power(n):
        return x**n

    return power(2) + power(3) * power(2)


def cached_recursion(x):
    @functools.lru_cache(maxsize=4096)
    def c(n):
        if n < 2:
            return x
        return c(n - 1) * 0.5 + c(n - 2) * x

    return c(12)


def of_two_arguments(x):
    @lru_cache
    def ways(i, j=0):
        if i == 0 or j == 3:
            return np.sin(x) + i
        return ways(i - 1, j) * x + ways(i - 1, j=j + 1)

    return ways(5)


def cached_arrays(x):
    @lru_cache(None)
    def row(n):
        return np.array([x, x * n])

    total = 0.0
    for n in (1, 2, 1, 3, 2):
        total = total + np.sum(row(n) ** 2)
    return total


def with_a_dict_as_default(x):
    def c(n, memo={}):  # noqa: B006
        if n in memo:
            return memo[n]
        memo[n] = x if n < 2 else c(n - 1) * 0.5 + c(n - 2) * x
        return memo[n]

    return c(12)


def with_a_computed_default(x):
    def power(n, base=x * 2.0):
        return base if n == 0 else power(n - 1) * base

    return power(3) + power(2, x)


def with_a_default_by_name(x):
    def go(i, *, scale=x, found=()):
        if i == 3:
            return sum(found)
        return go(i + 1, found=(*found, scale * i))

    return go(0) * go(1, scale=2.0)


@pytest.mark.parametrize(
    "f",
    [
        cached, cached_recursion, of_two_arguments, cached_arrays, with_a_dict_as_default,
        with_a_computed_default, with_a_default_by_name,
    ],
)  # fmt: skip
def test_what_they_return_carries_derivatives(f):
    laws.check_orders(f, 0.7)


def test_a_cache_is_asked_before_anything_is_computed():
    calls = []

    def f(x):
        @functools.cache
        def c(n):
            calls.append(n)
            return x if n < 2 else c(n - 1) + c(n - 2)

        return c(20)

    tl.grad(f)(1.0)
    assert sorted(calls) == list(range(21))
