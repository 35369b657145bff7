"""np.ndindex and itertools; iterators and generators; deques and default dicts; random draws."""

import collections
import itertools

import numpy as np

A = np.array([0.4, 1.1, -0.6])
INPUTS = {
    "over_grid": (np.outer(A, A),), "over_labels": (A,), "over_pairs": (A,), "running": (A,),
    "by_hand": (A,), "generated": (A,), "windowed": (A,), "grouped": (A,), "drawn": (0.3, 1.2),
}


def over_grid(a: "Float[np.ndarray, 'n m']"):
    s = 0.0
    for i, j in np.ndindex(a.shape):
        s += a[i, j] ** 2 * (i + 1)
    return s


def over_labels(x: "Float[np.ndarray, 'n']"):
    table = {label: v * v for label, v in zip("abc", x)}
    return table["a"] * table["c"]


def over_pairs(x: "Float[np.ndarray, 'n']"):
    s = 0.0
    for a, b in itertools.pairwise(x):
        s += (b - a) ** 2
    return s


def running(x: "Float[np.ndarray, 'n']"):
    s = 0.0
    for t in itertools.accumulate(x):
        s += t * t
    return s


def by_hand(x: "Float[np.ndarray, 'n']"):
    it = iter(x)
    s = next(it)
    for v in it:
        s = s * v
    return s


def squares(x: "Float[np.ndarray, 'n']"):
    for v in x:
        yield v * v


def generated(x: "Float[np.ndarray, 'n']"):
    return sum(squares(x))


def windowed(x: "Float[np.ndarray, 'n']"):
    q = collections.deque(maxlen=2)
    s = 0.0
    for v in x:
        q.append(v)
        s += q[0] * v
    return s


def grouped(x: "Float[np.ndarray, 'n']"):
    sums = collections.defaultdict(float)
    for i, v in enumerate(x):
        sums[i % 2] += v * v
    return sums[0] * sums[1]


def drawn(mean: float, spread: float):
    rng = np.random.default_rng(0)
    return rng.normal(mean, spread) ** 2
