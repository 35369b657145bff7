"""Section 2.1 of the contract: the decorator and what it makes."""

import functools
import inspect
import warnings

import numpy as np
import pytest

import tapeless as tl

X = np.array([0.5, -1.2, 2.0])


@tl.custom_gradient
def log1pexp(x):
    """A softplus."""
    e = np.exp(x)

    def grad(upstream):
        return upstream * (1 - 1 / (1 + e))

    return np.log(1 + e), grad


@tl.custom_gradient
def tenfold(x):
    """Wrong on purpose, so that one sees whose gradient it is."""

    def grad(dy):
        return 10.0 * dy

    return x * x, grad


def in_a_function(x):
    return np.sum(tenfold(x) * x)


def test_a_pair_of_value_and_gradient_function():
    assert tl.grad(tenfold)(3.0) == 10.0
    assert tl.grad(lambda x: 2.0 * tenfold(x))(3.0) == 20.0
    np.testing.assert_array_equal(tl.grad(in_a_function)(X), 10.0 * X + X * X)


def test_a_direct_call_returns_the_value_and_runs_no_gradient_code():
    ran = []

    @tl.custom_gradient
    def h(x):
        def grad(dy):
            ran.append("grad")
            return dy

        return np.random.permutation(x).astype(np.float32), grad

    y = h(X)
    assert type(y) is np.ndarray and y.dtype == np.float32 and ran == []


def test_decorator_with_and_without_a_call():
    @tl.custom_gradient()
    def h(x):
        return x, lambda dy: 5.0 * dy

    k = tl.custom_gradient(f=lambda x: (x, lambda dy: 6.0 * dy))
    assert (tl.grad(h)(1.0), tl.grad(k)(1.0)) == (5.0, 6.0)


def test_metadata():
    assert log1pexp.__name__ == "log1pexp"
    assert log1pexp.__qualname__ == "log1pexp"
    assert log1pexp.__doc__ == "A softplus."
    assert log1pexp.__module__ == __name__
    assert log1pexp.__wrapped__(0.0)[0] == log1pexp(0.0)
    assert str(inspect.signature(log1pexp)) == "(x)"


class Model:
    def __init__(self, slope):
        self.slope = slope

    @tl.custom_gradient
    def line(self, x):
        def grad(dy):
            return self.slope * dy

        return x * x, grad

    @tl.custom_gradient
    def __call__(self, x):
        def grad(dy):
            return 100.0 * self.slope * dy

        return x * x, grad

    @staticmethod
    @tl.custom_gradient
    def fixed(x):
        return x * x, lambda dy: 7.0 * dy

    def total(self, x):
        return np.sum(self.line(x) + self.fixed(x))


def test_methods():
    a, b = Model(3.0), Model(4.0)
    assert tl.grad(a.line)(1.0) == 3.0
    assert tl.grad(b.line)(1.0) == 4.0
    assert tl.grad(lambda x: a.line(x) + b.line(x))(1.0) == 7.0
    assert tl.grad(a)(1.0) == 300.0
    assert tl.grad(lambda x: b(x))(1.0) == 400.0
    assert tl.grad(Model.fixed)(1.0) == 7.0
    assert tl.grad(lambda x: Model.line(a, x))(1.0) == 3.0
    np.testing.assert_array_equal(tl.grad(a.total)(X), np.full(3, 10.0))
    np.testing.assert_array_equal(tl.grad(lambda x, m: m.total(x))(X, b), np.full(3, 11.0))


def test_state_belongs_to_the_instance():
    a = Model(3.0)
    g = tl.grad(a.line)
    assert g(1.0) == 3.0
    a.slope = 5.0
    assert g(1.0) == 5.0


def test_lambdas():
    h = tl.custom_gradient(lambda x: (x * x, lambda dy: 10.0 * x * dy))
    g = tl.grad(lambda x: h(x) + x)
    assert g(2.0) == 21.0
    assert "open_custom" not in tl.source(g)


def scaled(c):
    @tl.custom_gradient
    def h(x):
        def grad(dy):
            return dy * c

        return x * c, grad

    return h


def test_made_in_a_factory():
    h3, h4 = scaled(3.0), scaled(4.0)
    assert tl.grad(lambda x: h3(x) + h4(x))(1.0) == 7.0
    assert (tl.grad(h3)(1.0), tl.grad(h4)(1.0)) == (3.0, 4.0)


