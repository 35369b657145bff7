"""What `d.get(k, v)` asks the adjoint memory for, where the key is there, is not there where it is not."""

import numpy as np
import pytest

from tapeless.testing import check_replay
from tests import laws

X = np.array([0.5, 1.5, 0.7])


def one_of_two_tables(x):
    c, e = {}, {}
    for word, v in zip("aba", x):
        d = c if v > 0.6 else e
        d[word] = v * v
    return c.get("zzz", 0.0) + c.get("a", 0.0) * c.get("b", 1.0) + e.get("a", 2.0)


def with_a_default_that_varies(x):
    c, e = {}, {}
    for word, v in zip("aba", x):
        d = c if v > 0.6 else e
        d[word] = v * v
    return c.get("zzz", x[0]) * c.get("a", x[1]) + e.get("b", x[0]) * e.get("a", x[2])


def asked_in_a_branch(x):
    c, e = {}, {}
    for word, v in zip("aba", x):
        d = c if v > 0.6 else e
        d[word] = v * v
    if x[0] > 0.0:
        y = c.get("zzz", 1.0) * x[1]
    else:
        y = c.get("a", 1.0)
    return y + c.get("b", 1.0) * y


def asked_in_a_loop(x):
    c, e = {}, {}
    for word, v in zip("aba", x):
        d = c if v > 0.6 else e
        d[word] = d.get(word, 1.0) * v
        d["n"] = d.get("m", v) + d.get("n", 0.0)
    return c.get("n", 0.0) * e.get("n", 0.0) + c.get("q", x[0])


@pytest.mark.parametrize(
    "f", [one_of_two_tables, with_a_default_that_varies, asked_in_a_branch, asked_in_a_loop]
)
def test_asked_with_a_default(f):
    laws.check_function(f, [X])
    check_replay(f, X)
