"""Slots that get a new list or dict in every trip of a loop, and were absent or None before."""

import numpy as np
import pytest

import tapeless as tl
from tests import laws

X = np.array([0.3, -0.7, 0.5])


class Empty:
    pass


class WithNone:
    def __init__(self):
        self.p = None


def absent_attribute(x):
    o = Empty()
    s = 0.0
    for v in x:
        o.p = [v, 1.0]
        s += o.p[0] ** 2
    return s


def attribute_of_none(x):
    o = WithNone()
    s = 0.0
    for v in x:
        o.p = [v, s]
        s += o.p[0] ** 2 * o.p[1] + o.p[0]
    return s


def absent_key(x):
    d = {}
    s = 0.0
    for v in x:
        d["p"] = [v, 1.0]
        s += d["p"][0] ** 2
    return s


def a_dict_in_a_dict(x):
    d = {}
    s = 0.0
    for v in x:
        d["p"] = {"a": v, "b": s}
        s += d["p"]["a"] ** 2 + d["p"]["b"] * v
    return s


def an_object_in_an_object(x):
    o = Empty()
    s = 0.0
    for v in x:
        o.p = Empty()
        o.p.a = v * v
        s += o.p.a * s + o.p.a
    return s


def in_a_branch(x):
    o = Empty()
    s = 0.0
    for v in x:
        if v > 0:
            o.p = [v, s]
            s += o.p[0] ** 2 + o.p[1]
        else:
            s += v * v
    return s


def put(o, v):
    o.p = [v, 1.0]


def in_a_callee(x):
    o = Empty()
    s = 0.0
    for v in x:
        put(o, v)
        s += o.p[0] ** 2
    return s


FUNCTIONS = [
    absent_attribute,
    attribute_of_none,
    absent_key,
    a_dict_in_a_dict,
    an_object_in_an_object,
    in_a_branch,
]


@pytest.mark.parametrize("f", FUNCTIONS)
def test_first_and_second_order(f):
    laws.check_function(f, (X,))


@pytest.mark.parametrize("f", [in_a_callee])
def test_right_or_refused(f):
    laws.right_or_refused(f, (X,))


def test_rows_of_an_array_are_right_or_refused():
    def f(x):
        held = [None]
        s = 0.0
        for row in x:
            held[0] = row
            s += held[0][0] ** 2
        return s

    laws.right_or_refused(f, (np.array([X, 2.0 * X]),))


def test_a_target_that_is_an_attribute():
    def f(x):
        o = WithNone()
        s = 0.0
        for o.row in x:
            s += o.row[0] ** 2
        return s

    x = np.array([X, 2.0 * X])
    g = tl.grad(f)(x)
    assert np.allclose(g, 2.0 * x * np.array([1.0, 0.0, 0.0]))
