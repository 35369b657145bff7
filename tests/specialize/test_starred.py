"""Starred arguments: what a parameter of the callee stands for is read off the sequence that is starred."""

import math
import operator

import numpy as np
import pytest

import tapeless as tl
from tapeless.testing import check_grads
from tests import laws


def wave(t, amplitude, rate, shift=0.0):
    return amplitude * np.sin(rate * t) + shift


def of_the_first(t, amplitude, rate):
    return amplitude * np.sin(rate * t)


def from_an_array(t, p):
    return np.sum(of_the_first(t, *p))


def with_a_default(t, p):
    return np.sum(wave(t, *p) ** 2)


def before_others(p):
    return wave(*p, 0.7)


def from_a_list(p):
    given = [2.0 * p[0], p[1]]
    return wave(p[1], *given, shift=p[0])


t = np.linspace(0.0, 2.0, 4)


def test_of_an_array():
    check_grads(from_an_array, t, np.array([1.2, 0.7]), order=2)
    assert " = p\n" in tl.source(from_an_array, like=(t, np.ones(2)))


def test_defaults_are_taken_where_there_is_no_item():
    check_grads(with_a_default, t, np.array([1.2, 0.7]), order=1)
    check_grads(with_a_default, t, np.array([1.2, 0.7, 0.3]), order=1)


def test_beside_others():
    check_grads(before_others, np.array([1.2, 0.7, 0.3]), order=1)
    check_grads(before_others, np.array([1.2, 0.7]), order=1)
    check_grads(from_a_list, np.array([1.2, 0.7]), order=1)


X = np.array([0.5, 0.7, 1.0, 0.4, 0.2, 0.3])


def lengths(x):
    v = [a * b for a, b in zip(x, x[1:])]
    return math.hypot(*v) + math.hypot(x[0], *v) * math.hypot(*x)


def two_parts(x):
    return np.dot(*np.array_split(x, 2))


def of_numbers(x):
    pairs = [list(x[:2]), list(x[2:4])]
    return sum(math.atan2(*pair) for pair in pairs) + operator.mul(*pairs[0])


def with_what_may_be_left_out(x):
    limits = [x[4], x[2]]
    return np.sum(np.clip(x, *limits) ** 2) + np.sum(np.linspace(*x[:2], 5) ** 2)


def evaluated(x):
    table = {"+": operator.add, "sin": math.sin, "hypot": math.hypot}
    given = {"x": x[0], "y": x[1]}

    def value(term):
        if isinstance(term, str):
            return given[term]
        name, *terms = term
        return table[name](*[value(part) for part in terms])

    return value(("+", ("sin", "x"), ("hypot", "y", "x")))


OF_LIBRARIES = [lengths, two_parts, of_numbers, with_what_may_be_left_out, evaluated]


@pytest.mark.parametrize("f", OF_LIBRARIES, ids=lambda f: f.__name__)
def test_of_functions_of_libraries(f):
    laws.check_orders(f, X)


def test_constants_before_what_varies():
    signal = pytest.importorskip("scipy.signal", reason="SciPy is not installed")

    def filtered(x):
        return np.sum(signal.lfilter(*signal.butter(1, 0.3), x) ** 2)

    check_grads(filtered, X, order=1, replay=True)


def test_another_number_of_arguments_raises():
    def written_out(x):
        return math.atan2(*[x, x * x, 1.0])

    def of_any_length(x):
        return math.atan2(*list(x))

    with pytest.raises(TypeError, match="expected 2 arguments, got 3"):  # as the function itself
        tl.grad(written_out)(0.3)
    with pytest.raises(ValueError, match="too many values to unpack"):
        tl.grad(of_any_length)(np.array([0.3, 0.7, 1.1]))
