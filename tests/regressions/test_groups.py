"""`itertools.groupby`: runs of items with one key, which are visited while the loop goes on."""

import itertools
from operator import itemgetter

import numpy as np
import pytest

import tapeless as tl
from tests import laws

X = np.array([0.25, 0.4, 0.22])


def by_a_number(x):
    found = {}
    rows = [(0.5, x[0]), (0.5, x[1]), (1.5, x[2])]
    for key, group in itertools.groupby(rows, key=lambda row: row[0]):
        found[key] = sum(v * v for _, v in group)
    return found[0.5] * found[1.5]


def in_a_comprehension(x):
    rows = [("a", x[0]), ("b", x[1]), ("b", x[2])]
    found = {k: [v for _, v in group] for k, group in itertools.groupby(rows, key=itemgetter(0))}
    return found["a"][0] * sum(found["b"])


def bound_to_a_name(x):
    groups = itertools.groupby(sorted(zip("aba", x), key=itemgetter(0)), key=itemgetter(0))
    total = 0.0
    for key, group in groups:
        total += ord(key) * 0.01 * sum(v for _, v in group) ** 2
    return total


def runs_of_an_array(x):
    total = 0.0
    for above, run in itertools.groupby(x, key=lambda v: v > 0.23):
        run = list(run)
        total += len(run) * sum(run) ** 2 if above else sum(run)
    return total


def of_sorted_rows(x):
    total = 0.0
    rows = sorted(zip([1, 0, 1], x), key=lambda pair: pair[0])
    for label, group in itertools.groupby(rows, key=lambda pair: pair[0]):
        total = total + (label + 1) * np.prod([v for _, v in group])
    return total


def of_a_text(x):
    total, i = 0.0, 0
    for _, run in itertools.groupby("aab"):
        n = len(list(run))
        total += n * x[i] ** n
        i += n
    return total


def lengths_of_runs(x):
    runs = [(k, len(list(run))) for k, run in itertools.groupby([1, 1, 0, 0, 0])]
    return sum(k * x[0] ** n + x[1] * n for k, n in runs)


GROUPED = [
    by_a_number, in_a_comprehension,
    bound_to_a_name, runs_of_an_array, of_sorted_rows, of_a_text, lengths_of_runs,
]  # fmt: skip


@pytest.mark.parametrize("f", GROUPED, ids=lambda f: f.__name__)
def test_derivatives(f):
    laws.check_orders(f, X)


def test_items_that_the_loop_changes():
    def f(x):
        rows = [x[0], x[1] * 2, x[2], 3.0]
        total = 0.0
        for _, group in itertools.groupby(rows, key=lambda v: v > 0.3):
            total += sum(v * v for v in group)
            rows[3] = x[1] * 5
        return total

    laws.check_orders(f, X)


def test_gradients_of_what_is_grouped_elsewhere():
    def groups(x):
        return [list(group) for _, group in itertools.groupby(x, key=lambda v: v > 0.23)]

    def f(x):
        return sum(len(group) * sum(group) ** 2 for group in groups(x))

    laws.check_function(f, (X,))


def listed(x):
    groups = list(itertools.groupby(x, key=lambda v: v > 0.23))
    return sum(sum(group) for _, group in groups) + x[0]


def used_twice(x):
    total = x[0]
    for _, group in itertools.groupby(x, key=lambda v: v > 0.23):
        total += sum(group) * sum(1 for _ in group)
    return total


def kept(x):
    groups = []
    for _, group in itertools.groupby(x, key=lambda v: v > 0.23):
        groups.append(group)
    return sum(sum(group) for group in groups) + x[1]


def used_in_a_loop(x):
    total = x[0]
    for _, group in itertools.groupby(x, key=lambda v: v > 0.23):
        for _ in range(2):
            total += sum(group)
    return total


@pytest.mark.parametrize("f", [listed, used_twice, kept, used_in_a_loop], ids=lambda f: f.__name__)
def test_groups_that_python_finds_used_up_are_refused(f):
    with pytest.raises(tl.GradientError, match="a group ends where the next one begins"):
        tl.grad(f)(X)
