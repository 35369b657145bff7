"""What carries no derivative may be an array all the same: its shape is asked, and it is copied and kept."""

import contextlib
import copy

import numpy as np
import pytest

import tapeless as tl
from tests import laws
from tests.laws import check_function

W = np.array([0.31, 0.7])
TABLE = np.array([[1.0, 0.1], [3.0, 4.0]])
VIEW = memoryview(np.array([2.0, 5.0]))
MARKS = {1, 2}


class FullError(Exception):
    """An error that tells by a table what went wrong."""

    def __init__(self, table):
        self.table = table


@contextlib.contextmanager
def opened():
    yield from [TABLE]  # is not written around a block


def rounded(x):
    return np.floor(TABLE * x[0] + 3.3)


def order(x):
    return np.argsort(np.stack([x, 1.0 - x, x * x]), axis=-1)


tl.zero_gradient(rounded, order)


def compared_with_unknown(w, small):
    v = 0.5 if small else TABLE
    m = v > 0.2
    return np.sum(m * w)


def compared_twice(w, small):
    v = 0.5 if small else TABLE
    m = np.greater(v, 0.2)
    return np.sum(m * w) * np.sum(np.floor(v) * w) + np.sum(w / (np.sign(v) + 2.0))


def by_a_rule_of_zeros(w):
    return np.sum(rounded(w) * w)


def by_ranks(w):
    return np.sum(w * order(w))


def stored_by_a_rule_of_zeros(w):
    m = rounded(w)
    y = np.zeros((2, 2))
    y[:] = m * w
    y += m
    y[0] *= m[1] * w[0]
    return np.sum(y * y)


def out_of_a_manager(w):
    with opened() as table:
        total = np.sum(table * w)
    return total


def computed_of_a_manager(w):
    with opened() as table:
        both = table * 2.0 + table
        y = w * both
        z = w / table
    y *= w
    return np.sum(y) + np.sum(z)


def carried_by_an_error(w):
    total = 0.0
    try:
        raise FullError(TABLE)
    except FullError as error:
        total += np.sum(error.table * w)
    made = ValueError(TABLE)
    return total + np.sum(made.args[0] * w)


def of_a_view_of_bytes(w):
    return np.sum(np.asarray(VIEW) * w) + VIEW[0] * w[1] + sum(v * w[0] for v in VIEW)


def keys_are_known(w):
    held = {"a": w[0], "b": w[1]}
    total = 0.0
    for key in held:
        total += held[key] * len(key)
    by_place = {0: 1.0, 1: 2.0}
    for i in by_place:
        total += w[i] * i * by_place[i]
    pairs = {(0, 1): w[0] * w[1], (1, 1): w[1]}
    for (i, j), v in pairs.items():
        total += v * w[i] * w[j] * (i + j)
    return total


def copied_sets(w):
    more, less = copy.copy(MARKS), copy.deepcopy(MARKS)
    more.add(0)
    less.discard(1)
    return np.sum(w) * len(more) + w[0] * len(less) * len(MARKS)


def set_within_a_list(w):
    held = copy.deepcopy([MARKS, MARKS.copy()])
    held[0].add(7)
    return np.sum(w) * len(held[0]) + w[0] * len(MARKS)


PROGRAMS = [
    (compared_with_unknown, (W, False)), (compared_with_unknown, (W, True)),
    (compared_with_unknown, (0.3, False)), (compared_twice, (W, False)), (compared_twice, (W, True)),
    (by_a_rule_of_zeros, (W,)), (by_ranks, (W,)), (stored_by_a_rule_of_zeros, (np.array([0.31, 0.9]),)),
    (out_of_a_manager, (W,)), (out_of_a_manager, (0.3,)), (computed_of_a_manager, (W,)),
    (carried_by_an_error, (W,)), (of_a_view_of_bytes, (W,)), (keys_are_known, (W,)),
    (copied_sets, (W,)), (set_within_a_list, (W,)),
]  # fmt: skip


@pytest.mark.parametrize(("function", "args"), PROGRAMS)
def test_is_right(function, args):
    check_function(function, args, wrt=0)
    if np.ndim(args[0]):
        laws.check_orders(function, *args)


@pytest.mark.parametrize("flag", [False, True])
def test_objects_of_libraries_or_none(flag):
    spatial = pytest.importorskip("scipy.spatial")
    tree = spatial.cKDTree(TABLE)

    def measured(w, known):
        found = None
        if known:
            found = tree
        if found is None:
            return np.sum(w)
        return np.sum(found.data * w)

    def visited(w):
        return sum([np.sum(t.data * w) for t in {tree}]) * w[0]

    check_function(measured, (W, flag), wrt=0)
    laws.check_orders(measured, W, flag)
    check_function(visited, (W,))


def test_copies_are_their_own():
    def changed(w):
        with opened() as table:
            kept = copy.deepcopy(table)
        total = np.sum(kept * w)
        kept[0] = 5.0
        return total + np.sum(TABLE * w)

    with pytest.raises(tl.TapelessError, match="changes in place|not known"):
        tl.grad(changed)(W)
    assert tl.jvp(changed, (W,), (W,))[0] == changed(W)


def test_what_is_kept_outside_is_not_changed_twice():
    def changing(w):
        with opened() as table:
            total = np.sum(table * w * w)
            table *= 1.5
            total += np.sum(table * w)
        return total

    before = TABLE.copy()
    with pytest.raises(tl.TapelessError, match="changes in place|not known"):
        tl.grad(changing)(W)
    assert np.array_equal(TABLE, before)
