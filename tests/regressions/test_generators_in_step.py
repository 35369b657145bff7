"""Loops over generators that run in step with them: left early, without an end, beside changes."""

import itertools
import math

import numpy as np
import pytest

import tapeless as tl

X = np.array([0.72, 1.31, 2.2])


def newton(f, df, x0):
    """Iterates of Newton's method."""
    x = x0
    while True:
        yield x
        x = x - f(x) / df(x)


def newton_by_number(x):
    for k, r in enumerate(newton(lambda t: t**3 - x[0], lambda t: 3 * t**2, x[1])):
        if abs(r**3 - x[0]) < 1e-12 or k > 50:
            break
    return r * x[2]


def first_of_newton(x):
    for r in itertools.islice(newton(lambda t: t**3 - x[0], lambda t: 3 * t**2, x[1]), 6):
        pass
    return r * x[2]


def beside_a_range(x):
    for k, r in zip(range(6), newton(lambda t: t**3 - x[0], lambda t: 3 * t**2, x[1])):
        pass
    return r * x[2]


def grid(n, m, a):
    for i in range(n):
        for j in range(m):
            yield a * i + j
        a = a * 1.5


def nested_left(x):
    s = 0.0
    for v in grid(3, 4, x[0]):
        if v > 3.0:
            break
        s += v * v
    return s * x[1]


def nested_left_or_skipped(x):
    s = 0.0
    for v in grid(3, 4, x[0]):
        if v > 3.0:
            break
        if v < 1.0:
            continue
        s += v * v
    else:
        s = s * 100
    return s * x[1]


def nested_with_else(x):
    s = 0.0
    for v in grid(2, 2, x[0]):
        if v > 30.0:
            break
        if v < 1.0:
            continue
        s += v * v
    else:
        s = s * 100 + x[2]
    return s * x[1]


def mixed(x):
    a = x[0]
    yield a
    for i in range(3):
        a = a * x[1]
        if a > 2.5:
            return
        yield a
    yield x[2]


def several_yields(x):
    s = 0.0
    for v in mixed(x):
        s += v
        if s > 5:
            break
    return s


def several_yields_skipped(x):
    s = 0.0
    for v in mixed(x * 0.9):
        if v < 1.0:
            continue
        s += v * v
        if s > 50:
            break
    return s


def returned_from_the_loop(x):
    s = 1.0
    for v in mixed(x):
        if v > 2.0:
            return s * v
        s *= v
    return s + x[0]


class Chain:
    def __init__(self, w):
        self.w = w
        self.steps = 0

    def states(self, y):
        while self.steps < 20:
            self.steps += 1
            y = np.tanh(self.w * y + 0.1)
            yield y

    def __iter__(self):
        v = self.w
        while True:
            v = v * 0.8
            yield v


def method_that_counts(x):
    c = Chain(x[0])
    t = 0.0
    for y in c.states(x[1]):
        t += y
        if c.steps >= 4:
            break
    return t * c.steps


def endless_object(x):
    t = 0.0
    for v in Chain(x[0]):
        t += v * x[1]
        if v < 0.2:
            break
    return t


def running(xs):
    total = 0.0
    for v in xs:
        total += v
        yield total


def changes_what_is_read(x):
    buf = x.copy()
    s = 0.0
    for i, t in enumerate(running(buf)):
        if i + 1 < len(buf):
            buf[i + 1] *= t
        s += t
    return s


def left_by_a_handler(x):
    out = []
    for t in running(x):
        try:
            if t > 2.0:
                raise ValueError
            out.append(t)
        except ValueError:
            break
    return sum(v * v for v in out)


def halves(a, tol):
    while a > tol:
        yield a
        a = a / 2


def one_in_another(x):
    s = 0.0
    for k in range(2):
        for v in halves(x[k], 0.2):
            if v > 1.2:
                continue
            for w in halves(v, 0.3):
                if w < 0.4:
                    break
                s += w * v
    return s


def drain(acc, x):
    for v in x:
        acc.append(v * 2)
        yield len(acc)


def fills_a_list(x):
    acc = []
    s = 0.0
    for n in drain(acc, x):
        s += acc[-1] * n
    return s


def captured_and_bound_anew(x):
    k = x[0]

    def scaled(n):
        for i in range(n):
            yield k * i

    s = 0.0
    for v in scaled(4):
        s += v
        k = k * x[1]
    return s


