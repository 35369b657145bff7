"""Section 2.2 of the contract: inputs and their gradients."""

import collections
import dataclasses
from collections import OrderedDict
from typing import Any

import numpy as np
import pytest

import tapeless as tl

X = np.array([0.5, -1.2, 2.0])
Pair = collections.namedtuple("Pair", "a b")


@dataclasses.dataclass
class Record:
    w: Any
    b: Any
    n: int = 3


@tl.custom_gradient
def bar(x, y):
    def grad(upstream):
        dz_dx = y
        dz_dy = x
        return upstream * dz_dx, upstream * dz_dy

    z = x * y
    return z, grad


def test_one_gradient_for_each_input():
    assert tl.grad(bar, wrt=(0, 1))(2.0, 3.0) == (3.0, 2.0)
    assert tl.grad(bar, wrt=1)(2.0, 3.0) == 2.0


@pytest.mark.parametrize("shape", [lambda g: g, lambda g: (g,), lambda g: [g]])
def test_bare_value_tuple_or_list(shape):
    @tl.custom_gradient
    def h(x):
        def grad(dy):
            return shape(3.0 * dy)

        return x, grad

    assert tl.grad(h)(1.0) == 3.0
    np.testing.assert_array_equal(tl.grad(lambda x: np.sum(h(x)))(X), np.full(3, 3.0))


def test_list_of_several():
    @tl.custom_gradient
    def h(x, y):
        return x + y, lambda dy: [3.0 * dy, 4.0 * dy]

    assert tl.grad(h, wrt=(0, 1))(1.0, 1.0) == (3.0, 4.0)


def structured(spelling):
    """A function of a pair of leaves in any container, whose gradient comes in a spelling."""

    @tl.custom_gradient
    def h(p):
        first, second = parts(p)

        def grad(dy):
            return spelling(10.0 * dy * second, 20.0 * dy)

        return first * second, grad

    return h


def parts(p):
    if isinstance(p, dict):
        return p["a"], p["b"]
    if isinstance(p, Record):
        return p.b, p.w
    return p[0], p[1]


@pytest.mark.parametrize(
    ("argument", "spelling", "expected"),
    [
        ((1.0, 2.0), lambda g, h: (g, h), (20.0, 20.0)),
        ((1.0, 2.0), lambda g, h: ((g, h),), (20.0, 20.0)),
        ([1.0, 2.0], lambda g, h: [g, h], [20.0, 20.0]),
        ({"a": 1.0, "b": 2.0}, lambda g, h: {"a": g, "b": h}, {"a": 20.0, "b": 20.0}),
        ({"b": 2.0, "a": 1.0}, lambda g, h: {"b": h, "a": g}, {"b": 20.0, "a": 20.0}),
        (Pair(1.0, 2.0), lambda g, h: Pair(g, h), Pair(20.0, 20.0)),
        (
            OrderedDict([("b", 2.0), ("a", 1.0)]),
            lambda g, h: OrderedDict(a=g, b=h),
            OrderedDict([("b", 20.0), ("a", 20.0)]),
        ),
    ],
)
def test_nested_inputs(argument, spelling, expected):
    got = tl.grad(structured(spelling))(argument)
    assert got == expected and type(got) is type(expected)


def test_dataclass():
    got = tl.grad(structured(lambda g, h: Record(h, g, None)))(Record(2.0, 1.0))
    assert got == Record(20.0, 20.0, None)


@pytest.mark.parametrize(
    ("argument", "expected"),
    [
        ((1.0, 2.0), (20.0, 20.0)),
        ({"b": 2.0, "a": 1.0}, {"b": 20.0, "a": 20.0}),
        (OrderedDict([("b", 2.0), ("a", 1.0)]), OrderedDict([("b", 20.0), ("a", 20.0)])),
    ],
)
def test_flat_gradients_in_leaf_order(argument, expected):
    got = tl.grad(structured(lambda g, h: [g, h]))(argument)
    assert got == expected and type(got) is type(expected)


def test_flat_over_several_arguments():
    @tl.custom_gradient
    def h(p, x):
        def grad(dy):
            return 1.0 * dy, 2.0 * dy, 3.0 * dy

        return p["w"] + p["b"] + x, grad

    assert tl.grad(h, wrt=(0, 1))({"w": 1.0, "b": 1.0}, 1.0) == ({"w": 2.0, "b": 1.0}, 3.0)


def test_the_structure_of_the_only_parameter_comes_first():
    @tl.custom_gradient
    def h(p):
        return p[0] * p[1], lambda dy: (dy * p[1], dy * p[0])

    @tl.custom_gradient
    def k(p):
        return p[0] * p[1], lambda dy: ((dy * p[1], dy * p[0]),)

    assert tl.grad(h)((2.0, 3.0)) == (3.0, 2.0)
    assert tl.grad(k)((2.0, 3.0)) == (3.0, 2.0)
    np.testing.assert_array_equal(tl.grad(lambda x: np.sum(h((x, x))))(X), 2.0 * X)


