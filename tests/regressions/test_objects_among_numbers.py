"""An object whose class has operators stands where numbers stand: what the operator means is not known."""

import numpy as np
import pytest

import tapeless as tl
from tests import laws


class Money:
    def __init__(self, x):
        self.value = x
        self.asked = 0.0

    def __mul__(self, k):
        self.asked = self.asked + self.value
        return self.value * self.value * k

    __rmul__ = __mul__

    def __add__(self, k):
        return self.value * 3.0 + k

    __radd__ = __add__

    def __neg__(self):
        return self.value * 7.0

    def __getitem__(self, i):
        return self.value * (i + 2.0)

    def __float__(self):
        return 3.0


class Box:
    def __init__(self, x):
        self.value = x


def in_a_list(x):
    items = [1.0, Money(x)]
    y = 0.0
    for i in range(2):
        y = y + items[i] * x
    return y


def in_a_loop(x):
    y = 0.0
    for o in [1.0, Money(x)]:
        y = y + x * o
    return y


def in_a_dict(x):
    d = {"a": 1.0, "b": Money(x)}
    y = 0.0
    for k in ("a", "b"):
        y = y + d[k] * x
    return y


def by_get(x):
    return {"a": Money(x)}.get("a", 2.0) * x


def by_branch(x):
    t = Money(x) if x > 0.0 else 3.0
    return t * x


def product(a, b):
    return a * b


def in_a_callee(x):
    y = 0.0
    for o in [1.0, Money(x)]:
        y = y + product(o, x)
    return y


def negated(x):
    y = 0.0
    for o in [1.0, Money(x)]:
        y = y - -o
    return y


def updated(x):
    y = 0.0
    for o in [1.0, Money(x)]:
        o += x  # noqa: PLW2901
        y = y + o
    return y


def beside_an_array(x):
    y = 0.0
    for o in [np.array([1.0, 2.0]), Money(x)]:
        y = y + o[0] * x
    return y


def summed(x):
    return sum([1.0, Money(x)]) * x


def converted(x):
    y = 0.0
    for o in [1.0, Money(x)]:
        y = y + float(o) * x
    return y


@pytest.mark.parametrize("f", [in_a_list, by_get, by_branch, summed])
def test_what_may_be_an_object_or_a_number(f):
    check_refused(f, "this may call `__.*__` of class Money")


def test_an_object_behind_a_number_of_numpys():
    check_refused(in_a_loop, "NumPy may take an object of class Money for an array here")


def check_refused(f, match):
    for attempt in (
        lambda: tl.grad(f)(1.3),
        lambda: tl.vjp(f, 1.3),
        lambda: tl.jvp(f, (1.3,), (1.0,)),
        lambda: tl.hvp(f)(1.3, 1.0),
    ):
        with pytest.raises(tl.TapelessError, match=match) as found:
            attempt()
        assert found.value.filename == __file__ and found.value.lineno


@pytest.mark.parametrize(
    "f", [in_a_dict, in_a_callee, negated, updated, beside_an_array, converted]
)
def test_loops_in_which_each_is_told_apart(f):
    laws.check_orders(f, 1.3)


def test_what_has_no_such_method_is_a_number():
    def f(x):
        y = 0.0
        for o in [x, Box(x), 2.0 * x]:
            y = y + (o.value if isinstance(o, Box) else o * x)
        return y

    try:
        found = tl.grad(f)(1.3)
    except tl.TapelessError as refusal:
        assert "this may call" not in str(refusal)
    else:
        np.testing.assert_allclose(found, 1.0 + 6.0 * 1.3)


def test_objects_and_numbers_apart():
    def f(x):
        items, numbers = [Money(x), Money(2.0 * x)], [1.0, x]
        y = 0.0
        for o, k in zip(items, numbers, strict=True):
            y = y + o * k
        return y

    np.testing.assert_allclose(tl.grad(f)(1.3), 2.0 * 1.3 + 12.0 * 1.3**2)


def test_an_object_or_none():
    def f(x):
        y = 0.0
        for o in [None, Money(x)]:
            if o is not None:
                y = y + o * x
        return y

    np.testing.assert_allclose(tl.grad(f)(1.3), 3.0 * 1.3**2)
