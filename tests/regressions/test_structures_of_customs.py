"""What a custom gradient returns in a dataclass carries its derivative."""

import dataclasses

import numpy as np
import pytest

import tapeless as tl
from tapeless.errors import GradientError

X = np.array([1.3, 0.7, 1.9])


@dataclasses.dataclass
class Pair:
    a: object
    b: object


class Box:
    def __init__(self, v):
        self.v = v


@tl.custom_gradient
def cpair(x):
    y = Pair(x * x, np.sum(x))

    def grad(y_bar):
        return 2 * x * y_bar.a + y_bar.b

    return y, grad


@tl.custom_gradient
def cbox(x):
    y = Box(x * x)

    def grad(y_bar):
        return 2 * x * y_bar.v

    return y, grad


@tl.custom_gradient
def cdict(x):
    y = {"a": x * x, "l": [x, 2.0]}

    def grad(y_bar):
        return 2 * x * y_bar["a"] + y_bar["l"][0]

    return y, grad


@tl.custom_gradient
def clist(x):
    y = [x * x, x * 3.0]

    def grad(y_bar):
        return 2 * x * y_bar[0] + 3.0 * y_bar[1]

    return y, grad


@tl.custom_gradient
def cnest(x):
    y = Pair(Pair(x * x, 1.0), [x * 3.0])

    def grad(y_bar):
        return 2 * x * y_bar.a.a + 3.0 * y_bar.b[0]

    return y, grad


@tl.custom_gradient
def cid(p):
    def grad(g):
        return g

    return p, grad


def one_field(x):
    return np.sum(cpair(x).a)


def both_fields(x):
    p = cpair(x)
    return np.sum(p.a * p.b)


def of_a_dict(x):
    d = cdict(x)
    return np.sum(d["a"]) * np.sum(d["l"][0])


def of_a_list(x):
    l = clist(x)
    return np.sum(l[0] * l[1])


def nested(x):
    p = cnest(x)
    return np.sum(p.a.a * p.b[0])


def passed_through(x):
    p = cid(Pair(x * x, x))
    return np.sum(p.a * p.b)


def by_a_local_function(x):
    def inner(z):
        return cpair(z)

    p = inner(x)
    return np.sum(p.a) + p.b**2


def in_a_loop(x):
    y = 0.0
    for i in range(2):
        p = cpair(x * (i + 1.0))
        y += np.sum(p.a) * p.b
    return y


def stored_into(x):
    p = cpair(x)
    p.a = p.a * 2.0
    return np.sum(p.a)


def in_a_branch(x):
    if x[0] > 0:
        p = cpair(x)
    else:
        p = Pair(x, 1.0)
    return np.sum(p.a)


FUNCTIONS = [
    one_field,
    both_fields,
    of_a_dict,
    of_a_list,
    nested,
    passed_through,
    by_a_local_function,
    in_a_loop,
    stored_into,
    in_a_branch,
]


def slopes(f, x, h=1e-6):
    return np.array([(f(x + h * e) - f(x - h * e)) / (2 * h) for e in np.eye(x.size)])


@pytest.mark.parametrize("f", FUNCTIONS)
def test_fields_carry_derivatives(f):
    np.testing.assert_allclose(tl.grad(f)(X), slopes(f, X), rtol=1e-6)
    try:
        forward = [tl.jvp(f, (X,), (e,))[1] for e in np.eye(3)]
    except GradientError as error:
        assert "says no tangent" in error.reason
        return
    np.testing.assert_allclose(forward, slopes(f, X), rtol=1e-6)


def test_object_without_fields_is_refused():
    def f(x):
        return np.sum(cbox(x).v)

    with pytest.raises(GradientError, match="says no fields"):
        tl.grad(f)(X)
    with pytest.raises(GradientError, match="says no fields"):
        tl.jvp(f, (X,), (X,))
