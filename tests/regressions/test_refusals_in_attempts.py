"""What a derivative refuses when it runs is raised, whatever the handlers around it catch."""

import math

import numpy as np
import pytest

import tapeless as tl


def by_value_error(x):
    w, more = np.outer(x, x), 0.0
    try:
        np.multiply.at(w, ([0], [0]), x[1])
    except ValueError:
        more = x[0]
    return np.sum(w**2) + more


def by_any_exception(x):
    w, more = np.outer(x, x), 0.0
    try:
        np.multiply.at(w, ([0], [0]), x[1])
    except Exception:
        more = x[0]
    return np.sum(w**2) + more


def in_a_callee(x):
    def scaled(w):
        np.multiply.at(w, ([0], [0]), x[1])
        return w

    w = np.outer(x, x)
    try:
        y = np.sum(scaled(w))
    except (KeyError, ValueError):
        y = x[0]
    return y


@pytest.mark.parametrize("f", [by_value_error, by_any_exception, in_a_callee])
@pytest.mark.parametrize("mode", ["reverse", "forward"])
def test_no_handler_of_the_author_catches_it(f, mode):
    x = np.array([0.7, 0.31])
    with pytest.raises(tl.TapelessError):
        tl.grad(f)(x) if mode == "reverse" else tl.jvp(f, (x,), (x,))


def of_other_errors(x):
    try:
        y = math.sqrt(x[0]) / int(x[0] > 1.0)
    except ZeroDivisionError:
        y = x[1] ** 2
    return y


def test_other_handlers_stay_as_they_are():
    g = tl.grad(of_other_errors)
    assert g(np.array([0.7, 0.3])).tolist() == [0.0, 0.6]
    assert "TapelessError" not in tl.source(g)
