"""What a dict shows of itself: its keys as a set, and its pairs by one name or taken apart."""

import numpy as np
import pytest

import tapeless as tl
from tests import laws

D = {"a": 1.0, "b": 2.0, "c": 4.0}
E = {"b": 3.0, "c": 0.5, "z": 1.5}


def keys_of_either(d, e):
    out = {}
    for k in d.keys() | e.keys():
        out[k] = d.get(k, 0.0) * e.get(k, 1.0) + d.get(k, 0.1)
    return sum(out[k] ** 2 for k in sorted(out))


def keys_of_both(d, e):
    return sum(d[k] * e[k] for k in d.keys() & e.keys())


def keys_of_one(d, e):
    alone = {k: d[k] ** 2 for k in d.keys() - e.keys()}
    return sum(alone.values()) * e["z"]


def keys_of_one_alone(d, e):
    both = {**d, **e}
    total = sum(both[k] ** 2 for k in sorted(d.keys() ^ e.keys())) * len(d.keys())
    return total + (d["a"] if "b" in d.keys() else e["b"])


def keys_that_come_later(d, e):
    keys = d.keys()
    total = 0.0
    for k in list(keys):
        total = total + d[k] ** 2
    d["z"] = e["b"] * 2.0
    for k in keys:
        total = total + d[k] * 3.0 * e["c"]
    return total


def merged_twice(d, e):
    def merged(p, q):
        out = {}
        for k in p.keys() | q.keys():
            if k in p and k in q:
                out[k] = p[k] * q[k]
            else:
                out[k] = p.get(k, q.get(k, 0.0))
        return out

    return sum(v**2 for v in merged(d, merged(e, d)).values())


@pytest.mark.parametrize(
    "f",
    [
        keys_of_either, keys_of_both, keys_of_one, keys_of_one_alone, keys_that_come_later,
        merged_twice,
    ],
)  # fmt: skip
def test_keys(f):
    laws.check_orders(f, D, E)


def pairs_in_a_list(d):
    return sum([p[1] ** 2 for p in d.items()])


def pairs_taken_apart(d):
    total = 0.0
    for p in d.items():
        k, v = p
        if k == "b":
            continue
        total = total * 0.5 + v * v
    return total


def pairs_kept(d):
    kept = []
    for item in d.items():
        kept.append(item)
    return sum(v**2 for k, v in kept if k != "c")


def first_pair_and_the_rest(d):
    (_, v), *rest = d.items()
    return v * sum(w for _, w in rest)


def first_and_last_value(d):
    first, *_, last = d.values()
    return first * last


def pairs_in_order(d):
    return (
        sum(i * p[1] for i, p in enumerate(sorted(d.items())))
        * max(d.items(), key=lambda p: p[1])[1]
    )


@pytest.mark.parametrize(
    "f",
    [
        pairs_in_a_list, pairs_taken_apart, pairs_kept, first_pair_and_the_rest,
        first_and_last_value, pairs_in_order,
    ],
)  # fmt: skip
def test_pairs(f):
    laws.check_orders(f, D)


def pairs_of_numbers_and_arrays(d):
    return sum([np.sum(p[1] ** 2) for p in d.items()])


def test_pairs_of_unlike_things():
    d = {"a": 1.0, "b": np.array([1.0, 2.0])}
    laws.check_orders(pairs_of_numbers_and_arrays, d)


def values_taken_apart(x):
    table = {"w": np.outer(x, x), "b": x, "n": 3}
    w, b, n = table.values()
    return np.sum(np.tanh(w @ x + b)) * n


def items_taken_apart(x):
    (first, u), (second, v) = {"u": x[0], "v": x[1] ** 2}.items()
    return u * v * len(first + second)


class Range:
    def __init__(self, low, high):
        self.low, self.high = low, high

    def values(self):
        return self.low, self.high


def values_of_an_object(x):
    low, high = Range(x, x[0]).values()
    return np.sum(low**2) * high


TAKEN_APART = [values_taken_apart, items_taken_apart, values_of_an_object]


@pytest.mark.parametrize("f", TAKEN_APART, ids=lambda f: f.__name__)
def test_views_taken_apart(f):
    tl.check_grads(f, np.array([0.5, 1.2, 2.0]), order=2, replay=True)
