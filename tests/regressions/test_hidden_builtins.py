"""Parameters and locals that have the names of builtins, which derivatives call."""

import numpy as np
import pytest

import tapeless as tl
from tests import laws


def loop_backwards(x, reversed, range):
    y = 0.0
    for v in x:
        y += v**2 * np.sin(y + reversed)
    return y * range


def loop_together(x, zip, enumerate):
    y = 1.0
    for a, v in zip_of(x):
        y = y * (a * v + enumerate)
    return y * zip


def zip_of(len):
    return [(item, item * item) for item in len]


def stored_into(x, isinstance, len):
    list = [x[0], isinstance]
    list[0] = list[0] * len
    dict = {"a": list[0]}
    dict["a"] *= x[1]
    return dict["a"] * list[1]


def by_keyword(x, max):
    return product(x[0], min=x[1]) + product(x[2], max, min=x[0]) + collected(max, len=x[1])


def product(a, sum=2.0, *, min=3.0):
    return a * sum * min


def collected(a, **dict):
    return a * dict["len"]


def in_a_closure(x, len):
    def scaled(sum):
        return sum * len

    return np.sum(np.stack([scaled(v) * (lambda list: list * list)(v) for v in x]))


def called(x, len):
    def apply(sum, tuple):
        return sum(tuple) * sum(tuple * tuple)

    return apply(np.sum, x) * len


class Scaled:
    def __init__(self, len, max=2.0):
        self.len = len
        self.max = max

    def value(self, x, sum):
        return x * self.len * sum * self.max


def in_a_method(x, min):
    return Scaled(min, max=x[0]).value(x[1], sum=min)


FUNCTIONS = [
    loop_backwards,
    loop_together,
    stored_into,
    by_keyword,
    in_a_closure,
    called,
    in_a_method,
]


@pytest.mark.parametrize("f", FUNCTIONS)
def test_hidden_builtins(f):
    numbers = [1.3, 0.4][: f.__code__.co_argcount - 1]
    laws.check_function(f, (np.array([0.3, 0.8, -0.5]), *numbers))


def cube(x, len, max):
    return x * len**3 * max


def test_independents_are_named_as_the_author_names_them():
    assert tl.grad(cube, wrt="len")(2.0, 3.0, max=1.0) == 54.0
    assert tl.grad(cube, wrt="len")(2.0, 3.0, max=1.0) == 54.0  # by the guard of the first call
    assert tl.grad(cube, wrt=("max", "x"))(2.0, len=3.0, max=1.0) == (54.0, 27.0)
    assert tl.hessian(cube, wrt="len")(2.0, 3.0, 1.0) == 36.0
    assert tl.jvp(cube, (2.0, 3.0, 1.0), (0.0, 1.0, 0.0))[1] == 54.0


def test_two_parameters_that_differ_in_an_underscore_are_refused():
    def f(len, len_):
        return len * len_

    with pytest.raises(tl.TapelessError, match="too alike"):
        tl.grad(f)(2.0, 3.0)


def unchanged(v):
    return v


def bound_anew_by_a_spliced_call(int):
    int = unchanged(int)
    int = np.sum(int)
    return int


def bound_anew_in_a_loop(max):
    for _ in range(2):
        max = unchanged(max)
        max = max * np.sum(max)
    return np.sum(max)


@pytest.mark.parametrize("f", [bound_anew_by_a_spliced_call, bound_anew_in_a_loop])
def test_parameters_bound_anew(f):
    laws.check_function(f, (np.array([1.2, 0.4, -0.6]),))


def matched(x, isinstance, len):
    match {"a": [x[0], x[1]], "b": isinstance}:
        case {"a": [p, *list], **dict}:
            y = p * dict["b"] + list[0] * len
        case _:
            y = x[0]
    match [x[0], x[1]]:
        case [tuple, q]:
            y = y + tuple * q
    return y


class Suppressing:
    def __enter__(self):
        return self

    def __exit__(self, cls, error, trace):
        return cls is ValueError


def interrupted(x, isinstance, len):
    type = x * isinstance
    y = np.sum(type)
    with Suppressing():
        y = y * len
        if y > -100.0:
            raise ValueError("as always")
        y = y * 2.0
    return y * type[0]


@pytest.mark.parametrize("f", [matched, interrupted])
def test_builtins_called_by_what_statements_become(f):
    laws.check_function(f, (np.array([0.7, 1.2]), 0.3, 1.1))
