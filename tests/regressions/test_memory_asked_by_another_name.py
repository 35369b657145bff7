"""An array is bound to another name, and what is added to its adjoint by the first name is not lost."""

import numpy as np
import pytest

import tapeless as tl
from tapeless.testing import check_grads

X = np.array([1.474, 0.554, 0.603])


def negated_where_it_is_captured(v):
    p = v
    if v[1] > -1.0:
        v *= p

        def captured():
            return v

        v = -v
    return np.sum(v**2)


def negated_in_a_loop(v):
    p = v
    for _ in range(2):
        if v[1] > -1.0:
            v *= 0.5 * p
            w = v
            v = -v
            if w[0] > 100.0:
                v = w
    return np.sum(v**2)


def one_of_two(v):
    new = v * 2.0
    p = v
    p *= v
    if v[1] > 0.1:
        new[0] = p[0] * p[1]
        v = new
    return np.sum(v * p) + np.sum(new)


@pytest.mark.parametrize("f", [negated_where_it_is_captured, negated_in_a_loop, one_of_two])
def test_second_order(f):
    along, step = np.array([1.0, 0.5, -0.3]), 1e-6
    check_grads(f, X.copy(), order=2, replay=True)
    gradient = tl.grad(f)
    found = tl.jvp(gradient, (X.copy(),), (along,))[1]
    ahead, behind = gradient(X + step * along), gradient(X - step * along)
    assert np.allclose(found, (ahead - behind) / (2.0 * step), rtol=1e-6)