def test_none_is_zero():
    @tl.custom_gradient
    def h(x, p):
        return np.sum(x) * p["w"], lambda dy: (None, {"w": dy, "b": None})

    gx, gp = tl.grad(h, wrt=(0, 1))(X, {"w": 2.0, "b": X})
    np.testing.assert_array_equal(gx, np.zeros(3))
    assert gp["w"] == 1.0
    np.testing.assert_array_equal(gp["b"], np.zeros(3))

    @tl.custom_gradient
    def k(x, p):
        return np.sum(x) * p["w"], lambda dy: (dy * np.ones(3), None)

    _, gp = tl.grad(k, wrt=(0, 1))(X, {"w": 2.0, "b": X})
    assert gp["w"] == 0.0


@pytest.mark.parametrize("other", [3, True, "text", None, (2, 3), len, np.arange(3)])
@pytest.mark.parametrize("given", [None, "anything", 5.0])
def test_arguments_without_derivative(other, given):
    @tl.custom_gradient
    def h(x, option):
        return x * x, lambda dy: (10.0 * dy, given)

    assert tl.grad(lambda x: h(x, other))(2.0) == 10.0


def test_left_out_at_the_end():
    @tl.custom_gradient
    def h(x, n, shape):
        return x**n, lambda dy: 10.0 * dy

    assert tl.grad(lambda x: h(x, 3, (2, 2)))(2.0) == 10.0


@tl.custom_gradient
def mixed(x, y=2.0, *, k=3.0):
    def grad(dy):
        return 10.0 * dy, 20.0 * dy, 30.0 * dy

    return x * y * k, grad


def test_keyword_call():
    f = lambda a, b, c: mixed(k=c, y=b, x=a)  # noqa: E731
    assert tl.grad(f, wrt=(0, 1, 2))(1.0, 1.0, 1.0) == (10.0, 20.0, 30.0)
    assert tl.grad(lambda a, b: mixed(a, k=b), wrt=(0, 1))(1.0, 1.0) == (10.0, 30.0)
    assert tl.grad(mixed, wrt=("x", "y", "k"))(1.0) == (10.0, 20.0, 30.0)


def test_defaults_may_be_left_out():
    @tl.custom_gradient
    def h(x, scale=2.0):
        return x * scale, lambda dy: dy * scale

    assert tl.grad(h)(1.0) == 2.0
    assert tl.grad(lambda x: h(x, 5.0))(1.0) == 5.0
    with pytest.raises(tl.GradientError, match="returned 1 gradient, expected 2"):
        tl.grad(h, wrt=(0, 1))(1.0, 3.0)


def test_a_default_that_is_an_array():
    @tl.custom_gradient
    def h(x, w=X):
        return np.sum(x * w), lambda dy: dy * w

    np.testing.assert_array_equal(tl.grad(h)(np.ones(3)), X)
    np.testing.assert_array_equal(tl.grad(lambda x: h(x))(np.ones(3)), X)


@tl.custom_gradient
def total(*xs):
    def grad(dy):
        return [10.0 * (i + 1) * dy for i in range(len(xs))]

    return xs[0] * xs[-1], grad


def test_star_args():
    assert tl.grad(total, wrt=(0, 1, 2))(1.0, 2.0, 3.0) == (10.0, 20.0, 30.0)
    assert tl.grad(lambda x, y: total(x, y, x), wrt=(0, 1))(1.0, 2.0) == (40.0, 20.0)
    assert tl.grad(lambda x, y: total(*(x, y), x), wrt=(0, 1))(1.0, 2.0) == (40.0, 20.0)


def test_keyword_only_and_options():
    @tl.custom_gradient
    def h(x, *, scale, **options):
        return x * scale, lambda dy: (dy * 10.0, dy * 20.0)

    f = lambda x, s: h(x, scale=s, mode="fast", other=s)  # noqa: E731
    with pytest.raises(tl.GradientError, match=r"expected 4 \(x, scale, mode, other\)"):
        tl.grad(f, wrt=(0, 1))(1.0, 2.0)
    assert tl.grad(lambda x, s: h(x, scale=s, mode="fast"), wrt=(0, 1))(1.0, 2.0) == (10.0, 20.0)


def test_the_same_array_twice():
    np.testing.assert_array_equal(tl.grad(lambda x: np.sum(bar(x, x)))(X), 2.0 * X)


def test_an_optional_argument_that_is_none():
    @tl.custom_gradient
    def layer(x, w, bias=None):
        y = x * w if bias is None else x * w + bias

        def grad(dy):
            return dy * w, dy * x, None if bias is None else dy

        return y, grad

    assert tl.grad(layer, wrt=(0, 1))(2.0, 3.0) == (3.0, 2.0)
    assert tl.grad(layer, wrt=(0, 1, 2))(2.0, 3.0, 1.0) == (3.0, 2.0, 1.0)


