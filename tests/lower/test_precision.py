"""Loops compute in single precision where NumPy does, and round nothing that it does not round."""

import numpy as np
import pytest

import tapeless as tl
from tapeless.lower import lowered
from tapeless.lower.compiled import with_loops


def must_not_run(*arguments):
    raise AssertionError("the NumPy text runs")


def constants(x, y):
    return np.where(x > 0.1, x * 0.3, 0.2) + 1.0 / (y - 0.7) + np.clip(x, -0.5, 0.5) ** 2


def both_precisions(x, y):
    z = np.zeros(len(x))
    z += x * 0.1
    y *= z + 0.3
    y -= np.float64(0.1)
    return y + z, x * np.float64(0.1), y * 0.1


def numbers(x, y):
    s = x[0] * 0.1 + 0.7
    t = np.float64(0.1) * s
    return s, t, float(y[1]) * 0.1, s / y[0], np.exp(s), s**3


def sums(x, y):
    total = 0.0
    for i in range(len(x)):
        total += x[i] * 0.1
    return total, np.sum(x * y), np.mean(x), np.max(y), x @ y


def shapes(x, y):
    rows = np.outer(x, y) + x
    return np.sum(rows, axis=0), rows @ y, np.concatenate([x, y]), np.stack([x, y]), rows.T[0]


def masks(x, y):
    inside = x > 0.0
    return x * inside, np.maximum(x, 0.1), np.sqrt(np.abs(y)), np.ones_like(x), np.full_like(y, 0.1)


def cast(x, y):
    return x.astype(np.float64) * 0.1, (x.astype(np.float64) * 0.1).astype(np.float32) - y


def given(n=7):
    rng = np.random.default_rng(3)
    return tuple(rng.normal(size=(2, n)).astype(np.float32))


def alike(a, b):
    """Compare values to a few units in the last place of single precision, and dtypes."""
    if isinstance(b, tuple):
        for p, q in zip(a, b, strict=True):
            alike(p, q)
        return
    assert np.asarray(a).dtype == np.asarray(b).dtype
    close = 1e-6 if np.asarray(b).dtype == np.float32 else 1e-13
    np.testing.assert_allclose(a, b, rtol=close, atol=close)


PROGRAMS = (constants, both_precisions, numbers, sums, shapes, masks, cast)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("joined", [False, True])
def test_single_precision(f, joined):
    loops = with_loops(lowered(f, given(), joined=joined), must_not_run, "f", jit=False)
    mine, theirs = given(), given()
    alike(loops(*mine), f(*theirs))
    alike(mine, theirs)


def test_single_precision_compiled():
    pytest.importorskip("numba")
    for f in (constants, both_precisions, numbers, sums):
        loops = with_loops(lowered(f, given()), must_not_run, "f")
        mine, theirs = given(), given()
        alike(loops(*mine), f(*theirs))
        alike(mine, theirs)


def logistic(w, x, y):
    score = x * w
    return np.mean(np.log(1.0 + np.exp(-y * score)) ** 3 + 0.1 * np.where(w > 0.1, w, 0.2))


def test_gradients_have_the_precision_of_what_they_are_of():
    pytest.importorskip("numba")
    x, y = given(300)
    g = tl.grad(logistic, compile="numba", strict=True)
    alike(g(x, x, y), tl.grad(logistic)(x, x, y))
    wide = x.astype(np.float64)
    alike(g(wide, wide, wide), tl.grad(logistic)(wide, wide, wide))
    assert g(x, x, y).dtype == np.float32


def test_the_text_says_which_constants_are_single():
    text = lowered(constants, given()).text
    assert "x[i] * np.float32(0.3)" in text and "np.float32(0.1)" in text
