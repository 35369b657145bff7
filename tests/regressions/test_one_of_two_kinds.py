"""A value that is of one of two kinds: what may hold of either is kept, and nothing is decided by one."""

import collections

import numpy as np
import pytest

import tapeless as tl
from tests import laws

X = np.array([0.6, -1.4, 2.3])
SPD = np.array([[4.0, 0.6, 0.3], [0.6, 3.0, -0.4], [0.3, -0.4, 2.5]])
Pair = collections.namedtuple("Pair", "a b")
Triple = collections.namedtuple("Triple", "a b c")


def aliased_in_place(a, wrapped=True):
    b = a
    if wrapped:
        b = np.array(b)
    b *= a
    c = b
    c += 1.0
    return b


def changed_by_a_callee(a, wrapped=True):
    b = a
    if wrapped:
        b = np.array(b)
    c = scaled(b, a)
    c += 1.0
    return b


def scaled(b, a):
    b *= a
    return b


@pytest.mark.parametrize("wrapped", [True, False])
@pytest.mark.parametrize("f", [aliased_in_place, changed_by_a_callee])
def test_a_number_or_an_array_of_rank_0(f, wrapped):
    step = 1e-6
    difference = (f(1.3 + step, wrapped) - f(1.3 - step, wrapped)) / (2 * step)
    value, tangent = tl.jvp(f, (1.3, wrapped), (1.0, None))
    assert value == f(1.3, wrapped)
    assert tangent == pytest.approx(difference, rel=1e-7)
    with pytest.raises(tl.GradientError, match="is an array that is stored into or a number"):
        tl.grad(f)(1.3, wrapped)


def one_or_the_other(x, named):
    p = Pair(3.0 * x, x) if named else (x, 2.0 * x)
    if isinstance(p, Pair):
        return p.a * x
    return p[0] * 5.0


def of_other_lengths(x, named):
    p = Triple(3.0 * x, x, x) if named else (x, 2.0 * x)
    if isinstance(p, Triple):
        return p.a * x
    return p[0] * 5.0


@pytest.mark.parametrize("f", [one_or_the_other, of_other_lengths])
@pytest.mark.parametrize("named", [True, False])
def test_tuples_of_two_classes(f, named):
    with pytest.raises(tl.NoGradientError, match="no gradient for .a"):
        tl.grad(f)(1.3, named)
    with pytest.raises(tl.NoGradientError, match="no gradient for .a"):
        tl.jvp(f, (1.3, named), (1.0, None))


def index_from_a_list(x):
    held = [None]
    held[0] = 1
    view = x[::1]
    x[1] = view[1]
    return sum([view[held[0]], x[held[0]]])


def test_an_index_of_which_nothing_is_known():
    with pytest.raises(tl.GradientError, match="is an array that is stored into or a number"):
        tl.grad(index_from_a_list)(X.copy())


def best_index(x):
    best = None
    for i in range(len(x)):
        if best is None or x[i] > x[best]:
            best = i
    return x[best] ** 2


def stored_by_a_closure(b, a):
    a = (a,)[0]
    x = np.zeros_like(b)
    for i in range(len(b)):
        s = b[i] - a[i, 0] * x[0]

        def store():
            x[i] = s / a[i, i]  # noqa: B023

        store()
    return np.sum(x * b)


def test_gradients():
    laws.check_orders(best_index, X)
    laws.check_orders(stored_by_a_closure, X, SPD)


def out_of_an_endless_loop(a):
    b = np.zeros(())
    for i in range(3):
        if i == 1:
            b[...] = b * b + a
        else:
            b += a * i + 0.5
    while True:
        return b * b


def test_second_derivatives_of_an_array_of_rank_0():
    tl.check_grads(out_of_an_endless_loop, np.array(1.3), order=2, replay=True)
