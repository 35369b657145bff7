"""Products of stacks of large matrices by `np.dot`, matrix by matrix, are those of NumPy."""

import numpy as np
import pytest

import tapeless as tl
from tapeless.lower import lowered
from tapeless.lower.compiled import with_loops
from tapeless.lower.functions import products


def stacks(a, b):
    return np.sum(np.tanh(a @ b))


def turned(a, b):
    return np.sum(np.tanh(a.transpose(0, 2, 1) @ b.transpose(0, 2, 1)))


def first_axis_last(a, b):
    return np.sum(np.tanh(a.transpose(2, 0, 1) @ b.transpose(2, 1, 0)))


def cut(a, b):
    return np.sum(np.tanh(a[:, ::-1, 1:] @ b[:, 1:, ::-1]))


def with_one(a, b):
    return np.sum(np.tanh(a @ b[0]))


def one_with(a, b):
    return np.sum(np.tanh(a[1] @ b))


def broadcast(a, b):
    return np.sum(np.tanh(a[:, None] @ b[None, :, :, :2]))


def of_one(a, b):
    return np.sum(np.tanh(a[:1] @ b)) + np.sum(np.tanh(a @ b[:1]))


def batches(a, b):
    return np.sum(np.tanh(np.einsum("kij,kjl->kil", a, b)))


def crossed(a, b):
    return np.sum(np.tanh(np.einsum("kij,jkl->lki", a, b)))


def matrices(a, b):
    return np.sum(np.tanh(np.einsum("ij,lj->il", a[0], b[1])))


def kept_twice(a, b):
    return np.sum(np.tanh(np.einsum("kij,nkj->nki", a, b)))


def in_a_loop(a, b):
    for k in range(2):
        a = np.tanh(a @ b) + a * k
    return np.sum(a * a)


def stored(a, b):
    a[0] = 2.0 * a[1]
    c = a @ b
    a[1, 0] = c[0, 0]
    return np.sum(c * (a @ b))


def several(a, b):
    c = a.reshape(3, 9) @ b.reshape(9, 3)
    return np.sum(np.tanh(c)) + np.sum(np.tanh(np.reshape(a @ b, (9, 3)) @ b))


PROGRAMS = [stacks, turned, first_axis_last, cut, with_one, broadcast, of_one, batches, crossed]
PROGRAMS += [one_with, matrices, kept_twice, in_a_loop, stored, several]


@pytest.fixture(autouse=True)
def all_are_large(monkeypatch):
    monkeypatch.setattr(products, "LARGE", 1)


def given(dtype, layout):
    rng = np.random.default_rng(1)
    a, b = (rng.normal(size=(3, 3, 3)).astype(dtype) for _ in range(2))
    if layout == "strided":
        return np.asfortranarray(a), np.repeat(b, 2, axis=1)[:, ::2]
    return a, b


def must_not_run(*_):
    raise AssertionError("the NumPy text runs")


@pytest.mark.parametrize("layout", ["", "strided"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_they_are_those_of_numpy(f, dtype, layout):
    near = (1e-12, 1e-12) if dtype is np.float64 else (1e-4, 1e-4)
    plain = tl.grad(f, wrt=(0, 1), scalarize=False).serving(given(dtype, layout)).function
    for g in (f, plain):
        loops = lowered(g, given(dtype, layout))
        assert "np.dot(" in loops.text
        run = with_loops(loops, must_not_run, "f", jit=False)
        found, wanted = run(*given(dtype, layout)), g(*given(dtype, layout))
        for p, q in zip(np.atleast_1d(found), np.atleast_1d(wanted), strict=True):
            assert np.shape(p) == np.shape(q)
            np.testing.assert_allclose(p, q, *near)


@pytest.mark.parametrize("f", [stacks, crossed, with_one, several], ids=lambda f: f.__name__)
@pytest.mark.parametrize("layout", ["", "strided"])
def test_numba_compiles_them(f, layout):
    pytest.importorskip("numba")
    gradient = tl.grad(f, wrt=(0, 1), compile="numba", strict=True)
    wanted = tl.grad(f, wrt=(0, 1))(*given(np.float64, layout))
    for p, q in zip(gradient(*given(np.float64, layout)), wanted, strict=True):
        np.testing.assert_allclose(p, q, rtol=1e-12, atol=1e-12)


def test_other_shapes_raise_what_they_raised():
    a, b = given(np.float64, "")
    loops = lowered(stacks, (a, b))
    run = with_loops(loops, stacks, "f", jit=False)
    for p, q in ((a, b[:, :2]), (a[:2], b)):
        with pytest.raises(ValueError, match="operands could not be broadcast|matmul"):
            run(p, q)


@pytest.mark.parametrize("axes", [1, 2, ((0, 2), (1, 0)), ((-1,), (0,))])
def test_sums_over_axes(axes):
    def f(a, b):
        return np.tensordot(a, b, axes=axes)

    loops = lowered(f, given(np.float64, ""))
    found = with_loops(loops, must_not_run, "f", jit=False)(*given(np.float64, ""))
    np.testing.assert_allclose(found, f(*given(np.float64, "")), rtol=1e-13, atol=1e-13)


def test_small_ones_stay_loops(monkeypatch):
    monkeypatch.setattr(products, "LARGE", 2048)
    assert "np.dot(" not in lowered(stacks, given(np.float64, "")).text
