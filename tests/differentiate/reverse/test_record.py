"""What the forward sweep keeps: beside each function stands what is saved, and of nothing else.

A name is saved where some mirrored statement reads it and it does not have that value any more when the
reverse sweep comes there.
"""

import re

import numpy as np
import pytest

import tapeless as tl
from tests.beside import said

X = np.array([0.5, -1.0, 2.0])


def sums_keep_nothing(x):
    s = 0.0
    for v in x:
        s = s + 2.0 * v
    return s  # saved:


def factors_are_kept(x):
    s = 0.0
    for i in range(len(x)):
        y = np.sin(x[i])
        s = s + y * y
    return s  # saved: y


def carried_by_the_loop(x):
    y = 1.0
    for i in range(len(x)):
        y = y * x[i]
    return y  # saved: y


def overwritten_once(x):
    y = x[0] * 2.0
    z = y * y
    y = z * x[1]
    return y * y  # saved:


def the_way_that_was_taken(x):
    s = 0.0
    for v in x:
        y = v * 2.0
        if y > 1.0:
            s = s + y * y
    return s  # saved: y


def factors_of_a_store(x):
    y = x * 1.0
    for i in range(1, len(y)):
        y[i] = y[i] * y[i - 1]
    return np.sum(y)  # saved: y_i y_item


def dead_values(x):
    s = 0.0
    for v in x:
        unused = np.exp(v)
        s = s + v
    return s  # saved:


CASES = [
    sums_keep_nothing, factors_are_kept, carried_by_the_loop, overwritten_once,
    the_way_that_was_taken, factors_of_a_store, dead_values,
]  # fmt: skip


@pytest.mark.parametrize("function", CASES, ids=[f.__name__ for f in CASES])
def test_saved(function):
    ((_, word, _, expected),) = said(function)
    assert word == "saved"
    text = tl.source(function, like=(X,))
    kept = re.findall(r"\bsaved\w*\.append\((.*)\)$", text, flags=re.MULTILINE)
    assert {name for one in kept for name in re.findall(r"[A-Za-z_]\w*", one)} == expected, text