def test_defined_inside_the_differentiated_function():
    def f(x):
        @tl.custom_gradient
        def h(v):
            def grad(dy):
                return 5.0 * dy

            return v * v, grad

        return h(x) + h(2.0 * x)

    assert tl.grad(f)(3.0) == 15.0


FACTOR = 2.0


@tl.custom_gradient
def late(x):
    c = 3.0

    def grad(dy):
        return dy * c * FACTOR

    c = 4.0
    return x * c, grad


def test_names_bind_late(monkeypatch):
    g = tl.grad(lambda x: late(x))
    assert g(1.0) == 8.0
    monkeypatch.setitem(globals(), "FACTOR", 5.0)
    assert g(1.0) == 20.0


def with_slope(dy, slope):
    return dy * slope


def plain_grad(dy):
    return 11.0 * dy


class Slope:
    def __init__(self, slope):
        self.slope = slope

    def __call__(self, dy):
        return dy * self.slope

    def pull(self, dy):
        return dy * self.slope * 2.0


@tl.custom_gradient
def by_function(x):
    return x * x, plain_grad


@tl.custom_gradient
def by_partial(x):
    return x * x, functools.partial(with_slope, slope=12.0)


@tl.custom_gradient
def by_object(x):
    return x * x, Slope(13.0)


@tl.custom_gradient
def by_bound_method(x):
    return x * x, Slope(7.0).pull


@pytest.mark.parametrize(
    ("h", "slope"),
    [(by_function, 11.0), (by_partial, 12.0), (by_object, 13.0), (by_bound_method, 14.0)],
)
def test_any_callable_as_the_gradient(h, slope):
    g = tl.grad(lambda x: h(x) + x)
    assert g(1.0) == slope + 1.0
    assert ("open_custom" in tl.source(g)) == (h is not by_function)


def doubled(f):
    @functools.wraps(f)
    def wrapper(x):
        y, grad = f(x)
        return 2.0 * y, lambda dy: 3.0 * grad(dy)

    return wrapper


@tl.custom_gradient
@doubled
def below(x):
    return x, lambda dy: 5.0 * dy


def logged(f):
    @functools.wraps(f)
    def wrapper(x):
        return f(x) * 2.0

    return wrapper


@logged
@tl.custom_gradient
def above(x):
    return x, lambda dy: 5.0 * dy


def test_a_decorator_below_is_part_of_the_function():
    assert below(1.0) == 2.0
    assert tl.grad(below)(1.0) == 15.0
    assert tl.grad(lambda x: below(x))(1.0) == 15.0


def test_a_decorator_above_is_ordinary_code():
    assert above(1.0) == 2.0
    assert tl.grad(above)(1.0) == 10.0
    assert tl.grad(lambda x: above(x))(1.0) == 10.0


@tl.custom_gradient
def power_by_recursion(x, n):
    if n == 0:
        return 1.0 + 0.0 * x, lambda dy: (0.0 * dy, None)
    return x * power_by_recursion(x, n - 1), lambda dy: (dy * n * x ** (n - 1), None)


@tl.custom_gradient
def factorial_like(x, n):
    value = x if n == 0 else 2.0 * factorial_like(x, n - 1)

    def grad(dy):
        return dy * 2.0**n, None

    return value, grad


def halved(x, n):
    if n == 0:
        return x
    return halved(tenfold(x) / 2.0, n - 1)


def test_recursion():
    assert tl.grad(power_by_recursion)(2.0, 3) == 12.0
    assert tl.grad(lambda x: factorial_like(x, 3))(1.0) == 8.0
    assert tl.grad(halved)(1.0, 2) == 25.0


@tl.custom_gradient
def exponential(x):
    def grad(dy):
        return dy * exponential(x)

    return np.exp(x), grad


def test_the_gradient_calls_the_function():
    g = tl.grad(exponential)
    for _ in range(3):
        assert g(0.5) == pytest.approx(np.exp(0.5))
        g = tl.grad(g)


def test_no_source_text():
    namespace = {"np": np}
    exec("def f(x):\n    return x * x, lambda dy: 10.0 * dy * x\n", namespace)
    h = tl.custom_gradient(namespace["f"])
    assert tl.grad(lambda x: h(x) * 3.0)(2.0) == 60.0
    with pytest.raises(tl.TapelessError, match="source"):
        tl.grad(tl.grad(lambda x: h(x) * 3.0))(2.0)


def test_a_gradient_is_written_without_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tl.grad(in_a_function)(X)
