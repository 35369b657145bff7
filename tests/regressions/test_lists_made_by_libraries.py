"""Lists that NumPy makes, of unknown length: lists in all that is done with them, or refused."""

import random

import laws
import numpy as np
import pytest

import tapeless as tl
from tapeless.testing import check_replay

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
