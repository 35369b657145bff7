"""Objects that take their attributes from dicts and tables of names."""

import numpy as np
import pytest

import tapeless as tl
from tests import laws

X = np.array([0.3, 0.7, 1.1])


class Config:
    a = 1.0
    b = 2.0

    def total(self):
        return self.a * self.b


def overridden(config, options):
    for key, value in options.items():
        setattr(config, key, value)
    return config


def by_a_helper(x):
    return overridden(Config(), {"a": x[0], "b": x[1]}).total()


OPTIONS = {"a": 3.0}


def from_outside(x):
    return overridden(Config(), OPTIONS).total() * x[0]


def given(x, options):
    return overridden(Config(), options).total() * x[0]


class WithDefaults:
    DEFAULTS = {"a": 1.0, "b": 2.0}

    def __init__(self, **given):
        for key, default in self.DEFAULTS.items():
            setattr(self, key, given.get(key, default))


def with_defaults(x):
    made = WithDefaults(a=x[0])
    return made.a * made.b * x[1]


class Fields:
    _fields = ("a", "b")

    def __init__(self, *args):
        for key, value in zip(self._fields, args):  # noqa: B905
            setattr(self, key, value)

    def total(self):
        return sum(getattr(self, key) for key in self._fields)


def from_names_and_values(x):
    made = Fields(x[0], x[1] ** 2)
    return made.a * made.b * made.total()


class AtOnce:
    def __init__(self, **given):
        self.__dict__.update(given)


def at_once(x):
    made = AtOnce(a=x[0], b=x[1] ** 2)
    return made.a * made.b


class AtOnceByVars:
    def __init__(self, a, **given):
        vars(self).update(given)
        self.__dict__.update(a=a, c=a * 2.0)


def at_once_by_vars(x):
    made = AtOnceByVars(x[2], b=x[1])
    return made.a * made.b + made.c**2


@pytest.mark.parametrize(
    "f", [by_a_helper, from_outside, with_defaults, from_names_and_values, at_once, at_once_by_vars]
)
def test_their_attributes_carry_derivatives(f):
    laws.check_orders(f, X)


def test_other_keys_and_values(monkeypatch):
    g = tl.grad(from_outside)
    np.testing.assert_allclose(g(X), [6.0, 0.0, 0.0])
    monkeypatch.setitem(OPTIONS, "b", 5.0)
    np.testing.assert_allclose(g(X), [15.0, 0.0, 0.0])
    monkeypatch.delitem(OPTIONS, "a")
    np.testing.assert_allclose(g(X), [5.0, 0.0, 0.0])


@pytest.mark.parametrize(
    ("options", "expected"),
    [({"a": 2.0}, 4.0), ({}, 2.0), ({"b": 3.0, "a": 4.0}, 12.0), ({"c": 1.0}, 2.0)],
)
def test_keys_of_an_argument(options, expected):
    np.testing.assert_allclose(tl.grad(given)(X, options), [expected, 0.0, 0.0])


class WithAProperty:
    def __init__(self, **given):
        self.__dict__.update(given)

    @property
    def a(self):
        return self._a * 3.0

    @a.setter
    def a(self, value):
        self._a = value


def behind_a_property(x):
    made = WithAProperty(_a=x, a=2.0)
    return made.a


def test_a_property_stands_before_what_the_dict_holds():
    with pytest.raises(tl.GradientError, match="reached by `__dict__`"):
        tl.grad(behind_a_property)(1.0)
