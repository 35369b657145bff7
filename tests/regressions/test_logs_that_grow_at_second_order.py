"""Second derivatives of lists that grow in an object, a dict or a recursion, and are read or not."""

from collections import defaultdict
from dataclasses import dataclass, field

import numpy as np
import pytest

import tapeless as tl

X = np.array([0.3, 0.5])


class Fit:
    def __init__(self):
        self.history = []

    def run(self, x):
        m = np.ones(2)
        for _ in range(3):
            m = np.sin(m + x)
            self.history.append(m.sum())
        return m


def never_read(x):
    return Fit().run(x).sum()


def read_at_the_end(x):
    fit = Fit()
    m = fit.run(x)
    return m.sum() * fit.history[-1] + np.mean(np.square(fit.history))


def in_a_dict(x):
    log = {"y": [], "u": []}
    y = 0.0
    for v in x:
        y = y + np.sin(v * y) + v
        log["y"].append(y)
        log["u"].append(y * v)
    return y + np.dot(log["y"], log["u"])


def by_missing_keys(x):
    groups = defaultdict(list)
    for k in range(4):
        groups[k % 2].append(np.sum(np.sin(x * k)))
    return sum(groups[0]) ** 2 + sum(v**2 for v in groups[1])


@dataclass
class Walk:
    log: list = field(default_factory=list)

    def step(self, s, a):
        s = s + 0.1 * np.tanh(a * s)
        self.log.append(s)
        return s


def arrays_in_a_dataclass(x):
    walk, s = Walk(), x
    for _ in range(4):
        s = walk.step(s, x[0])
    return np.sum(s**2) + np.sum(walk.log[2] ** 3)


class Best:
    def __init__(self):
        self.rows = []
        self.best = None

    def add(self, k, v):
        self.rows.append({"k": k, "v": v})
        if self.best is None or v < self.best:
            self.best = v


def beside_a_best_value(x):
    best = Best()
    for k in range(3):
        best.add(k, np.sum(np.sin(x * k + 1)))
    return best.best + sum(row["v"] ** 2 for row in best.rows)


class Trades:
    def __init__(self):
        self.done = []

    def trade(self, quantity, price):
        self.done.append((quantity, price))


def pairs_in_an_object(x):
    trades = Trades()
    for p in x:
        trades.trade(2.0 * p, p)
    return sum(abs(q) * p**2 for q, p in trades.done)


def grown_by_recursion(x, n):
    if n == 0:
        return [x]
    rows = grown_by_recursion(x, n - 1)
    rows.append(rows[-1])
    return rows


def one_row_in_many_places(x):
    rows = grown_by_recursion(x * 1.0, 3)
    rows[1][1] = 5.0
    return sum(np.sum(row**2) for row in rows)


class Table:
    def __init__(self, ys):
        self.ys = list(ys)

    def at(self, i):
        return self.ys[i] * 2.0


def an_array_as_a_list(x):
    table = Table(x * x)
    return table.at(0) * table.at(1)


@dataclass
class Phase:
    first: int
    last: int
    rate: float


class Schedule:
    def __init__(self, start, phases):
        self.start, self.phases = start, list(phases)

    def total(self, n):
        found = 0.0
        for k in range(n):
            rate = self.start
            for phase in self.phases:
                if phase.first <= k < phase.last:
                    rate = rate * phase.rate
            found = found + rate * 0.5
        return found


def a_list_of_dataclasses(x):
    return Schedule(x[0], [Phase(2, 4, x[1])]).total(6) ** 2


FUNCTIONS = [
    never_read,
    read_at_the_end,
    in_a_dict,
    by_missing_keys,
    arrays_in_a_dataclass,
    pairs_in_an_object,
    beside_a_best_value,
    one_row_in_many_places,
    an_array_as_a_list,
    a_list_of_dataclasses,
]


@pytest.mark.parametrize("f", FUNCTIONS)
def test_laws_and_replay(f):
    tl.check_grads(f, X, order=2, replay=True)
