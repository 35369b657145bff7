"""A member of a set is what it was when it was put there, though the set itself changes."""

import numpy as np
import pytest

import tapeless as tl

X = np.array([0.5, 1.2, 2.0, 3.0])
ROADS = {"a": {"b": 0, "c": 2}, "b": {"c": 1, "d": 3}, "c": {"d": 2}, "d": {}}
PLACES = frozenset([0, 2])


def in_order(x):
    seen, total = {0, 2}, 1.0
    seen.add(3)
    for i in sorted(seen):
        total = total + x[i] * total
    return total


def as_keys(x):
    table, seen = {0: x[0], 2: x[1] * x[2], 3: x[3]}, {0, 2}
    seen.add(3)
    return sum(table[i] * x[i] for i in seen)


def taken_out(x):
    todo, total = {0, 1, 2}, 1.0
    while todo:
        i = todo.pop()
        total = total + x[i] * total
    return total


def tuples(x):
    edges, total = {(0, 1), (2, 3)}, 1.0
    edges.add((1, 2))
    for i, j in sorted(edges):
        total = total + x[i] * x[j] * total
    return total


def least_first(x):
    todo, total = set(range(3)), 1.0
    while todo:
        i = min(todo, key=lambda j: x[j])
        todo.remove(i)
        total = total + x[i] * total
    return total


def shortest_way(x):
    distance, todo = {place: float("inf") for place in ROADS}, set(ROADS)
    distance["a"] = 0.0
    while todo:
        u = min(todo, key=lambda place: distance[place])
        todo.remove(u)
        for v, road in ROADS[u].items():
            distance[v] = min(distance[v], distance[u] + x[road])
    return distance["d"] * x[0] + distance["c"]


def shortest_way_as_found(x):
    distance, todo, done = {"a": 0.0}, {"a"}, set()
    while todo:
        u = min(todo, key=distance.__getitem__)
        todo.discard(u)
        done.add(u)
        for v, road in ROADS[u].items():
            if v not in done and distance[u] + x[road] < distance.get(v, 1e9):
                distance[v] = distance[u] + x[road]
                todo.add(v)
    return distance["d"] * x[0] + distance["c"]


def of_views_and_constants(x):
    table = {"a": x[0], "b": x[1]}
    key = min(table.keys(), key=lambda k: table[k])
    item = max(table.items(), key=lambda pair: pair[1])
    return table[key] * item[1] * x[min(PLACES, key=lambda j: -x[j])]


FUNCTIONS = [
    in_order,
    as_keys,
    taken_out,
    tuples,
    least_first,
    shortest_way,
    shortest_way_as_found,
    of_views_and_constants,
]


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_right(f):
    tl.check_grads(f, X, order=2, replay=True)


class Node:
    def __init__(self, value):
        self.value = value


def changed_behind_the_set(x):
    node = Node(2.0)
    nodes, total = {node}, x[0]
    nodes.add(node)
    for each in nodes:
        total = total * each.value * total
        each.value = 5.0
    return total * node.value


def test_parts_of_members_may_change():
    with pytest.raises(tl.TapelessError, match="`each.value` is stored into"):
        tl.grad(changed_behind_the_set)(X)
