"""Methods that are bound to an object, as names and as arguments."""

import laws
import numpy as np
import pytest

import tapeless as tl


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


@pytest.mark.parametrize("arguments", [(3.0, Scale(2.0).value), (3.0, Scale(2.0).count)])
def test_as_an_argument_it_is_refused(arguments):
    with pytest.raises(tl.TapelessError, match="pass the object, and call its method"):
        tl.grad(lambda x, h: h(x))(*arguments)
    with pytest.raises(tl.TapelessError, match="pass the object"):
        tl.jvp(lambda x, h: h(x), arguments, (1.0, None))


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
    with pytest.raises(tl.GradientError):
        tl.grad(f)(Choosing(2.0), np.array([0.3, -0.7]), *rest)


def test_methods_in_a_dict_beside_the_independent():
    o, x = Choosing(2.0), np.array([0.3, -0.7])
    g = tl.grad(lambda x, table, name: np.sum(table[name](x)))
    np.testing.assert_allclose(g(x, o.table, "a"), 2.0 * np.cos(x))
    np.testing.assert_allclose(g(x, o.table, "b"), [4.0, 4.0])
