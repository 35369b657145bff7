"""What is counted by a `collections.Counter`, by its methods."""

import collections

import numpy as np
import pytest

import tapeless as tl

X = np.array([0.72, 1.31, 2.2])


def the_most_common(x):
    [(name, n)] = collections.Counter(["a", "b", "a"]).most_common(1)
    return x[0] ** n if name == "a" else x[1]


def shares_of_words(x):
    counts = collections.Counter(["cat", "dog", "cat", "cow", "cat", "dog"])
    total = sum(counts.values())
    return sum(x[i] * n / total for i, (_, n) in enumerate(counts.most_common()))


def all_that_is_counted(x):
    counts = collections.Counter("abca")
    return sum(x[i] * counts[k] for i, k in enumerate("abc")) + counts.total() * x[0]


def each_as_often_as_it_is_counted(x):
    counts = collections.Counter()
    for v in x:
        counts["big" if v > 1.0 else "small"] += 1
    return x[0] * counts["big"] + x[1] * len(list(counts.elements()))


def counted_twice(x):
    counts = collections.Counter("ab")
    counts.update("abb")
    counts.update({"a": 2})
    counts.subtract(["b"])
    return x[0] * counts["a"] + x[1] ** counts["b"]


def counts_by_name(x):
    counts = collections.Counter(a=3, b=1)
    counts.subtract({"a": 1})
    return x[0] ** counts["a"] * x[1] ** counts["b"]


def counts_that_are_no_integers(x):
    counts = collections.Counter({"a": 0.5, "b": 2.5})
    return x[0] ** counts["a"] * counts["b"] + counts["c"] * x[1]


@pytest.mark.parametrize(
    "f",
    [
        the_most_common,
        shares_of_words,
        all_that_is_counted,
        each_as_often_as_it_is_counted,
        counted_twice,
        counts_by_name,
        counts_that_are_no_integers,
    ],
    ids=lambda f: f.__name__,
)
def test_the_counts_are_those_of_python(f):
    tl.check_grads(f, X, order=2, replay=True)
    assert tl.value_and_grad(f)(X)[0] == f(X)
