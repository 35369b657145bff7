"""Every rule of creation.py, run by itself."""

import ast
import inspect

import numpy as np
import pytest

import tapeless as tl
from tapeless.rules import creation, declare
from tapeless.runtime import array_bar, array_dot, as_in_place, cast, meshgrid_bar
from tapeless.testing import check_rule


def normal(*shape):
    return np.random.default_rng(1).normal(size=shape)


CONVERSIONS = [
    *[
        np.array,
        np.asarray,
        np.asanyarray,
        np.ascontiguousarray,
        np.asfortranarray,
        np.require,
        np.copy,
    ],
]
SPACINGS = [np.linspace, np.logspace, np.geomspace]
FREQUENCIES = [np.fft.fftfreq, np.fft.rfftfreq]
TYPES = [np.float64, np.float32, np.complex128]
CHECKED = {
    *[*CONVERSIONS, *SPACINGS, *FREQUENCIES, *TYPES],
    *[np.ndarray.copy, np.ndarray.astype, np.astype, np.full, np.full_like],
    *[np.arange, np.meshgrid, np.ix_, array_bar, array_dot, as_in_place, cast, meshgrid_bar],
    *[np.asarray_chkfinite, np.float16, np.longdouble, np.complex64, np.clongdouble],
}


@pytest.mark.parametrize("fn", CONVERSIONS)
def test_conversion(fn):
    check_rule(fn, normal(2, 3))
    check_rule(fn, np.array(0.5))
    check_rule(fn, normal(0, 3))
    check_rule(fn, 0.5)
    check_rule(fn, [0.1, -0.7, 3])
    check_rule(fn, [[0.1, 0.2], (0.3, 0.4), normal(2)])
    check_rule(fn, normal(2, 3) + 1j)


def test_what_an_update_leaves():
    check_rule(as_in_place, 2.0, normal(3))
    check_rule(as_in_place, 2.0, 0.5)
    check_rule(as_in_place, normal(2, 3), normal(2, 3))
    check_rule(as_in_place, normal(0), normal(0))


@pytest.mark.parametrize("fn", CONVERSIONS[:-1])
def test_conversion_to_another_dtype(fn):
    check_rule(fn, normal(3), complex)
    y, grad, *_ = declare.find_rule(fn).function(normal(3), np.float32)
    assert y.dtype == np.float32 and grad(np.ones(3, np.float32))[0].dtype == np.float64


def test_copies():
    check_rule(np.array, normal(3), copy=True)
    check_rule(np.ndarray.copy, normal(2, 3))
    check_rule(np.ndarray.copy, normal(2, 3), "F")


@pytest.mark.parametrize("fn", [np.ndarray.astype, np.astype])
def test_change_of_dtype(fn):
    check_rule(fn, normal(2, 3), float)
    check_rule(fn, normal(2, 3), complex)
    check_rule(fn, normal(2, 3), float, copy=False)
    for given, wanted in [(np.float32, np.float64), (np.float64, np.float32)]:
        y, grad, jvp = declare.find_rule(fn).function(normal(3).astype(given), wanted)
        assert y.dtype == wanted
        assert grad(np.ones(3, wanted))[0].dtype == given
        assert jvp(np.ones(3, given)).dtype == wanted


@pytest.mark.parametrize("fn", [*CONVERSIONS[:-1], np.ndarray.astype, np.astype])
def test_conversion_to_integers_has_no_slope(fn):
    y, grad, jvp = declare.find_rule(fn).function(normal(3), int)
    assert y.dtype == int
    assert np.array_equal(grad(np.ones(3))[0], np.zeros(3))
    assert np.array_equal(jvp(np.ones(3)), np.zeros(3))


@pytest.mark.parametrize(
    ("fn", "args"), [(np.full, ((3,), 0.7, int)), (np.full_like, (np.ones(3, int), 0.7))]
)
def test_filling_with_integers_has_no_slope(fn, args):
    _, grad, jvp = declare.find_rule(fn).function(*args)
    assert grad(np.ones(3))[1] == 0.0
    assert np.array_equal(jvp(1.0), np.zeros(3))


