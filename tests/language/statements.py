"""Statements and expressions."""

import contextlib
import functools
import itertools
import math

import numpy as np

from tests.language import row

STATEMENTS = "Statements"
EXPRESSIONS = "Expressions"


@row(STATEMENTS, "tuples and starred names", "a, *rest = y")
def starred(x):
    y = x * x
    a, *rest = y
    return a * rest[0] + rest[-1]


@row(STATEMENTS, "attributes and items", "y[1] = y[0] * x[1]", "only what is overwritten is saved")
def items(x):
    y = x * 1.0
    y[1] = y[0] * x[1]
    return np.sum(y * y)


@row(STATEMENTS, "assignment in an expression", "if (y := x[0] * x[2]) > 0:")
def walrus(x):
    if (y := x[0] * x[2]) > 0:
        return y * y
    return y


@row(STATEMENTS, "with an operator", "y += x", "in place where Python does it in place")
def augmented(x):
    y = x * x
    y += x
    return np.sum(y * y)


@row(STATEMENTS, "`if`, `elif`, `else`", "elif x[0] > 0:")
def branches(x):
    if x[0] > 1:
        y = x
    elif x[0] > 0:
        y = x * x
    else:
        y = -x
    return np.sum(y * x)


@row(STATEMENTS, "`match`", "case (a, b):")
def matched(x):
    match (x[0], x[1]):
        case (a, b):
            return a * b
    return x[2]


@row(STATEMENTS, "`for` over anything", "for k, v in enumerate(x):")
def loop(x):
    t = 0.0
    for k, v in enumerate(x):
        t = t + v**2 * (k + 1)
    return t


@row(STATEMENTS, "`while`, `break`, `continue`", "while True:", "any number of trips")
def endless(x):
    t, k = x[0], 0
    while True:
        k += 1
        if k == 2:
            continue
        t = t * x[3]
        if k > 4:
            break
    return t


@row(STATEMENTS, "`else` of a loop", "else:")
def loop_else(x):
    t = 0.0
    for v in x:
        if v > 9:
            break
        t = t + v * v
    else:
        t = t * x[0]
    return t


@row(STATEMENTS, "`return` anywhere", "return t * v")
def early(x):
    t = 1.0
    for v in x:
        t = t * v
        if v > 2:
            return t * v
    return t


@row(STATEMENTS, "`try` with `except`, `else`, `finally`", "except ZeroDivisionError:")
def attempts(x):
    try:
        k = 1 // 0
        y = x * k
    except ZeroDivisionError:
        y = x * x
    finally:
        z = x[0]
    return np.sum(y) * z


@row(STATEMENTS, "`raise`, `assert`", "assert x.ndim == 1")
def asserted(x):
    assert x.ndim == 1
    if x[0] < 0:
        raise ValueError(x.shape)
    return np.sum(x**3)


@row(STATEMENTS, "`with`", "with contextlib.suppress(KeyError):")
def managed(x):
    y = x * x
    with contextlib.suppress(KeyError):
        y = y * x
    return np.sum(y)


@row(STATEMENTS, "`def` and `lambda` inside", "def square(v):")
def nested(x):
    def square(v):
        return v * v * x[0]

    return np.sum(square(x))


@row(STATEMENTS, "`nonlocal`", "nonlocal total")
def counted(x):
    total = 0.0

    def add(v):
        nonlocal total
        total = total + v * v

    for v in x:
        add(v)
    return total


@row(STATEMENTS, "`del`", "del y[0]")
def deleted(x):
    y = [x[0], x[1], x[2]]
    del y[0]
    return y[0] * y[1]


class Held:
    pass


@row(STATEMENTS, "`del` of an attribute", "del held.v")
def attribute_deleted(x):
    held = Held()
    held.v = x[0] * x[1]
    y = held.v * x[2]
    del held.v
    return y * y


GAIN = 2.0


@row(STATEMENTS, "`global` that is read", "global GAIN")
def global_read(x):
    global GAIN
    return np.sum(x * x) * GAIN


@row(
    STATEMENTS,
    "`global` that is stored",
    "global CALLS",
    "if it does not change in place",
)
def global_stored(x):
    global CALLS
    CALLS = 1
    return np.sum(x * x)


TOTAL = 0.0


@row(
    STATEMENTS,
    "`global` that holds what varies",
    "TOTAL += v * v",
    "second order by `hvp` and `hessian`",
)
def global_that_varies(x):
    global TOTAL
    TOTAL = 0.0
    for v in x:
        TOTAL += v * v
    return TOTAL


@row(STATEMENTS, "a class inside", "class Scale:", "if it captures nothing")
def local_class(x):
    class Scale:
        factor = 2.0

        def __init__(self, v):
            self.v = v

    return np.sum(x * Scale(x).v * Scale.factor)


@row(EXPRESSIONS, "conditions", "y if x[0] > 0 else -y")
def chosen(x):
    y = x * x
    return np.sum(y if x[0] > 0 else -y)


@row(EXPRESSIONS, "`and`, `or`, `not`", "(x[0] or x[1])")
def connected(x):
    return (x[0] or x[1]) * x[2] if not x[0] > 5 else x[3]


@row(EXPRESSIONS, "chained comparisons", "0 < x[0] < 1")
def chained(x):
    return x[0] ** 2 * x[1] if 0 < x[0] < 1 else x[1]


@row(EXPRESSIONS, "comprehensions", "[v * v for v in x if v > 0]", "of lists, dicts and sets")
def comprehended(x):
    return sum([v * v for v in x if v > 0]) * x[0]


@row(EXPRESSIONS, "generator expressions", "sum(v**3 for v in x)", "used up at once")
def generated(x):
    return sum(v**3 for v in x) * math.exp(x[0])


@row(EXPRESSIONS, "`map`, `filter`, `zip`", "zip(x, x[1:])")
def zipped(x):
    t = 0.0
    for a, b in zip(x, x[1:]):
        t = t + a * b * b
    return t


@row(EXPRESSIONS, "an iterator with a name", "pairs = map(", "read once, right away")
def named_iterator(x):
    pairs = map(lambda v: v * v, x)
    return sum(pairs)


@row(EXPRESSIONS, "`iter` and `next`", "next(values)")
def by_hand(x):
    values = iter(x)
    return next(values) * next(values) ** 2


@row(EXPRESSIONS, "`functools.reduce`", "functools.reduce(lambda a, b: a * b, x)")
def reduced(x):
    return functools.reduce(lambda a, b: a * b, x)


@row(EXPRESSIONS, "`itertools`", "itertools.combinations(x, 2)")
def combined(x):
    t = 0.0
    for a, b in itertools.combinations(x, 2):
        t = t + a * b**2
    return t


@row(EXPRESSIONS, "`sorted` with a key", "sorted(x, key=lambda v: -v)")
def ordered(x):
    y = sorted(x, key=lambda v: -v)
    return y[0] * y[1] + y[3] ** 2


@row(EXPRESSIONS, "`eval` of a text written out", 'eval("dict(a=2.0)")')
def evaluated(x):
    return np.sum(x * x) * eval("dict(a=2.0)")["a"]
