"""Calls and loops whose arguments do not fit, in branches that the program never comes to.

What a rank decides is often tested before: `if x.ndim > 1: return np.sum(x @ x.T)`. In the other branch
the tool still works out what the call would give, and NumPy's answer would be an exception.
"""

import numpy as np
import pytest

import tapeless as tl
from tests.laws import check_function

ARRAY = np.array([1.2, 0.4, -0.7])
NEVER = 1e9
CALLS = {
    "products": lambda x: x @ x.T,
    "swapaxes": lambda x: np.swapaxes(x, 0, 1),
    "moveaxis": lambda x: np.moveaxis(x, 0, 2),
    "transpose": lambda x: np.transpose(x, (2, 0, 1)),
    "einsum": lambda x: np.einsum("ij,jk->ik", x, x),
    "too_many_operands": lambda x: np.einsum("i,i,->", x, x),
    "sum": lambda x: np.sum(x, axis=(1, 2)),
    "named_axis": lambda x: np.sum(x, axis="a"),
    "trace": lambda x: np.trace(x),
    "diagonal": lambda x: np.diagonal(x),
    "concatenate": lambda x: np.concatenate([x, x], axis=2),
    "stack": lambda x: np.stack([x, x], axis=4),
    "split": lambda x: np.split(x, 7)[0],
    "take": lambda x: np.take(x, 1, axis=1),
    "expand_dims": lambda x: np.expand_dims(x, 7),
    "reshape": lambda x: np.reshape(x, (3, 5)),
    "broadcast": lambda x: np.broadcast_to(x, (7, 9)),
    "polyval": lambda x: np.polyval(x, x),
    "inverse": lambda x: np.linalg.inv(x),
    "norm": lambda x: np.linalg.norm(x, axis=3),
    "length": lambda x: len(x),
    "nothing_to_sum": lambda x: sum(),
    "excess": lambda x: x.sum(1, 2, 3, 4, 5, 6),
}


def never_called(call):
    def f(x):
        y = np.sum(np.array(x) ** 3)
        if y > NEVER:
            y = y + np.sum(call(x))
        return y

    return f


@pytest.mark.parametrize("x", [ARRAY, np.array(0.7), 0.7], ids=["array", "rank_0", "number"])
@pytest.mark.parametrize("name", CALLS)
def test_calls(name, x):
    f = never_called(CALLS[name])
    wanted = 3.0 * np.asarray(x) ** 2
    np.testing.assert_allclose(tl.grad(f)(x), wanted)
    _, dot = tl.jvp(f, (x,), (x,))
    np.testing.assert_allclose(dot, np.sum(wanted * x))


@pytest.mark.parametrize("name", ["products", "swapaxes", "einsum", "polyval", "length"])
def test_calls_at_second_order(name):
    along = tl.hvp(never_called(CALLS[name]))(ARRAY, ARRAY)
    np.testing.assert_allclose(along, 6.0 * ARRAY * ARRAY)


def switched(x):
    if isinstance(x, np.ndarray) and x.ndim > 1:
        return np.sum(x @ x.T)
    if isinstance(x, list):
        return x[0] * x[1]
    return np.sum(x**3)


@pytest.mark.parametrize("x", [[1.2, 0.4], ARRAY, np.outer(ARRAY, ARRAY)])
def test_a_switch_by_type(x):
    check_function(switched, [x])


def unpacked_from_too_few(x):
    y = x[0] * x[0]
    if y > NEVER:
        for a, b in zip(x):
            y = y + a * b
    return y


def unpacked_from_too_many(x):
    y = x[0] * x[0]
    if y > NEVER:
        for a, b in zip(x, x, x):
            y = y + a * b
    return y


def unpacked_from_a_count(x):
    y = x[0] * x[0]
    if y > NEVER:
        for (i,) in enumerate(x):
            y = y + i
    return y


def the_rest_of_a_pair(x):
    y = x[0] * x[0]
    for i, *rest in enumerate(x):
        y = y + rest[0] * i
    return y


def all_but_the_last(x):
    y = x[0] * x[0]
    for *some, last in zip(x, x[::-1], x):
        y = y + some[0] * some[1] * last
    return y


def a_rest_within_a_pair(x):
    y = x[0] * x[0]
    for i, (first, *rest) in enumerate(zip(x, x, x[::-1])):
        y = y + first * rest[1] * i
    return y


@pytest.mark.parametrize(
    "f",
    [
        unpacked_from_too_few,
        unpacked_from_too_many,
        unpacked_from_a_count,
        the_rest_of_a_pair,
        all_but_the_last,
        a_rest_within_a_pair,
    ],
)
def test_loops(f):
    check_function(f, [ARRAY])
