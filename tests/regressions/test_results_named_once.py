"""A cotangent that is a value of the author's, times one, is returned as it is, once and by nobody else."""

import numpy as np
import pytest

import tapeless as tl
from tapeless.testing import check_grads

X = np.array([0.3, -0.2, 0.7])
MASK = np.array([True, False, True])


def weighted(x, mask):
    w = mask / mask.sum()
    return np.sum(x * w)


def both(x, y, mask):
    w = mask / mask.sum()
    return np.sum(x * w) + np.sum(y * w)


def given(x, w):
    return np.sum(x * w)


def kept(x, mask):
    w = mask / mask.sum()
    return np.sum(x * w), w


@pytest.mark.parametrize(
    ("f", "args"), [(weighted, (X, MASK)), (both, (X, X + 1.0, MASK)), (given, (X, X))]
)
@pytest.mark.parametrize("order", [1, 2])
def test_derivatives(f, args, order):
    check_grads(f, *args, order=order, rtol=1e-4, atol=1e-6)


def test_no_product_with_one():
    assert "1.0 *" not in tl.source(weighted, like=(X, MASK))


def test_results_share_no_memory():
    a, b = tl.grad(both, wrt=("x", "y"))(X, X + 1.0, MASK)
    assert not np.shares_memory(a, b)
    assert not np.shares_memory(tl.grad(given)(X, MASK * 1.0), MASK)
    w = MASK * 1.0
    assert not np.shares_memory(tl.grad(given)(X, w), w)


def test_what_is_returned_beside_it_shares_no_memory():
    bar, w = tl.grad(kept, has_aux=True)(X, MASK)
    assert not np.shares_memory(bar, w)


def test_a_pullback_gives_new_memory_each_time():
    _, pullback = tl.vjp(weighted, X, MASK)
    first, second = pullback(1.0), pullback(1.0)
    first, second = (r[0] if isinstance(r, tuple) else r for r in (first, second))
    assert not np.shares_memory(first, second)
