"""Ordinary numerical programs: filters, trees, draws, decompositions, Python's small conveniences."""

import math
from dataclasses import dataclass

import numpy as np

X = np.array([0.6, -1.4, 2.3, 0.9])
M = np.array([[0.3, -0.6, 1.1], [0.7, 2.2, -0.4], [-0.9, 0.5, 0.8]])


def least_pair(x):
    squares = [v * v for v in x]
    v, i = min((v, i) for i, v in enumerate(squares))
    a, b = max((x[0] * x[1], 3), (x[2], 4))
    return v * squares[i] + a * b


def viterbi(prior, transition):
    emission = [[0.5, 0.2, 0.3], [0.1, 0.6, 0.3]]
    best = [(math.log(prior[i]) + math.log(emission[i][0]), [i]) for i in range(2)]
    for o in [1, 2]:
        following = []
        for j in range(2):
            score, path = max(
                (best[i][0] + math.log(transition[i][j]) + math.log(emission[j][o]), best[i][1])
                for i in range(2)
            )
            following.append((score, path + [j]))
        best = following
    return max(best)[0]


def sorted_pairs(x):
    pairs = [(v * v, i) for i, v in enumerate(x)]
    pairs.sort(key=lambda p: -p[0])
    return pairs[0][0] * x[pairs[1][1]] + pairs[2][0]


def dict_keys(x):
    table = {"a": x[0] * x[1], "b": x[2] ** 2, "c": x[3]}
    top = max(table, key=table.get)
    low = min(table, key=lambda k: table[k])
    total = table[top] * x[1] + table[low] ** 2
    for key in sorted(table):
        total = total * table[key] + 1.0
    for key in tuple(table):
        total += table[key]
    return total


def starred_displays(x):
    t = (0.5, *x)
    a = [x[0] * 2.0, x[1]]
    u = [2.0, *a, 0.5, *x[2:]]
    p = (x[0], x[3])
    w = (*p, 0.5, *p)
    return t[1] * t[4] + u[1] * u[5] + w[1] * w[3] + np.sum(np.array([*x, 1.0]) ** 2)


def fixed(a, b, c, d=2.0):
    return a * b - c * d


def starred_calls(x):
    p = [v * v for v in x]
    return fixed(*x) + fixed(*p[:2], *x[:1]) * max(*x, 2.5)


def list_or_tuple(t):
    if isinstance(t, list):
        return t[0] * t[1]
    return t[0] + t[1]


def value_of(tree):
    if isinstance(tree, tuple):
        a, b = tree
        return value_of(a) * 1.5 + math.sin(value_of(b))
    return tree * tree


def nested_tuples(tree):
    return value_of(tree)


def innovations(zs, gain):
    seen = np.array([[1.0, 0.0]])
    x = np.zeros(2)
    likelihood = 0.0
    for z in zs:
        v = z - seen @ x
        x = x + gain * np.array([[1.0], [0.5]]) @ v
        likelihood -= 0.5 * v @ v
    return likelihood


def drawn_once(a):
    np.random.seed(0)
    y = np.random.randn(5) * a
    y[1:] *= y[:-1]
    p = np.zeros(4)
    p += a * np.random.RandomState(1).uniform(0.0, 1.0, 4)
    q = p[np.random.default_rng(2).integers(0, 4, size=3)]
    q -= q.mean()
    return np.sum(y**2) + np.sum(q**3)


@dataclass(frozen=True)
class Line:
    a: float
    b: float = 2.0

    def __call__(self, x):
        return self.a * x + self.b


def callable_argument(line, x):
    return np.sum(line(x) ** 2)


WINDOW = np.s_[0:2]


def slices_by_name(x):
    odd = slice(1, None, 2)
    y = x.copy()
    y[odd] = x[odd] ** 2
    y[slice(0, 2)] *= 3.0
    y[WINDOW] = y[WINDOW] * x[2]
    v = y[odd]
    v *= x[0]
    items = [a * a for a in x]
    middle = items[slice(1, 3)]
    return np.sum(y * x) + middle[0] * middle[1]


def interpolated(x, at):
    y = np.interp(at, np.linspace(0.0, 1.0, 4), x)
    return y[0] * y[1]


def decompositions(m):
    a = m + 3.0 * np.eye(3)
    _, r = np.linalg.qr(a)
    _, s, _ = np.linalg.svd(a)
    return np.abs(np.diag(r)).sum() * s[0] * s[1]


def shortest_path(x):
    roads = {"a": [("b", x[0] ** 2), ("c", x[1] ** 2)], "b": [("d", x[2])], "c": [("d", x[3])]}
    roads["d"] = []
    reached, todo = {"a": 0.0}, ["a"]
    while todo:
        here = todo.pop(0)
        for there, length in roads[here]:
            new = reached[here] + length
            if there not in reached or new < reached[there]:
                reached[there] = new
                todo.append(there)
    return reached["d"]


def leaves_both_loops(x):
    best = 0.0
    for i in range(4):
        for j in range(4):
            p = x[i] * x[j]
            best = best + p * p
            if p > 2:
                break
        else:
            continue
        break
    return best * x[0]


def goes_on_from_the_else(x):
    best = 0.0
    for i in range(4):
        for j in range(4):
            p = x[i] * x[j]
            best = best + p * p
            if p > 2:
                break
        else:
            continue
        best = best * 2.0
    return best * x[0]


CASES = [
    ("least_pair", least_pair, (X,)),
    ("viterbi", viterbi, ([0.7, 0.3], [[0.7, 0.3], [0.4, 0.6]])),
    ("sorted_pairs", sorted_pairs, (X,)),
    ("dict_keys", dict_keys, (X,)),
    ("starred_displays", starred_displays, (X,)),
    ("starred_calls", starred_calls, (X,)),
    ("a_list", list_or_tuple, ([1.0, 3.0],)),
    ("a_tuple", list_or_tuple, ((1.0, 3.0),)),
    ("nested_tuples", nested_tuples, ((0.5, ((1.2, 2.0), (0.3, 0.7))),)),
    ("innovations", innovations, (np.array([0.5, 1.2, 0.3]), 0.6)),
    ("drawn_once", drawn_once, (0.7,)),
    ("callable_argument", callable_argument, (Line(1.5), X)),
    ("slices_by_name", slices_by_name, (X,)),
    ("interpolated", interpolated, (X, np.array([0.2, 0.5]))),
    ("decompositions", decompositions, (M,)),
    ("shortest_path", shortest_path, (X,)),
    ("leaves_both_loops", leaves_both_loops, (X,)),
    ("goes_on_from_the_else", goes_on_from_the_else, (X,)),
]