@pytest.mark.parametrize("fn", TYPES)
def test_scalar_types(fn):
    loose = {"check_rtol": 1e-2, "check_atol": 1e-2} if fn is np.float32 else {}
    check_rule(fn, 0.3, **loose)
    check_rule(fn, normal(3), **loose)


def test_filled_arrays():
    for shape in [(), 3, (2, 3), (0, 3)]:
        check_rule(np.full, shape, 0.7)
    check_rule(np.full, (2, 3), normal(3))
    check_rule(np.full, (2, 3), normal(2, 1), float)
    check_rule(np.full_like, normal(2, 3), 0.7)
    check_rule(np.full_like, normal(2, 3), normal(3))


@pytest.mark.parametrize("fn", SPACINGS)
def test_spaced_numbers(fn):
    check_rule(fn, 0.3, 1.7, 5)
    check_rule(fn, 0.3, 1.7)
    check_rule(fn, 0.3, 1.7, 5, False)
    check_rule(fn, 0.3, 1.7, 1)
    check_rule(fn, np.abs(normal(2, 3)), np.abs(normal(3)) + 1.0, 4)
    check_rule(fn, np.abs(normal(2, 3)), 1.7, 4, axis=1)
    check_rule(fn, np.abs(normal(2, 1)), np.abs(normal(3)) + 0.5, 4, axis=-1)


def test_bases_of_logspace():
    check_rule(np.logspace, 0.3, 1.7, 5, True, 2.5)
    check_rule(np.logspace, normal(3), 1.7, 5, base=2.5)


def test_counted_numbers():
    check_rule(np.arange, 0.13, 3.0, 0.5)
    check_rule(np.arange, 0.13, 3.0)
    check_rule(np.arange, 3.3)
    check_rule(np.arange, 3.3, step=0.4)


@pytest.mark.parametrize("fn", FREQUENCIES)
def test_frequencies(fn):
    check_rule(fn, 6, 0.3)
    check_rule(fn, 5)


@pytest.mark.parametrize("indexing", ["xy", "ij"])
@pytest.mark.parametrize("sparse", [False, True])
def test_grids(indexing, sparse):
    options = {"indexing": indexing, "sparse": sparse}
    check_rule(np.meshgrid, normal(3), normal(2), **options)
    check_rule(np.meshgrid, normal(3), normal(2), normal(4), **options)
    check_rule(np.meshgrid, normal(3), **options)
    check_rule(np.meshgrid, normal(3), 0.7, **options)


def test_open_grids():
    check_rule(np.ix_, normal(3), normal(2))
    check_rule(np.ix_, normal(3), np.array([2, 0]), normal(4))
    check_rule(np.ix_, normal(3), np.array([True, False, True]))
    check_rule(np.ix_, normal(3))


def test_what_gradients_call():
    check_rule(array_bar, normal(2, 2), [[0.1, 0.2], normal(2)])
    check_rule(array_dot, [[0.1, 0.2], normal(2)], normal(2, 2))
    check_rule(cast, normal(3), float)
    check_rule(cast, normal(3) + 1j, float)
    check_rule(meshgrid_bar, (normal(3, 2), normal(3, 2)), (normal(2), normal(3)))
    check_rule(meshgrid_bar, (normal(2, 3), normal(2, 3)), (normal(2), normal(3)), "ij")


@pytest.mark.parametrize("fn", [np.zeros_like, np.ones_like])
def test_constants(fn):
    check_rule(fn, normal(2, 3))


def test_windows():
    check_rule(np.hanning, 5)
    check_rule(np.eye, 3)


def listed_constants(module):
    """Return what a module lists by `zero_gradient`, read from its text."""
    listed = set()
    for node in ast.walk(ast.parse(inspect.getsource(module))):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "built_in_zero":
            listed |= {eval(ast.unparse(item), vars(module)) for item in node.args}
    return listed


def rules_here():
    name = creation.__name__
    found = declare._RULES.items()
    return {fn: r for fn, r in found if getattr(r.function, "__module__", None) == name}


def test_every_rule_is_checked():
    assert set(rules_here()) == CHECKED
    for fn in listed_constants(creation):
        assert declare.find_rule(fn).form == "zero"


def test_a_number_in_half_precision():
    assert tl.grad(lambda x: np.float16(x) * 3.0)(0.5) == 3.0
