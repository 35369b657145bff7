"""The functions of `np.emath` within and outside of the real domain."""

import numpy as np
import pytest

from tapeless.rules import declare
from tapeless.testing import check_grads

INSIDE, ACROSS = np.array([0.3, 0.7, 0.2]), np.array([0.3, -1.7, -0.2])
OF_ONE = [getattr(np.emath, f) for f in ("sqrt", "log", "log2", "log10")]
OF_COSINES = [getattr(np.emath, f) for f in ("arccos", "arcsin", "arctanh")]


@pytest.mark.parametrize("fn", OF_ONE + OF_COSINES, ids=lambda fn: fn.__name__)
@pytest.mark.parametrize(
    "x", [INSIDE, ACROSS, ACROSS.astype(np.float32), 0.5, -2.5, ACROSS + 0.3j, np.zeros((0, 2))]
)
def test_values(fn, x):
    found, wanted = declare.find_written(fn)(x), fn(x)
    assert np.result_type(found) == np.result_type(wanted)
    np.testing.assert_array_equal(found, wanted)


def where_it_is_real(x, p):
    powers = np.emath.power(x, p) * np.emath.logn(p, x) + np.emath.log2(x) * np.emath.log10(x)
    return powers + np.emath.sqrt(x) * np.emath.arccos(x) * np.emath.arctanh(x)


def where_it_is_complex(x):
    y = np.emath.log(x) * np.emath.sqrt(x) + np.emath.arcsin(x) * np.emath.power(x, 1.5)
    return np.abs(y) + np.emath.logn(2.0, x).imag * np.real(y)


def root_of_a_quadratic(p):
    root = (-p[0] + np.emath.sqrt(p[0] ** 2 - 4.0 * p[1])) / 2.0
    return np.abs(root) + root.real


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("f", "args"),
    [
        (where_it_is_real, (INSIDE, 2.5)), (where_it_is_complex, (ACROSS,)),
        (root_of_a_quadratic, (np.array([1.0, 3.0]),)),
        (root_of_a_quadratic, (np.array([5.0, 3.0]),)),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)  # fmt: skip
def test_derivatives(f, args):
    check_grads(f, *args)
