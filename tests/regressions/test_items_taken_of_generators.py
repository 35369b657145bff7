"""Items that `next` takes of generators, of one that is made there and of one that is kept."""

import numpy as np
import pytest

import tapeless as tl

X = np.array([0.5, 1.2, -0.7, 2.1])


def squares(x):
    for v in x:
        if v > 1.0:
            yield (v * v)


def roots(x):
    y = x
    while True:
        y = 0.5 * (y + x / y)
        yield y


def firsts(x):
    it = squares(x)
    a = next(it, 0.0)
    return a


class G:
    def __init__(self, k):
        self.k = k

    def items(self, x):
        for v in x:
            self.k += 1
            yield (v * self.k)


def pairs(x):
    for i, v in enumerate(x):
        yield (i, v * v)


def chain(x):
    for v in squares(x):
        yield np.sin(v)


def walk(x, n):
    y = x
    for _ in range(n):
        y = np.tanh(y)
        yield y


class Grid:
    def __init__(self, x):
        self.x = x

    def __iter__(self):
        for v in self.x:
            yield (v * v)


def g(x):
    for v in x:
        yield (v * v)


class Reader:
    def __init__(self, x):
        self.x = x
        self.it = None

    def rows(self):
        for v in self.x:
            yield (v, 2 * v)


def raising(x):
    for v in x:
        if v < 0:
            raise ValueError("neg")
        yield np.sqrt(v)


def first_or(x):
    return next(squares(x), 0.0) * x[0]


def first_only(x):
    return next(squares(x)) * x[0]


def newton(a):
    y = next(v for v in roots(a) if abs(v * v - a) < 1e-10)
    return y * a


def none_default(x):
    v = next(squares(-x), None)
    if v is None:
        return np.sum(x * x)
    return v * x[1]


def in_a_loop(x):
    s = 0.0
    for k in range(3):
        s += next(squares(x * (k + 1.1)), 1.0)
    return s


def kept_once(x):
    return firsts(x) * 2.0


def kept_twice(x):
    it = squares(x)
    a = next(it, 0.0)
    b = next(it, 0.0)
    return a * b


def caught(x):
    try:
        v = next(squares(-x * 5))
    except StopIteration:
        v = 0.5 * x[0]
    return v * v


def method(x):
    g = G(1.0)
    v = next(g.items(x), 0.0)
    return v * g.k


def assigned_expr(x):
    if (v := next(squares(x), None)) is not None:
        return v * 3.0
    return x[0]


def first_then_rest(x):
    it = squares(x)
    best = next(it)
    for v in it:
        best = best + v * best
    return best


def skip(x):
    it = squares(x)
    next(it, None)
    s = 0.0
    for v in it:
        s += v
        if s > 100:
            break
    return s


def by_while(x):
    it = squares(np.abs(x) + 1)
    s, k = (0.0, 1)
    while True:
        v = next(it, None)
        if v is None:
            break
        s += k * v
        k += 1
    return s


def by_try(x):
    it = squares(np.abs(x) + 1)
    s, k = (0.0, 1)
    while True:
        try:
            v = next(it)
        except StopIteration:
            break
        s += k * v
        k += 1
    return s


def changed_between(x):
    y = x.copy()
    it = squares(np.abs(y) + 1)
    a = next(it)
    z = y
    z[1] = 3.0 * a
    return a * next(it)


def of_tuples_or(x):
    best = next((p for p in pairs(x) if p[1] > 1.0), None)
    if best is None:
        return 0.0 * x[0]
    return best[1] * x[best[0]]


def of_chain(x):
    return next(chain(x), x[0]) * x[1]


def nested_default(x):
    return next(walk(x, 0), next(walk(x * 2, 2)))


def nested_arg(x):
    return next(walk(next(walk(x, 3)), 2)) * x


def iter_of_object(x):
    return next(iter(Grid(x))) * x[2]


def in_branch(x):
    if x[0] > 0:
        v = next(squares(x))
    else:
        v = next(squares(-x), x[0])
    return v


def in_comprehension(x):
    return sum([next(squares(x * k), 0.0) for k in (1.3, 2.1)])


def in_call(x):
    return np.sum(np.array([next(squares(x)), next(squares(2.1 * x))]))


def as_default_of_method(x):
    d = {"a": x[0]}
    return next(squares(x), d["a"])


def rows_of_reader(x):
    r = Reader(x)
    rows = r.rows()
    a, b = next(rows)
    s = a * b
    for c, d in rows:
        s = s * c + d
    return s


