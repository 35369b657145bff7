"""Special methods that Python calls where no call is written, and that change what carries a derivative."""

import numpy as np
import pytest

import tapeless as tl
from tapeless.testing import check_grads
from tests import laws


class Changing:
    def __init__(self, x):
        self.x = x
        self.calls = 0
        self.a = np.zeros(2)

    def change(self):
        self.x = self.x * 2.0

    def __len__(self):
        self.x = self.x * 2.0
        return 3

    def __eq__(self, other):
        self.a[0] += 1.0
        return True

    def __contains__(self, item):
        self.x = self.x * 7.0
        return True

    def __hash__(self):
        self.change()
        return 3

    def __str__(self):
        self.x = self.x * 2.5
        return "a"

    def __int__(self):
        self.x = self.x * 2.5
        return 2

    def __lt__(self, other):
        self.x = self.x * 2.5
        return True


class Counting:
    def __init__(self, x):
        self.x = x
        self.calls = 0

    def __len__(self):
        self.calls += 1
        return 3

    def __eq__(self, other):
        self.calls += 1
        return True

    __hash__ = None


class Holder:
    def __init__(self, inner):
        self.inner = inner


def in_a_test(t):
    return 2.0 if t else 3.0


def by_len(t):
    return len(t) * 1.0


def in_a_comparison(t):
    return 2.0 if t == 1 else 3.0


def as_an_item(t):
    return 2.0 if 3 in t else 3.0


def in_a_list(t):
    items = [t]
    return float(items.index(3))


def as_a_text(t):
    return 1.0 * len(f"{t}")


def in_a_format(t):
    return 1.0 * len("%s" % t)  # noqa: UP031


def by_hash(t):
    return hash(t) * 1.0


def as_a_number(t):
    return int(t) * 1.0


def in_a_loop(t):
    n = 0.0
    while t:
        n += 1.0
        if n > 2.0:
            break
    return n


def in_an_assertion(t):
    assert t
    return 1.0


def of_an_attribute(t):
    h = Holder(t)
    return 2.0 if len(h.inner) > 2 else 1.0


PLACES = [
    in_a_test, by_len, in_a_comparison, as_an_item, in_a_list, as_a_text, in_a_format, by_hash,
    as_a_number, in_a_loop, in_an_assertion, of_an_attribute,
]  # fmt: skip


@pytest.mark.parametrize("place", PLACES)
def test_what_they_change_is_not_read(place):
    def f(x):
        t = Changing(x * x)
        n = place(t)
        return t.x * n * x + np.sum(t.a)

    for attempt in (
        lambda: tl.grad(f)(1.3),
        lambda: tl.vjp(f, 1.3),
        lambda: tl.jvp(f, (1.3,), (1.0,)),
        lambda: tl.hvp(f)(1.3, 1.0),
    ):
        with pytest.raises(tl.GradientError, match="Python calls `__.*__` of class Changing") as e:
            attempt()
        assert e.value.filename == __file__


@pytest.mark.parametrize("place", [in_a_test, by_len, in_a_comparison, of_an_attribute])
def test_what_only_counts_may_count(place):
    def f(x):
        t = Counting(x * x)
        n = place(t)
        return t.x * n * x

    laws.check_function(f, [1.3])


def test_they_may_be_called_by_name():
    def f(x):
        t = Changing(x * x)
        n = t.__len__() * 1.0
        t.change()
        return t.x * n * x

    laws.check_function(f, [1.3])


def test_objects_that_are_only_passed_on():
    def first(t):
        return t.x

    def f(x):
        t = Changing(x * x)
        items = [t, t]
        same = t is items[0]
        return first(items[1]) * x if same and isinstance(t, Changing) else x

    laws.check_function(f, [1.3])


class Managed:
    def __init__(self, x):
        self.x = x

    def __lt__(self, other):
        return self.x < other.x

    def __enter__(self):
        self.x *= 0.5
        return self

    def __exit__(self, *problem):
        return False


class Entered(Managed):
    def __lt__(self, other):
        with self:
            return self.x < other.x


def in_order(cls, x):
    first, second = cls(x * x), cls(x)
    if first < second:
        first, second = second, first
    return first.x * second.x**2


def test_what_is_entered_changes_where_it_is_entered():
    check_grads(lambda x: in_order(Managed, x), 1.3, order=2, replay=True)
    with pytest.raises(tl.GradientError, match="Python calls `__lt__` of class Entered"):
        tl.grad(lambda x: in_order(Entered, x))(1.3)
