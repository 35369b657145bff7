"""Zeros that a selection or a store left stay zero at a pole, across calls and at second order."""

import numpy as np
import pytest

import tapeless as tl

X = np.array([-0.5, 0.7, 1.6, -0.3])
V = np.array([1.0, 0.5, 2.0, -1.0])


def root_of_a_part(s):
    return max(s, 0.0) ** 0.5


def powers_of_parts(x):
    return sum([root_of_a_part(t) * t for t in x])


def by_a_mask(x):
    y = x * 1.0
    y[y < 0.1] = 0.0
    return np.sum(np.sqrt(y) * x)


def by_places(x):
    y = np.zeros(4)
    y[1:3] = x[1:3] * x[1:3]
    return np.sum(np.sqrt(y) * x)


def root(v):
    return np.sqrt(v)


def selected_and_handed_on(x):
    return np.sum(root(np.maximum(x, 0.0)) * x)


def positive(v):
    return np.clip(v, 0.0, 5.0)


def selected_by_a_callee(x):
    return np.sum(positive(x) ** 0.5 * x)


def stored_by_a_callee(x):
    y = x * 1.0
    silence(y)
    return np.sum(np.sqrt(y) * x)


def silence(y):
    y[y < 0.1] = 0.0


def logarithm_or_line(v):
    return np.where(v > 0.1, np.log(np.maximum(v, 0.1)), v)


def logarithms(x):
    return np.sum(logarithm_or_line(x) ** 2)


class Layer:
    def __init__(self, scale):
        self.scale = scale

    def act(self, v):
        return np.where(v > 0.1, np.maximum(v, 0.0) ** 0.5, 0.0) * self.scale


def in_a_method(x):
    layer = Layer(2.0)
    for _ in range(2):
        x = layer.act(x) * x
    return np.sum(x)


def cut_by_a_local_function(row):
    def cut():
        row[1] = 0.0

    cut()


class Held:
    pass


def cut_two_calls_below(x):
    y = x * x
    cut_by_a_local_function(y)
    return np.sum(y**0.5 * x)


def cut_in_an_attribute(x):
    held = Held()
    held.y = x * x
    cut_by_a_local_function(held.y)
    return np.sum(held.y**0.5 * x)


def cut_by_another_name(x):
    held = {"y": x * x}
    y = held["y"]
    y[y > 1.0] = 0.0
    return np.sum(np.sqrt(held["y"]) * x)


def by_a_branch(x):
    power = 0.0
    if x[0] > 0.0:
        power = x[0] * x[1]
    return (power**4 + 0.0) ** 0.25 + x @ x


def kept_by_a_branch_in_a_loop(x):
    total = 0.0
    for v in x:
        if v > 5.0:
            total += v
    return total**0.5 + x @ x


def part_or_nothing(v):
    if v > 5.0:
        return v * v
    return 0.0


def by_a_callee_with_returns(x):
    return part_or_nothing(x[1]) ** 0.5 + x @ x


class Sum:
    def __init__(self):
        self.total = 0.0

    def add(self, v):
        if v > 5.0:
            self.total = self.total + v


def by_a_branch_in_a_method(x):
    held = Sum()
    for v in x:
        held.add(v)
    return held.total**0.5 + x @ x


PROGRAMS = (
    by_a_branch,
    kept_by_a_branch_in_a_loop,
    by_a_callee_with_returns,
    by_a_branch_in_a_method,
    powers_of_parts,
    by_a_mask,
    by_places,
    selected_and_handed_on,
    selected_by_a_callee,
    stored_by_a_callee,
    logarithms,
    in_a_method,
    cut_two_calls_below,
    cut_in_an_attribute,
    cut_by_another_name,
)


def along(f, v=V, h=1e-5):
    return (np.asarray(f(X + h * v)) - np.asarray(f(X - h * v))) / (2.0 * h)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_right_where_nothing_depends_on_the_pole(f):
    gradient = tl.grad(f)
    slope = gradient(X)
    np.testing.assert_allclose(slope, [along(f, e) for e in np.eye(4)], rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(tl.jvp(f, (X,), (V,))[1], slope @ V, rtol=1e-10)
    wanted = along(gradient)
    np.testing.assert_allclose(tl.hvp(f)(X, V), wanted, rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(tl.jvp(gradient, (X,), (V,))[1], wanted, rtol=1e-5, atol=1e-7)
    twice = tl.grad(lambda x: np.dot(gradient(x), V))(X)
    np.testing.assert_allclose(twice, wanted, rtol=1e-5, atol=1e-7)
