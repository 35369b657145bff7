"""A local function has names of its own, be they called like those told apart around it."""

import numpy as np
import pytest

from tests import laws


def bound_anew_around_it(x):
    kept = []
    square = np.outer(x, x)
    w = np.array(square)
    w /= x[1]

    def keep(m):
        w = np.rot90(m)
        kept.append(w)

    keep(square)
    w[-1] **= 2
    return np.sum(kept[0] ** 2) + np.sum(square * w)


def changed_in_trips(x):
    total = 0.0
    for k in range(2):
        w = np.outer(x, x) * (k + 1.0)

        def shifted(a):
            w = a * 2.0
            w = w + 1.0
            return w * x[0]

        w[0] = 0.5 * x[1]
        total = total + np.sum(w * shifted(w))
    return total


def called_after_several_bindings(x):
    w = x.copy()
    w = w / x[1]

    def product(a):
        w = a[:1]
        w = w * a
        return np.sum(w)

    w[-1] **= 2
    t = w * 2
    w = t
    return product(w) + np.sum(w) + sum(map(product, [x, w]))


@pytest.mark.parametrize(
    "f", [bound_anew_around_it, changed_in_trips, called_after_several_bindings]
)
def test_derivatives(f):
    laws.check_orders(f, np.array([0.7, 0.31]))
