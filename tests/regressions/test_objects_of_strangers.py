"""Objects that run code when an attribute is read, and small ones that reuse an id."""

import dataclasses
import functools
from dataclasses import dataclass

import numpy as np
import pytest

import tapeless as tl
from tests import laws

X = np.array([0.6, -1.4, 2.3, 0.9])


def reads_its_own_text(x):
    return float(str(x)) * 2.0


def reads_a_formatted_text(x):
    return float(f"{x:.9f}".strip()) * 2.0


def changes_its_default(x, log=[]):  # noqa: B006
    log.append(x)
    return x * len(log)


@pytest.mark.parametrize(
    "function", [reads_its_own_text, reads_a_formatted_text, changes_its_default]
)
def test_refused_in_both_modes(function):
    with pytest.raises(tl.GradientError) as caught:
        tl.grad(function)(1.5)
    assert caught.value.filename and caught.value.lineno and caught.value.fix
    with pytest.raises(tl.GradientError):
        tl.jvp(function, (1.5,), (1.0,))
    assert changes_its_default.__defaults__ == ([],)


class Bare:
    pass


def objects_with_reused_ids(x):
    s = 0.0
    for v in x:
        box = Bare()
        box.count = 0
        box.value = v
        box.count += 1
        for _ in range(2):
            box.count += 1
            box.value = box.value * v
        s = s + box.value * box.count
    return s


def index_kept_in_a_tuple(x):
    at = (0, 1)
    m = np.outer(x, x)
    m[at] *= 2.0
    m[at] = m[at] + x[0]
    return m[at] * m[1, 0]


def result_dropped(x):
    kept = [1.0]

    def push(v):
        kept[0] = kept[0] * v
        return kept[0] * v

    push(x[0])
    return push(x[1]) * kept[0]


@pytest.mark.parametrize(
    "function", [objects_with_reused_ids, index_kept_in_a_tuple, result_dropped]
)
def test_right_in_both_modes(function):
    laws.check_function(function, (X,), smooth=False)


class Forwarding:
    def __init__(self, inner):
        self.inner = inner

    def __getattr__(self, name):
        return getattr(self.inner, name)


class Computing:
    def __init__(self, x):
        self.x = x

    def __getattr__(self, name):
        if name == "square":
            return self.x * self.x
        raise AttributeError(name)


class Doubling:
    def __init__(self, x):
        self.x = x

    def __getattribute__(self, name):
        value = object.__getattribute__(self, name)
        return value * 2.0 if name == "x" else value


class WithSetter:
    __slots__ = ("_y", "x")

    def __init__(self, x):
        self.x = x
        self._y = x

    @property
    def y(self):
        return self._y * self.x

    @y.setter
    def y(self, value):
        self._y = value * 2.0


class Scaled:
    def __get__(self, owner, cls=None):
        return owner.held * 2.0

    def __set__(self, owner, value):
        owner.held = value * 3.0


class WithDescriptor:
    w = Scaled()

    def __init__(self, w):
        self.held = w


class WithCachedProperty:
    def __init__(self, x):
        self.x = x

    @functools.cached_property
    def square(self):
        return self.x**2


@dataclass
class Derived:
    a: float
    b: float = 0.0

    def __post_init__(self):
        self.b = self.a * self.a


@dataclass
class Point:
    a: object
    b: float = 0.0


def attribute_forwarded(x):
    return np.sum(Forwarding(Forwarding(WithDescriptor(x * 2.0))).held ** 2)


def attribute_computed(x):
    return np.sum(Computing(x * 3.0).square)


def attribute_changed_on_its_way(x):
    return np.sum(Doubling(x * 3.0).x ** 2)


def property_that_is_stored_into(x):
    s = WithSetter(x * 2.0)
    s.y = s.x * x
    return np.sum(s.y) + np.sum(s._y)


def descriptor(x):
    o = WithDescriptor(x)
    o.w = o.w * x
    return np.sum(o.w**2) + np.sum(o.held)


def cached_property(x):
    o = WithCachedProperty(x * 1.5)
    first = o.square
    o.x = x
    return np.sum(o.square * first)


def derived_field(x):
    d = Derived(x[0])
    return d.a * d.b


def copied_with_a_change(x):
    p = dataclasses.replace(Point(x, x[0]), b=2.0)
    return np.sum(p.a) * p.b


def very_deep_list(nested):
    return nested[0][0][0][0][0][0][0][0] ** 2


@pytest.mark.parametrize(
    "function",
    [
        attribute_forwarded, attribute_computed, attribute_changed_on_its_way,
        property_that_is_stored_into, descriptor, cached_property, derived_field,
        copied_with_a_change,
    ],
)  # fmt: skip
def test_attributes_that_run_code_are_right_or_refused(function):
    laws.right_or_refused(function, (X,))


def test_a_hook_of_a_captured_constant_is_no_obstacle():
    settings = Computing(2.0)
    laws.check_function(lambda x: np.sum(x**2) * settings.square, (X,))


VERY_DEEP = [[[[[[[[[3.0]]]]]]]]]


def deep_constant(x):
    return np.sum(x**2) * VERY_DEEP[0][0][0][0][0][0][0][0][0]


def test_what_lies_deep_in_a_constant_is_a_factor():
    laws.check_function(deep_constant, (X,))


def test_what_lies_deep_in_an_argument_is_right_or_refused():
    laws.right_or_refused(very_deep_list, ([[[[[[[[1.5]]]]]]]],))


def test_arrays_in_objects_that_are_not_looked_into():
    spatial = pytest.importorskip("scipy.spatial")
    tree = spatial.cKDTree(np.arange(6.0).reshape(2, 3))
    programs = [
        lambda w: np.sum(tree.data * w),
        lambda w: np.sum(tree.data[0] * w),
        lambda w: np.sum(tree.query(np.ones((4, 3)))[0] * w),
    ]
    for program in programs:
        slope = program(1.0)  # each is linear in a number
        assert tl.grad(program)(2.0) == pytest.approx(slope)
        assert tl.grad(program)(np.ones(1)) == pytest.approx([slope])
