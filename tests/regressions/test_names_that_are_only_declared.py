# ruff: noqa: F842
"""`y: float` binds nothing: a block that holds nothing else does nothing.

Written out, such a block had no statement left, which no text may have.
"""

import contextlib

import pytest

from tapeless.testing import check_replay
from tests import laws


def in_a_loop(x):
    for _ in (0,):
        half: float
    half = x / 2
    return half * x


def in_branches(x):
    if x > 0.0:
        y: float
    else:
        y = 2.0
    while x < 0.0:
        z: float
    return x * x


def in_a_context_and_an_attempt(x):
    with contextlib.nullcontext():
        y: float
    try:
        y = x * 2.0
    except ZeroDivisionError:
        z: int
    finally:
        u: int
    return y * x


def in_a_function(x):
    def does_nothing(y):
        z: float

    does_nothing(x)
    return x * declares(x)


def declares(x):
    y: float
    y = x * x
    return y


class Model:
    def __init__(self, w):
        self.w: float
        self.w = w

    def idle(self):
        state: dict[str, float]

    def loss(self, x):
        self.idle()
        return self.w * x * x


def in_methods(x):
    return Model(x).loss(x)


CASES = [in_a_loop, in_branches, in_a_context_and_an_attempt, in_a_function, in_methods]


@pytest.mark.parametrize("function", CASES)
def test_laws_and_replay(function):
    laws.check_function(function, (0.7,))
    check_replay(function, 0.7)
