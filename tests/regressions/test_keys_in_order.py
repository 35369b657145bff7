"""What orders the keys of a dict whose values carry a derivative: the keys carry none.

`sorted(p)` goes through names, and so does what is made of its items.
"""

import numpy as np
import pytest

from tests import laws


def stored_by_sorted_keys(p):
    doubled = {k: 2.0 * p[k] for k in sorted(p)}
    return np.sum(doubled["a"] * doubled["b"])


def stored_in_a_loop(p):
    squares = {}
    for k in sorted(p, reverse=True):
        squares[k] = p[k] ** 2
    return sum(np.sum(squares[k]) * (i + 1) for i, k in enumerate(sorted(squares)))


class Node:
    def __init__(self, v):
        self.v = v


class Graph:
    def __init__(self):
        self.nodes = {}


def of_a_dict_that_an_object_holds(p):
    graph = Graph()
    for name, v in zip("ba", (p["a"], p["b"])):
        graph.nodes[name] = Node(v)
    beliefs = {n: np.tanh(graph.nodes[n].v) for n in sorted(graph.nodes)}
    return np.sum(beliefs["a"] * beliefs["b"] ** 2)


def by_what_they_stand_for(p):
    scores = {k: np.sum(v) for k, v in p.items()}
    best = max(scores, key=scores.get)
    ranked = {}
    for place, k in enumerate(sorted(scores, key=lambda k: -scores[k])):
        ranked[k] = scores[k] * (place + 1)
    return scores[best] ** 2 * ranked["a"] * ranked["b"]


def the_first_and_the_last(p):
    doubled = {}
    for k in sorted(p):
        doubled[k] = 2.0 * p[k]
    return np.sum(doubled[min(p)] * doubled[max(doubled)] ** 2)


CASES = [
    stored_by_sorted_keys,
    stored_in_a_loop,
    of_a_dict_that_an_object_holds,
    by_what_they_stand_for,
    the_first_and_the_last,
]


@pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)
def test_laws_and_replay(f):
    p = {"a": np.array([1.1, 0.7]), "b": np.array([2.2, 1.4])}
    laws.check_orders(f, p)
