"""Deques that objects hold, that stand in containers, and that functions are given and return.

They were refused: what a deque holds was not followed where it left the function that made it.
"""

import collections
import copy
from collections import deque
from dataclasses import dataclass, field

import numpy as np
import pytest

import tapeless as tl
from tests import laws


class Smoother:
    def __init__(self, n):
        self.history = deque(maxlen=n)

    def update(self, x):
        self.history.append(x)
        return sum(self.history) / len(self.history)


def smoothed(x):
    s = Smoother(3)
    total = 0.0
    for v in x:
        total = total + s.update(v) ** 2
    return total


class Delay:
    def __init__(self, n, first=0.0):
        self.held = deque([first] * n, maxlen=n)

    def __call__(self, v):
        out = self.held[0]
        self.held.append(v)
        return out


def delayed(x):
    delay = Delay(2)
    total = 0.0
    for v in x:
        total += v * delay(v * v)
    return total


class Line:
    def __init__(self):
        self.items = deque()

    def push(self, v):
        self.items.append(v)

    def pop(self):
        return self.items.popleft()

    def __len__(self):
        return len(self.items)


def taken_in_order(x):
    line = Line()
    for v in x:
        line.push(v * v)
    t = 1.0
    while len(line) > 0:
        t = t * line.pop() + 1.0
    return t


class Controller:
    def __init__(self, kp, ki, window=4):
        self.kp, self.ki = kp, ki
        self.errors = collections.deque(maxlen=window)

    def step(self, e):
        self.errors.append(e)
        integral = 0.0
        for w in self.errors:
            integral += w
        d = self.errors[-1] - self.errors[0] if len(self.errors) > 1 else 0.0
        return self.kp * e + self.ki * integral + 0.1 * d


def controlled(p):
    c = Controller(p[0], p[1])
    y = 0.0
    cost = 0.0
    for _ in range(8):
        e = 1.0 - y
        y = y + 0.1 * c.step(e)
        cost += e**2
    return cost


@dataclass
class Buffer:
    xs: deque = field(default_factory=lambda: deque(maxlen=3))

    def mean(self):
        return np.mean(list(self.xs))


def in_a_dataclass(x):
    b = Buffer()
    for v in x:
        b.xs.append(np.sin(v))
    return b.mean()


class Steps:
    def __init__(self, m):
        self.s = deque(maxlen=m)
        self.y = deque(maxlen=m)

    def direction(self, g):
        q = g.copy()
        alphas = []
        for s, y in zip(reversed(self.s), reversed(self.y)):
            a = s @ q / (y @ s)
            alphas.append(a)
            q = q - a * y
        for (s, y), a in zip(zip(self.s, self.y), reversed(alphas)):
            b = y @ q / (y @ s)
            q = q + s * (a - b)
        return q


def quasi_newton(x):
    a = np.diag([1.0, 2.0, 5.0, 3.0])
    steps = Steps(2)
    g = a @ x
    for _ in range(3):
        moved = x - 0.3 * steps.direction(g)
        g_moved = a @ moved
        steps.s.append(moved - x)
        steps.y.append(g_moved - g)
        x, g = moved, g_moved
    return x @ a @ x


def added_to(q, v):
    q.append(v)
    return q[0] + q[-1] * v


def handed_on(x):
    q = deque(maxlen=3)
    t = 0.0
    for v in x:
        t += added_to(q, v) ** 2
    return t


def in_a_dict(x):
    d = {"h": deque(maxlen=2)}
    for v in x:
        d["h"].append(v * v)
    return d["h"][0] * d["h"][1]


def made(n):
    q = deque(maxlen=n)
    q.append(1.0)
    return q


def made_by_a_callee(x):
    q = made(2)
    for v in x:
        q.append(v)
    return q[0] * q[1]


class Holder:
    def __init__(self):
        self.q = deque(maxlen=2)


def copied(x):
    h = Holder()
    h.q.append(x[0])
    h.q.append(x[1])
    other = copy.copy(h.q)
    other.append(x[2])
    deep = copy.deepcopy(h.q)
    deep.append(x[0])
    return other[0] * other[1] + h.q[0] ** 2 + deep[0] * deep[1]


def emptied(x):
    h = Holder()
    h.q.extend(x)
    t = 0.0
    while h.q:
        t = t * 0.5 + h.q.popleft() ** 2
    return t


def interrupted(x):
    h = Holder()
    h.q.append(x[0])
    try:
        a = h.q.popleft()
        b = h.q.popleft()
    except IndexError:
        b = 2.0 * x[1]
    return a * b


def asked_for_its_class(x):
    h = Holder()
    h.q.append(x[0] ** 2)
    return h.q[0] if isinstance(h.q, deque) and not isinstance(h.q, list) else 0.0 * x[0]


def with_all_methods(x):
    h = Holder()
    h.q.extend(x)
    h.q.appendleft(x[0] * 2)
    h.q.rotate(1)
    h.q.reverse()
    h.q[0] = h.q[0] * 3
    a = h.q.pop()
    h.q.extendleft([x[1], x[2]])
    b = h.q.popleft()
    return a * b + sum(h.q) * h.q.maxlen


def as_an_array(x):
    h = Holder()
    h.q.append(x[0])
    h.q.append(x[1])
    return np.sum(np.array(h.q) ** 2) + np.mean(h.q) + np.max(h.q)


X = np.array([0.5, 1.2, -0.7, 0.9])
TWICE = [
    delayed, taken_in_order, in_a_dataclass, handed_on, in_a_dict, made_by_a_callee, copied, emptied,
    interrupted, asked_for_its_class, as_an_array,
]  # fmt: skip


@pytest.mark.parametrize("f", TWICE, ids=lambda f: f.__name__)
def test_what_they_hold_is_followed(f):
    laws.check_orders(f, X)


def test_gains_of_a_controller():
    laws.check_orders(controlled, np.array([0.8, 0.3]))


# Second derivatives of sums of lists that objects hold are refused, whoever holds them.
@pytest.mark.parametrize("f", [smoothed, with_all_methods, quasi_newton], ids=lambda f: f.__name__)
def test_what_they_hold_is_summed(f):
    tl.check_grads(f, X, order=1, replay=True)


def test_single_precision():
    tl.check_grads(delayed, X.astype(np.float32), order=1, rtol=1e-2, atol=1e-2)


KEPT = Holder()


def returned(x):
    h = Holder()
    h.q.append(x[0])
    return h.q[0], h.q


def kept(x):
    KEPT.inner = Holder()
    KEPT.inner.q.append(x[0])
    return KEPT.inner.q[0] ** 2


@pytest.mark.parametrize("f", [returned, kept])
def test_what_leaves_the_function_is_refused(f):
    with pytest.raises(tl.GradientError, match="a deque that is made here is returned, or kept"):
        tl.vjp(f, X)
    assert not hasattr(KEPT, "inner")


def exact_class(x):
    h = Holder()
    h.q.append(x[0])
    return h.q[0] if type(h.q) is deque else 2.0 * x[0]


def test_its_exact_class_is_not_told():
    with pytest.raises(tl.GradientError, match="the class of a deque"):
        tl.grad(exact_class)(X)
