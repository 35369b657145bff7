"""Stores into what an argument holds: lists, dicts and objects within each other."""

import copy
import dataclasses
from dataclasses import dataclass

import numpy as np
import pytest

import tapeless as tl
from tapeless.testing import check_grads
from tests import laws

X = np.array([0.6, -1.4, 2.3, 0.9])


@dataclass
class Tree:
    value: float
    children: list = dataclasses.field(default_factory=list)


def stores_into_items(nodes):
    s = 1.0
    for d in nodes:
        d["a"] = d["a"] * s
        s = s + d["a"] ** 2
    return s


def stores_into_arrays(arrays):
    s = 1.0
    for a in arrays:
        a[0] = a[1] * s
        s = s + np.sum(a) ** 2
    return s


def stores_into_children(tree):
    s = tree.value
    first = tree.children[0]
    first.value = first.value * s
    for c in tree.children:
        c.value = c.value * s
        s = s + c.value**2
    return s


def stores_into_a_pair(pair):
    (a, b), c = pair
    a[0] = b[1] * a[1] * c
    return np.sum(a) * b[0]


def folded(tree):
    if not tree.children:
        return tree.value**2
    total = tree.value
    for i, c in enumerate(tree.children):
        total = total * 0.5 + folded(c) * (i + 1)
    return total


def folded_in_place(tree):
    if not tree.children:
        return tree.value**2
    total = tree.value
    for i, c in enumerate(tree.children):
        total = total * 0.5 + folded_in_place(c) * (i + 1)
    tree.value = total
    return total


def twice_folded(tree):
    return folded_in_place(tree) + folded_in_place(tree) * tree.value


def tree_made_here(x):
    leaf = Tree(x[2])
    tree = Tree(x[0], [Tree(x[1], [leaf, Tree(x[3])]), leaf])
    return folded_in_place(tree) + folded_in_place(tree) + leaf.value


def a_tree():
    return Tree(1.5, [Tree(0.5), Tree(0.3, [Tree(2.0)])])


@pytest.mark.parametrize(
    ("function", "argument"),
    [
        (stores_into_items, [{"a": 1.0}, {"a": 2.0}]),
        (stores_into_arrays, [X.copy(), X * 2.0]),
        (stores_into_children, a_tree()),
        (stores_into_a_pair, ((X.copy(), X * 2.0), 1.5)),
        (folded, a_tree()),
        (folded_in_place, a_tree()),
        (twice_folded, a_tree()),
        (tree_made_here, X),
    ],
)
def test_stores_into_what_an_argument_holds(function, argument):
    laws.check_function(function, (argument,))


def test_one_stored_into_object_in_two_places_of_an_argument_is_refused():
    leaf = Tree(0.7)
    with pytest.raises(tl.TapelessError, match="two places"):
        tl.grad(stores_into_children)(Tree(1.5, [leaf, leaf]))
    assert leaf == Tree(0.7)


def lengthens_an_item(p):
    p["l"].append(p["b"] * p["l"][0])
    return sum(p["l"]) * p["l"][-1]


def lengthens_a_row(rows):
    rows[1].append(rows[0][0] * 2.0)
    rows.append(rows[1])
    rows[2][0] *= rows[0][1]
    return sum(sum(row) for row in rows)


def lengthens_an_attribute(tree):
    tree.children.append(tree.value)
    tree.value *= 2.0
    return sum(tree.children) * tree.value


def lengthens_one_of_a_child(tree):
    child = tree.children[0]
    child.value *= tree.value
    child.children.append(tree.value)
    return child.value * tree.value * child.children[0]


def takes_an_item_away(p):
    w = p.pop("w")
    return np.sum(w * w) * p["b"]


@pytest.mark.parametrize(
    ("function", "argument"),
    [
        (lengthens_an_item, {"b": 0.3, "l": [1.0, 2.0]}),
        (lengthens_a_row, [[1.0, 2.0], [3.0]]),
        (lengthens_an_attribute, Tree(0.5, [1.5, 2.5])),
        (lengthens_one_of_a_child, Tree(0.5, [Tree(1.5)])),
        (takes_an_item_away, {"b": 0.3, "w": X}),
    ],
)
def test_lists_that_grow_within_an_argument(function, argument):
    laws.check_function(function, (argument,))
    before = copy.deepcopy(argument)
    check_grads(function, argument, order=1, replay=True)
    laws.assert_identical(argument, before, "the argument")
