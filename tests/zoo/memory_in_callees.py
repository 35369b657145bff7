"""Callees that store into what they are given, return it, or keep it."""

import numpy as np
X = np.array([0.6, -1.4, 2.3, 0.9])


def scale_in_place(a, c):
    a *= c
    a[0] = a[1]


def callee_writes_its_argument(x, c):
    a = x * 1.0
    b = a
    scale_in_place(a, c)
    scale_in_place(a[2:], a[0])
    return np.sum(a * b)


def tail(a):
    return a[1:]


def callee_returns_a_view(x):
    a = x * 1.0
    t = tail(tail(a))
    t *= a[0]
    a[3] = t[0] * 2.0
    return np.sum(a * a) + t[1]


def same(a):
    return a


def callee_returns_its_seed(x):
    a = same(x)
    b = same(a) + same(x)
    b += a
    return np.sum(b * same(b)) + np.sum(a)


def both(a):
    return a, a


def callee_returns_one_thing_twice(x):
    a, b = both(x * x)
    return np.sum(a * x) + np.sum(b * b)


def grow(a, depth):
    if depth == 0:
        return a[0]
    a[depth] = a[depth] * a[depth - 1]
    s = grow(a, depth - 1)
    a[0] = a[0] + s * a[depth]
    return s * a[depth]


def recursion_that_stores(x):
    u = x * 1.0
    return grow(u, 3) + np.sum(u)


def callee_keeps_its_argument(kept, a):
    kept.append(a)
    a[0] = 2.0 * a[1]
    return len(kept)


def escapes_through_a_list(x):
    kept = []
    u = x * x
    n = callee_keeps_its_argument(kept, u)
    kept[0][2] = u[0] * n
    return np.sum(u * x)


CASES = [
    ("callee_writes_its_argument", callee_writes_its_argument, (X, 1.3)),
    ("callee_returns_a_view", callee_returns_a_view, (X,)),
    ("callee_returns_its_seed", callee_returns_its_seed, (X,)),
    ("callee_returns_one_thing_twice", callee_returns_one_thing_twice, (X,)),
    ("recursion_that_stores", recursion_that_stores, (X,)),
    ("escapes_through_a_list", escapes_through_a_list, (X,)),
]
