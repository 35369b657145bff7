"""Functions that call each other, or themselves, and store on the way."""

import numpy as np

X = np.array([0.6, -1.4, 2.3, 0.9])
M = np.array([[0.3, -0.6, 1.1], [0.7, 2.2, -0.4], [-0.9, 0.5, 0.8]])
Z = np.array(1.3)


class Box:
    def __init__(self, v):
        self.v = v


def even(o, p, n):
    if n == 0:
        return o
    t = p if n % 3 else o
    t.v = t.v * p.v + 1.0
    return odd(p, o, n - 1)


def odd(o, p, n):
    if n == 0:
        return p
    o.v = o.v * 2.0 + p.v
    return even(p, o, n - 1)


def mutual(x):
    a, b = Box(x[0]), Box(x[1])
    r = even(a, b, 5)
    r.v = r.v * x[2]
    return a.v * b.v + r.v


def ping(a, b, n):
    if n == 0:
        return a
    c = a if n > 1 else b
    c[0] *= b[1]
    return pong(b, c, n - 1)


def pong(a, b, n):
    if n == 0:
        return b
    a += b[0]
    return ping(a, b, n - 1)


def mutual_arrays(x):
    a = x * 1.0
    b = x * x
    r = ping(a, b, 4)
    r[2] *= 3.0
    return a * b + r


def grow(row, n):
    if n == 0:
        return row
    row[0] = row[0] * 1.5
    row.append(row[0] * row[-1])
    return grow(row, n - 1)


def lists(x):
    row = [x[0], x[1]]
    m = grow(row, 3)
    m[1] = x[2] * m[-1]
    return sum(row) * m[1]


def build(x, n):
    if n == 0:
        return [x * 1.0]
    r = build(x, n - 1)
    r.append(r[-1] * x)
    r[0][n] = r[-1][0]
    return r


def rec_build(x):
    r = build(x, 3)
    r[1][2] = 5.0 * x[1]
    return sum(np.sum(v * v) for v in r)


class Tree:
    def __init__(self, v, kids):
        self.v = v
        self.kids = kids

    def total(self):
        s = self.v
        for k in self.kids:
            s = s + k.total() * 0.5
        self.v = s
        return s


def trees(x):
    t = Tree(x[0], [Tree(x[1], [Tree(x[2], [])]), Tree(x[3], [])])
    a = t.total()
    b = t.total()
    return a * b


def flat2(xs):
    s = 0.0
    for v in xs:
        if isinstance(v, list):
            s += flat2(v)
        else:
            s += v * v
    return s


def recf(a):
    return flat2([a, [a * 2.0, [a * 3.0, a], a * a]])


def recfx(xs):
    return flat2(xs)


CASES = [
    ("mutual", mutual, (X,)),
    ("mutual_arrays", mutual_arrays, (X,)),
    ("lists", lists, (X,)),
    ("rec_build", rec_build, (X,)),
    ("trees", trees, (X,)),
]
