"""Programs as strangers write them, whose rules are right: every law of derivatives holds."""

import dataclasses
from typing import Any

import numpy as np
import pytest

import tapeless as tl
from tests.laws import check_function

X = np.array([0.5, -1.2, 2.0])
W = np.array([[0.3, -0.6, 1.1], [0.7, 1.2, -0.4], [0.2, 0.5, 0.9]])


@tl.custom_gradient
def sigmoid(x):
    y = 1 / (1 + np.exp(-x))
    return y, lambda g: g * y * (1 - y)


@tl.custom_gradient
def swish(x):
    s = sigmoid(x)

    def grad(g):
        return g * (s + x * s * (1 - s))

    return x * s, grad


@tl.custom_gradient
def fixed_point(a):
    x = np.ones_like(a)
    for _ in range(100):
        new = np.cos(a * x)
        if np.max(np.abs(new - x)) < 1e-15:
            break
        x = new

    def grad(dy):
        s = np.sin(a * x)
        return -dy * s * x / (1 + a * s)

    return x, grad


@tl.custom_gradient
def solve(a, b):
    x = np.linalg.solve(a, b)

    def grad(x_bar):
        b_bar = np.linalg.solve(a.T, x_bar)
        return -np.outer(b_bar, x), b_bar

    return x, grad


@tl.custom_gradient
def stats(x):
    m = np.mean(x)
    c = x - m
    v = np.mean(c * c)

    def grad(dm, dv):
        return dm / x.size + dv * 2 * c / x.size

    return (m, v), grad


@tl.custom_gradient
def mlp(params, x):
    h = np.tanh(params["l1"]["w"] @ x + params["l1"]["b"])
    y = params["out"] @ h

    def grad(dy):
        h_bar = params["out"] * dy
        z = h_bar * (1 - h * h)
        return {"l1": {"w": np.outer(z, x), "b": z}, "out": dy * h}, params["l1"]["w"].T @ z

    return y, grad


@dataclasses.dataclass
class Layer:
    w: Any
    b: Any


@tl.custom_gradient
def affine(p, x):
    def grad(dy):
        return Layer(np.outer(dy, x), dy), p.w.T @ dy

    return p.w @ x + p.b, grad


@tl.custom_gradient
def huber(r):
    if abs(r) <= 1.0:
        return 0.5 * r * r, lambda g: g * r
    return abs(r) - 0.5, lambda g: g * np.sign(r)


@tl.custom_gradient
def scaled(x, scale=2.0, *, shift=0.5):
    def grad(g):
        return g * scale, np.sum(g * x), np.sum(g)

    return x * scale + shift, grad


@tl.custom_gradient
def product(*xs):
    p = 1.0
    for x in xs:
        p = p * x

    def grad(g):
        out = []
        for x in xs:
            out.append(g * p / x)
        return tuple(out)

    return p, grad


@tl.custom_gradient
def two(x):
    a = x * x
    b = np.sin(x)

    def grad(da, db):
        return da * 2 * x + db * np.cos(x)

    return a, b, grad


class Rosenbrock:
    def __init__(self, a):
        self.a = a

    @tl.custom_gradient
    def value(self, x):
        d = x[1:] - x[:-1] ** 2

        def grad(g):
            out = np.zeros_like(x)
            out[:-1] += -2 * (self.a - x[:-1]) - 400 * d * x[:-1]
            out[1:] += 200 * d
            return g * out

        return np.sum((self.a - x[:-1]) ** 2 + 100 * d**2), grad


def nested(x):
    return np.sum(swish(x) * sigmoid(x))


def recurrent(w, x):
    h = np.zeros(3)
    hs = np.zeros((4, 3))
    for t in range(4):
        h = sigmoid(w @ h + x) * 0.9
        hs[t] = h
    return np.sum(hs**2)


def standardized(x):
    m, v = stats(x)
    return np.sum(((x - m) / np.sqrt(v + 1e-3)) ** 3)


def variance_only(x):
    _, v = stats(x)
    return v * v


