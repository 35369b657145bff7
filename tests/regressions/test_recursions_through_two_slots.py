"""Recursions that go on in one of two slots: what is known of both grows, and comes to an end soon."""

import numpy as np

import tapeless as tl
from tapeless.testing import check_replay
from tests import laws

X = np.array([0.3, 0.5, -0.7, 1.1])


class Node:
    def __init__(self, key):
        self.key = key
        self.left = None
        self.right = None


def insert(node, key):
    if key < node.key:
        if node.left is None:
            node.left = Node(key)
        else:
            insert(node.left, key)
    else:
        if node.right is None:
            node.right = Node(key)
        else:
            insert(node.right, key)


def inserted(node, key):
    if node is None:
        return Node(key)
    if key < node.key:
        node.left = inserted(node.left, key)
    else:
        node.right = inserted(node.right, key)
    return node


def weigh(node, depth):
    if node is None:
        return 0.0
    below = weigh(node.left, depth + 1) + weigh(node.right, depth + 1)
    return node.key * node.key * depth + below


def stored_in_place(x):
    root = Node(x[0])
    for i in range(1, len(x)):
        insert(root, x[i])
    return weigh(root, 1)


def handed_back(x):
    root = None
    for i in range(len(x)):
        root = inserted(root, x[i])
    return weigh(root, 1)


def test_laws_and_replay():
    rng = np.random.default_rng(3)
    for f in (stored_in_place, handed_back):
        laws.check_grad(f, (X,), (0,), rng)
        laws.check_reverse(f, (X,), (0,), rng)
        laws.check_forward(f, (X,), (0,), rng)
        check_replay(f, X)


def test_the_second_order():
    direction = np.array([1.0, -0.5, 2.0, 0.3])
    weights = np.array([2.0, 4.0, 4.0, 6.0])
    np.testing.assert_allclose(tl.hvp(handed_back)(X, direction), weights * direction, rtol=1e-12)


def test_each_is_interpreted_for_few_forms(monkeypatch):
    from tapeless.analysis.interpret.run import Interpretation

    runs = []
    whole = Interpretation.run

    def counted(self, values, heap):
        runs.append(self.function.name)
        return whole(self, values, heap)

    monkeypatch.setattr(Interpretation, "run", counted)
    tl.source(stored_in_place, like=(X,))
    assert runs.count("insert") < 300  # it was some thousands, a power of the depth
