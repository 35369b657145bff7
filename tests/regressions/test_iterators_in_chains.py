"""Iterators that stand in `chain`, `zip` or `enumerate`, in loops and where all is read at once."""

from itertools import chain

import numpy as np
import pytest

import tapeless as tl
from tests import laws

X = np.array([0.3, 0.5, -0.7, 1.1])


def there_and_back(x):
    t = 0.0
    for c in chain(x, reversed(x)):
        t = t * 0.5 + c * x[0]
    return t


def numbered(x):
    return sum((c * (i + 1) for i, c in enumerate(chain(x, reversed(x)))))


def mapped_in_a_sum(x):
    return sum(chain(x, map(np.sin, x)))


def mapped_beside(x):
    return sum((a * b for a, b in zip(x, map(np.sin, x))))


def reversed_beside(x):
    return sum((a * b for a, b in zip(reversed(x), x)))


def in_an_array(x):
    return np.sum(np.array(list(chain(x, reversed(x)))) ** 2)


def filtered_beside(x):
    t = 0.0
    for a, b in zip(x, filter(lambda v: v > 0, x)):
        t = t + a * b
    return t


def indices_there_and_back(x):
    y = [x[0], x[1], x[2]]
    for i, c in enumerate(chain(range(3), reversed(range(3)))):
        y[c] = y[c] * (1.0 + 0.1 * i) + y[c - 1]
    return sum(y)


CASES = [
    (there_and_back, (X,)),
    (numbered, (X,)),
    (mapped_in_a_sum, (X,)),
    (mapped_beside, (X,)),
    (reversed_beside, (X,)),
    (in_an_array, (X,)),
    (filtered_beside, (X,)),
    (indices_there_and_back, (X,)),
]


@pytest.mark.parametrize("f, args", CASES, ids=lambda case: getattr(case, "__name__", ""))
def test_derivatives(f, args):
    laws.check_orders(f, *args)


def changed_on_the_way(x):
    y = x.copy()
    for c in chain(y, reversed(y)):
        y[0] = y[0] + c * 0.1
    return np.sum(y**2)


def test_what_reads_on_while_it_changes_is_refused():
    with pytest.raises(tl.GradientError, match="`chain` reads on while the loop runs"):
        tl.grad(changed_on_the_way)(X)


def local_function_that_reads_what_changes(x):
    s = 1.0

    def f(v):
        return v * s

    for a, b in zip(x, (f(v) for v in x), strict=True):
        s = s + a * b
    return s


def local_function_that_reads_what_is_filled(x):
    out = []

    def f(v):
        return v * (len(out) + 1.0)

    for a, b in zip(x, (f(v) for v in x), strict=True):
        out.append(a * b)
    return sum(out)


def mapped_by_what_reads_what_changes(x):
    s = 1.0

    def f(v):
        return v * s

    for a, b in zip(x, map(f, x), strict=True):
        s = s + a * b
    return s


@pytest.mark.parametrize(
    "f",
    [
        local_function_that_reads_what_changes,
        local_function_that_reads_what_is_filled,
        mapped_by_what_reads_what_changes,
    ],
)
def test_what_a_local_function_reads_counts(f):
    with pytest.raises(tl.TapelessError, match="reads on while|cannot be visited again"):
        tl.grad(f)(X)