def by_index(x):
    s = stats(x)
    return s[0] * s[1]


def in_a_nested_dict(w, b, out, x):
    return mlp({"l1": {"w": w, "b": b}, "out": out}, x) ** 2


def in_a_dataclass(w, b, x):
    return np.sum(affine(Layer(w, b), x) ** 2)


def robust(x):
    total = 0.0
    for v in x:
        total = total + huber(v) * v
    return total


def apply_twice(f, x):
    return f(f(x))


def as_an_argument(x):
    return np.sum(apply_twice(sigmoid, x))


def by_keywords(x, s, t):
    return np.sum(scaled(x, shift=t, scale=s) * scaled(x))


def starred(x, y, z):
    return product(x, y, z) * product(*(x, x))


def in_a_while(a):
    x = 1.0 + 0.0 * a
    k = 0
    while k < 4:
        x = x - sigmoid(x - a) * 0.5
        k += 1
    return x * x


def stored(x):
    y = np.zeros(6)
    y[:3] = swish(x)
    y[3:] = sigmoid(y[:3])
    y *= 2.0
    return np.sum(y**2)


def in_containers(x):
    out = []
    for i in range(3):
        out.append(swish(x * i))
    d = {"a": out[1], "b": sigmoid(out[2])}
    return np.sum(d["a"] * d["b"])


def recursive(x, n):
    if n == 0:
        return swish(x)
    return recursive(sigmoid(x) * x, n - 1) + x


def recursing(x):
    return np.sum(recursive(x, 3))


def local_in_a_loop(x, c):
    total = 0.0
    for i in range(3):

        @tl.custom_gradient
        def piece(v):
            def grad(g):
                return g * 2 * (i + 1) * v

            return (i + 1) * v * v, grad

        total = total + piece(x) * c
    return total


def flat_return_by_index(x):
    r = two(x)
    return np.sum(r[0] * r[1])


ROSENBROCK = Rosenbrock(1.0)


def by_method(x):
    return ROSENBROCK.value(x) * ROSENBROCK.value(2 * x)


CASES = [
    (nested, (X,)),
    (recurrent, (W, X)),
    (standardized, (X,)),
    (variance_only, (X,)),
    (by_index, (X,)),
    (in_a_nested_dict, (W, X, X + 1, X * 2)),
    (in_a_dataclass, (W, X, X)),
    (robust, (X,)),
    (as_an_argument, (X,)),
    (by_keywords, (X, 1.5, 0.3)),
    (starred, (1.1, 2.0, 3.0)),
    (in_a_while, (0.7,)),
    (stored, (X,)),
    (in_containers, (X,)),
    (recursing, (X,)),
    (local_in_a_loop, (1.2, 0.7)),
    (flat_return_by_index, (X,)),
    (by_method, (X,)),
]


@pytest.mark.parametrize(("f", "args"), CASES, ids=[f.__name__ for f, _ in CASES])
def test_program(f, args):
    check_function(f, args)


def test_implicit_differentiation():
    check_function(
        lambda a: np.sum(fixed_point(a) ** 2), (np.array([0.3, 0.6, 0.5]),), smooth=False
    )
    check_function(lambda a, b: np.sum(np.sin(solve(a, b))), (W + 3 * np.eye(3), X))


def test_what_is_stored_into_must_be_known():
    """A second derivative through a tuple of adjoints is right, or refused; never zero."""
    second = tl.grad(tl.grad(lambda x: flat_return_by_index(x)))
    x = 1.2
    wanted = 2 * np.sin(x) + 4 * x * np.cos(x) - x * x * np.sin(x)
    assert second(x) == pytest.approx(wanted)


def test_a_recursion_that_makes_containers_without_end_is_answered():
    """Either by the second derivative or by a refusal, never by looking for ever."""
    x = np.array([0.3, 0.7])
    try:
        found = tl.hessian(lambda x: sum([v * v for v in x]))(x)
    except tl.GradientError as error:
        assert error.reason and error.fix
    else:
        np.testing.assert_allclose(found, 2.0 * np.eye(2))
