"""Generators and `map` in `zip` and `enumerate`: an item is computed in the trip that takes it."""

import itertools
from functools import partial

import pytest

import tapeless as tl
from tests.laws import check_function


class Meter:
    def __init__(self, total):
        self.total = total

    def add(self, v):
        self.total = self.total + v
        return self.total

    def scaled(self, v):
        return self.total * v


def push(items, v):
    items.append(v)
    return v * 2


def methods_that_add(x):
    m = Meter(x)
    out = 0.0
    for a, b in zip((m.add(x * k) for k in range(3)), [1.0, 2.0, 3.0]):
        out += a * b * m.total
        m.total *= 0.5
    return out


def lists_that_grow(x):
    kept = [x]
    out = 0.0
    for a, b in zip((push(kept, x * k) for k in range(3)), (1.0, 2.0, 3.0)):
        out += a * b * len(kept) + kept[-1]
    return out


def local_functions(x):
    kept = [x]

    def step(k):
        kept.append(kept[-1] * k * x)
        return kept[-1]

    out = 0.0
    for i, (a, b) in enumerate(zip(map(step, [1.0, 2.0, 3.0]), (1.0, 2.0, 3.0))):
        out += a * b * len(kept) + i * kept[-1]
    return out


def several_in_turn(x):
    m = Meter(x)
    out = 0.0
    for a, b, (i, u) in zip(
        (m.add(x) for _ in range(3)), map(m.add, [x, x, 2 * x]), enumerate([1, 2, 3])
    ):
        out += a * b + i * m.total * u
    return out


def bound_together(x):
    m = Meter(x)
    out = 0.0
    for pair in zip((m.add(x * k) for k in range(3)), [1.0, 2.0, 3.0]):
        out += pair[0] * pair[1] * m.total
    return out


def what_the_trip_before_bound(x):
    v, out = 1.0, 0.0
    for v, w in zip((v * x for _ in range(3)), [1.0, 2.0, 3.0]):
        out += v * x * w
    return out


def functions_bound_anew(x):
    def f(v):
        return v * x

    def g(v):
        return v + 1.0

    out, chosen = 0.0, f
    for v in map(chosen, [1.0, 2.0, 3.0]):
        out += v * x
        chosen = g
    return out


def objects_bound_anew(x):
    m = Meter(x)
    out = 0.0
    for v in map(m.scaled, [1.0, 2.0, 3.0]):
        out += v * x
        m = Meter(x * x)
    return out


def objects_that_change(x):
    m = Meter(x)
    out = 0.0
    for v, w in zip(map(m.scaled, [1.0, 2.0, 3.0]), [1.0, 0.5, 2.0]):
        out += v * x * w
        m.total = m.total * 0.5
    return out


def made_for_the_loop(x):
    out = 0.0
    for v in map(partial(lambda a, b: a * b, x), [1.0, 2.0, 3.0]):
        out += v * x
    return out


def square(v):
    return v * v


def totals_that_add(x):
    m = Meter(x)
    out = 0.0
    for a, b in zip(
        itertools.accumulate([x, 2 * x, x], lambda p, v: m.add(v) + p), [1.0, 2.0, 3.0]
    ):
        out += a * b * m.total
    return out


def rows_that_add(x):
    m = Meter(x)
    rows = [(x, x * 2), (x, x * 3), (x, 1.0)]
    out = 0.0
    for a, b in zip(itertools.starmap(lambda p, v: m.add(v) + p, rows), [1.0, 2.0, 3.0]):
        out += a * b * m.total
    return out


def some_left_out(x):
    out = 0.0
    for a, b in zip((square(x * k) for k in range(5) if k != 1), [1.0, 2.0, 3.0]):
        out += a * b * x
    for a in itertools.chain((square(x * k) for k in range(5)), [1.0, x]):
        out += a * x
    return out


PROGRAMS = (
    totals_that_add, rows_that_add, some_left_out,
    methods_that_add, lists_that_grow, local_functions, several_in_turn, bound_together,
    what_the_trip_before_bound, functions_bound_anew, objects_bound_anew, objects_that_change,
    made_for_the_loop,
)  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_items_are_computed_where_they_are_taken(f):
    check_function(f, (1.3,))


def adds_where_some_are_left_out(x):
    m = Meter(x)
    out = 0.0
    for a, b in zip((m.add(x * k) for k in range(5) if k != 1), [1.0, 2.0, 3.0]):
        out += a * b * m.total
    return out


def adds_in_a_nest(x):
    m = Meter(x)
    out = 0.0
    for b, (a, c) in enumerate(
        zip((m.add(x + j) for k in range(5) for j in range(k)), [1.0, 2.0, 3.0])
    ):
        out += a * b * c * m.total
    return out


def adds_in_a_test(x):
    m = Meter(x)
    out = 0.0
    for a, b in zip(filter(lambda v: m.add(v) > 0.5, [x, 2 * x, 3 * x]), [1.0, 2.0, 3.0]):
        out += a * b * m.total
    return out


def adds_before_others(x):
    m = Meter(x)
    out = 0.0
    for a in itertools.chain((m.add(x * k) for k in range(5)), [1.0, 2.0, 3.0]):
        out += a * m.total
    return out


@pytest.mark.parametrize(
    "f",
    [adds_where_some_are_left_out, adds_in_a_nest, adds_in_a_test, adds_before_others],
    ids=lambda f: f.__name__,
)
def test_items_that_would_be_computed_before_the_loop_are_refused(f):
    with pytest.raises(tl.GradientError, match="while the loop runs|not used up"):
        tl.grad(f)(1.3)
