"""Lists that NumPy makes, of unknown length: lists in all that is done with them, or refused."""

import random

import numpy as np
import pytest

import tapeless as tl
from tapeless.testing import check_replay
from tests import laws

X = np.array([0.7, -0.3, 0.2, -1.1])


def visited(x):
    total = 0.0
    for v in x.tolist():
        total = total + v * v
    return total


def unpacked(x):
    a, b, c, d = x.tolist()
    return a * b + c * d


def of_rows(x):
    rows = x.reshape(2, 2).tolist()
    return rows[0][1] * rows[1][0]


def of_a_number(x):
    total = x.sum().tolist()
    return total * total


def sliced(x):
    y = x.tolist()
    return len(y) * y[1:][0]


def extremes(x):
    y = x.tolist()
    return max(y) * min(y)


def put_into_a_list(x):
    y = [*x.tolist(), 0.3]
    y[0] = y[0] ** 2
    return y[0] * y[4]


def list_of_it(x):
    y = list(x.tolist()) + [0.3]
    y.append(x[1])
    return y[0] * y[5]


def pieces_in_a_list(x):
    parts = [part for part in np.split(x, 2)]  # noqa: C416
    parts[0] = parts[0] ** 2
    return parts[0] @ x[:2]


def changed_pieces(x):
    parts = np.split(x, 2)
    for part in parts:
        part *= 2.0
    return parts[0] @ x[:2]


@pytest.mark.parametrize(
    "f",
    [
        visited,
        unpacked,
        of_rows,
        of_a_number,
        sliced,
        extremes,
        put_into_a_list,
        list_of_it,
        pieces_in_a_list,
        changed_pieces,
    ],
    ids=lambda f: f.__name__,
)
def test_gradients(f):
    laws.check_function(f, (X.copy(),))
    check_replay(f, X.copy())


def a_replaced_piece(x):
    parts = list(np.split(x, 2))
    parts[0] = parts[1] * 2.0
    return np.sum(parts[0] ** 2)


def a_replaced_piece_of_a_display(x):
    parts = [1.0, *np.split(x, 2)]
    parts[1] = parts[2] * 2.0
    return np.sum(parts[1] ** 2)


def pieces_of_unlike_lengths(x):
    parts = list(np.array_split(x, 3))
    parts[0] = parts[1]
    del parts[1]
    return np.sum(parts[0] ** 2) + np.sum(parts[1])


def pieces_split_at_places(x):
    parts = list(np.split(x, [1, 3]))
    parts[1] = np.zeros(3)
    return np.sum(parts[0] ** 2)


def rows_replaced(x):
    rows = list(np.vsplit(x.reshape(2, 2), 2))
    rows[0] = rows[1] * 2.0
    return np.sum(rows[0] ** 2)


def all_taken_out(x):
    parts = list(np.split(x, 2))
    parts.clear()
    parts.append(x)
    return np.sum(parts[0] ** 2)


@pytest.mark.parametrize(
    "f",
    [
        a_replaced_piece,
        a_replaced_piece_of_a_display,
        pieces_of_unlike_lengths,
        pieces_split_at_places,
        rows_replaced,
        all_taken_out,
    ],
    ids=lambda f: f.__name__,
)
def test_items_that_nothing_reaches(f):
    laws.check_function(f, (X.copy(),), smooth=True)
    check_replay(f, X.copy())


def a_replaced_slope(x):
    slopes = list(np.gradient(x.reshape(2, 2)))
    slopes[0] = slopes[1] * 2.0
    return np.sum(slopes[0] ** 2)


def test_a_replaced_slope():
    rng = np.random.default_rng(3)
    laws.check_grad(a_replaced_slope, (X.copy(),), (0,), rng)
    laws.check_forward(a_replaced_slope, (X.copy(),), (0,), rng)


def test_numbers_beside_rows_of_either_make():
    def f(x):
        rows = list(x.reshape(2, 2).tolist())
        rows[0] = [x[1], 2.0]
        return rows[0][0] * rows[1][0] + rows[0][1]

    direction = np.array([1.0, -0.5, 2.0, 0.3])
    slope = tl.jvp(f, (X.copy(),), (direction,))[1]
    np.testing.assert_allclose(slope, X[1] * direction[2] + X[2] * direction[1], rtol=1e-12)


