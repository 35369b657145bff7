"""Variables that an inner function rebinds: parameters, and names bound late or on some ways."""

import numpy as np
import pytest

import tapeless as tl
from tests import laws


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


# What is outside the function


FACTOR = 3.0


def says_that_a_global_is_read(x):
    global FACTOR
    return x * x * FACTOR


def says_so_inside(x):
    def scaled(y):
        global FACTOR
        return y * FACTOR

    return scaled(x * x)


def says_that_a_captured_name_is_read():
    factor = 3.0

    def f(x):
        nonlocal factor
        return x * x * factor

    return f


def says_so_in_a_branch():
    factor = 3.0

    def f(x):
        def scaled(y):
            if y > 0.0:
                nonlocal factor
            return y * factor

        return scaled(x * x)

    return f


@pytest.mark.parametrize("f", [
    says_that_a_global_is_read, says_so_inside, says_that_a_captured_name_is_read(),
    says_so_in_a_branch(),
])  # fmt: skip
def test_what_is_only_read_may_be_declared(f):
    laws.check_function(f, (1.5,), smooth=True)
    assert tl.grad(f)(1.5) == 9.0


def bound_by_a_helper():
    n = 2.0

    def bump():
        nonlocal n
        n *= 2.0

    def f(x):
        y = x * n
        bump()
        return y * n

    return f


def bound_by_the_function():
    n = 2.0

    def f(x):
        nonlocal n
        n = n * 2.0
        return x * n

    return f


def bound_by_an_inner_function():
    n = 2.0

    def f(x):
        k = 1.0

        def g(y):
            nonlocal n, k
            n, k = n * 2.0, k * 2.0
            return y * n * k

        return g(x) * k

    return f


@pytest.mark.parametrize(
    "make", [bound_by_a_helper, bound_by_the_function, bound_by_an_inner_function]
)
def test_a_variable_outside_is_not_bound(make):
    f = make()
    for attempt in (lambda: tl.grad(f)(2.0), lambda: tl.jvp(f, (2.0,), (1.0,))):
        with pytest.raises(tl.UnsupportedSyntaxError, match="variable outside") as caught:
            attempt()
        assert caught.value.filename == __file__
    before = f(2.0)
    assert f(2.0) > before
