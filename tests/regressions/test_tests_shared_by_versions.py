"""A branch whose test reads a class constant, in a function that is differentiated for several arguments.

The versions of a function share the trees of its tests. A pullback is handed what a test reads outside, by a
name of its own, which may not get into the other versions.
"""

from enum import Enum, auto

import numpy as np

import tapeless as tl


class Kind(Enum):
    LOW = auto()
    PEAK = auto()


class Filter:
    def __init__(self, b, a):
        self.b = np.asarray(b) / a[0]

    @classmethod
    def design(cls, kind, frequency, gain=0.0):
        c = np.cos(frequency)
        if kind is Kind.LOW:
            return cls([(1 - c) / 2, 1 - c], [1 + c])
        elif kind is Kind.PEAK:
            return cls([1 + c * gain, -2 * c], [1 + c / 2])
        raise ValueError(kind)


def energy(p):
    chain = [Filter.design(Kind.LOW, p[0]), Filter.design(Kind.PEAK, p[1], p[2])]
    return sum(np.sum(stage.b**2) for stage in chain)


X = np.array([0.3, 0.5, 0.7])


def test_gradients_and_replay():
    tl.check_grads(energy, X, order=1, replay=True)


def test_pullbacks():
    value, pullback = tl.vjp(energy, X)
    assert value == energy(X)
    np.testing.assert_allclose(pullback(1.0)[0], tl.grad(energy)(X), rtol=1e-12)
