"""Methods that are bound to an object, as names and as arguments."""

import numpy as np
import pytest

import tapeless as tl
from tests import laws


class Scale:
    def __init__(self, k):
        self.k = k
        self.sum = 0.0

    def value(self, x):
        return x * x * self.k

    def count(self, x):
        self.sum += x
        return self.sum * self.k


SCALE = Scale(2.0)
VALUE = SCALE.value
COUNT = SCALE.count


def of_a_global(x):
    return VALUE(x) * x


def in_a_loop(x):
    y = 1.0
    for _ in range(2):
        y = y * np.sin(VALUE(x) + y)
    return y


def in_a_callee(x):
    def twice(v):
        return VALUE(v) + VALUE(v * v)

    return twice(x) * twice(2.0 * x)


@pytest.mark.parametrize("f", [of_a_global, in_a_loop, in_a_callee])
def test_of_an_object_outside(f):
    laws.check_function(f, (1.3,))


def test_the_object_may_change():
    g = tl.grad(of_a_global)
    try:
        assert abs(g(1.5) - 13.5) < 1e-12
        SCALE.k = 4.0
        assert abs(g(1.5) - 27.0) < 1e-12
        SCALE.k = np.array(2.0)
        assert abs(g(1.5) - 13.5) < 1e-12
    finally:
        SCALE.k = 2.0


def test_a_method_that_stores_is_right_or_refused():
    def f(x):
        return COUNT(x) * COUNT(x)

    try:
        SCALE.sum = 0.0
        g = tl.grad(f)(1.5)
    except tl.TapelessError:
        return
    finally:
        SCALE.sum = 0.0
    assert abs(g - 2 * 4.0 * 2 * 1.5) < 1e-12


def test_as_an_argument_it_reads_its_object_as_it_is():
    g, o = tl.grad(lambda x, h: h(x)), Scale(2.0)
    for k in (2.0, 3.0, np.array(5.0)):
        o.k = k
        np.testing.assert_allclose(g(3.0, o.value), 6.0 * k)
    np.testing.assert_allclose(tl.jvp(lambda x: o.value(x), (3.0,), (1.0,))[1], 30.0)


def test_as_an_argument_it_may_not_store():
    with pytest.raises(tl.GradientError, match="the object of the bound method `h` is stored into"):
        tl.grad(lambda x, h: h(x))(3.0, Scale(2.0).count)


class Model:
    def __init__(self, k):
        self.k = k
        self.table = {"a": self.scaled, "b": self.bent}

    def scaled(self, x):
        return x * self.k

    def bent(self, x):
        return x**2 + self.k

    def __call__(self, x, way):
        return self.table[way](x)


MODEL, OTHER = Model(2.0), Model(0.5)
TABLE = {"a": MODEL.scaled, "b": MODEL.bent, "c": OTHER.scaled}


def of_a_dict(x):
    return np.sum(TABLE["a"](x) * TABLE["c"](x) + TABLE["b"](x))


def of_each_in_a_dict(x):
    for way in TABLE.values():
        x = x + way(x)
    return np.sum(x)


def of_a_table_that_its_object_holds(x):
    return np.sum(MODEL(x, "a") * OTHER(x, "b"))


X = np.array([0.3, 0.7, 1.1])


@pytest.mark.parametrize("f", [of_a_dict, of_each_in_a_dict, of_a_table_that_its_object_holds])
def test_in_a_table_outside(f):
    laws.check_orders(f, X)


def test_the_table_and_its_objects_may_change(monkeypatch):
    g = tl.grad(of_a_table_that_its_object_holds)
    np.testing.assert_allclose(g(X), 6.0 * X**2 + 1.0)
    monkeypatch.setattr(OTHER, "k", 2.0)
    np.testing.assert_allclose(g(X), 6.0 * X**2 + 4.0)
    monkeypatch.setattr(MODEL, "k", np.array([1.0, 2.0, 3.0]))
    np.testing.assert_allclose(g(X), MODEL.k * (3.0 * X**2 + 2.0))
    monkeypatch.setitem(MODEL.table, "a", OTHER.scaled)
    np.testing.assert_allclose(g(X), 2.0 * (3.0 * X**2 + 2.0))
    monkeypatch.setitem(MODEL.table, "a", np.sin)
    np.testing.assert_allclose(g(X), np.cos(X) * (X**2 + 2.0) + np.sin(X) * 2.0 * X)


class Choosing:
    def __init__(self, k):
        self.k = k
        self.table = {"a": self.bent, "b": self.scaled}
        self.ways = [self.bent, self.scaled]

    def bent(self, x):
        return np.sin(x) * self.k

    def scaled(self, x):
        return x * 2.0 * self.k


def of_one_in_a_dict(o, x, name):
    return np.sum(o.table[name](x))


def of_one_in_a_list(o, x, i):
    return np.sum(o.ways[i](x))


def of_each_in_a_list(o, x):
    return sum(np.sum(way(x)) for way in o.ways)


@pytest.mark.parametrize(
    ("f", "rest"), [(of_one_in_a_dict, ("b",)), (of_one_in_a_list, (1,)), (of_each_in_a_list, ())]
)
def test_methods_that_an_independent_holds_are_refused(f, rest):
    """What the object holds carries a derivative, and by the method it would be a constant."""
    with pytest.raises((tl.GradientError, tl.NoGradientError)):
        tl.grad(f)(Choosing(2.0), np.array([0.3, -0.7]), *rest)


def test_methods_in_a_dict_beside_the_independent():
    o, x = Choosing(2.0), np.array([0.3, -0.7])
    g = tl.grad(lambda x, table, name: np.sum(table[name](x)))
    np.testing.assert_allclose(g(x, o.table, "a"), 2.0 * np.cos(x))
    np.testing.assert_allclose(g(x, o.table, "b"), [4.0, 4.0])
