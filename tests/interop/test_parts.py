"""What is compiled in parts runs them where they are faster, and follows what changes outside."""

import copy
import warnings

import numpy as np
import pytest
from parts_programs import PROGRAMS

import tapeless as tl

pytest.importorskip("numba", reason="Numba is not installed")

SOME = [(f, a) for f, a in PROGRAMS if f.__name__ not in ("not_bound", "divided_by_zero")]


def close(a, b):
    for p, q in zip(a, b, strict=True) if isinstance(a, tuple) else [(a, b)]:
        assert type(p) is type(q)
        np.testing.assert_allclose(p, q, rtol=1e-10)


@pytest.mark.parametrize(("f", "arguments"), SOME, ids=[f.__name__ for f, _ in SOME])
def test_programs_give_the_same(f, arguments, capsys):
    g, compiled = tl.grad(f, wrt=arguments_of(arguments)), tl.compile(f)
    loops = tl.grad(f, wrt=arguments_of(arguments), compile="numba")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tl.TapelessWarning)
        for _ in range(3):
            for plain, quick in ((f, compiled), (g, loops)):
                given, kept = copy.deepcopy(arguments), copy.deepcopy(arguments)
                expected, written = plain(*kept), capsys.readouterr().out
                close(quick(*given), expected)
                assert capsys.readouterr().out == written
                close(given, kept)


def arguments_of(arguments):
    return tuple(i for i, x in enumerate(arguments) if not isinstance(x, int))


GAIN = 2.0


def inner(x):
    y = np.sort(x)
    return GAIN * y * y - np.sin(y) + 0.5 * np.cos(y)


def outer(x, table):
    table["calls"] = table["calls"] + 1
    z = inner(x) * x - 0.1 * x * x + np.exp(-x)
    return GAIN * np.sum(z)


def test_what_changes_outside_is_followed(monkeypatch):
    compiled, x, table = tl.compile(outer), np.linspace(0.1, 1.0, 200), {"calls": 0}
    plain_inner = inner
    for gain, callee in ((2.0, inner), (3.0, inner), (3.0, lambda x: x * 2.0), (2.0, plain_inner)):
        monkeypatch.setitem(globals(), "GAIN", gain)
        monkeypatch.setitem(globals(), "inner", callee)
        close(compiled(x, table), outer(x, {"calls": 0}))
    assert table == {"calls": 4}


def test_other_sizes_and_kinds():
    def f(x, y):
        v = np.sort(x * y + 0.1 * x - 1.0)
        w = v * y - 0.5 * v * v + np.cos(v)
        return np.sum(w * w)

    plain, loops = tl.grad(f), tl.grad(f, compile="numba")
    rng = np.random.default_rng(1)
    for n, m, dtype in (
        (5, 5, float),
        (3000, 3000, float),
        (4, 1, float),
        (5, 5, np.float32),
        (1, 1, float),
    ):
        x, y = rng.normal(size=n).astype(dtype), rng.normal(size=m).astype(dtype)
        np.testing.assert_allclose(
            loops(x, y), plain(x, y), rtol=1e-4 if dtype is np.float32 else 1e-9
        )
        assert loops(x, y).dtype == dtype
    with pytest.raises(ValueError, match="broadcast"):
        loops(np.ones(4), np.ones(3))


def test_strictly_all_of_it_is_lowered():
    def f(x):
        v = np.sort(x * x + 0.1 * x - 1.0)
        return np.sum(v * v - 0.5 * v + np.cos(v))

    with pytest.raises(tl.GradientError, match=r"np\.sort"):
        tl.compile(f, strict=True)(np.ones(3))
