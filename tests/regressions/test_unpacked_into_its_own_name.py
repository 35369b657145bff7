"""`w, x = w`: an array is unpacked into names of which one is its own.

The adjoints of the array and of the item are both there at once: the array keeps a name of its own.
"""

import numpy as np
import pytest

from tests import laws


def the_first(w):
    w, x = w
    return np.sum(w * x**2)


def the_last(w):
    x, w = w
    return np.sum(w * x**2)


def of_what_was_computed(w):
    w = np.stack([w[0] * 2.0, np.sin(w[1])])
    w, x = w
    return np.sum(w * x**2)


def again_and_again(w):
    u = w[0]
    for _ in range(2):
        u = np.stack([2.0 * u, u**2])
        u, x = u
        u = u * x
    return np.sum(u)


class Quaternion:
    def __init__(self, w, x=None, y=None, z=None):
        if x is None:
            w, x, y, z = w
        self.q = np.array([w, x, y, z])

    @property
    def conjugate(self):
        return Quaternion(self.q * np.array([1.0, -1.0, -1.0, -1.0]))


def in_a_constructor(w):
    q = Quaternion(1.0, *w[0], 0.5)
    return np.sum(q.conjugate.q[1:] ** 3) + np.sum(Quaternion(np.append(w[1], [1.0, 2.0])).q ** 2)


CASES = [the_first, the_last, of_what_was_computed, again_and_again, in_a_constructor]


@pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)
def test_laws_and_replay(f):
    laws.check_orders(f, np.array([[0.1, 0.3], [0.5, 0.7]]))
