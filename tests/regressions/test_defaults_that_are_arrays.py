"""Defaults that are no literals, where a derivative is taken inside."""

import numpy as np

import tapeless as tl

X = np.array([0.3, -0.7])
W = np.array([0.2, 0.5])


def weighted(x, w=W, scale=np.float64(2.0)):  # noqa: B008
    return scale * np.sum(w * x**3)


def test_the_gradient_of_a_gradient():
    def total(x):
        return np.sum(tl.grad(weighted)(x))

    wanted = 12.0 * W * X
    assert np.allclose(tl.grad(total)(X), wanted)
    assert np.allclose(tl.jvp(total, (X,), (np.ones(2),))[1], np.sum(wanted))


def test_in_a_loop():
    def total(x):
        s = 0.0
        for _ in range(2):
            s += np.sum(tl.grad(weighted)(x))
        return s

    assert np.allclose(tl.grad(total)(X), 24.0 * W * X)


def test_of_a_callee():
    def total(x):
        return weighted(x * np.ones(2))

    assert np.isclose(tl.grad(tl.grad(total))(1.5), 2.0 * 0.7 * 6 * 1.5)
