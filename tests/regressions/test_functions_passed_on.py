"""Local functions that capture local functions, passed on to callees and through recursions."""

import numpy as np
import pytest

import tapeless as tl
from tests import laws


def applied(h):
    return h(2.0)


def applied_further_down(h):
    return applied(h)


def passed_on(g):
    return applied(lambda t: g(0.9 * t))


def a_lambda_around_what_was_passed(a):
    return passed_on(lambda t: t * a * a)


def three_around_each_other(a):
    def g(t):
        return t * a * a

    def h(t):
        return g(t * a)

    return passed_on(lambda t: h(t + a))


def two_calls_deep(a):
    return applied_further_down(lambda t: passed_on(lambda s: s * t * a))


def around_one_that_counts(a):
    n = 0.0

    def g(t):
        nonlocal n
        n += t * a
        return n

    return passed_on(g) + applied_further_down(lambda t: g(t)) + n


def around_an_argument_of_a_method(a):
    model = Model(a)
    return applied(lambda t: model(t)) + model.around(lambda t: t * a) + model.around(model)


class Model:
    def __init__(self, w):
        self.w = w

    def __call__(self, t):
        return self.w * t

    def around(self, h):
        return passed_on(lambda t: h(t) * self.w)


def around_one_that_calls_itself(a):
    def power(t, n):
        return t if n == 0 else a * power(t, n - 1)

    return passed_on(lambda t: power(t, 3))


def around_two_that_call_each_other(a):
    def even(n, t):
        return t if n == 0 else odd(n - 1, t * a)

    def odd(n, t):
        return 1.0 if n == 0 else even(n - 1, t + a)

    return applied_further_down(lambda t: even(4, t)) + even(2, a)


def in_a_loop(a):
    total = 0.0
    for k in range(3):
        total += passed_on(lambda t: t * a + a) * total + a
    return total


def halved(g, low, high, depth=0):
    middle = (low + high) / 2
    if depth > 2:
        return g(middle) * (high - low)
    return halved(g, low, middle, depth + 1) + halved(g, middle, high, depth + 1)


def through_a_recursion(a):
    def g(t):
        return np.exp(-a * t)

    return halved(g, 0.0, 2.0)


def through_a_local_recursion(a):
    def halved_here(g, low, high, depth=0):
        middle = (low + high) / 2
        if depth > 1:
            return g(middle) * (high - low)
        return halved_here(g, low, middle, depth + 1) + halved_here(g, middle, high, depth + 1)

    return halved_here(lambda t: np.exp(-a * t), 0.0, 2.0)


class Rule:
    def halved(self, g, low, high, depth=0):
        middle = (low + high) / 2
        if depth > 1:
            return g(middle) * (high - low)
        first = self.halved(g, low, middle, depth + 1)
        return first + self.halved(g, middle, high, depth + 1)


def through_a_recursive_method(a):
    return Rule().halved(lambda t: np.exp(-a * t), 0.0, 2.0)


def exchanged(g, h, n):
    return g(n) if n <= 0 else exchanged(h, g, n - 1) * h(n)


def exchanged_in_a_recursion(a):
    return exchanged(lambda t: t * a + 1.0, lambda t: t + a * a, 3)


def first_of_two(g, h, n):
    return g(n) if n <= 0 else second_of_two(h, g, n - 1)


def second_of_two(g, h, n):
    return h(n) if n <= 0 else first_of_two(g, h, n - 1)


def through_two_that_call_each_other(a):
    return first_of_two(lambda t: t * a + a, lambda t: t + a * a, 3)


@pytest.mark.parametrize(
    "f",
    [
        a_lambda_around_what_was_passed,
        three_around_each_other,
        two_calls_deep,
        around_one_that_counts,
        around_an_argument_of_a_method,
        around_one_that_calls_itself,
        around_two_that_call_each_other,
        in_a_loop,
        through_a_recursion,
        through_a_local_recursion,
        through_a_recursive_method,
        exchanged_in_a_recursion,
        through_two_that_call_each_other,
    ],
)
def test_what_they_capture_comes_along(f):
    laws.check_function(f, (0.7,))


def wrapped_again(g, n):
    return g(1.5) if n == 0 else wrapped_again(lambda t: g(0.9 * t), n - 1)


def test_a_recursion_that_wraps_its_function_is_refused():
    def f(a):
        return wrapped_again(lambda t: t * a, 3)

    with pytest.raises(tl.TapelessError, match="'wrapped_again' calls itself"):
        tl.grad(f)(0.7)


def from_a_tuple(a):
    functions = (lambda t: t * a, lambda t: t + a)
    return passed_on(lambda t: functions[0](t) + functions[1](t))


def from_a_dict(a):
    functions = {"times": lambda t: t * a}
    return passed_on(lambda t: functions["times"](t))


def one_of_two(a):
    chosen = (lambda t: t * a) if a > 0 else (lambda t: t + a)
    return passed_on(lambda t: chosen(t))


@pytest.mark.parametrize("f", [from_a_tuple, from_a_dict, one_of_two])
def test_those_that_containers_hold_are_right_or_refused(f):
    laws.right_or_refused(f, (0.7,), smooth=True)


def composed(*functions):
    def one_after_the_other(x):
        for function in reversed(functions):
            x = function(x)
        return x

    return one_after_the_other


def counted(x, *functions):
    total = 0.0
    for i, function in enumerate(functions):
        total = total + (i + 1) * function(x)
    return total


def power(n):
    return lambda x: x**n


def as_arguments_together(a):
    f = composed(np.sin, power(2), lambda t: t * a)
    return f(0.3) * f(a)


def as_arguments_that_are_counted(a):
    return counted(a, np.sin, lambda t: t * a, power(3))


def beside_their_names(a):
    scale = a**2
    steps = [("sin", np.sin), ("scaled", lambda t: t * scale), ("shifted", lambda t, o=a: t + o)]
    x, found = a, {}
    for label, step in steps:
        x = step(x)
        found[label] = x
    return found["sin"] * found["scaled"] + x


@pytest.mark.parametrize("f", [as_arguments_together, beside_their_names])
def test_those_that_are_gone_through(f):
    laws.check_orders(f, 0.7)


def test_those_that_are_counted_are_right_or_refused():
    laws.right_or_refused(as_arguments_that_are_counted, (0.7,), smooth=True)
