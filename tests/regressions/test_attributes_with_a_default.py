"""`getattr(x, "name", default)`: the attribute where it is there, by whatever way, and else the default."""

import numpy as np
import pytest

import tapeless as tl
from tests import laws


class Scaled:
    scale = 4.0

    def __init__(self, w):
        self.w = w

    @property
    def double(self):
        return 2.0 * self.w


class Slotted:
    __slots__ = ("a", "b")

    def __init__(self, a):
        self.a = a


class Hooked:
    def __init__(self, table):
        self.table = table

    def __getattr__(self, key):
        if key in ("gain", "slope"):
            return self.table[key]
        raise AttributeError(key)


class Intercepted:
    def __init__(self, w):
        self.w, self.gain = w, 1.0

    def __getattribute__(self, key):
        return 3.0 if key == "gain" else object.__getattribute__(self, key)


def of_the_class_or_a_property(x):
    p = Scaled(x)
    return getattr(p, "double", 1.0) * getattr(p, "scale", 2.0) * getattr(p, "none", x)


def in_slots(x):
    s = Slotted(x * x)
    return getattr(s, "a", 1.0) * getattr(s, "b", x)


def on_one_way(x):
    p = Scaled(x)
    if x > 0.5:
        p.v = x * x
    return getattr(p, "v", 2.0 * x) * p.w


def in_a_loop(x):
    total, p = 0.0, Scaled(x)
    for _ in range(3):
        total = total + getattr(p, "last", x) * p.w
        p.last = total * x
    return total


def of_unlike_objects(x):
    return sum(
        getattr(p, "w", 2.0 * x) * getattr(p, "a", 3.0) for p in [Scaled(x), Slotted(np.sin(x))]
    )


CASES = [
    (of_the_class_or_a_property, 1.3),
    (in_slots, 1.3),
    (on_one_way, 1.3),
    (on_one_way, 0.3),
    (in_a_loop, 0.7),
    (of_unlike_objects, 0.7),
]


@pytest.mark.parametrize("f, x", CASES)
def test_derivatives(f, x):
    laws.check_orders(f, x)


def asked_of_a_hook(h, x):
    return getattr(h, "gain", 2.0) * x * x


def asked_of_a_hook_in_vain(h, x):
    return getattr(h, "none", 2.0) * x * x


@pytest.mark.parametrize("h", [Hooked({"gain": 3.0}), Intercepted(1.0)], ids=["missing", "any"])
def test_what_code_of_the_class_gives_is_no_default(h):
    assert tl.grad(asked_of_a_hook, wrt=1)(h, 1.5) == 9.0
    assert tl.jvp(lambda x: asked_of_a_hook(h, x), (1.5,), (1.0,))[1] == 9.0


def test_the_default_where_code_of_the_class_gives_nothing():
    assert tl.grad(asked_of_a_hook_in_vain, wrt=1)(Hooked({}), 1.5) == 6.0


def of_a_hook(x):
    hooked = Hooked({"gain": x})
    return getattr(hooked, "gain", 2.0) * x * getattr(hooked, "none", x)


def test_what_varies_behind_a_hook():
    laws.check_orders(of_a_hook, 1.5)


def chosen_by_code_of_the_class(x):
    h = Intercepted(2.0)
    return x**2 * h.w if h.gain > 2.0 else x


def test_what_code_of_the_class_says_is_not_what_is_held():
    laws.check_orders(chosen_by_code_of_the_class, 1.5)


def test_what_varies_behind_code_of_the_class_is_refused():
    def held(x):
        return getattr(Intercepted(x), "gain", 2.0) * x

    with pytest.raises(tl.GradientError, match="`__getattribute__`, which is not followed"):
        tl.grad(held)(1.5)
