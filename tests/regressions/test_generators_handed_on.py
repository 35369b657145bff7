"""Generators, and generator expressions, that functions of the user's get and use up."""

import numpy as np
import pytest

import tapeless as tl
from tests import laws

X = np.array([0.3, 0.7, 1.1])


def steps(x, n):
    for _ in range(n):
        x = np.sin(x)
        yield x


def total(items, k=1.0):
    s = 0.0
    for v in items:
        s += v * v * k
    return s


def ends(items):
    listed = list(items)
    return listed[0] * listed[-1]


def doubled(items):
    for v in items:
        yield 2.0 * v


class Sum:
    def __init__(self):
        self.value = 0.0

    def feed(self, items):
        for v in items:
            self.value = self.value + v
        return self


def in_a_loop(x):
    return total(steps(x[0], 4)) * x[1]


def at_once(x):
    return ends(steps(x[0], 3)) + ends(v * x[1] for v in x)


def of_a_method(x):
    return Sum().feed(steps(x[0], 3)).feed(v**2 for v in x if v > 0.5).value


def through_another(x):
    return total(doubled(doubled(steps(x[1], 3)))) + sum(doubled(steps(x[2], 2)))


def two_loops(x):
    return total((a * b for a in x for b in x if a > b), k=x[0])


class Body:
    def __init__(self, mass, speed):
        self.mass, self.speed = mass, speed


class System:
    def __init__(self, bodies, scale=1.0):
        self.bodies = list(bodies)
        self.scale = scale

    def energy(self):
        return sum(0.5 * b.mass * b.speed**2 for b in self.bodies) * self.scale


def to_a_constructor(x):
    return System((Body(2.0, v) for v in x), scale=x[0]).energy()


def numbered_to_a_constructor(x):
    return System(Body(2.0 * k, v) for k, v in enumerate(x, 1)).energy()


def side_by_side(x):
    return total(u * v for u, v in zip(x, x[::-1]))


def with_a_name_bound_before(x):
    k, found = x[0], []
    for i in range(3):
        k = k * x[i]
        found.append(total(k * v for v in x))
    return sum(found)


@pytest.mark.parametrize(
    "f",
    [
        in_a_loop,
        at_once,
        of_a_method,
        through_another,
        two_loops,
        with_a_name_bound_before,
        to_a_constructor,
        numbered_to_a_constructor,
        side_by_side,
    ],
)
def test_what_they_yield_carries_derivatives(f):
    laws.check_orders(f, X)


def scaled(a):
    for i in range(3):
        yield a[0] * i


def changing(items, a):
    s = 0.0
    for v in items:
        a[0] = a[0] + 1.0
        s = s + v
    return s


def what_it_reads_changes(x):
    a = np.array([x, 1.0])
    return changing(scaled(a), a)


def what_is_read_changes_two_deep(x):
    a = np.array([x, 1.0])
    return changing(doubled(scaled(a)), a)


def what_is_read_changes_in_a_loop(x):
    a, s = np.array([x, 1.0]), 0.0
    for v in doubled(scaled(a)):
        a[0] = a[0] + 1.0
        s = s + v
    return s


def until_it_is_large(items):
    s = 0.0
    for v in items:
        if v < 0.5:
            break
        s = s + v
    return s


def left_early(x):
    return until_it_is_large(steps(x, 4))


def over_and_over(items):
    s = 0.0
    for _ in range(2):
        for v in items:
            s = s + v
    return s


def gone_through_twice(x):
    return over_and_over(steps(x, 4))


@pytest.mark.parametrize(
    "f",
    [
        what_it_reads_changes, what_is_read_changes_two_deep, what_is_read_changes_in_a_loop, left_early,
        gone_through_twice,
    ],
)  # fmt: skip
def test_where_a_list_would_mean_something_else_they_are_refused(f):
    with pytest.raises(tl.GradientError, match="the generator '(steps|scaled)' "):
        tl.grad(f)(0.7)
