"""Tests that ask of which class a number is: NumPy's scalars, arrays without axes, integers among floats.

What is computed with an array of rank 0 is a scalar, and what is an integer on one way only is none on
the other. A branch that is taken by such a test is taken by its derivative, too.
"""

import numpy as np
import pytest

import tapeless as tl
import tapeless.testing
from tests.rules.grid import compiled

POINTS = [0.7, np.array(0.7), np.float64(0.7)]

VALUES = [
    "x", "-x", "+x", "abs(x)", "x * 2", "-np.array(x)", "abs(np.array(x))", "np.array(x)",
    "np.array(x) + x", "np.array(x)[()]", "sum([x, x])", "sum([np.array(x)])", "max([x, 2])",
    "min(x, 0)", "[x, 2][1]", "np.where(x > 0, x, 1.0)", "np.squeeze([x])", "np.sum(x)",
    "np.full((), x)", "np.clip(x, 0, 1)", "x > 0", "np.array(x) > 0", "[x]", "(x,)", "'x'", "None",
    "np.sum(np.arange(3) > 1)", "np.cumsum(np.arange(3) > 1)[0]", "np.prod(np.arange(3) > 1)",
]  # fmt: skip

TESTS = [
    "np.isscalar(t)", "isinstance(t, np.ndarray)", "isinstance(t, float)", "isinstance(t, int)",
    "isinstance(t, (int, float))", "isinstance(t, np.floating)", "isinstance(t, np.integer)",
    "isinstance(t, bool)", "type(t) is float",
]  # fmt: skip


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("value", VALUES)
def test_a_branch_is_that_of_the_function(value, test):
    f = compiled(f"t = {value}; return 2.0 * x if {test} else 3.0 * x", ["x"], np=np)
    for x in POINTS:
        slope = round(float(f(x) / x))
        assert round(float(tl.grad(f)(x))) == slope
        one = np.ones_like(x) if isinstance(x, np.ndarray) else 1.0
        assert round(float(tl.jvp(f, (x,), (one,))[1])) == slope


def test_a_count_that_becomes_a_number_in_a_loop():
    def f(x):
        n = 0
        for _ in range(3):
            if isinstance(n, int):
                n = n + 2 * x
            else:
                n = n + 5 * x
        return n

    assert tl.grad(f)(0.7) == 12.0
    assert tl.jvp(f, (0.7,), (1.0,))[1] == 12.0


def test_an_integer_among_numbers():
    def f(x):
        s = 0.0
        for t in [x, 2]:
            s = s + (2 * t if isinstance(t, float) else x * t)
        return s

    tapeless.testing.check_grads(f, 0.7, order=2, replay=True)


def test_the_absolute_value_of_a_known_integer():
    def f(x):
        n = abs(2 - 3)
        return x * x if n == 1 else x

    assert tl.grad(f)(3.0) == 6.0


def test_a_product_of_what_may_be_an_integer():
    def f(x, n):
        t = 2 if n else x
        u = 3 * t - t
        return x * u if isinstance(u, int) else 7.0 * u

    for n in (True, False):
        tapeless.testing.check_grads(f, 0.7, n, order=2, replay=True)


def clipped(z):
    scalar = np.isscalar(z)
    z = np.atleast_1d(z)
    near = np.abs(z) < 2
    v = np.zeros(z.shape, dtype=np.promote_types(z.dtype, "float"))
    v[near] = z[near] ** 2
    if scalar:
        v = v[0]
    return v


@pytest.mark.parametrize("z", [np.array([0.9, -0.6, 3.0]), 0.7])
def test_arrays_that_become_numbers_for_scalars(z):
    tapeless.testing.check_grads(clipped, z, order=2, replay=True)


FLAGS = {
    "a comparison": "fl = x > 0.5",
    "a truth on both ways": "fl = False\nif x > 0.9:\n    fl = x > 0.5",
    "an integer on one way": "fl = False\nif x > 0.9:\n    fl = 1",
    "a number on one way": "fl = True\nif x > 0.9:\n    fl = x",
    "a text on one way": "fl = True\nif x > 0.9:\n    fl = 'slow'",
    "of an integer and a truth": "n = 1\nif x > 0.9:\n    n = True\nfl = n & True",
    "of two truths": "fl = (x > 0.5) & True",
    "changed in place": "fl = False\nfl |= x > 0.5",
    "the greater": "fl = max(x > 0.5, False)",
    "made of an integer in a loop": "fl = 2\nfor _ in range(2):\n    fl = bool(fl)",
    "of several": "fl = any([x > 0.5, False])",
    "of NumPy's": "fl = np.any([x > 0.5, False])",
    "turned": "fl = not x > 0.5",
    "one of the items": "fl = [True, 1, x][int(3 * x)]",
}  # fmt: skip


@pytest.mark.parametrize("test", ["fl is True", "fl is False", "isinstance(fl, bool)", "fl == 1"])
@pytest.mark.parametrize("case", FLAGS)
def test_flags_that_are_truths_on_one_way(case, test):
    body = FLAGS[case].replace("\n", "\n    ")
    f = compiled(f"{body}\n    return 2.0 * x if {test} else 3.0 * x", ["x"], np=np)
    for x in (0.3, 0.7, 0.95):
        slope = round(f(x) / x)
        assert (tl.grad(f)(x), tl.jvp(f, (x,), (1.0,))[1]) == (slope, slope)
