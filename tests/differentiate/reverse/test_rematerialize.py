"""Views that are cheaper to look at again than to keep, and those that must be kept."""

import numpy as np
import pytest

import tapeless as tl
from tapeless.testing import check_grads, check_replay

F = np.array([[0.9, 0.2], [-0.1, 0.8]])


def filtered(f, n):
    p = np.eye(2)
    for _ in range(n):
        p = f @ p @ f.T + 0.1 * np.eye(2)
    return np.sum(p * p)


def with_a_rebound_array(f, n):
    p = f * 1.0
    for _ in range(n):
        q = p.T
        p = np.sin(p) @ q + q * f.T
    return np.sum(p * p)


def with_a_stored_array(f, n):
    p = f * 1.0
    for i in range(n):
        q = p.T
        p[i % 2] = np.sin(q[1] * p[0]) + f.T[i % 2]
        p = p * q
    return np.sum(p * p)


def of_rank_three(f, n):
    a = np.stack([f, 2.0 * f, f * f])
    s = 0.0
    for _ in range(n):
        s = s + np.sum(a.T * np.exp(a.T)) * s + 1.0
    return s


def along_constants(f, n):
    for i in range(n):
        f = np.sin(np.roll(f, i, axis=(0, 1))) + f.T
    return np.sum(f)


def test_a_transposed_view_is_not_kept():
    text = tl.source(filtered, wrt=0, like=(F, 3))
    assert "f_t" not in text and ".T.T" not in text


@pytest.mark.parametrize(
    "function",
    [filtered, with_a_rebound_array, with_a_stored_array, of_rank_three, along_constants],
)
def test_gradients(function):
    check_replay(function, F, 3)
    check_grads(lambda f: function(f, 3), F)
