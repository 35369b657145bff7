"""What is computed of one array and of numbers has its shape, whatever that is: nothing is summed back."""

import numpy as np
import pytest

import tapeless as tl


def smooth(x):
    return np.sum(0.5 * np.sqrt(1.0 + x**2) - np.log(2.0 + np.abs(x)) / 3.0)


def chosen(x):
    return np.sum(np.where(x > 0.1, 0.5 * x**2, np.abs(x)))


def of_two(x, y):
    return np.sum(np.where(x < y, 2.0 * (x - y) ** 2, np.exp(-x) * y))


def in_a_loop(x):
    total = 0.0
    for row in x:
        r = np.sqrt(1.0 + row**2)
        total = total + 0.5 * np.sum(r * 2.0)
    return total


def text_for_all(f, wrt):
    text = tl.source(f, "grad", wrt)
    names = {}
    exec(text, names)
    return text, names[f"{f.__name__}_grad"]


ROWS = np.array([[0.5, -1.5, 2.0], [0.2, 0.3, -0.4]])
SHAPES = [np.array(0.7), np.array([1.3]), ROWS[0], ROWS, ROWS[:, :1], ROWS[:1], 0.7]


@pytest.mark.parametrize("f", [smooth, chosen])
def test_nothing_is_summed_back(f):
    text, gradient = text_for_all(f, ("x",))
    assert "unbroadcast" not in text
    for x in SHAPES:
        (found,), (expected,) = gradient(x), tl.grad(f, wrt=("x",))(x)
        assert np.shape(found) == np.shape(expected) == np.shape(x)
        np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("y", SHAPES)
def test_what_is_computed_of_two_is_summed_back(y):
    _, gradient = text_for_all(of_two, ("x", "y"))
    for x in SHAPES:
        found, expected = gradient(x, y), tl.grad(of_two, wrt=("x", "y"))(x, y)
        for g, wanted, operand in zip(found, expected, (x, y), strict=True):
            assert np.shape(g) == np.shape(wanted) == np.shape(operand)
            np.testing.assert_allclose(g, wanted, rtol=1e-12)


def test_a_loop_keeps_nothing_for_its_shape():
    text, gradient = text_for_all(in_a_loop, ("x",))
    assert "unbroadcast(g" not in text
    for x in (ROWS, ROWS[0]):
        np.testing.assert_allclose(gradient(x)[0], tl.grad(in_a_loop)(x), rtol=1e-12)


@pytest.mark.parametrize("f", [chosen, of_two])
def test_a_gradient_that_is_new_is_not_copied(f):
    args = (ROWS, ROWS[0])[: f.__code__.co_argcount]
    wrt = ("x", "y")[: len(args)]
    assert "np.array(" not in tl.source(f, "grad", wrt, like=args)
    for g, x in zip(tl.grad(f, wrt=wrt)(*args), args, strict=True):
        assert not np.shares_memory(g, x)
