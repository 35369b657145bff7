"""Loops compiled by Numba give what the programs give, or leave the call to the NumPy text."""

import pickle
import warnings

import numpy as np
import pytest
from lowered_branches import BRANCHES
from lowered_functions import FUNCTIONS
from lowered_kernels import KERNELS
from lowered_masks import MASKS
from lowered_programs import PROGRAMS, chain, outcome, overlapping, same, spoiled, x1

import tapeless as tl
from tapeless.lower import lowered
from tapeless.lower.compiled import with_loops

numba = pytest.importorskip("numba", reason="Numba is not installed")

SHORT = [*BRANCHES, *KERNELS, *MASKS]
ALL = [*PROGRAMS, *FUNCTIONS, *SHORT]


@pytest.mark.sampled(4)  # to compile them takes seconds
@pytest.mark.parametrize(("f", "make"), ALL, ids=[f.__name__ for f, _ in ALL])
def test_compiled_programs_give_the_same(f, make):
    compiled = with_loops(lowered(f, make()), f, f.__name__)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        given, kept = make(), make()
        same(compiled(*given), f(*kept))
        same(given, kept)
        for how in ("cut to 0", "cut to 1", "cut to 3", "columns cut to 1", "nan", "inf", "zero"):
            for i in range(len(make())):
                given, kept = spoiled(how, make(), i), spoiled(how, make(), i)
                if given is not None:
                    same(outcome(compiled, given), outcome(f, kept))
                    same(given, kept)


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("f", "make"), SHORT, ids=[f.__name__ for f, _ in SHORT])
def test_compiled_gradients_of_kernels_give_the_same(f, make):
    wrt = tuple(i for i, x in enumerate(make()) if np.asarray(x).dtype == float)
    plain, compiled = tl.grad(f, wrt), tl.grad(f, wrt, compile="numba", strict=True)
    with np.errstate(all="ignore"):
        for how in (None, "nan", "by columns"):
            given = make() if how is None else spoiled(how, make(), 0)
            if given is not None:
                same(outcome(compiled, given), outcome(plain, given))


def ratio(x, a):
    x *= 2.0
    total = 0.0
    for i in range(len(x)):
        total += a / (a - i) * x[i]
    return total


def test_what_fails_half_way_restores_the_arguments_and_raises_as_ever():
    compiled = tl.compile(ratio, strict=True)
    x = np.arange(4.0)
    assert compiled(x.copy(), 0.5) == pytest.approx(ratio(x.copy(), 0.5))
    with pytest.raises(ZeroDivisionError, match="division by zero"):
        compiled(x, 2.0)


def scaled(x, y):
    x[:] = x * 2.0 + y
    return np.sum(x)


def test_arguments_that_overlap_are_left_to_numpy():
    compiled = tl.compile(scaled, strict=True)
    same(compiled(x1(), x1()), scaled(x1(), x1()))
    given, kept = overlapping(x1()), overlapping(x1())
    same(compiled(*given), scaled(*kept))
    same(given, kept)


def test_gradients():
    g = tl.grad(chain, compile="numba", strict=True)
    value = tl.value_and_grad(chain, compile="numba", strict=True)
    for n in (7, 3, 2, 1, 0, 1000):
        same(g(x1(n)), tl.grad(chain)(x1(n)))
        same(value(x1(n)), tl.value_and_grad(chain)(x1(n)))
    assert tl.grad(chain, compile="numba", strict=True) is g
    same(pickle.loads(pickle.dumps(g))(x1()), g(x1()))


def sorted_product(a, b):
    return np.sum(np.sort(a @ b) ** 2)


def test_what_cannot_be_lowered_is_told_once():
    a, b = np.eye(3) + 0.1, x1(3)
    g = tl.grad(sorted_product, compile="numba")
    with pytest.warns(tl.TapelessWarning, match=r"np.argsort.*test_compiled.py:\d+") as told:
        same(g(a, b), tl.grad(sorted_product)(a, b))
        g(a, b)
    assert len(told) == 1
    with pytest.raises(tl.GradientError, match=r"np.argsort"):
        tl.grad(sorted_product, compile="numba", strict=True)(a, b)
    with pytest.raises(tl.GradientError, match="'llvm' is not known"):
        tl.grad(sorted_product, compile="llvm")


FACTOR = 2.0


def multiplied(x):
    return np.sum(FACTOR * x)


def test_a_constant_that_changes_is_noticed(monkeypatch):
    compiled, g = tl.compile(multiplied), tl.grad(multiplied, compile="numba")
    for factor in (2.0, 3.0, 2.0):
        monkeypatch.setitem(globals(), "FACTOR", factor)
        assert compiled(np.ones(3)) == 3.0 * factor
        same(g(np.ones(3)), np.full(3, factor))


DATA = np.linspace(-1.0, 1.0, 12).reshape(4, 3)


def fitted(x):
    return np.sum((DATA @ x - 1.0) ** 2)


def test_arrays_outside_are_read_at_each_call(monkeypatch):
    compiled, plain = tl.compile(fitted, strict=True), tl.grad(fitted)
    g = tl.grad(fitted, compile="numba", strict=True)
    for data in (DATA, DATA[::-1, ::-1] * 2.0, DATA[:2], DATA.T.copy().T, DATA[:1]):
        monkeypatch.setitem(globals(), "DATA", data)
        same(compiled(x1(3)), fitted(x1(3)))
        same(g(x1(3)), plain(x1(3)))


def test_defaults_and_keywords():
    def power(x, n=2):
        return np.sum(x) * n

    compiled = tl.compile(power)
    assert compiled(np.ones(3)) == 6.0
    assert compiled(n=3, x=np.ones(3)) == 9.0


def powered(x, how="square", scale=2.0):
    y = np.exp(x) if how == "exp" else x * x
    return scale * np.sum(y * x)


def test_each_text_has_loops_of_its_own():
    plain, loops = tl.grad(powered), tl.grad(powered, compile="numba", strict=True)
    value = tl.compile(powered, strict=True)
    x = np.linspace(0.1, 0.7, 5)
    for given in ((x,), (x, "exp"), (x, "exp", 3.0), (x, "square", 3.0), (x, "exp")):
        np.testing.assert_allclose(loops(*given), plain(*given), rtol=1e-13)
        np.testing.assert_allclose(value(*given), powered(*given), rtol=1e-13)
    assert len(value.guards) == 2