def argument_bound_anew(x):
    a = x[0]
    s = 0.0
    for v in halves(a, 0.1):
        a = v * x[1]
        s += a
        if s > 2:
            break
    return s + a


def evens(x):
    for i, v in enumerate(x):
        if i % 2:
            continue
        yield v
        if v > 1.5:
            break
    else:
        yield 10.0 * x[0]


def generator_with_a_break(x):
    s = 0.0
    for v in evens(x):
        if v < 0.5:
            continue
        s += v**2
    return s


def fibonacci(a, b):
    while True:
        yield a
        a, b = b, a + b


def taken_while(x):
    s = 0.0
    for v in itertools.takewhile(lambda t: t < 8.0, fibonacci(x[0], x[1])):
        s += v * v
    return s


def named_before(x):
    it = fibonacci(x[0], x[1])
    s = 0.0
    for v in it:
        s += v
        if s > 10:
            break
    return s


def summed_slice(x):
    return sum(itertools.islice(fibonacci(x[0], x[1]), 5))


def listed_slice(x):
    y = [v * v for v in itertools.islice(fibonacci(x[0], x[1]), 5)]
    return y[-1]


def endless_first_in_zip(x):
    s = 0.0
    for a, b in zip(fibonacci(x[0], x[1]), x):
        s += a * b
    return s


def endless_last_in_zip(x):
    s = 0.0
    for a, b in zip(x, fibonacci(x[0], x[1])):
        s += a * b
    return s


class Box:
    def __init__(self):
        self.n = 4


def range_of_what_changes(x):
    b = Box()
    s = 0.0
    for k, v in zip(range(b.n), fibonacci(x[0], x[1])):
        b.n -= 1
        s += v * (k + 1)
    return s * b.n


def bound_anew_beside(x):
    n = 4
    A = [x[0], x[1] * 2, x[2]]
    s = 0.0
    for k, v, a in zip(range(n), fibonacci(x[0], x[1]), A):
        n = 1
        A = A[1:] + [v]
        if k == 1:
            continue
        s += v * (k + 1) * a
    return s * n + A[-1]


def beside_a_list_that_grows(x):
    A = [(1.0, x[1]), (2.0, x[0])]
    s = 0.0
    for v, (c, d) in zip(fibonacci(x[0], x[1]), A):
        if len(A) < 5:
            A.append((v, s))
        s += v * c * d
    return s


def changed_before_it_starts(x):
    a = x[0]
    it = halves(a, 0.1)
    a = a * x[1]
    s = 0.0
    for v in it:
        s += a * v
        if s > 1.0:
            break
    return s


def numbered_from_two(x):
    s = 0.0
    for i, v in enumerate(fibonacci(x[0], x[1]), start=2):
        if i % 2 == 0:
            continue
        s += i * v
        if i > 6:
            break
    return s


def two_level(x):
    for v in fibonacci(x[0], x[1]):
        for w in halves(v, 0.5):
            yield v * w


def generator_of_a_generator(x):
    s = 0.0
    for v in two_level(x):
        s += v
        if s > 20.0:
            break
    return s


def tree(v, depth):
    if depth == 0:
        return
    yield v
    yield from tree(v * 0.5, depth - 1)
    yield from tree(v * 0.3, depth - 1)


def recursive_to_its_end(x):
    s = 0.0
    for v in tree(x[0] * x[1], 3):
        s += v * v
    return s


def recursive_left_early(x):
    s = 0.0
    for v in tree(x[0] * x[1], 3):
        s += v * v
        if s > 1.0:
            break
    return s


def roots(x):
    for v in x:
        try:
            yield math.sqrt(v - 1.0)
        except ValueError:
            continue


def guarded_left_early(x):
    s = 0.0
    for v in roots(x):
        s += v
        if s > 3.0:
            break
    return s


def shrinking(v):
    while v > 1e-3:
        try:
            yield math.log(v)
        except ValueError:
            return
        v = v * 0.5


def guarded_without_known_end(x):
    s = 0.0
    for v in shrinking(x[0]):
        s += v
        if s < -3.0:
            break
    return s


def stopped(x):
    for v in fibonacci(x[0], x[1]):
        if v > 4.0:
            return
        yield v * x[2]


