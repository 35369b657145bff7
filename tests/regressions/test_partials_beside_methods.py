"""Functions that are given values in unlike ways: a method and a `functools.partial` of it in one place."""

import functools

import numpy as np
import pytest

import tapeless as tl
from tests import laws

X = np.array([0.4, 1.3, -0.7, 2.1])


class Account:
    def __init__(self, value):
        self.value = value

    def grow(self, k, rate=1.0):
        self.value = self.value * k * rate
        return True


def gone_through(x):
    account = Account(x[0])
    hooks = {"once": account.grow, "twice": functools.partial(account.grow, rate=2.0)}
    s = 1.0
    for hook in hooks.values():
        if hook(x[1]):
            s = s * 2.0
    return s * account.value


def local_functions(x):
    best, n = x[0], 0

    def visit(v, *, w=1.0):
        nonlocal best, n
        n += 1
        if v > best:
            best = v * w
            return True
        return False

    hooks = {"plain": visit, "heavy": functools.partial(visit, w=2.0)}
    for _, hook in hooks.items():
        if hook(best * 1.1 + x[1]):
            n += 2
    return best * n


def state_that_is_constant(x):
    account = Account(1.0)
    s = x[0]
    for hook in {"a": account.grow, "b": functools.partial(account.grow, rate=2.0)}.values():
        s = s * np.sin(s * account.value)
        if hook(3.0):
            s = s * 2.0
    return s * account.value


@pytest.mark.parametrize("f", [gone_through, local_functions, state_that_is_constant])
def test_loops_over_dicts_of_them(f):
    laws.check_orders(f, X)


def one_of_two(x):
    account = Account(x[0])
    hook = account.grow if x[1] > 0 else functools.partial(account.grow, rate=2.0)
    s = 1.0
    if hook(3.0):
        s = s * 2.0
    return s * account.value


def handed_on(x):
    account = Account(x[0])
    hook = account.grow
    if x[1] > 0:
        hook = functools.partial(account.grow, rate=2.0)
    k = sorted([3.0, 2.0], key=hook)
    return k[0] * account.value


def by_a_key_that_varies(x):
    account = Account(x[0])
    hooks = [account.grow]
    if x[1] > 0:
        hooks.append(functools.partial(account.grow, rate=2.0))
    s = 1.0
    for hook in hooks:
        if hook(2.0):
            s += 1.0
    return s * account.value


def two_that_are_mapped(x):
    def scaled(k, v):
        return v * k

    def power(v, p=2):
        return v**p

    h = functools.partial(scaled, 2.0) if x[0] > 0 else functools.partial(power, p=x[1])
    return sum(map(h, x[:2])) + max(x[:2], key=h)


@pytest.mark.parametrize("f", [one_of_two, handed_on, by_a_key_that_varies, two_that_are_mapped])
def test_what_is_not_told_apart_is_refused(f):
    with pytest.raises(tl.TapelessError, match="calls is not known|is not looked into"):
        tl.grad(f)(X)
