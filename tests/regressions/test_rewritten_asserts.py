"""The Variables that a function can reach are those of its text, not those of an import hook.

pytest rewrites the asserts of this very file: its functions then name modules of pytest, from which
everything that a test run holds can be reached.
"""

import numpy as np

import tapeless as tl
from tapeless.analysis.reached import variables_reached

held_by_pytest = tl.Variable(2.0, name="held_by_pytest")


def checked_max(x):
    assert x.ndim == 1, "one axis"
    return float(np.max(x))


def compared(x):
    assert x.shape == (3,) and np.all(x < 9.0)
    return x * x


def scaled(x):
    assert x.ndim == 1
    return x * held_by_pytest


class Model:
    def energy(self, x):
        assert x.ndim == 1, repr(x)
        return np.sum(x * x)


def test_no_variable_is_reached_through_an_assert():
    for function in (checked_max, compared, Model().energy, lambda x: checked_max(x)):
        assert variables_reached(function) == []


def test_a_variable_that_the_text_names_is_reached():
    assert variables_reached(scaled) == [held_by_pytest]


@tl.custom_gradient
def squared(x):
    assert x.ndim == 1
    listed = np.vectorize(lambda v: v * v)(x)

    def grad(upstream):
        assert upstream.shape == x.shape
        return 2.0 * x * upstream

    return listed, grad


def test_a_custom_gradient_with_asserts_reads_no_variable():
    def f(x):
        return np.sum(squared(x)) * held_by_pytest

    bar, (w_bar,) = tl.grad(f, variables=[held_by_pytest])(np.array([1.0, 2.0]))
    np.testing.assert_array_equal(bar, [4.0, 8.0])
    assert w_bar == 5.0


def test_an_opaque_call_with_asserts_reads_no_variable():
    counted = np.vectorize(lambda v: round(v))

    def f(x):
        assert x.ndim == 1
        return np.sum(x * tl.stop_gradient(checked_max(x))) * held_by_pytest

    def g(x):
        return np.sum(x * counted(tl.stop_gradient(x))) * held_by_pytest

    x = np.array([1.0, 3.0])
    bar, (w_bar,) = tl.grad(f, variables=[held_by_pytest])(x)
    np.testing.assert_array_equal(bar, [6.0, 6.0])
    assert w_bar == 12.0
    bar, (w_bar,) = tl.grad(g, variables=[held_by_pytest])(x)
    np.testing.assert_array_equal(bar, [2.0, 6.0])
    assert w_bar == 10.0
