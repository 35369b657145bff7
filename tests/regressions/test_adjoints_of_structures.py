"""Adjoints of lists, dicts and objects that several statements read, and some write to in place.

A function is handed the adjoint of what it returned. It may read it as it is, and must copy it before it
writes to it: its caller, or another name, may still read the same one.
"""

from dataclasses import dataclass

import numpy as np
import pytest

import tapeless as tl

X = np.array([0.6, -1.4, 2.3])


@dataclass
class Pair:
    a: float
    b: float

    def __add__(self, other):
        return Pair(self.a + other.a, self.b + other.b)

    def swapped(self):
        return Pair(self.b, self.a)

    def scaled(self, c):
        return Pair(c * self.a, c * self.b)


@dataclass
class Segment:
    start: Pair
    end: Pair
    weights: list

    def length(self):
        return (self.start.a - self.end.a) ** 2 + (self.start.b - self.end.b) ** 2


def squares(xs):
    made = []
    for x in xs:
        made.append(x * x)
    return made


def with_total(xs):
    made = squares(xs)
    made.append(sum(made))
    return made


def same_twice(x):
    s = squares([x[0], x[1]])
    return s, s


def both_of_the_same(x):
    p, q = same_twice(x)
    return p[0] * q[1] + q[0] ** 2


def popped_and_read(x):
    s = with_total([x[0], x[1], x[2]])
    last = s.pop()
    first = s.pop(0)
    return last * first + sum(s)


def handed_on(xs):
    ys = squares(xs)
    return ys


def through_two_functions(x):
    s = handed_on([x[0], x[1]])
    t = handed_on(s)
    return s[0] * t[1] + t[0]


def in_a_loop(x):
    s = [x[0], x[1], x[2]]
    y = 0.0
    for _ in range(3):
        s = squares(s)
        s[0] = s[0] * 0.1
        y = y + s[0] * s[1]
        s = [v * 0.2 for v in s]
    return y


def in_a_branch_of_a_loop(x):
    s = squares([x[0], x[1], x[2]])
    y = 0.0
    for k in range(3):
        if k != 1:
            y = y + s.pop() * x[k]
    return y + sum(s)


def in_nested_loops(x):
    rows = [squares([x[0], x[k]]) for k in range(3)]
    y = 0.0
    for row in rows:
        while row:
            y = y * 0.5 + row.pop() * x[1]
    return y


def of_objects(x):
    p = Pair(x[0], x[1]) + Pair(x[1], x[2]).swapped()
    q = p.scaled(x[2]) + p
    return q.a * p.b


def of_objects_in_a_loop(x):
    p = Pair(x[0], x[1])
    for k in range(3):
        p = (p + p.swapped().scaled(x[k])).scaled(0.5)
    return p.a * p.b


def of_objects_that_hold_objects(x):
    p, q = Pair(x[0], x[1]), Pair(x[1], x[2])
    s = Segment(p + q, p.swapped(), [x[0], x[2]])
    s.weights.append(s.length())
    s.start.a = s.start.a * x[1]
    return s.length() * sum(s.weights) + p.a


def made_once_and_held_twice(x):
    p = Pair(x[0], x[1])
    s, t = Segment(p, p.scaled(2.0), [x[0]]), Segment(p.swapped(), p, [x[1]])
    p.a = p.a * x[2]
    return s.length() + t.length() * p.b


def table(x):
    made = {"a": x[0] * x[1], "b": [x[1], x[2] ** 2]}
    made["c"] = made["a"] * made["b"][1]
    return made


def of_dicts(x):
    t, u = table(x), table(x * 0.5)
    t["a"] = t["a"] * u["c"]
    t["b"].append(u["a"])
    return t["a"] + sum(t["b"]) * t["c"]


def split(x):
    return [x[:2] * 2.0, x[1:] * 3.0]


def of_arrays_in_lists(x):
    parts = split(x)
    parts[0][0] = x[2]
    more = split(parts[0])
    parts.append(more[1])
    return sum(np.sum(p**2) for p in parts)


def running(xs):
    total, sums = 0.0, []
    for x in xs:
        total = total + x * x
        sums.append(total)
    return sums


def read_at_both_ends(x):
    s = running([x[0], x[1], x[2]])
    t = running(s)
    return s[-1] * t[0] + t[-1] * s[0]


FUNCTIONS = [
    both_of_the_same,
    popped_and_read,
    through_two_functions,
    in_a_loop,
    in_a_branch_of_a_loop,
    in_nested_loops,
    of_objects,
    of_objects_in_a_loop,
    of_objects_that_hold_objects,
    made_once_and_held_twice,
    of_dicts,
    of_arrays_in_lists,
    read_at_both_ends,
]
REFUSED_AGAIN = (in_nested_loops, of_objects_that_hold_objects, of_dicts)


def order(f):
    return 1 if f in REFUSED_AGAIN else 2


@pytest.mark.parametrize("f", FUNCTIONS)
def test_laws_and_replay(f):
    tl.check_grads(f, X, order=order(f), replay=True)


@pytest.mark.parametrize("f", FUNCTIONS)
def test_called_by_another_function(f):
    def program(x):
        return f(x) * f(0.5 * x) + f(x)

    tl.check_grads(program, X, order=order(f), replay=True)


@pytest.mark.parametrize("f", [squares, with_total, running])
def test_the_seed_stays_as_it_is(f):
    _, pullback = tl.vjp(f, [0.6, -1.4, 2.3])
    seed = [1.0, 2.0, 3.0, 4.0][: len(f([0.6, -1.4, 2.3]))]
    given = list(seed)
    first, second = pullback(given), pullback(given)
    assert given == seed
    assert first == second


def stores_what_nothing_reads(x):
    unread = {"a": x[0], "b": x[1]}
    unread["a"] = (x[1] - 5.0) ** x[2]  # NaN
    unread["b"] = unread["b"] + unread["a"]
    rest = np.zeros(2)
    rest[0] = np.log(x[0] - 5.0)
    return x[0] * x[1]


def test_what_nothing_depends_on_has_no_adjoint():
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(tl.grad(stores_what_nothing_reads)(X), [X[1], X[0], 0.0])

    def program(x):
        return stores_what_nothing_reads(x) * stores_what_nothing_reads(x)

    with np.errstate(invalid="ignore"):
        np.testing.assert_allclose(
            tl.grad(program)(X), [2 * X[0] * X[1] ** 2, 2 * X[0] ** 2 * X[1], 0.0]
        )
