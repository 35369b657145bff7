"""Constructors that keep a function with values of its own, such as a method, and in which nothing varies.

What stands for such a function inside a derivative is no method: the constructor is taken into the module,
and not left to Python, also where it needs no derivative itself.
"""

import functools

import numpy as np
import pytest

import tapeless as tl


class Solver:
    def __init__(self, scheme="square"):
        self.scale = 2.0
        self.flux = getattr(self, f"_{scheme}")

    def _square(self, u):
        return self.scale * u**2

    def _cube(self, u):
        return self.scale * u**3

    def rate(self, u):
        return 1.5 * self.flux(u)


def a_method(u):
    return np.sum(Solver().rate(u))


def methods_by_name(u):
    return np.sum(Solver("square").rate(u)) * np.sum(Solver("cube").flux(u))


def power(k):
    def raised(u):
        return k * u**2

    return raised


class Closure:
    def __init__(self, k):
        self.law = power(k)


def a_closure(u):
    return np.sum(Closure(2.0).law(u))


class Partial:
    def __init__(self, k):
        self.law = functools.partial(scaled, k=k)


def scaled(u, k):
    return k * np.sin(u)


def a_partial(u):
    return np.sum(Partial(2.0).law(u)) * np.sum(u)


def built(k):
    return Partial(k)


def made_by_a_function(u):
    return np.sum(built(3.0).law(u))


CASES = [a_method, methods_by_name, a_closure, a_partial, made_by_a_function]


@pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)
def test_laws(f):
    tl.check_grads(f, np.array([1.0, 0.7]), order=2)
