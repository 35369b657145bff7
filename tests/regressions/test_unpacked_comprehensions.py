"""Items that are converted in one line and unpacked there keep a rank each."""

import numpy as np
import pytest

from tapeless.testing import check_grads

S, V = np.array(0.7), np.array([0.4, -0.7, 1.3])


def mapped(x, y):
    x, y = map(np.asarray, (x, y))
    y = y * 1.0
    y[0] *= x
    return y[1:] @ y[:-1] * x


def generated(x, y):
    x, y = (np.atleast_1d(v) * 2.0 for v in (x, y))
    y[1] = x[0]
    return y @ y * x[0]


def listed_and_broadcast(x, y):
    x, y = list(map(np.asanyarray, (x, y)))
    x, y = np.broadcast_arrays(x, y)
    steps = np.diff(x * y)
    if np.any(np.abs(steps) > 0.1):
        far = abs(steps) > 0.1
        steps[far] = np.sin(steps[far]) * 2.0
    return steps * y[1:]


def scaled_by_a_method(x, y):
    class_of = Scale(x)
    a, b = [class_of.next(v) for v in (class_of.rate, y)]
    return a * np.sum(b) * class_of.rate


class Scale:
    def __init__(self, rate):
        self.rate = rate

    def next(self, v):
        self.rate = self.rate * 2.0
        return self.rate * v


def changed_by_the_function_that_is_mapped(x, y):
    def grown(v):
        nonlocal x
        x = x * 2.0
        return v * x

    a, b = map(grown, (y, x))
    return np.sum(a) * b


@pytest.mark.parametrize(
    "function", [mapped, generated, listed_and_broadcast, scaled_by_a_method,
                 changed_by_the_function_that_is_mapped],
)  # fmt: skip
@pytest.mark.parametrize("x", [0.7, S], ids=["float", "array"])
def test_items_keep_their_ranks(function, x):
    check_grads(function, x, V, replay=True)
