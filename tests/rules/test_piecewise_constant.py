"""What piecewise_constant.py lists is constant under small changes, and declared so."""

import ast
import inspect

import numpy as np
import pytest

from tapeless.rules import declare, piecewise_constant
from tapeless.testing import check_rule


def normal(*shape):
    return np.random.default_rng(1).normal(size=shape)


OF_ONE = [
    *[np.sign, np.signbit, np.floor, np.ceil, np.trunc, np.fix, np.rint, np.round, np.around],
    *[np.ndarray.round, np.all, np.any, np.ndarray.all, np.ndarray.any, np.logical_not],
    *[np.isfinite, np.isinf, np.isnan, np.isneginf, np.isposinf, np.iscomplex, np.isreal],
    *[np.iscomplexobj, np.isrealobj, np.isscalar, np.argmax, np.argmin, np.nanargmax],
    *[np.nanargmin, np.ndarray.argmax, np.ndarray.argmin, np.argsort, np.ndarray.argsort],
    *[np.argwhere, np.nonzero, np.flatnonzero, np.count_nonzero, np.ndarray.nonzero],
    *[np.tril_indices_from, np.triu_indices_from, np.shape, np.ndim, np.size],
    *[np.ndarray.shape, np.ndarray.ndim, np.ndarray.size, np.ndarray.dtype, np.ndarray.strides],
    *[np.ndarray.itemsize, np.ndarray.nbytes, np.result_type, np.min_scalar_type, np.iterable],
    *[np.common_type, np.linalg.matrix_rank, np.lexsort, np.ndarray.__array_namespace__],
]
OF_TWO = [
    *[np.greater, np.greater_equal, np.less, np.less_equal, np.equal, np.not_equal, np.isclose],
    *[np.allclose, np.array_equal, np.array_equiv, np.isin, np.logical_and, np.logical_or],
    *[np.logical_xor, np.floor_divide, np.shares_memory, np.may_share_memory],
]
WITH_OTHER_ARGUMENTS = [
    (np.argpartition, (normal(5), 2)),
    (np.ndarray.argpartition, (normal(5), 2)),
    (np.searchsorted, (np.array([-1.0, 0.0, 1.0]), normal(4))),
    (np.ndarray.searchsorted, (np.array([-1.0, 0.0, 1.0]), normal(4))),
    (np.digitize, (normal(4), np.array([-1.0, 0.0, 1.0]))),
    (np.can_cast, (np.float64, np.float32)),
    (np.promote_types, (np.float64, np.float32)),
    (np.issubdtype, (np.float64, np.inexact)),
    (np.finfo, (float,)),
    (np.iinfo, (int,)),
    (np.dtype, (float,)),
    (np.broadcast_shapes, ((2, 3), (3,))),
    (np.indices, ((2, 3),)),
    (np.tril_indices, (3,)),
    (np.triu_indices, (3,)),
    (np.diag_indices, (3,)),
    (np.diag_indices_from, (normal(3, 3),)),
    (np.mask_indices, (3, np.triu)),
    (np.unravel_index, (3, (2, 3))),
    (np.ravel_multi_index, ((1, 2), (2, 3))),
]


@pytest.mark.parametrize("fn", OF_ONE)
def test_of_one_array(fn):
    check_rule(fn, normal(2, 3))


@pytest.mark.parametrize("fn", OF_TWO)
def test_of_two_arrays(fn):
    check_rule(fn, normal(2, 3), normal(2, 3)[::-1].copy())


@pytest.mark.parametrize(("fn", "args"), WITH_OTHER_ARGUMENTS)
def test_of_other_arguments(fn, args):
    check_rule(fn, *args)


def test_positions():
    check_rule(np.argmax, normal(2, 3), axis=1)
    check_rule(np.round, normal(2, 3), 1)


def test_of_integers():
    # no small changes to make: these are listed so that what they give counts as constant
    for fn in (np.bitwise_and, np.gcd, np.lcm, np.left_shift):
        check_rule(fn, 6, 4)
    for fn in (np.int32, np.int64, np.bool_):
        check_rule(fn, 3.3)


@pytest.mark.parametrize("bins", [4, np.array([-2.0, -0.5, 0.4, 3.0])])
def test_histogram(bins):
    check_rule(np.histogram, normal(7), bins)


def test_histogram_over_a_range():
    check_rule(np.histogram, normal(7), 4, (-1.5, 1.5))


def listed_constants(module):
    """Return what a module lists by `zero_gradient`, read from its text."""
    listed = set()
    for node in ast.walk(ast.parse(inspect.getsource(module))):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "built_in_zero":
            listed |= {eval(ast.unparse(item), vars(module)) for item in node.args}
    return listed


# What makes integers of anything, texts, and tells of bits: nothing to check by differences.
NOT_OF_FLOATS = {
    *[np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64, np.bool_],
    *[np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.invert, np.bitwise_count],
    *[np.left_shift, np.right_shift, np.gcd, np.lcm, np.isnat, np.spacing, np.ndarray.flags],
    *[np.array_repr, np.array_str, np.array2string],
    *[np.format_float_positional, np.format_float_scientific],
}


def test_every_rule_is_checked():
    checked = {*OF_ONE, *OF_TWO, *[fn for fn, _ in WITH_OTHER_ARGUMENTS], *NOT_OF_FLOATS}
    assert listed_constants(piecewise_constant) == checked
    for fn in checked:
        assert declare.find_rule(fn).form == "zero"


@pytest.mark.parametrize("bins", [4, [-1.0, 0.1, 0.6, 2.0], np.array([-0.5, 0.2, 0.4])])
def test_histogram_of_weights(bins):
    check_rule(np.histogram, normal(7), bins, weights=normal(7) ** 2)


def test_joint_histograms_have_no_rule():
    assert declare.find_rule(np.histogram2d) is None
