"""Containers whose `__getitem__` stores: what else Python asks of them runs it, or does not."""

import numpy as np
import pytest

import tapeless as tl


class Logged:
    def __init__(self, values):
        self.values = values
        self.seen = []

    def __len__(self):
        return len(self.values)

    def __getitem__(self, at):
        self.seen.append(at)
        return self.values[at] * -1.5

    def __setitem__(self, at, new):
        self.values[at] = new

    def __contains__(self, at):
        return at in self.seen

    def __iter__(self):
        return iter(self.values)

    def __call__(self, t):
        return self[0] * t


class Fading(Logged):
    def __getitem__(self, at):
        self.values[0] = self.values[0] * 0.9
        return self.values[at] * -1.5


class Cached:
    def __init__(self, x):
        self.x, self.held = x, {}

    def __len__(self):
        return len(self.held)

    def __getitem__(self, k):
        if k not in self.held:
            self.held[k] = self.x**k
        return self.held[k]


def length(x):
    o = Logged([x[0], x[1]])
    n = len(o)
    return n * o[0] * o[1] + len(o.seen)


def gone_through_by_place(x):
    o = Logged([x[0], x[1]])
    s = 0.0
    for k in range(len(o)):
        s += o[k] ** 2
    return s + len(o.seen)


def asked_whether_it_holds(x):
    o = Logged([x[0], x[1]])
    s = o[1]
    if 1 in o:
        s = s * x[2]
    return s


def changed_by_place(x):
    o = Fading([x[0], x[1]])
    for k in range(len(o)):
        o[k] = o[k] * 0.4
    if 1 not in o:
        o[-1] = x[2]
    return o(0.7) * sum([t**2 for t in o])


def filled_when_read(x):
    o = Cached(x[0])
    s = o[2] * x[1] + o[3]
    return s * len(o) + o[2]


ASKED_ONLY = [
    length, gone_through_by_place, asked_whether_it_holds, changed_by_place, filled_when_read,
]  # fmt: skip


@pytest.mark.parametrize("f", ASKED_ONLY, ids=lambda f: f.__name__)
def test_what_does_not_read_an_item_is_only_asked(f):
    tl.check_grads(f, np.array([0.3, 0.7, 1.2]), order=2, replay=True)


class LengthByItem(Fading):
    def __len__(self):
        return int(self[0] > 100.0) + 2


class LengthByCall(Fading):
    def __len__(self):
        return int(self(1.0) > 100.0) + 2


class LengthByMethod(Fading):
    def first(self):
        return self[0]

    def __len__(self):
        return 2 + (self.first() > 100.0)


class LengthBySlice(Fading):
    def __len__(self):
        first, *_ = (self[i] for i in range(2))
        return 2 + (first > 100.0)


def first_of(values):
    return values[0]


class LengthByFunction(Fading):
    def __len__(self):
        return 2 + (first_of(self) > 100.0)


class LengthByHolder(Fading):
    def __len__(self):
        return 2 + (self.holder.inner[0] > 100.0)


class HeldByItem(Fading):
    def __contains__(self, at):
        return self[0] > at


CHANGED = [
    LengthByItem, LengthByCall, LengthByMethod, LengthBySlice, LengthByFunction, LengthByHolder,
]  # fmt: skip


@pytest.mark.parametrize("cls", CHANGED, ids=lambda cls: cls.__name__)
def test_a_length_that_reads_an_item_is_followed_or_refused(cls):
    def f(x):
        o = cls([x[0], x[1]])
        o.holder = o
        o.inner = o
        return len(o) * o.values[0] * x[1]

    try:
        tl.check_grads(f, np.array([0.3, 0.7, 1.2]), order=2, replay=True)
    except tl.GradientError as error:
        assert "Python calls `__len__`" in str(error)


def test_what_is_asked_for_by_an_item_is_followed_or_refused():
    def f(x):
        o = HeldByItem([x[0], x[1]])
        s = 1.0 if 5.0 in o else 2.0
        return s * o.values[0] * x[1]

    with pytest.raises(tl.GradientError, match="Python calls `__contains__`"):
        tl.grad(f)(np.array([0.3, 0.7, 1.2]))
