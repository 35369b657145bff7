"""What masks select has no other name in loops, and goes together with what the same mask selects."""

import numpy as np
import pytest

from tapeless.lower import NotLowered, lowered
from tapeless.lower.compiled import with_loops


def x6():
    return np.linspace(-1.0, 2.0, 6)[::-1].copy()


def updated_under_another_name(x):
    s = x[x > 0.0]
    b = s
    s += 1.0
    return np.sum(b)


def beside_an_array(x):
    return np.sum(x[x > 0.0] * x[:4])


def joined_and_updated(x):
    if x[0] > 0.5:
        s = x[x > 0.0]
    else:
        s = x[x < 0.0]
    b = s
    s += 1.0
    return np.sum(b)


REFUSED = {
    updated_under_another_name: "an update in place of what a mask selects",
    joined_and_updated: "an update in place of what a mask selects",
    beside_an_array: "an array beside the entries that a mask selects",
}


@pytest.mark.parametrize("f", REFUSED, ids=lambda f: f.__name__)
def test_refused(f):
    with pytest.raises(NotLowered) as refusal:
        lowered(f, (x6(),))
    assert refusal.value.reason == REFUSED[f]


def by_another_mask(x):
    y = x * 1.0
    a = y[y > 0.0]
    y[0] = -1.0
    y[y > 0.0] = a * 2.0
    return np.sum(y)


def test_masks_that_differ_are_left_to_numpy():
    loops = with_loops(lowered(by_another_mask, (x6(),)), lambda x: "NumPy", "f", jit=False)
    assert loops(x6()) == "NumPy"
    assert loops(x6() - 5.0) == np.sum(x6() - 5.0) - np.min(x6()[:1] - 5.0) - 1.0
