"""Arrays whose dtype is asked for, and may be that of complex numbers: real factors have real cotangents."""

import numpy as np
import pytest

import tapeless as tl

rng = np.random.default_rng(0)
W = rng.normal(size=(3, 3)) + 1j * rng.normal(size=(3, 3))
M = rng.normal(size=(3, 3)) + 1j * rng.normal(size=(3, 3))
DTYPE = np.dtype(complex)


def of_an_attribute(m):
    return np.real(np.sum(W * np.eye(3, dtype=m.dtype) * np.real(np.diagonal(m))))


def filled(m):
    return np.real(np.sum(np.full((3, 3), W, dtype=m.dtype) * np.abs(m)))


def of_a_default(m, dtype=np.complex128):
    return np.real(np.sum(np.full((3, 3), W, dtype) * np.abs(m)))


def of_a_constant(m):
    return np.real(np.sum(np.full((3, 3), W, DTYPE) * np.imag(m)))


def worked_out(m):
    return np.real(np.sum(np.asarray(W, np.result_type(m, 1j)) * np.abs(m)))


def stored_into(m):
    out = np.empty((3, 3), dtype=np.result_type(m, W))
    out[...] = W
    return np.real(np.sum(out * np.abs(m)))


def on_one_way(m):
    dtype = complex if m.shape[0] > 2 else float
    return np.real(np.sum(np.full((3, 3), W, dtype) * np.abs(m)))


def in_a_position(m):
    return np.real(np.sum(np.sum(np.stack([W, W]), 0, m.dtype) * np.abs(m)))


def of_a_ufunc(m):
    return np.real(np.sum(np.multiply(np.eye(3), W, dtype="D") * np.imag(m)))


def of_a_shape(m):
    return np.real(np.sum(np.ones(m.shape, dtype=complex) * W * np.abs(m)))


def joined(m):
    return np.real(np.sum(np.concatenate([W, W], dtype=m.dtype)[:3] * np.imag(m)))


CASES = [
    of_an_attribute, filled, of_a_default, of_a_constant, worked_out, stored_into, on_one_way,
    in_a_position, of_a_ufunc, of_a_shape, joined,
]  # fmt: skip


@pytest.mark.parametrize("f", CASES)
def test_both_modes(f):
    direction, step = W[::-1], 1e-6
    wanted = (f(M + step * direction) - f(M - step * direction)) / (2 * step)
    pulled = np.real(np.sum(tl.grad(f)(M) * direction))
    np.testing.assert_allclose(pulled, wanted, rtol=1e-7, atol=1e-8)
    np.testing.assert_allclose(tl.jvp(f, (M,), (direction,))[1], wanted, rtol=1e-7, atol=1e-8)


def paired(xs, ys):
    return sum(float(np.sum(x * y)) for x, y in zip(xs, ys, strict=True))


@pytest.mark.parametrize("part", [0, 1])
@pytest.mark.parametrize("shape", [(3, 3), (2, 3), (4, 2)])
def test_complex_qr_in_reverse_twice(shape, part):
    x, y = rng.normal(size=shape), rng.normal(size=shape)
    weights = rng.normal(size=np.linalg.qr(x)[part].shape)

    def f(x, y):
        found = np.linalg.qr(x + 1j * y)[part]
        return np.sum(weights * np.real(found)) + np.sum(weights * np.imag(found))

    gradient = tl.grad(f, wrt=(0, 1))
    v, u = ([rng.normal(size=shape) for _ in range(2)] for _ in range(2))
    changes = tl.jvp(gradient, (x, y), tuple(v))[1]
    pulled = tl.vjp(gradient, x, y)[1](tuple(u))
    assert paired(pulled, v) == pytest.approx(paired(u, changes), rel=1e-9)
