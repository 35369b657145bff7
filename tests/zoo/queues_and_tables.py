"""Deques, default dicts, counters, ordered dicts, and copies of all that can be copied."""

import collections
import copy
from collections import Counter, OrderedDict, defaultdict, deque
from dataclasses import dataclass

import numpy as np

X = np.array([0.5, 1.5, -0.7])


@dataclass
class Layer:
    scale: float
    weights: list


class Model:
    def __init__(self, w, b):
        self.w = w
        self.b = b

    def output(self, x):
        return np.sum(self.w * x) + self.b


def sums_by_group(x):
    sums = collections.defaultdict(float)
    groups = collections.defaultdict(list)
    for i, v in enumerate(x):
        sums[i % 2] += v * v
        groups[i % 2].append(v)
    return sums[0] * sums[1] + sum(groups[0]) + sums["none"]


def arrays_by_group(x):
    rows = defaultdict(lambda: np.zeros(2))
    for i, v in enumerate(x):
        rows[i % 2][i // 2] += v * v
    return sum(np.sum(row**2) for row in rows.values())


def tables_in_a_table(x):
    tree = defaultdict(dict)
    tree["a"]["p"] = x[0]
    tree["a"]["q"] = x[1] ** 2
    return tree["a"]["p"] * tree["a"]["q"]


def weighted_counts(x):
    counts = Counter()
    for word, v in zip("aba", x):
        counts[word] += v**3
    return counts["a"] * counts["b"] + counts["zzz"] + len(counts) * x[0]


def ordered(x):
    table = OrderedDict()
    table["b"] = x[0]
    table["a"] = x[1] ** 2
    pairs = OrderedDict([("u", x[2]), ("v", x[0])])
    s = 0.0
    for _, v in table.items():
        s = s * v + v
    return s + pairs["u"] * pairs["v"]


def moving_window(x):
    window = deque(maxlen=2)
    out = []
    for v in x:
        window.append(v)
        if len(window) == 2:
            out.append(np.mean(window) ** 2)
    return sum(out) * window[0] * window[-1]


def delays(x):
    n = len(x) - 1
    q = deque([0.0] * 5, maxlen=n)
    s = 0.0
    for v in x:
        q.appendleft(v * 2)
        s = s + q[0] * q[-1]
    while q:
        s = s + q.popleft() ** 2
        if len(q) and s > 100:
            q.pop()
    return s


def queue_of_a_branch(x):
    n = len(x) - 1
    if x[0] != 0.0:
        q = deque([x[1]], maxlen=n)
    s = 0.0
    for v in x:
        q.append(v * v)
        s = s + q[0] * q[-1]
    return s


def breadth_first(x):
    todo = deque([(0, x[0])])
    seen = set()
    s = 0.0
    while todo:
        i, w = todo.popleft()
        if i in seen:
            continue
        seen.add(i)
        s = s + w * w
        for j in range(i + 1, 3):
            todo.append((j, w * x[j]))
    return s


def extended_queue(x):
    q = deque(maxlen=3)
    q.extend([x[0], x[1]])
    q.extendleft(v * v for v in x[:2])
    return q[0] * q[1] + q[2]


def turned_queue(x):
    q = deque(x)
    for i in range(4):
        q.rotate(-i)
        q[0] *= x[0]
    q.rotate()
    empty = deque()
    empty.rotate(2)
    return q[0] * x[2] + q[1] * q[2] + len(empty)


def queue_that_grows_in_expressions(x):
    q = deque([x[0]], maxlen=None)
    _ = q.appendleft(x[1] * x[2])
    done = q.extendleft([x[2], x[0] ** 2])
    count = [q.appendleft(v * v) for v in x[:2]]
    kept = deque(maxlen=2)
    for v in x:
        last = kept.append(v**3)
    return q[0] * q[3] + q[2] * len(count) + kept[0] * (2.0 if done is last else 3.0)


def copies(x):
    shallow = copy.copy([x[0]])
    deep = copy.deepcopy({"a": x})
    y = copy.deepcopy(x)
    y[0] = 2.0
    z = copy.copy(x)
    z[1] *= z[0]
    return shallow[0] * deep["a"][1] + np.sum(y * x * z)


def copies_of_rows(x):
    a = [[x[0], x[1]], [x[2]]]
    b = copy.deepcopy(a)
    c = copy.copy(a)
    b[0][0] = x[2]
    c[1][0] = x[1] * 2.0
    return a[0][0] * b[0][0] * a[1][0]


def copies_of_objects(x):
    p = Layer(x[0], [x[1], x[2]])
    q = copy.deepcopy(p)
    r = copy.copy(p)
    q.weights[0] = x[0] ** 2
    r.weights[1] = x[1] ** 2
    r.scale = 3.0
    m = Model(x * 2, x[0])
    n = copy.deepcopy(m)
    n.w[0] = 1.0
    n.b = n.b * x[1]
    s = p.scale * p.weights[0] * p.weights[1] + q.weights[0] * q.weights[1]
    return s + r.scale * r.weights[1] + m.output(x) * n.output(x)


def copies_of_tuples(x):
    t = (x, [x[0]], 3.0, "a")
    u = copy.deepcopy(t)
    u[1].append(x[1])
    return np.sum(u[0] ** 2) * sum(u[1]) * len(t[1]) * u[2]


def dicts_from_dicts(x):
    d = dict(a=x[0], b=x[1] ** 2)
    e = dict(d, c=x[2])
    f = dict([("u", x[0])])
    g = dict(d)
    g["a"] = x[1]
    return e["a"] * e["c"] * f["u"] + g["a"] * d["b"]


CASES = [
    (function.__name__, function, (X,))
    for function in (
        sums_by_group,
        arrays_by_group,
        tables_in_a_table,
        weighted_counts,
        ordered,
        moving_window,
        delays,
        queue_of_a_branch,
        breadth_first,
        extended_queue,
        turned_queue,
        queue_that_grows_in_expressions,
        copies,
        copies_of_rows,
        copies_of_objects,
        copies_of_tuples,
        dicts_from_dicts,
    )
]
