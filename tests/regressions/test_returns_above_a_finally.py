"""What a `finally` does after a `return` above it is undone as what comes before it."""

import laws
import numpy as np
import pytest

import tapeless as tl
from tapeless import testing

X = np.array([0.7, 0.3, 1.2])
COUNTS = {"n": 0.0}


def a_number_bound_below(x, c):
    y = x * 2.0
    n = 0
    try:
        if c > 0:
            return y
        y = y * x
    finally:
        while n < 3:
            y = y * np.sin(y)
            n = n + 1
        y = np.exp(y)
    return y * 3.0


def a_branch_below(x, c):
    y = x * 2.0
    z = x.copy()
    try:
        if c > 0:
            return np.sum(y)
        y = y * x
    finally:
        if z[0] > 0:
            y = y * z
            x[1] = z[1] * z[0]
    return np.sum(y * 3.0)


def lists_in_a_loop_below(x, c):
    try:
        test = c > 0
        if test:
            return 0.3
    finally:
        for t in np.full(3, x):
            items = []
            items.append(t)
    return items[0] * x


def out_of_a_loop(x, c):
    y = x
    for k in range(3):
        try:
            y = y * x
            if k > c:
                return y * y
        finally:
            w = np.sin(y)
            y = y + w * w
    return y


def one_within_another(x, c):
    y = x * x
    try:
        try:
            if c > 0:
                return y * x
        finally:
            v = np.sin(y)
            y = v * y
        y = y * v
    finally:
        u = np.cos(y)
        y = u * y
    return y


def in_a_callee(x, c):
    return a_number_bound_below(x * x, c) * one_within_another(x, c)


NUMBERS = [a_number_bound_below, lists_in_a_loop_below, out_of_a_loop, one_within_another]


@pytest.mark.parametrize("c", [1.0, -1.0])
@pytest.mark.parametrize("f", [*NUMBERS, in_a_callee])
def test_state_that_a_finally_binds_is_handed_over(f, c):
    laws.check_function(lambda x: f(x, c), (0.7,), smooth=True)
    testing.check_replay(f, 0.7, c)


@pytest.mark.parametrize("c", [1.0, -1.0])
def test_a_branch_in_a_finally(c):
    tl.check_grads(lambda x: a_branch_below(x, c), X.copy())
    testing.check_replay(a_branch_below, X.copy(), c)


def counted(x, c):
    try:
        if c > 0:
            return x * x
        x = x * 3.0
    finally:
        COUNTS["n"] = COUNTS["n"] + 1.0
    return x


@pytest.mark.parametrize("c", [1.0, -1.0])
def test_state_outside_is_stored_into_once(c):
    COUNTS["n"] = 0.0
    y, pullback = tl.vjp(counted, 1.5, c)
    assert y == (2.25 if c > 0 else 4.5)
    assert pullback(1.0)[0] == pullback(1.0)[0] == 3.0
    assert COUNTS["n"] == 1.0
    testing.check_replay(counted, 1.5, c)