def joined(x):
    y = x.tolist() + [0.3]
    return y[0] * y[4]


def joined_in_front(x):
    y = [0.5] + x.tolist()
    return y[1] * y[0]


def the_least_of_more(x):
    best = min(x[:2].tolist() + [0.3], key=lambda v: v)
    x = x * 2
    return best * x[0]


def repeated(x):
    y = x.tolist() * 2
    return y[0] * y[5]


def stored_through_an_alias(x):
    y = x.tolist()
    z = y
    z[0] = 2.0 * y[1]
    return y[0] * x[0]


def stored_in_a_row(x):
    rows = x.reshape(2, 2).tolist()
    rows[0][0] = 3.0 * x[1]
    return rows[0][0] * x[0]


def updated_in_place(x):
    y = x.tolist()
    z = y
    z[0] *= 2.0
    return y[0] * x[0]


def stored_by_a_callee(x):
    def store(t):
        t[0] = 3.0 * t[1]

    y = x.tolist()
    store(y)
    return y[0] * x[0]


def sorted_in_place(x):
    y = x.tolist()
    y.sort()
    return y[0] * y[1]


def stored_piece(x):
    parts = np.split(x, 2)
    held = parts
    held[0] = 2.0 * parts[1]
    return parts[0] @ x[:2]


def updated_piece(x):
    parts = np.split(x, 2)
    parts[0] *= 2.0
    return parts[0] @ x[:2]


def reversed_pieces(x):
    parts = np.split(x, 2)
    parts.reverse()
    return parts[0] @ x[:2]


def popped_piece(x):
    parts = np.array_split(x, 2)
    parts.pop()
    return parts[0] @ x[:2]


def deleted_piece(x):
    parts = np.split(x, 2)
    del parts[0]
    return parts[0] @ x[:2]


def shuffled_pieces(x):
    parts = np.split(x, 2)
    random.Random(1).shuffle(parts)
    return parts[0] @ x[:2]


def repeated_in_place(x):
    y = x.tolist()
    z = y
    y *= 2
    return np.sum(np.array(z) ** 2)


def pieces_repeated_in_place(x):
    y = np.split(x, 2)
    z = y
    y *= 2
    return np.sum(np.array(z) ** 2)


def extended_in_place(x):
    y = x.tolist()
    z = y
    y += [1.0]
    return np.sum(np.array(z) ** 2)


def repeated_by_a_callee(x):
    def repeat(items):
        items *= 2

    y = x.tolist()
    repeat(y)
    return np.sum(np.array(y) ** 2)


def a_list_on_one_way(x):
    y = x.tolist() if x[0] > 0 else x * 2.0
    z = y + y
    return np.sum(np.array(z) ** 2)


def a_tuple_on_one_way(x):
    y = (x[0], x[1]) if x[0] > 0 else x * 2.0
    z = y * 2
    return np.sum(np.array(z) ** 2)


def a_list_of_ones_own_on_one_way(x):
    if x[0] > 0:
        y = [x[0], x[1]]
    else:
        y = x * 2.0
    z = y + y
    return z[0] * z[2]


@pytest.mark.parametrize(
    "f",
    [
        joined,
        joined_in_front,
        the_least_of_more,
        repeated,
        stored_through_an_alias,
        stored_in_a_row,
        updated_in_place,
        stored_by_a_callee,
        sorted_in_place,
        stored_piece,
        updated_piece,
        reversed_pieces,
        popped_piece,
        deleted_piece,
        shuffled_pieces,
        repeated_in_place,
        pieces_repeated_in_place,
        extended_in_place,
        repeated_by_a_callee,
        a_list_on_one_way,
        a_tuple_on_one_way,
        a_list_of_ones_own_on_one_way,
    ],
    ids=lambda f: f.__name__,
)
def test_refusals(f):
    with pytest.raises(tl.TapelessError) as caught:
        tl.grad(f)(X.copy())
    assert caught.value.lineno
    try:
        laws.check_forward(f, (X.copy(),), (0,), np.random.default_rng(0))
    except tl.TapelessError as refusal:
        assert refusal.lineno


def test_the_way_out_is_named():
    with pytest.raises(tl.GradientError, match="changes a list that a function of a library made"):
        tl.grad(stored_piece)(X)