def test_surplus_trailing_nones():
    @tl.custom_gradient
    def h(x):
        return x, lambda dy: (10.0 * dy, None, None)

    assert tl.grad(h)(1.0) == 10.0


def test_with_respect_to_a_name():
    assert tl.grad(bar, wrt="y")(2.0, 3.0) == 2.0
    assert tl.grad(bar, wrt=("y", "x"))(2.0, 3.0) == (2.0, 3.0)


def test_no_arguments():
    ran = []

    @tl.custom_gradient
    def h():
        def grad(dy):
            ran.append(dy)
            return ()

        return 3.0, grad

    assert tl.grad(lambda x: h() * x)(2.0) == 3.0 and ran == []
    y, pullback = tl.vjp(h)
    assert (y, pullback(1.0)) == (3.0, ())


@tl.custom_gradient
def any_arguments(x, k=2.0, *rest, z=1.0, **options):
    total = 0.0
    for v in options.values():
        total = total + v

    def grad(dy):
        return (dy * k, dy * x, *(dy for _ in rest), dy, *(3.0 * dy for _ in options))

    return x * k + sum(rest) + z + 3.0 * total, grad


OPTIONS = {"k": 3.0, "q": 1.0}


def test_the_derivative_of_a_function_of_any_arguments():
    assert tl.grad(any_arguments)(2.0) == 2.0
    assert tl.grad(any_arguments)(2.0, k=3.0, q=4.0) == 3.0
    assert tl.grad(any_arguments, wrt=("x", "z"))(2.0, 3.0, z=5.0) == (3.0, 1.0)


def test_keywords_spread_from_a_dict():
    assert tl.grad(lambda x: any_arguments(x, **OPTIONS))(2.0) == 3.0
    found = tl.grad(lambda options, x: any_arguments(x, **options))(OPTIONS, 2.0)
    assert found == {"k": 2.0, "q": 3.0}


def test_tangents_meet_their_parameters():
    def f(k, q, x):
        return any_arguments(x, q=q, k=k)

    y, y_dot = tl.jvp(f, (3.0, 1.0, 2.0), (1.0, 1.0, 1.0))
    assert (y, y_dot) == (10.0, 2.0 + 3.0 + 3.0)
    _, y_dot = tl.jvp(
        lambda options, x: any_arguments(x, **options), (OPTIONS, 2.0), ({"k": 1.0, "q": 1.0}, 1.0)
    )
    assert y_dot == 2.0 + 3.0 + 3.0


@tl.custom_gradient
def squares(*xs):
    def grad(dy):
        return tuple(2.0 * dy * v for v in xs)

    total = 0.0
    for v in xs:
        total = total + v * v
    return total, grad


@tl.custom_gradient
def product_of_three(x, u, v):
    return x * u * v, lambda dy: (dy * u * v, dy * x * v, dy * x * u)


def test_spread_arguments_at_second_order():
    assert tl.hessian(lambda x: squares(x, x**2, x))(2.0) == 2.0 * 2.0 + 12.0 * 4.0
    assert tl.hessian(lambda x: product_of_three(x, *(x, 2.0 * x)))(2.0) == 24.0

    def by_name(x):
        values = {"u": 2.0 * x, "v": x}
        return product_of_three(x, **values)

    assert tl.hessian(by_name)(2.0) == 24.0
    assert tl.jvp(by_name, (2.0,), (1.0,)) == (16.0, 24.0)


@tl.custom_gradient
def with_a_label(x):
    def grad(dy, ds, dn):
        assert ds is None and dn == 0
        return 2.0 * dy

    return (2.0 * x, "label", 3), grad


def test_outputs_without_derivative_at_second_order():
    def f(x):
        y, label, n = with_a_label(x)
        return (y * len(label) * n) ** 2

    assert tl.grad(f)(1.0) == 2.0 * 30.0 * 30.0
    assert tl.hessian(f)(1.0) == 2.0 * 30.0**2


class Stretch:
    def __init__(self, a):
        self.a = a

    @tl.custom_gradient
    def __call__(self, x):
        e = np.exp(self.a * x)
        return e, lambda dy: dy * self.a * e

    @tl.custom_gradient
    def scaled(self, x, power=2):
        return self.a * x**power, lambda dy: dy * self.a * power * x ** (power - 1)


STRETCH = Stretch(0.5)


def test_methods_at_second_order():
    at = np.array([0.3, 0.7])
    found = tl.hessian(lambda x: np.sum(STRETCH(x) + STRETCH.scaled(x, power=3)))(at)
    np.testing.assert_allclose(found, np.diag(0.25 * np.exp(0.5 * at) + 3.0 * at))
