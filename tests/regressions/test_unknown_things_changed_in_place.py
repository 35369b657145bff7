"""What changes in place and is not undone is never read in a reverse sweep: sets, and what is not known."""

import contextlib
import pickle

import numpy as np
import pytest

import tapeless as tl
from tests.laws import check_function

W = np.array([0.31, 0.7])
TABLE = np.array([[1.0, 2.0], [3.0, 4.0]])
PICKLED = pickle.dumps(TABLE)


@contextlib.contextmanager
def opened():
    yield from [TABLE]  # is not written around a block


# Sets, which are right


def updated_under_two_names(w):
    seen = {0}
    other, total = seen, 0.0
    for k in [0, 1, 0, 1, 1]:
        if k in other:
            total = total * w[k] + 1.0
        else:
            total += np.sin(w[k])
        seen |= {k}
    return total * len(other)


def by_symmetric_difference(w):
    seen, total = set(), 0.0
    for k in [0, 1, 0, 1, 1]:
        if k in seen:
            total = total * w[k]
        else:
            total += np.sin(w[k])
        seen ^= {k}
    return total * (1 + len(seen))


def picked(w, seen, depth):
    if depth:
        return picked(w, seen, depth - 1) * w[1]
    if 3 in seen:
        return w[0] * w[0]
    return w[1] * 3.0


def changed_by_the_caller(w):
    seen = {1}
    a = picked(w, seen, 2)
    seen.add(3)
    return a + picked(w, seen, 1)


def changed_by_the_caller_once(w):
    seen = {1}
    a = picked(w, seen, 0)
    seen.add(3)
    return a + picked(w, seen, 0)


@pytest.mark.parametrize(
    "function",
    [
        updated_under_two_names,
        by_symmetric_difference,
        changed_by_the_caller,
        changed_by_the_caller_once,
    ],
)
def test_sets(function):
    check_function(function, (W,))
    tl.check_grads(function, W, order=1, replay=True)


MARKS = {1, 2}


def updating_outside(w):
    marks = MARKS
    marks |= {5}
    return w[0] * len(marks) + w[1] * (5 in MARKS)


def test_sets_outside():
    for run in (tl.grad(updating_outside), lambda w: tl.jvp(updating_outside, (w,), (w,))):
        MARKS.discard(5)
        run(W)
        assert MARKS == {1, 2, 5}


# What is not known, which is refused


def filled(w):
    table = pickle.loads(PICKLED)
    total = np.sum(table * w)
    table.fill(2.0)
    return total + np.sum(w)


def view_of_what_is_filled(w):
    table = pickle.loads(PICKLED)
    turned = table.T
    total = np.sum(turned * w)
    table.fill(2.0)
    return total + np.sum(w)


def array_of_what_is_sorted(w):
    table = pickle.loads(PICKLED)
    shown = np.asarray(table)[0]
    total = np.sum(shown * w)
    table.sort()
    return total + np.sum(w)


def entered_and_filled(w):
    with opened() as table:
        total = np.sum(table * w)
        table.fill(7.0)
    return total


def entered_and_stored(w):
    with opened() as table:
        total = np.sum(table * w)
        table[0] = 7.0
    return total


def double(table):
    table *= 2.0
    table[0] = 1.0


def changed_by_a_callee(w):
    with opened() as table:
        turned = table.T
        total = np.sum(turned * w)
        double(table)
    return total


def updated_behind_a_view(w):
    with opened() as table:
        turned = table.T
    total = np.sum(turned * w)
    table *= 1.5
    return total


@pytest.mark.parametrize(
    "function",
    [
        filled, view_of_what_is_filled, array_of_what_is_sorted, entered_and_filled, entered_and_stored,
        changed_by_a_callee, updated_behind_a_view,
    ],
)  # fmt: skip
def test_unknown_things(function):
    before = TABLE.copy()
    with pytest.raises(tl.TapelessError, match="changes in place|not known") as refused:
        tl.grad(function)(W)
    assert refused.value.lineno and refused.value.filename == __file__
    assert np.array_equal(TABLE, before)


def test_what_is_not_changed_is_right():
    def loaded(w):
        table = pickle.loads(PICKLED)
        turned = table.T
        names = []
        names.append("turned")
        return np.sum(turned * w) * np.sum(table @ w) * len(names)

    check_function(loaded, (W,))
