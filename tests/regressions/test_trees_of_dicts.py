"""Trees of dicts in which not every dict has every key."""

import numpy as np
import pytest

import tapeless as tl
from tests import laws

LEAF = {"v": 1.5}
TREE = {"v": 0.5, "left": LEAF, "right": {"v": 2.5, "left": {"v": 1.0}}}
BUSH = {"v": 0.5, "children": [{"v": 1.5}, {"v": 2.5, "children": [{"v": 3.0}]}]}


def by_get(node):
    if node is None:
        return 0.0
    return node["v"] ** 2 + 2.0 * by_get(node.get("left")) * by_get(node.get("right"))


def by_membership(node):
    total = node["v"] ** 2
    if "left" in node:
        total += 2.0 * by_membership(node["left"])
    if "right" in node:
        total *= by_membership(node["right"])
    return total


def over_children(node):
    total = node["v"] ** 2
    for child in node.get("children", []):
        total += 2.0 * total * over_children(child)
    return total


def in_the_order_of_the_keys(tree):
    total = 0.0
    for key in sorted(tree):
        if isinstance(tree[key], dict):
            total = total * 2.0 + in_the_order_of_the_keys(tree[key])
        else:
            total = total * 2.0 + np.sum(tree[key] ** 2)
    return total


def of_unlike_branches(tree):
    if isinstance(tree, dict):
        return sum(of_unlike_branches(tree[key]) for key in sorted(tree))
    if isinstance(tree, list):
        return sum(of_unlike_branches(item) for item in tree)
    return np.sum(tree**2)


UNLIKE = {"b": 0.5, "a": {"d": 1.5, "c": np.array([1.0, 2.0])}}


@pytest.mark.parametrize(
    ("f", "tree"),
    [
        (by_get, TREE), (by_membership, TREE), (over_children, BUSH),
        (in_the_order_of_the_keys, UNLIKE), (of_unlike_branches, {"c": [0.5, 2.0], **UNLIKE}),
    ],
)  # fmt: skip
def test_keys_that_are_missing(f, tree):
    laws.check_orders(f, tree)


def made_on_the_way(x):
    return by_get({"v": x[0], "left": {"v": x[1]}, "right": {"v": x[0] * x[1]}})


def put_there_later(x):
    table = {"a": x[0]}
    total = 0.0
    for i in range(3):
        if "b" in table:
            total += table["b"] * x[1]
        total += table.get("c", x[0]) ** 2
        table["b"] = x[0] * i
        if i == 1:
            put(table, x[1], "c")
    return total


def put(table, value, key):
    table[key] = value


@pytest.mark.parametrize("f", [made_on_the_way, put_there_later])
def test_dicts_that_are_made_here(f):
    laws.check_orders(f, np.array([0.5, 1.5]))


OPTIONS = {"a": 1.0}


def scaled(x, options):
    if "b" in options:
        x = x * options["b"]
    return x * options.get("c", 2.0)


def with_what_stands_outside(x):
    return scaled(x, OPTIONS)


def test_keys_that_are_added_outside(monkeypatch):
    g = tl.grad(with_what_stands_outside)
    assert g(2.0) == 2.0
    monkeypatch.setitem(OPTIONS, "b", 5.0)
    assert g(2.0) == 10.0
    monkeypatch.setitem(OPTIONS, "c", 7.0)
    assert g(2.0) == 35.0
    monkeypatch.delitem(OPTIONS, "b")
    assert g(2.0) == 7.0


@pytest.mark.parametrize(
    ("options", "expected"), [({}, 2.0), ({"b": 5.0}, 10.0), ({"b": 5.0, "c": 7.0}, 35.0)]
)
def test_keys_of_an_argument(options, expected):
    assert tl.grad(scaled)(2.0, options) == expected


def test_a_text_is_no_dict_that_lacks_it():
    def f(x):
        table = {"a": x[0]}
        return table["a"] * (x[1] if "b" is not table else 3.0)  # noqa: F632

    np.testing.assert_array_equal(tl.grad(f)(np.array([0.4, -0.7])), [-0.7, 0.4])
