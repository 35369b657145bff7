"""`items += x` with an array makes an array, bound anew: the list stays what it was."""

import numpy as np
import pytest

import tapeless as tl
from tests import laws

X = np.array([1.3, 0.7])


def by_name(x):
    items = [1.0, 2.0]
    items += x
    return np.sum(items * x)


def the_list_stays(x):
    items = [1.0, 2.0]
    other = items
    items += x
    return np.sum(items * x) + len(other) * sum(other) * x[0]


def in_a_dict(x):
    held = {"a": [1.0, 2.0]}
    held["a"] += x
    return np.sum(held["a"] * x)


def of_a_tuple(x):
    pair = (1.0, 2.0)
    pair += x
    return np.sum(pair * x)


@pytest.mark.parametrize("f", [by_name, the_list_stays, in_a_dict, of_a_tuple])
def test_laws_and_replay(f):
    laws.check_function(f, (X,), smooth=True)


def test_a_number_is_refused():
    def f(x):
        items = [1.0, 2.0]
        items += x[0]
        return np.sum(items)

    for attempt in (lambda: tl.grad(f)(X), lambda: tl.jvp(f, (X,), (X,))):
        with pytest.raises(tl.GradientError, match="stands beside this operator"):
            attempt()
