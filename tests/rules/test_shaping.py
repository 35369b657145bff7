"""Every rule of shaping.py, copies.py, diagonals.py and joining.py, run by itself, over shapes and axes."""

import numpy as np
import pytest

import tapeless as tl
from tapeless.errors import GradientError
from tapeless.rules import copies, declare, diagonals, joining, shaping
from tapeless.runtime import (
    add_at,
    block_bars,
    column_stack_bars,
    concatenate_bars,
    crop,
    dstack_bars,
    ends_bar,
    hstack_bars,
    pad_bar,
    pad_dot,
    put_at,
    rims_of,
    split_like,
    stack_bars,
    vstack_bars,
)
from tapeless.testing import check_grads, check_rule


def normal(*shape):
    return np.asarray(np.random.default_rng(len(shape)).normal(size=shape))


x1, x2, x3 = normal(4), normal(3, 4), normal(2, 3, 4)
x0 = normal()
empty = normal(0, 3)
pair = [normal(2, 3), normal(4, 3)]

CALLS = [
    (np.reshape, (x2, (2, 6))),
    (np.ndarray.view, (x2,)),
    (pad_bar, (normal(5, 6), x2, 1, "median", None, "even")),
    (crop, (normal(5, 6), ((1, 2), (1, 2)), (2, 3))),
    (pad_dot, (x2, normal(4, 3).T, 1, "maximum", None, "even")),
    (ends_bar, (normal(5, 6), (3, 4), 1, "linear_ramp", 0.3)),
    (rims_of, (normal(2, 2), (3, 4), 1, "constant")),
    (np.reshape, (x2, -1)),
    (np.reshape, (x2, (2, 6), "F")),
    (np.reshape, (x0, (1, 1))),
    (np.reshape, (empty, (3, 0))),
    (np.ndarray.reshape, (x2, (2, -1))),
    (np.ndarray.reshape, (x2, 2, -1)),
    (np.ndarray.reshape, (x2, -1)),
    (np.ravel, (x2,)),
    (np.ravel, (x2, "F")),
    (np.ndarray.ravel, (x3,)),
    (np.ndarray.flatten, (x3,)),
    (np.ndarray.flatten, (x3, "F")),
    (np.transpose, (x3,)),
    (np.transpose, (x3, (1, -1, 0))),
    (np.transpose, (x1,)),
    (np.ndarray.transpose, (x3,)),
    (np.ndarray.transpose, (x3, None)),
    (np.ndarray.transpose, (x3, (1, 2, 0))),
    (np.ndarray.transpose, (x3, -1, 0, 1)),
    (np.ndarray.transpose, (x1, 0)),
    (np.ndarray.T, (x3,)),
    (np.ndarray.T, (x0,)),
    (np.ndarray.mT, (x3,)),
    (np.matrix_transpose, (x2,)),
    (np.linalg.matrix_transpose, (x3,)),
    (np.squeeze, (normal(1, 3, 1),)),
    (np.squeeze, (normal(1, 3, 1), -1)),
    (np.ndarray.squeeze, (normal(1, 3, 1), (0, 2))),
    (np.expand_dims, (x2, 1)),
    (np.expand_dims, (x2, (0, -1))),
    (np.swapaxes, (x3, 0, -1)),
    (np.ndarray.swapaxes, (x3, 0, 1)),
    (np.moveaxis, (x3, 0, -1)),
    (np.moveaxis, (x3, (0, 1), (-1, 0))),
    *((np.rollaxis, (x3, axis, start)) for axis in range(-3, 3) for start in range(-3, 4)),
    (np.atleast_1d, (x0,)),
    (np.atleast_1d, (x0, x2)),
    (np.atleast_2d, (x1,)),
    (np.atleast_2d, (x0, x1, x3)),
    (np.atleast_3d, (x2,)),
    (np.atleast_3d, (x0, x1, x3)),
    (np.broadcast_to, (x1, (3, 4))),
    (np.broadcast_to, (x0, (3, 4))),
    (np.broadcast_to, (normal(3, 1), (2, 3, 4))),
    (np.broadcast_to, (x1, (4,))),
    (np.lib.stride_tricks.sliding_window_view, (x1, 3)),
    (np.lib.stride_tricks.sliding_window_view, (x2, (2, 2))),
    (np.lib.stride_tricks.sliding_window_view, (x3, 2, -1)),
    (np.lib.stride_tricks.sliding_window_view, (x2, (2, 3), (1, 1))),
    (np.broadcast_arrays, (x1,)),
    (np.broadcast_arrays, (x1, normal(3, 1))),
    (np.broadcast_arrays, (x0, x1, x3)),
    (np.tile, (x1, 3)),
    (np.tile, (x2, (2, 3))),
    (np.tile, (x1, (2, 3))),
    (np.tile, (x3, (2,))),
    (np.tile, (x0, 3)),
    (np.tile, (x1, 0)),
    (np.tile, (x1, ())),
    (np.repeat, (x2, 2)),
    (np.repeat, (x2, 2, 1)),
    (np.repeat, (x2, [1, 0, 2], 0)),
    (np.repeat, (x0, 3)),
    (np.ndarray.repeat, (x3, np.array([2, 1, 0, 1]), -1)),
    (np.pad, (x1, 2)),
    (np.pad, (x2, (1, 2))),
    (np.pad, (x2, ((1, 2), (0, 3)))),
    (np.pad, (x0, 0)),
    *(
        (np.pad, (x2, ((1, 2), (0, 3)), mode))
        for mode in ("edge", "reflect", "symmetric", "wrap", "constant")
    ),
    (np.pad, (x1, (9, 7), "wrap")),
    (np.pad, (x1, (9, 7), "reflect")),
    (np.roll, (x1, 1)),
    (np.roll, (x2, -2, 1)),
    (np.roll, (x2, 3)),
    (np.roll, (x3, (1, 2), (0, 2))),
    (np.roll, (x3, 1, (0, 2))),
    (np.flip, (x3,)),
    (np.flip, (x3, (0, -1))),
    (np.dsplit, (x3, 2)),
    (np.dsplit, (x3, [1, 3])),
    *((fn, (x2,)) for fn in [vars(np).get("unstack")] if fn is not None),  # since NumPy 2.1
    (np.block, ([x1, 2.5, x1],)),
    (np.block, ([[x2, normal(3, 1)], [normal(2, 4), normal(2, 1)]],)),
    (np.block, ([[x1, x1], [x1, x1]],)),
    (np.block, ([[[x3]], [[x3]]],)),
    (np.block, (x2,)),
    (np.insert, (x1, 2, 0.5)),
    (np.insert, (x1, 1, x1)),
    (np.insert, (x1, [3, 0, 0], normal(3))),
    (np.insert, (x2, 1, x1, 0)),
    (np.insert, (x2, [0, 3], normal(3, 1), -1)),
    (np.insert, (x2, 5, 1.5)),
    (np.resize, (x2, (2, 3))),
    (np.resize, (x2, (5, 4))),
    (np.resize, (x1, 11)),
    (np.trim_zeros, (x1,)),
    (np.fliplr, (x2,)),
    (np.flipud, (x2,)),
    (np.rot90, (x2,)),
    (np.rot90, (x3, 3, (1, 2))),
    (np.rot90, (x3, -1, (2, 0))),
    (np.diag, (x1,)),
    (np.diag, (x1, -2)),
    (np.diag, (x2,)),
    (np.diag, (x2, 2)),
    (np.diag, (x2, -1)),
    (np.diagflat, (x2, 1)),
    (np.diagonal, (x2,)),
    (np.diagonal, (x3, 1, 2, 0)),
    (np.ndarray.diagonal, (x3, -1, 1, 2)),
    (np.trace, (x2,)),
    (np.trace, (x2, 1)),
    (np.trace, (x2, 1, 1, 0)),
    (np.trace, (x2, 0, -1, 0)),
    (np.trace, (x3, -1, 1, 2)),
    (np.trace, (x3, 1, 2, 0)),
    (np.trace, (normal(2, 3, 4, 5), 0, -3, 3)),
    (np.ndarray.trace, (x3,)),
    (np.tril, (x2,)),
    (np.tril, (x3, -1)),
    (np.tril, (x1,)),
    (np.triu, (x2, 1)),
    (np.triu, (x3, -1)),
    (np.triu, (x1, 1)),
    (np.concatenate, (pair,)),
    (np.concatenate, ([x2, x2, normal(3, 1)], 1)),
    (np.concatenate, ([x2, x1, x3], None)),
    (np.concatenate, ([x2, normal(3, 0)], -1)),
    (np.concatenate, (x3,)),
    (np.concatenate, (x3, 1)),
    (np.stack, ([x2, x2],)),
    (np.stack, ([x2, x2, x2], -1)),
    (np.stack, ([x0, x0],)),
    (np.stack, (x3, 1)),
    (np.stack, ([1.5, 2.5],)),
    (np.vstack, ([x2, x1],)),
    (np.vstack, ([x0, x0],)),
    (np.vstack, (x2,)),
    (vars(np).get("row_stack", np.vstack), (x2,)),
    (np.hstack, ([x1, x1],)),
    (np.hstack, ([x0, x1],)),
    (np.hstack, ([x2, normal(3, 1)],)),
    (np.hstack, (x3,)),
    (np.dstack, ([x2, x2],)),
    (np.dstack, ([x1, x1],)),
    (np.dstack, ([x3, normal(2, 3, 1)],)),
    (np.dstack, (x2,)),
    (np.column_stack, ([x1, x1, normal(4, 2)],)),
    (np.column_stack, (x2,)),
    (np.append, (x2, x1)),
    (np.append, (x2, normal(1, 4), 0)),
    (np.append, (x1, 2.0)),
    (np.delete, (x2, 1)),
    (np.delete, (x2, 1, 0)),
    (np.delete, (x2, [0, -1], 1)),
    (np.delete, (x2, slice(0, 2), 0)),
    (np.split, (x2, 2, 1)),
    (np.split, (x1, [1, 3])),
    (np.split, (x1, [3, 1])),
    (np.split, (x1, [-1, 9])),
    (np.array_split, (x1, 3)),
    (np.array_split, (x3, [1, 2], -1)),
    (np.vsplit, (x2, 3)),
    (np.vsplit, (x2, [1])),
    (np.hsplit, (x2, 2)),
    (np.hsplit, (x1, [1])),
    (block_bars, (x1, [np.arange(2), 1, np.arange(1)])),
    (concatenate_bars, (x1, [np.arange(3), np.arange(1)])),
    (concatenate_bars, (x2, [np.zeros((3, 1)), np.zeros((3, 3))], -1)),
    (stack_bars, (x2, [np.zeros(3)] * 4, 1)),
    (vstack_bars, (x2, [np.zeros(4), np.zeros((2, 4))])),
    (hstack_bars, (x2, [np.zeros((3, 1)), np.zeros((3, 3))])),
    (dstack_bars, (x3, [np.zeros(x3.shape[:2]), np.zeros((*x3.shape[:2], x3.shape[2] - 1))])),
    (column_stack_bars, (x2, [np.zeros(3), np.zeros((3, 3))])),
    (put_at, (x1, np.array([3, 0, 5, 1]), (2, 3))),
    (add_at, (x1, np.array([3, 0, 3, 1]), (2, 3))),
    (split_like, (x2, [(3,), (3, 3)], [1, 3], -1)),
]


