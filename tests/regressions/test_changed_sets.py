"""Sets and byte arrays that change in place are never asked again in the reverse sweep."""

import numpy as np
import pytest

import tapeless as tl
from tapeless.testing import check_grads
from tests import laws

X = np.array([0.3, 0.4, 0.5])
SEEN = {0}


def asked_before_a_discard(x):
    z = {0, 1}
    y = x[0]
    if 1 in z:
        y = x[0] ** 2
    z.discard(1)
    return y


def visited_once(x):
    seen, y = set(), 0.0
    for k in [0, 1, 0, 2]:
        if k in seen:
            continue
        seen.add(k)
        y += x[k] ** 2
    return y


def added_where_absent(x):
    seen, y = set(), 0.0
    for k in [0, 1, 0, 2]:
        if k not in seen:
            seen.add(k)
            y += x[k] ** 2
    return y


def never_changed(x):
    allowed, y = {0, 2}, 0.0
    for k in range(3):
        if k in allowed:
            y += x[k] ** 2
    return y


def add(s, k):
    s.add(k)


def changed_by_a_callee(x):
    seen, y = {0}, x[0]
    if 1 in seen:
        y = x[1]
    add(seen, 1)
    if 1 in seen:
        y = y * x[2]
    return y


def changed_outside(x):
    SEEN.discard(1)
    y = x[0]
    if 1 not in SEEN:
        y = x[1] * x[2]
    SEEN.add(1)
    return y


def length_named_first(x):
    z = {0, 1}
    n = len(z)
    y = x[n - 1] ** 2
    z |= {3}
    return y


class Graph:
    def __init__(self):
        self.nodes = set()

    def connect(self, *nodes):
        self.nodes |= {*nodes}
        return self


def joined_in_an_attribute(x):
    graph = Graph().connect(0).connect(1)
    return np.sum(x) * len(graph.nodes) + x[len(graph.nodes) - 1] ** 2


def joined_in_an_item(x):
    seen, y = [set(), set()], x[0]
    for k in (0, 1, 0):
        if k in seen[0]:
            y = y * x[2]
        seen[0] |= {k}
    return y


PROGRAMS = [
    asked_before_a_discard, visited_once, added_where_absent, never_changed, changed_by_a_callee,
    changed_outside, length_named_first, joined_in_an_attribute, joined_in_an_item,
]  # fmt: skip


@pytest.mark.parametrize("function", PROGRAMS)
def test_answers_are_kept(function):
    laws.check_function(function, (X,))


def asked_for_its_length(x):
    z = {0, 1}
    y = x[len(z) - 1] ** 2
    z |= {3}
    return y


def bytes_asked_for_their_number(x):
    z = bytearray(b"a")
    y = x[len(z) - 1] ** 2
    z.append(3)
    return y


@pytest.mark.parametrize("function", [asked_for_its_length, bytes_asked_for_their_number])
def test_what_would_be_read_again_is_refused(function):
    with pytest.raises(tl.TapelessError, match="`z` changes in place, and is read again"):
        tl.grad(function)(X)


def put_back_in_a_dict(x):
    seen, y = {"k": {0}}, x[0]
    if 1 not in seen["k"]:
        seen["k"] |= {1}
        y = y * x[len(seen["k"])]
    seen["k"] |= {2, 3}
    return y * len(seen["k"])


@pytest.mark.parametrize("f", [joined_in_an_attribute, joined_in_an_item, put_back_in_a_dict])
def test_put_back_without_being_asked(f):
    check_grads(f, X, order=1, replay=True)
