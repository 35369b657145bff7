"""Second derivatives through methods that rebind an attribute in a loop, by a callee with a loop of its own.

What such a callee saves is a list within a tuple within a list, for which its caller has no name.
"""

import numpy as np
import pytest

import tapeless as tl
from tests import laws


def smoothed(a, d):
    x = np.zeros(3)
    x[0] = d[0]
    for i in range(1, 3):
        x[i] = d[i] - a * x[i - 1]
    return x


def mirrored(u):
    u[0] = u[1]
    return u


class State:
    def __init__(self, a, u):
        self.a = a
        self.u = u

    def one(self, chosen=True):
        if chosen:
            self.u = smoothed(self.a, self.u)
        else:
            self.u = self.u * self.a

    def in_a_loop(self):
        for _ in range(2):
            self.u = smoothed(self.a, self.u)

    def by_a_method_in_a_loop(self):
        for _ in range(2):
            self.one()

    def while_it_is_large(self):
        k = 0
        while k < 2:
            self.one(k == 0)
            mirrored(self.u)
            k += 1


def outside(state):
    for _ in range(2):
        state.one()


def total(a, m, run):
    state = State(a, m * np.array([1.0, 3.0, -0.5]))
    run(state)
    return np.sum(state.u**2)


RUNS = [State.in_a_loop, State.by_a_method_in_a_loop, State.while_it_is_large, outside]


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run.__name__)
def test_second_order(run):
    def loss(a, m):
        return total(a, m, run)

    laws.check_function(loss, (0.3, 1.2), smooth=True)
    weights = np.array([0.3, -1.7])

    def along(a, m):
        a_bar, m_bar = tl.grad(loss, wrt=(0, 1))(a, m)
        return weights[0] * a_bar + weights[1] * m_bar

    hessian_products = tl.grad(along, wrt=(0, 1))(0.3, 1.2)
    h = 1e-5
    wanted = (
        (along(0.3 + h, 1.2) - along(0.3 - h, 1.2)) / (2 * h),
        (along(0.3, 1.2 + h) - along(0.3, 1.2 - h)) / (2 * h),
    )
    assert np.allclose(hessian_products, wanted, atol=1e-6)
