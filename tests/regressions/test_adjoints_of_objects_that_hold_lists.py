"""Second derivatives where objects that hold lists or dicts have their adjoints in the adjoint memory."""

import numpy as np
import pytest

import tapeless as tl

X = np.array([0.6, 1.4, 2.3])


class Held:
    def __init__(self, a):
        self.a = a
        self.log, self.table = [], {}

    def keep(self, u):
        self.log.append(u)

    def put(self, key, u):
        self.table[key] = u
        return self

    def norm(self):
        return np.sum(self.a**2) + sum(np.sum(u**3) for u in self.log)


class Layer:
    def __init__(self, w):
        self.w, self.cache = w, {}

    def run(self, u):
        self.cache["out"] = u * self.w
        return self.cache["out"]


class Pair:
    def __init__(self, a, b):
        self.a, self.b = a, b


class Biquad:
    def __init__(self, b, a):
        self.b, self.a, self.z = b, a, [0.0, 0.0]

    def step(self, x):
        y = self.b[0] * x + self.z[0]
        self.z[0] = self.b[1] * x - self.a[0] * y + self.z[1]
        self.z[1] = self.b[2] * x - self.a[1] * y
        return y


class Average:
    def __init__(self, weights):
        self.weights, self.past = weights, [0.0]

    def step(self, x):
        y = self.weights[0] * x + self.weights[1] * self.past[-1]
        self.past[0] = y * x
        return y


class Counting:
    def __init__(self, w):
        self.w, self.held = w, {"sum": 0.0, "last": 1.0}

    def step(self, x):
        self.held["sum"] = self.held["sum"] + self.w[0] * x * self.held["last"]
        self.held["last"] = np.sin(x)
        return self.held["sum"]


def listed_twice(x):
    p, q = Held(x * 1.0), Held(np.sin(x))
    both = [p, p, q]
    p.keep(q.a)
    both[1].a *= 0.5
    return p.norm() + both[2].norm()


def put_in_a_loop(x):
    p, q = Held(x * x), Held(x)
    for o in (p, q):
        o.put("u", o.a * 2.0)
    return np.sum(p.table["u"] ** 2) + np.sum(q.table["u"])


def outputs_in_caches(x):
    layers = [Layer(x), Layer(x * x)]
    y = x
    for layer in layers:
        y = layer.run(y)
    return np.sum(y**2) + sum(np.sum(each.cache["out"]) for each in layers)


def numbered(x):
    p = Pair(x * x, {})
    for i in range(2):
        p.b[i] = p.a * 0.5
    return np.sum(p.b[1] ** 2)


def added(p, q):
    return q, Pair(p.a + q.a, p.b + q.b)


def in_a_tuple(x):
    p, q = Pair(x * x, x[0]), Pair(np.sin(x), 1.0)
    q, p = added(q, p)
    r = Pair(p.a * q.a, q.b)
    return np.sum(r.a) + p.b + r.b


CASES = [listed_twice, put_in_a_loop, outputs_in_caches, numbered, in_a_tuple]


@pytest.mark.parametrize("f", CASES, ids=[f.__name__ for f in CASES])
def test_their_second_derivatives(f):
    tl.check_grads(f, X, order=2, replay=True)


def run_through(filters, signal):
    total = 0.0
    for x in signal:
        for each in filters:
            x = each.step(x)
        total = total + x * x
    return total


def cascade(table, signal):
    return run_through([Biquad(row[:3], row[3:]) for row in table], signal)


def cascade_of_parts(parts, signal):
    return run_through([Biquad(b, a) for b, a in parts], signal)


def averages(rows, signal):
    return run_through([Average(row) for row in rows], signal)


def counts(rows, signal):
    return run_through([Counting(row) for row in rows], signal)


ROWS = [[0.3, 0.2, 0.1, -0.4, 0.2], [0.5, -0.2, 0.3, 0.1, -0.3]]
SIGNAL = [1.0, -0.5, 0.8]

FILTERS = [
    (cascade, ROWS),
    (cascade, np.array(ROWS)),
    (cascade_of_parts, [(row[:3], row[3:]) for row in ROWS]),
    (averages, ROWS),
    (counts, ROWS),
]


@pytest.mark.parametrize("f, rows", FILTERS)
def test_lists_as_the_state_of_objects_in_a_list(f, rows):
    tl.check_grads(f, rows, SIGNAL, order=2, replay=True)
