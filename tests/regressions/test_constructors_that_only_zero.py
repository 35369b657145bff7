"""What reverses a constructor may do nothing but zero what it made: it is dropped, and so is its call."""

import numpy as np
import pytest

import tapeless as tl
from tapeless.source.trace import trace
from tests.laws import check_function

X = np.array([0.6, -1.4, 2.3])


class Best:
    def __init__(self):
        self.best = 0.0
        self.count = 0

    def see(self, v):
        self.count += 1
        self.best = v * v if self.count > 1 else v


class Sum:
    def __init__(self, scale=2.0):
        self.scale = scale
        self.total = 0.0


class Pair:
    def __init__(self):
        self.a = Best()
        self.b = Sum()


def one(x):
    best = Best()
    for v in x:
        best.see(v)
    return best.best * best.count


def a_default(x):
    s = Sum()
    for v in x:
        s.total = s.total + s.scale * v * v
    return s.total


def two(x):
    pair = Pair()
    pair.a.see(x[0])
    pair.a.see(x[1])
    pair.b.total = pair.a.best * x[2]
    return pair.b.total


def in_a_loop(x):
    y = 1.0
    for v in x:
        best = Best()
        best.see(v)
        best.see(y)
        y = best.best + v
    return y


PROGRAMS = (one, a_default, two, in_a_loop)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_each_pass_leaves_the_core_language(f):
    check_function(f, (X,), smooth=True)
    with trace(lambda name, tree: None):
        for mode in ("grad", "vjp", "jvp"):
            watched = tl.source(f, mode, (0,), like=(X,))
    assert watched == tl.source(f, "jvp", (0,), like=(X,))
    assert "init_rev" not in tl.source(one, "grad", (0,), like=(X,))
