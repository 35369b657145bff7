"""A slot that is read before a call which stores into it is kept: in reverse it holds something else."""

import numpy as np
import pytest

from tapeless.testing import check_replay
from tests import laws

OUTSIDE = [None]


def stores_outside(x):
    OUTSIDE[0] = x * 2.0
    return x


def outside(x):
    OUTSIDE[0] = x
    return OUTSIDE[0] * stores_outside(OUTSIDE[0] + 0.1)


def product(x, n):
    OUTSIDE[0] = x
    if n == 0:
        return 1.0
    return OUTSIDE[0] * product(OUTSIDE[0] + 0.1, n - 1)


def outside_in_a_recursion(x):
    return product(x, 3)


class Body:
    def __init__(self, v):
        self.v = v

    def pushed(self, k):
        self.v = self.v * k
        return self.v + k


def by_a_method(x):
    body = Body(x)
    return body.v * body.pushed(x + 0.5) * body.v


def by_a_method_in_a_loop(x):
    body = Body(x)
    total = 0.0
    for i in range(3):
        total = total + body.v * body.pushed(x + i)
    return total


def emptied(state):
    state["v"] = 0.5
    return 3.0


def in_a_dict(x):
    state = {"v": np.sin(x)}
    return state["v"] ** 2 * emptied(state) + state["v"] * x


def in_a_branch(x):
    body = Body(x)
    y = body.v * (body.pushed(x) if x > 0.0 else 1.0)
    return y * body.v


@pytest.mark.parametrize(
    "f",
    [outside, outside_in_a_recursion, by_a_method, by_a_method_in_a_loop, in_a_dict, in_a_branch],
    ids=lambda f: f.__name__,
)
def test_read_before_a_call_that_stores(f):
    laws.check_function(f, (1.2,))
    check_replay(f, 1.2)
