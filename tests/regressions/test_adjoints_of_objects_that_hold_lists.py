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
