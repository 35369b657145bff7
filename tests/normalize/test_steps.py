"""The models of iterators give what `itertools` gives; a loop over one evaluates its arguments once."""

import itertools
import operator

import numpy as np
import pytest

import tapeless as tl
from tapeless.normalize import steps

X = [3, 1, 0, 2, 5]
ARGUMENTS = {
    steps.islice: [(X, 1, 4), (X, None, 3), (X, 1, None, 2), (X, None, None, 3), (X, 2, 5, 2)],
    steps.islice_to: [(X, 2), (X, None), (X, 9)],
    steps.takewhile: [(lambda v: v > 0, X)],
    steps.dropwhile: [(lambda v: v > 0, X)],
    steps.filterfalse: [(lambda v: v > 1, X), (None, X)],
    steps.starmap: [(operator.sub, [(1, 2), (5, 3)])],
    steps.repeat: [(7, 3), (7, 0)],
    steps.pairwise: [(X,), ([],)],
    steps.accumulate: [(X,), (X, operator.mul), ([],)],
    steps.compress: [(X, [1, 0, 1, 0, 1]), (X, [0, 1])],
}
CASES = [(of, model, args) for of, models in steps.MODELS.items() for model in models
         for args in ARGUMENTS[model]]  # fmt: skip


@pytest.mark.parametrize(("of", "model", "args"), CASES)
def test_gives_the_same(of, model, args):
    assert list(model(*args)) == list(of(*args))


def slices(x):
    s, first = 0.0, 1
    for v in itertools.islice(x, None, 2):
        s += v * v
    for v in itertools.islice(x, first, 4):
        first = 3
        s += v * v * v
    for v in itertools.islice(x, None, None, 3):
        s += v
    return s


def bound_anew(x):
    s, small = 0.0, operator.not_
    for v in itertools.dropwhile(small, x):
        small = None
        s += v * v
    return s


@pytest.mark.parametrize("f", [slices, bound_anew])
def test_loops_over_steps(f):
    x = np.array([0.0, 0.5, -1.5, 2.0, 1.2])
    h = 1e-6
    wanted = [(f(x + h * e) - f(x - h * e)) / (2 * h) for e in np.eye(5)]
    if f is bound_anew:
        wanted[0] = 0.0  # dropped while it is zero
    np.testing.assert_allclose(tl.grad(f)(x), wanted, rtol=1e-6, atol=1e-8)