@pytest.mark.parametrize(("fn", "args"), CALLS)
def test_rule(fn, args):
    check_rule(fn, *args)


def test_pad_with_a_constant():
    check_rule(np.pad, x2, ((1, 2), (0, 1)), constant_values=0.5)
    check_rule(np.pad, x2, 1, constant_values=3)


def test_pad_by_a_function_is_refused():
    with pytest.raises(GradientError, match="fills the rim"):
        copies.np_pad(x2, 1, lambda row, width, axis, keywords: None)


def ramp_and_means(x, end):
    ramp = np.pad(x, ((1, 2), (0, 1)), mode="linear_ramp", end_values=end)
    return np.sum(np.pad(x, 2, mode="mean", stat_length=2) ** 2) + np.sum(ramp**3)


def test_rims_inside_functions():
    check_grads(ramp_and_means, x2, 0.3)


def rims_of_modes(x):
    return sum(np.sum(np.pad(x, 1, mode=mode) ** 3) for mode in ("edge", "reflect"))


def test_a_rim_whose_mode_is_looked_up():
    check_grads(rims_of_modes, x2[:2, :2], modes=("reverse",))


def test_order_of_memory_is_refused():
    for rule in (shaping.np_ravel, shaping.array_flatten):
        with pytest.raises(GradientError, match="memory"):
            rule(x2, "K")
    with pytest.raises(GradientError, match="memory"):
        shaping.np_reshape(x2, (12,), "A")


