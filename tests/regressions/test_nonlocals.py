"""Variables that an inner function rebinds: parameters, and names bound late or on some ways."""

import laws
import numpy as np
import pytest


def a_parameter(x):
    def h(a):
        nonlocal x
        x += a * x
        return x * a

    b = h(x)
    return np.sin(x) * b


def declared_and_no_more(x):
    def h():
        nonlocal x

    h()
    return np.sin(x)


def bound_after_the_function(x):
    def h():
        nonlocal y
        y = y * x

    y = x * x
    h()
    return np.sin(y)


def bound_first_by_a_call(x):
    def h():
        nonlocal y
        y = x * x

    h()
    z = y * 2.0  # noqa: F821
    y = 3.0
    return np.sin(z)


def bound_in_branches(x):
    def h():
        nonlocal y
        y = y * x

    if x > 0:
        y = x * x
    else:
        y = x * 2.0
    h()
    return np.sin(y)


def declared_in_a_branch(x):
    def h():
        if x > 0:
            nonlocal y
            y = y * x

    y = x
    h()
    return np.sin(y)


def bound_by_an_expression(x):
    y = x

    def h():
        nonlocal y
        return (y := y * x) * y

    z = h() * (y := y + x)
    return y * z


def a_loop_over_calls(x):
    def scale(k):
        nonlocal x
        x = x * k

    for k in range(1, 3):
        scale(k * 0.5)
    return x * x


def a_target_of_a_loop(x):
    v = 0.0
    s = 0.0

    def h():
        nonlocal v
        v = v * v

    for v in [x, 2.0 * x]:
        h()
        s += v
    return s * s


@pytest.mark.parametrize("x", [1.3, -0.7])
@pytest.mark.parametrize(
    "f",
    [
        a_parameter,
        declared_and_no_more,
        bound_after_the_function,
        bound_first_by_a_call,
        bound_in_branches,
        declared_in_a_branch,
        bound_by_an_expression,
        a_loop_over_calls,
        a_target_of_a_loop,
    ],
)
def test_nonlocals_are_right(f, x):
    laws.check_function(f, (x,))


def test_a_binding_that_may_be_interrupted_is_right_or_refused():
    def f(x):
        try:
            y = x * x

            def h():
                nonlocal y
                y = y * x

            h()
        except ValueError:
            y = 0.0
        return np.sin(y)

    laws.right_or_refused(f, (1.3,))
