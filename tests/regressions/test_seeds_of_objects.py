"""Cotangents that are not given for what an object holds: they are zero, whatever its slots hold."""

import numpy as np
import pytest

import tapeless as tl

X = np.array(1.3)


class Box:
    pass


def of_rank_zero(a):
    box, b = Box(), a.copy()
    box.v = b
    b *= a
    return box.v * b, box


def of_a_list(a):
    box = Box()
    box.v, box.items, box.label = a * 2.0, [a * a, 1.0], "two"
    return np.sum(a) * box.v * 0.0 + a**4, box


@pytest.mark.parametrize("f", [of_rank_zero, of_a_list])
def test_an_object_without_a_seed(f):
    _, pullback = tl.vjp(f, X)
    assert np.allclose(pullback((1.0, None))[0], 4 * 1.3**3)


@pytest.mark.parametrize("f", [of_rank_zero, of_a_list])
def test_what_an_object_holds_is_not_compared(f):
    tl.check_grads(f, X, order=1, replay=True)