MODULES = {module.__name__ for module in (copies, diagonals, joining, shaping)}


def rules_here():
    return {
        primal: rule.function
        for primal, rule in declare._RULES.items()
        if rule.form != "zero" and rule.function.__module__ in MODULES
    }


def test_every_rule_is_checked():
    assert set(rules_here()) <= {fn for fn, _ in CALLS}


@pytest.mark.skipif(not hasattr(np, "unstack"), reason="since NumPy 2.1")
def test_unstack_along_another_axis():
    check_rule(np.unstack, x3, axis=-1)


@pytest.mark.parametrize(
    ("trim", "kept"), [("fb", [1, 2, 3]), ("f", [1, 2, 3, 4]), ("b", [0, 1, 2, 3])]
)
def test_trimmed_zeros_have_no_cotangent(trim, kept):
    y, grad, jvp = joining.np_trim_zeros(np.array([0.0, 1.0, 0.0, 2.0, 0.0]), trim)
    expected = np.zeros(5)
    expected[kept] = np.arange(1.0, len(kept) + 1)
    np.testing.assert_array_equal(grad(np.arange(1.0, len(kept) + 1))[0], expected)
    np.testing.assert_array_equal(jvp(np.arange(5.0)), kept)


def test_a_store_into_what_windows_show_is_refused():
    def f(x):
        y = x * 1.0
        windows = np.lib.stride_tricks.sliding_window_view(y, 2)
        y[1] = 3.0 * x[0]
        return np.sum(windows**2)

    with pytest.raises(GradientError, match="shows entries .* more than once"):
        tl.grad(f)(x1)
    _, slope = tl.jvp(f, (x1,), (np.eye(4)[0],))
    np.testing.assert_allclose(slope, 2.0 * x1[0] + 36.0 * x1[0])


def test_rules_of_joins_are_imported_by_name():
    text = tl.source(lambda a, dtype: np.sum(np.vstack(a, dtype=dtype) ** 2), wrt=0)
    assert "from tapeless.rules.joining import np_vstack" in text
