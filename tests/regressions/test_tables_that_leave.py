"""Default dicts and ordered dicts in attributes and results: dicts, with their own class."""

from collections import OrderedDict, defaultdict

import numpy as np
import pytest

import tapeless as tl
from tests.laws import check_function

X = np.array([1.2, 0.7, -0.4])


class Groups:
    def __init__(self, x, groups):
        self.x = x
        self.members = defaultdict(list)
        self.sums = defaultdict(float)
        self.last = OrderedDict()
        for i, g in enumerate(groups):
            self.members[g].append(i)
            self.sums[g] += x[i] ** 2
            self.last[g] = x[i] * (i + 1.0)

    def total(self):
        t = 0.0
        for rows in self.members.values():
            t += np.sum(self.x[rows]) ** 2
        return t


def of_members(x):
    return Groups(x, "aab").total()


def of_sums(x):
    g = Groups(x, "aab")
    return g.sums["a"] * g.sums["b"] + g.sums["c"]


def of_the_last(x):
    g = Groups(x, ["a", "b", "a"])
    return sum(v**2 for v in g.last.values()) + g.last["b"]


def weights(x):
    return OrderedDict(zip(["a", "b", "c"], x * 2.0))


def of_a_result(x):
    w = np.array(list(weights(x).values()))
    return np.sum(w**3)


def of_a_changed_result(x):
    d = weights(x)
    d["a"] = d["a"] * d["b"]
    d.update(c=x[0])
    return sum(v**2 for v in d.values())


def of_a_copy(x):
    d = OrderedDict([("a", x[0]), ("b", x[1] * x[2])], c=x[1])
    e = OrderedDict(d)
    e["a"] = 2.0 * d["a"]
    return e["a"] * d["a"] * e["b"] * e["c"] + len(e)


def parity(x):
    d = defaultdict(list)
    for i in range(len(x)):
        d[i % 2].append(x[i] * 2.0)
    return d


def of_lists(x):
    d = parity(x)
    return sum(v**2 for v in d[0]) * d[1][0] + len(d[7])


def nested(x):
    d = defaultdict(dict)
    d["u"]["v"] = x[0] * x[1]
    d["u"]["w"] = x[2]
    return d


def of_dicts(x):
    d = nested(x)
    return d["u"]["v"] * d["u"]["w"] ** 2


def counted(x):
    d = defaultdict(int)
    for i, v in enumerate(x):
        d[i % 2] += v * i
    return d


def of_whole_numbers(x):
    d = counted(x)
    d[5] -= x[0]
    return d[0] * d[1] * d[5]


def empty_table(kind):
    return defaultdict(kind)


def made_by_another(x):
    d = empty_table(float)
    for i, v in enumerate(x):
        alias = d
        alias[i % 2] += v * v
    return d[0] * d[1]


def lists_made_by_another(x):
    d = empty_table(list)
    for i, v in enumerate(x):
        d[i % 2].append(v * v)
    return d[0][1] * d[1][0]


def dicts_made_by_another(x):
    d = empty_table(dict)
    d["u"]["v"] = x[0] * x[1]
    d["u"]["w"] = x[2]
    return d["u"]["v"] * d["u"]["w"] ** 2


class Table:
    def __init__(self):
        self.start()

    def start(self):
        self.entries = defaultdict(float)


def started_by_a_method(x):
    t = Table()
    t.entries["a"] += x[0]
    t.entries["b"] -= x[1] * x[2]
    return t.entries["a"] * t.entries["b"]


PROGRAMS = [
    made_by_another,
    lists_made_by_another,
    dicts_made_by_another,
    started_by_a_method,
    of_members,
    of_sums,
    of_the_last,
    of_a_result,
    of_a_changed_result,
    of_a_copy,
    of_lists,
    of_dicts,
    of_whole_numbers,
]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_tables_that_leave(f):
    check_function(f, [X])


def test_a_result_keeps_its_class():
    y, pullback = tl.vjp(weights, X)
    assert type(y) is OrderedDict
    np.testing.assert_allclose(pullback(OrderedDict(a=1.0, b=2.0, c=3.0))[0], [2.0, 4.0, 6.0])


def moved(x):
    d = weights(x)
    d.move_to_end("a")
    return d["a"] * d["b"]


def moved_somewhere(x):
    d = weights(x)
    d.move_to_end("a", last=x[0] > 0.0)
    return d["a"] * d["b"]


def test_items_that_are_moved():
    check_function(moved, [X])


@pytest.mark.parametrize("derive", [lambda: tl.grad(moved_somewhere)(X),
                                    lambda: tl.jvp(moved_somewhere, (X,), (X,))])  # fmt: skip
def test_items_that_are_moved_to_one_end_or_the_other_are_refused(derive):
    with pytest.raises(tl.GradientError, match="move_to_end"):
        derive()


class Cached:
    def __init__(self, x):
        self.x = x
        self._parts = None

    def parts(self):
        if self._parts is not None:
            return self._parts
        m = self.x * 2.0
        self._parts = m, np.outer(m, m)
        return self._parts

    def product(self):
        m, c = self.parts()
        return c @ m


def kept_once(x):
    m, c = Cached(x).parts()
    return np.sum(c @ m)


def kept_by_a_method(x):
    return np.sum(Cached(x).product())


def asked_twice(x):
    c = Cached(x)
    return np.sum(c.product()) + np.sum(c.product() ** 2)


def asked_by_others(x):
    def product(c):
        m, d = c.parts()
        return d @ m

    c = Cached(x)
    m, _ = c.parts()
    return np.sum(product(c) * m)


@pytest.mark.parametrize("f", [kept_once, kept_by_a_method, asked_twice, asked_by_others])
def test_a_tuple_that_is_kept_when_it_was_made(f):
    check_function(f, [X])