def interleaved(x):
    it = g(x)
    s = 0.0
    for k in range(2):
        a = next(it)
        b = next(it)
        s = s + a * b * (k + 1)
    return s


def twice_loops(x):
    it = g(x)
    s = 0.0
    for v in it:
        s = s + v
        if s > 1.0:
            break
    p = 1.0
    for v in it:
        p = p * v
    return s + p


def in_outer_loop(x):
    s = 0.0
    for k in range(1, 3):
        it = g(x * k)
        first = next(it)
        for v in it:
            s = s + v * first
    return s


def handler_sees(x):
    it = g(x)
    try:
        a = next(it)
        b = next(it)
        c = next(it)
        d = next(it)
        e = next(it)
    except StopIteration:
        e = 1.0
    return a * b * c * d * e


def with_enumerate(x):
    it = g(x)
    h = next(it)
    return sum((i * v * h for i, v in enumerate(it)))


def with_list(x):
    it = g(x)
    h = next(it)
    rest = list(it)
    return h * sum(rest)


def early(x):
    it = g(x)
    a = next(it)
    if a > 0.1:
        return a * x[1]
    return next(it)


def nested_gen(x):

    def inner():
        k = 0.0
        for v in g(x):
            k = k + v
            yield k

    it = inner()
    next(it)
    return next(it) * next(it)


def two_at_once(x):
    a = g(x)
    b = g(2 * x)
    s = 0.0
    for v in a:
        s = s + v * next(b)
    return s


def two_at_once_break(x):
    a = g(x)
    b = g(2 * x)
    h = next(a)
    s = 0.0
    for v in a:
        s = s + v * next(b) * h
        if s > 20:
            break
    return s


def in_each_other(x):
    a = g(x)
    s = 0.0
    for v in a:
        b = g(x * v)
        w = next(b)
        for u in b:
            s = s + u * w
            if s > 1000.0:
                break
        s = s + next(a, 1.0)
    return s


def two_nexts(x):
    a = g(x)
    b = g(2 * x)
    return next(a) * next(b) * next(a)


def in_nested_loops(x):
    b = g(x)
    s = 0.0
    for i in range(2):
        for j in range(2):
            s = s + next(b) * (i + 1) * (j + 2)
    return s


def changed_read(x):
    y = np.abs(x) + 1
    it = squares(y)
    a = next(it)
    y[1] = 3.0 * a
    return a * next(it)


def raise_later(x):
    it = raising(x)
    a = next(it)
    return a * next(it)


def outer_state(x):
    y = list(x)
    it = g(y)
    a = next(it)
    y[1] = 5.0
    return a + next(it)


RIGHT = [
    (first_or, X),
    (first_only, X),
    (newton, 2.0),
    (none_default, X),
    (in_a_loop, X),
    (kept_once, X),
    (kept_twice, X),
    (caught, X),
    (method, X),
    (assigned_expr, X),
    (first_then_rest, X),
    (skip, X),
    (by_while, X),
    (by_try, X),
    (changed_between, X),
    (of_tuples_or, X),
    (of_chain, X),
    (nested_default, 0.7),
    (nested_arg, 0.7),
    (iter_of_object, X),
    (in_branch, X),
    (in_comprehension, X),
    (in_call, X),
    (as_default_of_method, X),
    (rows_of_reader, X),
    (interleaved, X),
    (twice_loops, X),
    (in_outer_loop, X),
    (handler_sees, X),
    (with_enumerate, X),
    (with_list, X),
    (early, X),
    (nested_gen, X),
    (two_at_once, X),
    (two_at_once_break, X),
    (in_each_other, X),
    (two_nexts, X),
    (in_nested_loops, X),
]


@pytest.mark.parametrize(("f", "x"), RIGHT, ids=[f.__name__ for f, _ in RIGHT])
def test_items_are_taken_in_the_order_in_which_they_are_yielded(f, x):
    tl.check_grads(f, x, order=2, replay=True)


REFUSED = [changed_read, raise_later, outer_state]


@pytest.mark.parametrize("f", REFUSED, ids=lambda f: f.__name__)
def test_a_generator_that_would_see_what_changes_is_refused(f):
    with pytest.raises(tl.GradientError, match="is not used up where it is called"):
        tl.grad(f)(X)


def test_the_first_item_is_found_by_a_loop_that_is_left():
    text = tl.source(first_or, mode="jvp", like=(X,))
    assert "break" in text
    assert "append" not in text
