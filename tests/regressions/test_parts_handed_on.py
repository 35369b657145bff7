"""Parts of an array that is stored into, which others are given before the store: views, not copies."""

import numpy as np
import pytest

import tapeless as tl
from tests.laws import check_function

X = np.array([[0.4, -0.7, 1.1], [0.2, 0.9, -0.3], [-1.2, 0.5, 0.8]])


def rows_on_a_stack(x):
    a = np.sin(x)
    stack = [a]
    while stack:
        top = stack.pop()
        if top.ndim == 2:
            stack.extend([top[0], top[1]])
        else:
            top[0] += np.mean(a)
    return np.sum(a * np.cos(a.T))


def imaginary_part_in_a_list(x):
    z = np.sin(x[0]) + 1j * x[1]
    held = [z.imag]
    z[0] *= 2.0
    return np.sum(held[0] ** 2)


def imaginary_part_in_a_dict(x):
    z = np.sin(x[0]) + 1j * x[1]
    parts = {"a": z.imag}
    z[1] = 1j * x[2, 2]
    return np.sum(parts["a"] ** 2) + np.sum(z.real)


def view_of_an_imaginary_part(x):
    z = np.sin(x[0]) + 1j * x[1]
    part = z.imag
    turned = part[::-1]
    z[0] *= x[2, 0]
    return np.sum(turned * x[2])


@pytest.mark.parametrize(
    "f",
    [
        rows_on_a_stack,
        imaginary_part_in_a_list,
        imaginary_part_in_a_dict,
        view_of_an_imaginary_part,
    ],
    ids=lambda f: f.__name__,
)
def test_seen_by_others(f):
    tangent = np.cos(X)
    step = 1e-6
    slope = (f(X + step * tangent) - f(X - step * tangent)) / (2 * step)
    value, found = tl.jvp(f, (X,), (tangent,))
    np.testing.assert_allclose((value, found), (f(X), slope), rtol=1e-7)
    # which part is a view is not known, or no adjoint is one
    with pytest.raises(tl.GradientError):
        tl.grad(f)(X)


def read_at_once(x):
    z = np.sin(x[0]) + 1j * x[1]
    part = z.imag
    doubled = 2.0 * part
    z[0] *= x[2, 0]
    return np.sum(doubled * x[2]) + np.sum(z.real)


def test_read_before_the_store():
    check_function(read_at_once, (X,))
