"""Loops with jumps within a `try`: what a name holds at its end is not followed, and no false alarm."""

import numpy as np
import pytest

from tapeless.testing import check_replay
from tests import laws


def broken_out_of(x, c):
    try:
        for _ in range(3):
            if c != 1:
                x = np.sin(x) / x**2
                break
    except ZeroDivisionError:
        pass
    return x


def with_a_finally(x, c):
    try:
        for _ in range(3):
            if c != 1:
                x = np.sin(x) / x**2
                break
    finally:
        pass
    return x


def returned_out_of(x, c):
    try:
        for _ in range(3):
            if c != 1:
                x = np.sin(x) / x**2
                return x
    except ZeroDivisionError:
        pass
    return x


def broken_out_later(x, c):
    y = 0.5
    try:
        for k in range(3):
            if k == c:
                y = np.sin(x) * y
                break
    finally:
        c = 0
    return x * y


def gone_on_with(x, c):
    try:
        while c < 4:
            c = c + 1
            if c == 3:
                continue
            x = np.sin(x) * x
    finally:
        c = 0
    return x


@pytest.mark.parametrize("c", [0, 1, 2])
@pytest.mark.parametrize(
    "f",
    [broken_out_of, with_a_finally, returned_out_of, broken_out_later, gone_on_with],
    ids=lambda f: f.__name__,
)
def test_gradients(f, c):
    x = np.array([0.423, 0.94, 1.152])
    laws.check_function(f, (x, c))
    check_replay(f, x, c)


def at_the_third_attempt(x, k):
    if k < 2:
        raise ZeroDivisionError
    return x**2 + k


def returned_once_it_succeeds(x, c):
    for k in range(c, 4):
        try:
            return np.sum(at_the_third_attempt(x, k)) * x[0]
        except ZeroDivisionError:
            continue
    raise RuntimeError


@pytest.mark.parametrize("c", [0, 2])
def test_what_is_tried_again(c):
    x = np.array([0.423, 0.94, 1.152])
    laws.check_orders(returned_once_it_succeeds, x, c)
    check_replay(returned_once_it_succeeds, x, c)
