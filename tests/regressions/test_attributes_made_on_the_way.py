"""Attributes that are not there from the start: made by a method, in a branch or a loop, and deleted.

The reverse sweep takes away what a store made. At second order that is a deletion like any other, which
has a reverse of its own: it puts back what was there.
"""

from dataclasses import dataclass, field

import numpy as np
import pytest

import tapeless as tl

X = 0.7


class Box:
    def __init__(self, v):
        self.v = v


class Slotted:
    __slots__ = ("a", "v")

    def __init__(self, v):
        self.v = v


class WithDefaults:
    total = 0.0
    scale = 2.0

    def add(self, v):
        self.total += v * self.scale


class ResetsItself:
    def __init__(self, k):
        self.k = k
        self.reset()

    def reset(self):
        self.s = 0.0
        self.n = 0

    def add(self, v):
        self.s += self.k * v * v
        self.n += 1


class Smoothed:
    def __init__(self):
        pass

    def step(self, v):
        if not hasattr(self, "mean"):
            self.mean = v
        else:
            self.mean = 0.9 * self.mean + 0.1 * v
        return self.mean


@dataclass
class Point:
    x: float
    y: float = 1.0
    past: list = field(default_factory=list)


class Segment:
    def __init__(self, start, end):
        self.start = Box(start)
        self.end = Box(end)


def made_by_the_function(x):
    b = Box(x)
    b.a = x * x
    return b.a * b.v


def made(x, n):
    b = Box(x)
    b.n = n
    if n > 1:
        b.extra = x * n
    return b


def made_on_what_a_callee_made(x):
    a, b = made(x, 1), made(x * x, 2)
    a.extra = b.extra * x
    b.v *= a.extra
    return a.extra * b.extra * b.v * getattr(a, "none", x)


def given_by(b, x):
    b.w = x * x * x
    return b.w * 2.0


def made_by_a_callee(x):
    b = Box(x)
    return given_by(b, x) * b.w


def made_in_a_loop(x):
    b = Box(x)
    for _ in range(3):
        b.a = b.v * x
        b.v = b.a + x
    return b.a * b.v


def made_in_branches(x):
    b = Box(x)
    for i in range(4):
        if i % 2:
            b.a = b.v * x
        else:
            b.c = x * i
        if hasattr(b, "a"):
            b.v = b.a + b.c
    return b.v * b.a


def at_the_end_of_a_path(x):
    s = Segment(x, 2 * x)
    for _ in range(2):
        s.start.a = x * s.end.v
        s.end.v = s.start.a * x
    return s.start.a * s.end.v


def reset_by_the_constructor(x):
    r = ResetsItself(x)
    for i in range(3):
        r.add(x * i)
    first = r.s * r.k / r.n
    r.reset()
    r.add(first)
    return r.s * first


def over_defaults_of_the_class(x):
    b = WithDefaults()
    for i in range(3):
        b.add(x * i)
    b.scale = x
    b.add(x)
    return b.total * b.scale


def asked_for_first(x):
    smoothed, s = Smoothed(), 0.0
    for i in range(4):
        s += smoothed.step(x**i) ** 2
    return s


def beside_fields(x):
    p = Point(x)
    p.speed = x * p.y
    p.past.append(p.speed)
    p.y = p.speed
    return p.y * p.past[0] * p.x


def lists_and_dicts(x):
    b = Box(x)
    b.rows = {}
    s = 0.0
    for i in range(3):
        b.row = [x * i, x + s]
        s = s + b.row[0] * b.row[1]
        b.row[1] = s
        b.rows[i] = b.row[1]
        s += b.rows[0] + b.v
    return s * b.rows[2]


def objects(x):
    a = Box(x)
    a.child = Box(x * x)
    a.child.w = a.v * a.child.v
    for _ in range(2):
        a.child.v = a.child.w * x
        a.child.w += a.child.v
    return a.child.w * a.v


def arrays(x):
    b = Box(np.array([x, 2.0 * x]))
    b.w = b.v * 2.0
    b.w[0] *= x
    for _ in range(2):
        b.h = b.w * x
        b.w = b.h + b.v
    return np.sum(b.h * b.w)


MADE = [
    made_by_the_function,
    made_on_what_a_callee_made,
    made_by_a_callee,
    made_in_a_loop,
    made_in_branches,
    at_the_end_of_a_path,
    reset_by_the_constructor,
    over_defaults_of_the_class,
    asked_for_first,
    beside_fields,
    lists_and_dicts,
    objects,
    arrays,
]


def deleted(x):
    b = Box(x)
    b.a = x * x
    y = b.a
    del b.a
    return y * b.v


def deleted_and_made_again(x):
    s = Slotted(x)
    for i in range(3):
        s.a = s.v * x
        s.v = s.a + x
        if i < 2:
            del s.a
    return s.a * s.v


def deleted_down_to_the_default(x):
    b = WithDefaults()
    b.add(x)
    y = b.total
    del b.total
    z = b.total
    b.add(x * x)
    return y * (z + x) * b.total


def deleted_by_name(x):
    b = Box(x)
    for key in ("p", "q"):
        setattr(b, key, b.v * x)
        b.v += getattr(b, key)
        delattr(b, key)
    return b.v


def forgets(b):
    del b.row


def deleted_by_a_callee(x):
    b = Box(x)
    s = 0.0
    for _ in range(2):
        b.row = [x, s + b.v]
        b.row[0] *= b.row[1]
        s += b.row[0]
        forgets(b)
    return s


def deleted_under_a_handler(x):
    b = Box(x)
    b.a = x * x
    y = b.a
    del b.a
    try:
        y = y * b.a
    except AttributeError:
        y = y * x
    return y


class Private:
    def __init__(self, v):
        self.__v = v

    def take(self):
        v = self.__v
        del self.__v
        return v


def deleted_by_a_private_name(x):
    return Private(x * x).take() * x


DELETED = [
    deleted,
    deleted_and_made_again,
    deleted_down_to_the_default,
    deleted_by_name,
    deleted_by_a_callee,
    deleted_under_a_handler,
    deleted_by_a_private_name,
]


@pytest.mark.parametrize("f", [*MADE, *DELETED])
def test_both_modes_and_second_order(f):
    tl.check_grads(f, X, order=2, replay=True)
    tl.check_grads(f, X, order=2, modes=("forward",))


def test_an_argument_has_its_attributes_back():
    def f(x, b):
        b.a = x * b.v
        y = b.a * x
        del b.v
        return y

    for derive in (tl.grad(f), tl.grad(tl.grad(f)), lambda *args: tl.vjp(f, *args)[1](1.0)):
        b = Box(1.3)
        derive(X, b)
        assert vars(b) == {"v": 1.3}


def test_what_was_deleted_is_missed_as_in_the_function():
    def f(x):
        b = Box(x)
        del b.v
        return x * b.v

    for derive in (tl.grad(f), lambda x: tl.jvp(f, (x,), (1.0,))):
        with pytest.raises(AttributeError, match="'Box' object has no attribute 'v'"):
            derive(X)


class Watched:
    def __init__(self, v):
        self.v = v

    def __delattr__(self, name):
        self.v = 0.0


def test_a_deletion_by_code_of_the_class_is_refused():
    def f(x):
        b = Watched(x)
        del b.v
        return x * b.v

    for derive in (tl.grad(f), lambda x: tl.jvp(f, (x,), (1.0,))):
        with pytest.raises(tl.TapelessError, match="`v` of Watched is deleted by code of its own"):
            derive(X)
