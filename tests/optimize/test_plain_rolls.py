"""What is rolled only to be added is added in two parts: in the reverse sweep, and where that is right."""

import re

import numpy as np
import pytest

import tapeless as tl
from tapeless.lower import lowered
from tapeless.lower.compiled import with_loops
from tests import laws


def laplacian(u):
    return (
        np.roll(u, 1, axis=0)
        + np.roll(u, -1, axis=0)
        + np.roll(u, 1, axis=1)
        + np.roll(u, -1, axis=1)
        - 4.0 * u
    )


def diffused(u, steps):
    for _ in range(steps):
        u = u + 0.1 * laplacian(u) - 0.2 * u**3
    return np.sum(np.sin(u))


def diffused_once(u):
    return np.sum(np.sin(u + 0.1 * laplacian(u * u)))


def around(u):
    v = np.tanh(u)
    return np.sum((np.roll(v, 1) + np.roll(v, -1) - 2.0 * v) ** 2)


def rolled_twice(u):
    v = np.sin(u)
    return np.sum((v + np.roll(v, 2, axis=1) * v + np.roll(v, -2, 1)) ** 2)


def of_other_shape(u, row):
    return np.sum((u * row + np.roll(u * row, 1, axis=0)) ** 3)


def into_itself(u):
    for _ in range(2):
        v = np.roll(u, 1, axis=0)
        u = np.sin(u) + v
        u += np.roll(u, -1, axis=0)
    return np.sum(u**2)


def normal(*shape, dtype=float):
    return np.random.default_rng(sum(shape)).normal(size=shape).astype(dtype)


PROGRAMS = [
    (diffused, (normal(5, 4), 2), (0,)),
    (diffused_once, (normal(5, 4),), (0,)),
    (around, (normal(6),), (0,)),
    (rolled_twice, (normal(3, 5),), (0,)),
    (of_other_shape, (normal(4, 3), normal(3)), (0, 1)),
    (into_itself, (normal(4, 3),), (0,)),
]


@pytest.mark.parametrize(("f", "args", "wrt"), PROGRAMS, ids=lambda x: getattr(x, "__name__", ""))
def test_programs(f, args, wrt):
    laws.check_function(f, args, wrt)


def reverse_sweep(f, *args):
    return tl.source(f, like=args).partition("# Reverse sweep")[2]


def test_steps_of_one_are_added_in_two_parts():
    for f, args in ((diffused, (normal(30, 40), 2)), (around, (normal(30),))):
        assert not re.search(r"np\.roll\(\w+_bar\b", reverse_sweep(f, *args))
        assert "[-1:] += " in reverse_sweep(f, *args)


def test_steps_that_may_be_longer_than_the_axis_are_rolled():
    assert "np.roll(" in reverse_sweep(rolled_twice, normal(30, 40))


@pytest.mark.parametrize("shape", [(1, 1), (1, 3), (2, 1), (2, 2), (0, 3), (30, 20)])
def test_short_axes(shape):
    u = normal(*shape)
    derivative = tl.grad(diffused_once)
    derivative(normal(30, 40))  # its text is written where nothing is known of the sizes
    found, at = derivative(u), u + 0.1 * laplacian(u * u)
    wanted = np.cos(at) + 0.2 * u * laplacian(np.cos(at))
    np.testing.assert_allclose(found, wanted, atol=1e-12)


def test_single_precision():
    u = normal(7, 6, dtype="f4")
    found = tl.grad(diffused)(u, 2)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, tl.grad(diffused)(u.astype(float), 2), rtol=1e-4, atol=1e-5)


def test_an_addend_of_wider_numbers_is_kept():
    def mixed(u, w):
        v = u * 2.0
        return np.sum(np.roll(v, 1, axis=0) * w + v.astype("f4") * 0.5)

    u, w = normal(6, 5), normal(6, 5, dtype="f4")
    found = tl.grad(mixed)(u, w)
    wanted = 2.0 * np.roll(w, -1, axis=0) + 1.0
    assert found.dtype == np.float64
    np.testing.assert_allclose(found, wanted, rtol=1e-6)


@pytest.mark.parametrize(
    ("f", "args", "wrt"), PROGRAMS[:3], ids=lambda x: getattr(x, "__name__", "")
)
def test_both_parts_are_compiled(f, args, wrt):
    gradient = tl.grad(f, scalarize=False).serving(args).function
    loops = lowered(gradient, args)
    run = with_loops(loops, must_not_run, gradient.__name__, jit=False)
    np.testing.assert_allclose(np.squeeze(run(*args)), tl.grad(f)(*args), rtol=1e-12)


def must_not_run(*_):
    raise AssertionError("the NumPy text runs")
