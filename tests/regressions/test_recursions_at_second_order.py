"""Second derivatives of functions that call themselves: what each call keeps holds what the next one kept."""

import numpy as np
import pytest

import tapeless as tl

X = np.array([0.6, 1.4, 2.3])


class Node:
    def __init__(self, v, left=None, right=None):
        self.v, self.left, self.right = v, left, right


def power(u, n):
    if n == 0:
        return u * 0.0 + 1.0
    h = power(u, n // 2)
    return h * h * u if n % 2 else h * h


def nested(u, n):
    return u if n == 0 else np.sin(nested(u, n - 1)) * u


def even(u, n):
    return u if n == 0 else odd(u * u, n - 1) * u


def odd(u, n):
    return u if n == 0 else even(np.sin(u), n - 1) + u


class Model:
    parts = [np.ones(3), 2.0]

    def deep(self, v, n):
        if n == 0:
            return v
        return self.deep(np.tanh(self.parts[0] * v) * self.parts[1], n - 1)


def total(node):
    if node is None:
        return 0.0
    return np.sum(node.v**3) + 0.5 * total(node.left) + total(node.right)


def of_an_array(x):
    return np.sum(power(np.sin(x), 5))


def of_a_number(x):
    return power(x[0], 3) * x[1]


def with_what_each_call_makes(x):
    return np.sum(nested(x, 3))


def by_way_of_another(x):
    return np.sum(even(x, 3))


def of_a_method(x):
    return np.sum(Model().deep(x, 3))


def of_a_tree(x):
    return total(Node(np.sin(x), Node(x * x, Node(x)), Node(2.0 * x)))


CASES = [
    of_an_array, of_a_number, with_what_each_call_makes, by_way_of_another, of_a_method,
    of_a_tree,
]  # fmt: skip


@pytest.mark.parametrize("f", CASES, ids=[f.__name__ for f in CASES])
def test_their_second_derivatives(f):
    tl.check_grads(f, X, order=2, replay=True)
