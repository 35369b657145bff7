"""Sums of exponentials of shifted numbers are no pole; where the shift is another one, they may be."""

import numpy as np
import pytest

import tapeless as tl
from tests.laws import check_function

LOGITS = np.linspace(-1.0, 2.0, 36).reshape(9, 4) ** 2
LABELS = np.arange(9) % 4


def picked(e):
    """Cut the cotangent before a quotient: only some entries are selected."""
    p = e / np.sum(e)
    return np.sum(p[[0, 1]])


def cross_entropy(x, y):
    x = x - x.max(axis=1, keepdims=True)
    logp = x - np.log(np.exp(x).sum(axis=1, keepdims=True))
    return -np.mean(logp[np.arange(len(y)), y])


def with_an_axis_put_back(x, y):
    e = np.exp(x - np.max(x, axis=-1)[:, None])
    p = e / np.sum(e, axis=-1, keepdims=True)
    return -np.sum(p[np.arange(len(y)), y])


def over_all(x, y):
    e = np.exp(x - np.max(x))
    return picked(e) + np.log(np.sum(e))


def in_a_loop(x, y):
    total = 0.0
    for k in range(3):
        row = x[k] * 2.0
        e = np.exp(row - np.max(row))
        total += np.log(np.sum(e)) - row[y[k]]
    return total


ABOVE_ONE = (cross_entropy, with_an_axis_put_back, over_all, in_a_loop)


@pytest.mark.parametrize("f", ABOVE_ONE, ids=lambda f: f.__name__)
def test_no_pole(f):
    assert "times_partial" not in tl.source(f, like=(LOGITS, LABELS))
    check_function(f, (LOGITS, LABELS))


def along_the_other_axis(x, y):
    e = np.exp(x - np.max(x, axis=0, keepdims=True))
    p = e / np.sum(e, axis=1, keepdims=True)
    return np.sum(p[[0, 1]])


def bound_anew_between(x, y):
    top = np.max(x)
    x = x - 800.0
    e = np.exp(x - top)
    return picked(e)


def changed_between(x, y):
    x = x * 1.0
    top = np.max(x)
    x[...] = -800.0
    e = np.exp(x - top)
    return picked(e)


def bound_anew_at_the_end_of_a_loop(x, y):
    top, total = np.max(x), 0.0
    for _ in range(2):
        e = np.exp(x - top)
        total += picked(e)
        x = x - 800.0
    return total


def bound_anew_by_a_closure(x, y):
    top = np.max(x)

    def lower():
        nonlocal x
        x = x - 800.0

    lower()
    e = np.exp(x - top)
    return picked(e)


def of_the_smallest(x, y):
    e = np.exp(x - np.min(x) - 800.0)
    return picked(e)


MAY_BE_ZERO = (
    bound_anew_between, changed_between, bound_anew_at_the_end_of_a_loop, bound_anew_by_a_closure,
    of_the_smallest, along_the_other_axis,
)  # fmt: skip


@pytest.mark.parametrize("f", MAY_BE_ZERO, ids=lambda f: f.__name__)
def test_a_pole_is_still_one(f):
    assert "times_partial" in tl.source(f, like=(LOGITS, LABELS))
