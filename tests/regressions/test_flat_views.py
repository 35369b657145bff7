"""`x.flat` shows the entries of `x` in the order of its axes, and a store into it is one into `x`."""

import numpy as np
import pytest

import tapeless as tl

V = np.array([[0.4, 1.1, 0.7], [0.2, 0.5, 0.9]])


def stored_through_a_transpose(v):
    a = np.zeros((2, 3))
    f = a.T.flat
    f[1] = 3.0
    f[2] = v[0, 0]
    return np.sum(a * v)


def stored_through_every_other_column(v):
    a = np.zeros((2, 3))
    f = a[:, ::2].flat
    for k in range(4):
        f[k] = v.flat[k] * k
    return np.sum(a * v)


@pytest.mark.parametrize("f", [stored_through_a_transpose, stored_through_every_other_column])
def test_stores_that_a_vector_would_lose_are_refused(f):
    with pytest.raises(tl.GradientError, match="not contiguous"):
        tl.grad(f)(V)


def test_next_is_refused():
    def taken(v):
        f = v.flat
        return next(f) * next(f)

    with pytest.raises(tl.GradientError, match=r"`next` takes from `x\.flat`"):
        tl.grad(taken)(V)


def stored(v):
    a = np.zeros((2, 3))
    f = a.flat
    f[:] = v.T.flat
    a *= 2
    return np.sum(a * v) + f[2]


def gone_through(v):
    s = 0.0
    for i, x in enumerate(v.T.flat):
        s = s + i * x * x
    return s + sum(v.flat) + max(v.T.flat)


@pytest.mark.parametrize("f", [stored, gone_through])
def test_both_orders(f):
    tl.check_grads(f, V, replay=True)
