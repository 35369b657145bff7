"""A `raise` behind the branches of a function is its last way out: no text stands behind it."""

import math

import numpy as np
import pytest

import tapeless as tl
from tests import laws


def normal(x):
    return 0.5 * (1.0 + math.erf(x / math.sqrt(2.0)))


def price(s, k, kind):
    if kind == "call":
        return s * normal(k)
    elif kind == "put":
        return k * normal(-s)
    raise ValueError(kind)


def both_kinds(s):
    y = 0.0
    for kind in ["call", "put"]:
        y += price(s, 2.0, kind)
    return y


def by_size(s):
    if s > 10.0:
        raise ValueError("too large")
    elif s > 1.0:
        y = s * s
    elif s > 0.2:
        return np.sin(s) * s
    else:
        raise ValueError("too small")
    return y * s


def in_a_loop(s):
    y = s
    for k in range(3):
        if k == 0:
            y = y * s
        elif k == 1:
            y = y + by_size(y)
        elif k == 2:
            return y * price(y, 1.0, "put")
        else:
            raise RuntimeError
    raise RuntimeError


def all_raise(s, flag):
    def fail():
        if flag:
            raise KeyError("a")
        else:
            raise KeyError("b")

    if s < 0.0:
        return fail() * s
    return s * s


def test_raises_behind_branches():
    for f in (both_kinds, by_size, in_a_loop):
        for s in (0.5, 1.3):
            laws.check_function(f, (s,), smooth=True)
    laws.right_or_refused(all_raise, (0.5, True))
    assert "ValueError(kind)\n    return" not in tl.source(both_kinds, like=(0.5,))
    with pytest.raises(ValueError, match="too small"):
        tl.grad(by_size)(0.1)