def ended_by_what_is_asked_then(x):
    s = 0.0
    A = [x[0], x[1]]
    for v, a in zip(fibonacci(x[0] * 2, x[1]), A):
        s += v * a
    return s + v * 10


def three_side_by_side(x):
    s = 0.0
    last = 0.0
    for k, v, a in zip(range(5), fibonacci(x[0] * 2, x[1]), x):
        if k == 1:
            continue
        last = v
        s += v * a
    return s + last * k + v * a


def argument_bound_anew_by_a_function(x):
    k = x[0]

    def bump():
        nonlocal k
        k = k * 2

    def scaled(a):
        while True:
            yield a
            a = a * 1.5

    s = 0.0
    for v in scaled(k):
        bump()
        s += v * k
        if s > 20:
            break
    return s


def captured_and_bound_anew_by_a_function(x):
    k = x[0]

    def bump():
        nonlocal k
        k = k * 1.3

    def scaled():
        a = x[1]
        while True:
            yield a * k
            a = a * 1.5

    s = 0.0
    for v in scaled():
        bump()
        s += v
        if s > 20:
            break
    return s + k


def given_on_and_yielded(x):
    def vals(values):
        yield from values
        yield values[0] * values[1]

    s = 0.0
    for v in vals(x):
        s += v * v
        if v > 2.1:
            break
    return s + v


def given_on_with_else(x):
    def vals(values):
        for v in values:
            yield 1.1 * v

    s = 0.0
    for v in vals([x[0], x[1] * 2]):
        s += v * v
        if v > 2.1:
            break
    else:
        s *= 2
    return s


def generator_that_stops_another(x):
    s = 0.0
    for i, w in enumerate(stopped(x)):
        s += w * (i + 1)
        if s > 100:
            break
    return s + w * i


def products(x):
    for v in fibonacci(x[0], x[1]):
        w = v
        while w > 0.5:
            yield v * w
            w = w / 2.1


def slice_of_one_in_another(x):
    return sum(itertools.islice(products(x), 5))


def range_before_several_yields(x):
    s = 0.0
    for k, v in zip(range(2), several(x)):
        s += v * (k + 1)
        if s > 90.0:
            break
    return s


def range_behind_one_in_another(x):
    s = 0.0
    for v, k in zip(products(x), range(5)):
        s += v * (k + 1)
    return s


def several(x):
    yield x[0]
    yield x[1] * x[2]
    yield x[2]
    k = x[0]
    while k < 9.0:
        yield k
        k = k * 2.0


RIGHT = [
    slice_of_one_in_another,
    range_before_several_yields,
    range_behind_one_in_another,
    ended_by_what_is_asked_then,
    three_side_by_side,
    argument_bound_anew_by_a_function,
    captured_and_bound_anew_by_a_function,
    given_on_and_yielded,
    given_on_with_else,
    generator_that_stops_another,
    newton_by_number,
    first_of_newton,
    beside_a_range,
    nested_left,
    nested_left_or_skipped,
    nested_with_else,
    several_yields,
    several_yields_skipped,
    returned_from_the_loop,
    method_that_counts,
    endless_object,
    changes_what_is_read,
    left_by_a_handler,
    one_in_another,
    fills_a_list,
    captured_and_bound_anew,
    argument_bound_anew,
    generator_with_a_break,
    taken_while,
    named_before,
    summed_slice,
    listed_slice,
    endless_first_in_zip,
    endless_last_in_zip,
    range_of_what_changes,
    bound_anew_beside,
    beside_a_list_that_grows,
    changed_before_it_starts,
    numbered_from_two,
    generator_of_a_generator,
    recursive_to_its_end,
    recursive_left_early,
    guarded_left_early,
]


@pytest.mark.parametrize("f", RIGHT, ids=lambda f: f.__name__)
def test_the_body_of_the_loop_stands_where_the_generator_yields(f):
    tl.check_grads(f, X, order=2, replay=True)


def test_where_it_cannot_stand_there_and_may_have_no_end_the_loop_is_refused():
    with pytest.raises(tl.GradientError, match="may be left before its end"):
        tl.grad(guarded_without_known_end)(X)


def test_the_text_reads_as_the_two_loops_in_one():
    text = tl.source(nested_left, mode="jvp", like=(X,))
    assert "left = True" in text
    assert "append" not in text
