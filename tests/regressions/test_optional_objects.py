"""Objects that may be None: a test of what they are tells both cases."""

import numpy as np
import pytest

from tests import laws

X = np.array([0.6, 1.4, 2.3])


class Scaled:
    def __init__(self, x):
        self.x = x

    def __call__(self, u):
        return u * self.x


class Sized:
    def __init__(self, x):
        self.x = x

    def __len__(self):
        return len(self.x)


def made(x, n):
    if n > 0.5:
        return Scaled(x)
    return Sized(x) if n > 0.2 else None


def of_a_class(x, n):
    return np.sum(x * x) if isinstance(made(x, n), Scaled) else np.sum(x**3)


def of_one_class_or_another(x, n):
    o = made(x, n)
    if isinstance(o, Scaled):
        return np.sum(x * o.x)
    return np.sum(o.x**4) if isinstance(o, Sized) else np.sum(x**3)


def of_one_of_two(x, n):
    o = made(x, n)
    return np.sum(x * o.x) if isinstance(o, (Scaled, Sized)) else np.sum(x**3)


def exactly(x, n):
    return np.sum(x * x) if type(made(x, n)) is Scaled else np.sum(x**3)


def called(x, n):
    o = Scaled(x) if n > 0.5 else None
    return np.sum(o(x)) if callable(o) else np.sum(x**3)


def not_none(x, n):
    o = Scaled(x) if n > 0.5 else None
    if o is not None:
        return np.sum(o(x))
    return np.sum(x**3)


def or_another(x, n):
    o = Scaled(x) if n > 0.5 else None
    o = o or Scaled(x * 5.0)
    return np.sum(o(x) ** 2)


def of_what_has_a_length(x, n):
    o = Sized(x) if n > 0.5 else None
    return np.sum(x * x) if o else np.sum(x**3)


def a_list(x, n):
    items = [x * 2.0] if n > 0.5 else None
    return np.sum(items[0] ** 2) if isinstance(items, list) else np.sum(x**3)


def a_dict(x, n):
    items = {"a": x} if n > 0.5 else None
    return np.sum(items["a"] ** 2) if isinstance(items, dict) else np.sum(x**3)


def a_tuple(x, n):
    items = (x, x) if n > 0.5 else None
    return np.sum(items[0] ** 2) if isinstance(items, tuple) else np.sum(x**3)


CASES = [
    of_a_class, of_one_class_or_another, of_one_of_two, exactly, called, not_none, or_another,
    of_what_has_a_length, a_list, a_dict, a_tuple,
]  # fmt: skip


@pytest.mark.parametrize("n", [0.0, 0.4, 0.8])
@pytest.mark.parametrize("f", CASES, ids=[f.__name__ for f in CASES])
def test_what_may_be_none(f, n):
    laws.check_orders(lambda x: f(x, n), X)
