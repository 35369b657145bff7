"""What a function returns comes back as it was at the end of the forward sweep, not undone."""

import copy

import numpy as np
import pytest

import tapeless as tl
from tests.regressions.state_laws import DIRECTION, X, held, same

LOG = []


class Held:
    def __init__(self):
        self.k = 1.0
        self.l = []
        self.a = np.zeros(3)


def step(a):
    a *= 3.0


def modified(x):
    a = x * 1.0
    y = np.sum(a * a)
    a *= 2.0
    return y, a


def aliased_list(x):
    l = []
    y = 0.0
    for v in x:
        l.append(v)
        y += v * v
    return y, l


def dict_of_arrays(x):
    d = {}
    d["a"] = x * 2.0
    y = np.sum(x * x)
    d["a"] *= 2.0
    d["n"] = 3
    return y, d


def an_object(x):
    o = Held()
    y = np.sum(x * x) * o.k
    o.k = 5.0
    o.a[1] = x[0]
    o.l.append(x[1])
    return y, o


def nested(x):
    a = x * 1.0
    y = np.sum(a * a)
    a *= 2.0
    return y, (a[1:], {"q": [a]})


def an_argument(x):
    y = np.sum(x * x)
    x *= 2.0
    return y, x


def by_a_callee(x):
    a = x * 1.0
    y = np.sum(a * a)
    step(a)
    return y, a


def in_branches(x):
    a = x * 1.0
    y = np.sum(a * a)
    if x[0] > 0:
        a *= 2.0
        return y, a
    a *= 3.0
    return y, a


def in_a_loop(x):
    a = x * 1.0
    for i in range(3):
        a[i] *= 2.0
        if a[i] > 0.9:
            return np.sum(a * a), a
    return np.sum(a), a


def a_view(x):
    a = x * 1.0
    y = np.sum(a * a)
    b = a.T
    a += 1.0
    return y, b


def rows(x):
    a = x * 1.0
    y = np.sum(a * a)
    rows = [a, a + 1]
    for r in rows:
        r *= 2.0
    return y, rows


def outside_list(x):
    LOG.append(x[0] * 1.0)
    return np.sum(x * x) * LOG[-1], LOG


def added_at(x):
    a = x * 1.0
    y = np.sum(a * a)
    np.add.at(a, [0], 1.0)
    return y, a


def sorted_in_place(x):
    a = x * 1.0
    y = np.sum(a * a)
    a.sort()
    a[::-1] = a
    return y, a


def a_row(x):
    a = np.zeros((2, 3))
    a[0] = x
    r = a[1]
    r[:] = x * x
    return np.sum(a * a), r


PROGRAMS = [
    modified,
    aliased_list,
    dict_of_arrays,
    an_object,
    nested,
    an_argument,
    by_a_callee,
    in_branches,
    in_a_loop,
    a_view,
    rows,
    outside_list,
    added_at,
    sorted_in_place,
    a_row,
]


def called(f):
    LOG.clear()
    return copy.deepcopy(f(X.copy()))


@pytest.mark.parametrize("f", PROGRAMS)
def test_aux(f):
    y, aux = called(f)
    wanted = (
        tl.jvp(lambda x: f(x)[0], (X.copy(),), (DIRECTION,))[1]
        if f is outside_list
        else (f(X + 1e-5 * DIRECTION)[0] - f(X - 1e-5 * DIRECTION)[0]) / 2e-5
    )
    LOG.clear()
    x = X.copy()
    gradient, got = tl.grad(f, has_aux=True)(x)
    np.testing.assert_allclose(gradient @ DIRECTION, wanted, rtol=1e-6)
    assert same(held(got), held(aux))
    LOG.clear()
    (value, got), gradient = tl.value_and_grad(f, has_aux=True)(x)
    np.testing.assert_allclose(gradient @ DIRECTION, wanted, rtol=1e-6)
    assert same(held(got), held(aux)) and value == y
    LOG.clear()
    (value, got), _ = tl.vjp(f, x)
    assert same(held(got), held(aux)) and value == y
    np.testing.assert_array_equal(x, X)


def scalar_array(x):
    y = np.zeros(())
    y[...] = np.sum(x * x)
    return y


def scalar_view(x):
    y = np.zeros(1)
    y[0] = np.sum(x * x)
    return y.reshape(())


def scalar_in_branches(x):
    y = np.zeros(())
    y[...] = np.sum(x * x)
    if x[0] > 0:
        return y
    y[...] = 3 * y
    return y


@pytest.mark.parametrize("f", [scalar_array, scalar_view, scalar_in_branches])
def test_value_of_an_array_that_is_stored_into(f):
    value, gradient = tl.value_and_grad(f)(X)
    np.testing.assert_allclose(value, X @ X)
    np.testing.assert_allclose(gradient, 2.0 * X)
    np.testing.assert_allclose(tl.hvp(f)(X, DIRECTION), 2.0 * DIRECTION)
    of_value = tl.jvp(lambda x: tl.value_and_grad(f)(x)[0], (X,), (DIRECTION,))
    np.testing.assert_allclose(of_value, (X @ X, 2.0 * X @ DIRECTION))


def test_a_pure_function_copies_nothing():
    def f(x: float, y: float):
        return x * y, x + y

    assert "copy" not in (text := tl.source(tl.value_and_grad(f, has_aux=True)))
    assert "private" not in text
