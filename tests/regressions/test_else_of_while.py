"""The `else` of a `while` whose test is more than an expression: a call, or an assignment."""

import numpy as np
import pytest

import tapeless as tl
from tests.laws import check_function

X = np.array([0.3, 0.7])


def with_a_break(x, n, stop):
    items = []

    def add(v):
        items.append(v * 2.0)
        return len(items)

    i = 0
    while add(x[i % 2] ** 2) < n:
        i += 1
        if items[-1] > stop:
            break
    else:
        items[-1] *= 3.0
    return sum(items)


def without_a_break(x):
    y = x * 1.0

    def is_large(a):
        a *= 0.9
        return np.sum(a) > 0.8

    while is_large(y):
        y *= x[0] + 0.5
    else:
        y = y * x
    return np.sum(y)


def leaving_the_loop_around(x):
    s = 0.0

    def may_go(k):
        return k * 1.0 < 2.5 - s

    for j in range(3):
        k = 0
        while may_go(k):
            k += 1
            s += x[j % 2] * k
            if s > 2.0:
                break
        else:
            s = s * x[0]
            if s > 1.0:
                break
            continue
        s += 1.0
    else:
        s = s * 3.0
    return s


def within(x, limit):
    def fits(v):
        return np.max(v) < limit

    while fits(x):
        x = x * 1.5
        if x[0] > 2.0:
            return x * 2.0
    else:
        return x[::-1] * x
    return x


def returning(x, limit):
    return within(x, limit) + within(x * 0.5, limit)


def popping(x):
    todo = [v * 1.0 for v in x]
    s = 1.0
    while todo and (v := todo.pop()) > 0.2:
        s = s * v + 1.0
        if len(todo) == 1 and s > 2.0:
            todo[0] *= s
            break
        todo[0] += 0.1 * v
    else:
        s = s * s
    return s + sum(todo)


PROGRAMS = [
    (with_a_break, (X, 3, 100.0)), (with_a_break, (X, 5, 0.5)), (without_a_break, (X,)),
    (leaving_the_loop_around, (X,)), (leaving_the_loop_around, (3.0 * X,)),
    (leaving_the_loop_around, (0.2 * X,)), (returning, (X, 1.4)), (returning, (X[::-1].copy(), 9.0)),
    (popping, (np.array([0.3, 0.7, 0.5]),)), (popping, (np.array([0.3, 0.1, 0.5]),)),
]  # fmt: skip


@pytest.mark.parametrize(("function", "args"), PROGRAMS)
def test_runs_where_the_test_fails(function, args):
    check_function(function, args, wrt=0, smooth=function is not popping)
    check_function(function, (args[0].astype(np.float32), *args[1:]), wrt=0, smooth=False)


@pytest.mark.parametrize("stop", [0.5, 100.0])
def test_second_order_and_replay(stop):
    tl.check_grads(with_a_break, X, 4, stop, order=1, replay=True)

    def g(x):
        return with_a_break(x, 4, stop)

    tl.check_grads(g, X, order=2, replay=True)
