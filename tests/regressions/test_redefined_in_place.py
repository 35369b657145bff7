"""What a derivative depends on and that is changed in place is noticed at the next call."""

import numpy as np
import pytest

import tapeless as tl


def square(x):
    return x * x


def cube(x):
    return x * x * x


pytestmark = pytest.mark.usefixtures("noticed")


def two_ways(f):
    """Return the slope of `f` at 2.0, in both modes."""
    g = tl.grad(f)

    def slopes():
        found = g(2.0), tl.jvp(f, (2.0,), (1.0,))[1]
        assert found[0] == found[1]
        return found[0]

    return slopes


def test_code_of_the_function():
    def f(x):
        return x * x

    slope = two_ways(f)
    second = tl.grad(tl.grad(f))
    assert (slope(), second(2.0)) == (4.0, 2.0)
    f.__code__ = cube.__code__
    assert (slope(), second(2.0)) == (12.0, 12.0)
    f.__code__ = square.__code__
    assert (slope(), second(2.0)) == (4.0, 2.0)


def test_code_of_a_callee():
    def callee(x):
        return x * x

    def f(x):
        return callee(x) * x

    slope = two_ways(f)
    assert slope() == 12.0
    callee.__code__ = cube.__code__
    assert slope() == 32.0


def test_defaults_of_the_function():
    def f(x, k=2.0):
        return x * k

    slope = two_ways(f)
    g = tl.grad(f)
    assert slope() == 2.0
    f.__defaults__ = (5.0,)
    assert slope() == 5.0
    assert g(2.0, 3.0) == 3.0
    f.__defaults__ = (np.array(7.0),)
    assert slope() == 7.0


def test_defaults_of_a_callee():
    def callee(x, k=2.0, *, shift=1.0):
        return x * k + shift * x

    def f(x):
        return callee(x)

    slope = two_ways(f)
    assert slope() == 3.0
    callee.__defaults__ = (5.0,)
    assert slope() == 6.0
    callee.__kwdefaults__ = {"shift": 2.0}
    assert slope() == 7.0
    callee.__kwdefaults__["shift"] = 4.0
    assert slope() == 9.0


class Base:
    factor = 2.0

    def scaled(self, x):
        return x * self.factor

    @property
    def twice(self):
        return 2.0 * self.factor


class Other:
    factor = 3.0

    def scaled(self, x):
        return x * x * self.factor

    @property
    def twice(self):
        return 5.0 * self.factor


def calls(o):
    return lambda x: o.scaled(x)


def reads(o):
    return lambda x: x * o.twice


def passes(o):
    def f(x, each):
        return each.scaled(x)

    g = tl.grad(f)
    return lambda: g(2.0, o)


def slopes_of(o):
    by_capture, by_property, by_argument = two_ways(calls(o)), two_ways(reads(o)), passes(o)

    def slopes():
        assert by_capture() == by_argument()
        return by_capture(), by_property()

    return slopes


def test_a_function_put_over_a_method():
    o = Base()
    slopes = slopes_of(o)
    assert slopes() == (2.0, 4.0)
    o.scaled = lambda x: x * x
    assert slopes() == (4.0, 4.0)
    del o.scaled
    assert slopes() == (2.0, 4.0)


def test_a_subclass_that_gets_a_method_later():
    class Derived(Base):
        pass

    slopes = slopes_of(Derived())
    assert slopes() == (2.0, 4.0)
    Derived.scaled = lambda self, x: x * x
    Derived.twice = property(lambda self: 7.0)
    assert slopes() == (4.0, 7.0)
    del Derived.scaled, Derived.twice
    assert slopes() == (2.0, 4.0)


def test_a_subclass_that_gets_an_attribute_later():
    class Derived(Base):
        pass

    slopes = slopes_of(Derived())
    assert slopes() == (2.0, 4.0)
    Derived.factor = 6.0
    assert slopes() == (6.0, 12.0)
    del Derived.factor
    assert slopes() == (2.0, 4.0)


def test_bases_that_change():
    class Derived(Base):
        pass

    slopes = slopes_of(Derived())
    assert slopes() == (2.0, 4.0)
    Derived.__bases__ = (Other,)
    assert slopes() == (12.0, 15.0)


def test_an_object_whose_class_changes():
    o = Base()
    slopes = slopes_of(o)
    assert slopes() == (2.0, 4.0)
    o.__class__ = Other
    assert slopes() == (12.0, 15.0)


def test_an_object_in_a_list_whose_class_changes():
    parts = [Base()]
    slope = two_ways(lambda x: parts[0].scaled(x))
    assert slope() == 2.0
    parts[0].__class__ = Other
    assert slope() == 12.0


def test_a_class_method_and_a_static_method_that_change():
    class Made:
        @classmethod
        def one(cls, x):
            return x * x

        @staticmethod
        def two(x):
            return x * x

    slope = two_ways(lambda x: Made.one(x) + Made.two(x))
    assert slope() == 8.0
    Made.one = classmethod(lambda cls, x: x * x * x)
    assert slope() == 16.0
    Made.two = staticmethod(lambda x: 3.0 * x)
    assert slope() == 15.0


def test_some_objects_with_a_function_over_the_method_are_right_or_refused():
    a, b = Base(), Base()
    b.scaled = lambda x: x * x

    def f(x, k):
        o = a if k > 0 else b
        return o.scaled(x)

    with pytest.raises(tl.TapelessError, match="a method of the others"):
        tl.grad(f)(2.0, 1)
