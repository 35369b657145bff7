"""Slots that a container gets after the call that made it: the call's reverse half knows nothing of them."""

import numpy as np
import pytest

import tapeless as tl

X = np.array([0.6, -1.4, 2.3, 0.9])


class Box:
    def __init__(self, v):
        self.v = v

    def scale(self, k):
        self.v *= k
        return self


def boxes(x):
    return {"a": Box(x * 1.0), "b": Box(x * x)}


def an_alias_in_a_dict(x):
    d = boxes(x)
    d["c"] = d["a"]
    d["c"].scale(x[3])
    return np.sum(d["a"].v * d["b"].v)


def a_new_object_in_a_dict(x):
    d = boxes(x)
    d["c"] = Box(x * 3.0)
    d["c"].scale(x[0])
    return np.sum(d["c"].v * d["b"].v)


def in_a_loop(x):
    d = boxes(x)
    for key in ("c", "e"):
        d[key] = d["a"]
        d[key].scale(x[1])
    return np.sum(d["a"].v * d["b"].v)


def an_attribute(x):
    d = boxes(x)["a"]
    d.w = d.v * 2.0
    return np.sum(d.w * d.v)


FUNCTIONS = [an_alias_in_a_dict, a_new_object_in_a_dict, in_a_loop, an_attribute]


@pytest.mark.parametrize("f", FUNCTIONS)
def test_gradients(f):
    tl.check_grads(f, X, order=1, replay=True)
