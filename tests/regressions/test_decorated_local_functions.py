"""Functions inside a function, decorated: the decorator is a call like any other."""

import functools

import numpy as np
import pytest

import tapeless as tl
from tests import laws


def jit(f):
    return f


def configured(cache=False):
    def decorate(f):
        return f

    return decorate


def labelled(f):
    @functools.wraps(f)
    def same(y):
        return 2.0 * f(y)

    return same


def closes_over_the_argument(x):
    @jit
    def run():
        return x * x

    return run()


def decorator_with_options(x):
    @configured(cache=True)
    def run():
        return x * x

    return run()


def default_that_varies(x):
    @jit
    def run(h=x):
        return h * h

    return run()


def several_decorators(x):
    @jit
    @configured()
    def run(y):
        return x * y

    return run(x * x)


def defined_in_a_loop(x):
    s = 0.0
    for i in range(3):

        @jit
        def run(y):
            return x * y * (i + 1)

        s = s + run(x)
    return s


def of_an_array(x):
    @jit
    def run(k):
        return x[k] * x

    return np.sum(run(0) * run(1))


def keeps_name_and_docstring(x):
    def run(y):
        return x * y

    @functools.wraps(run)
    def other(y):
        return run(y) * x

    return other(x)


def calls_itself(x):
    @jit
    def power(n):
        return x if n == 0 else x * power(n - 1)

    return power(2)


def calls_itself_by_a_name_assigned_to(x):
    def power(n):
        return x if n == 0 else x * power(n - 1)

    power = labelled(power)
    return power(2)


def in_two_branches(x):
    if x > 0.0:

        @jit
        def run():
            return x * x

    else:

        @jit
        def run():
            return x

    return run()


def cached(x):
    @functools.cache
    def run(y):
        return x * y

    return run(2.0)


class Held:
    def __init__(self, f):
        self.f = f

    def __call__(self):
        return self.f()


def in_an_object(x):
    @Held
    def run():
        return x * x

    return run()


RIGHT = [
    closes_over_the_argument,
    decorator_with_options,
    default_that_varies,
    several_decorators,
    defined_in_a_loop,
    keeps_name_and_docstring,
]


@pytest.mark.parametrize("f", RIGHT, ids=lambda f: f.__name__)
def test_decorated_functions_are_differentiated(f):
    laws.check_function(f, (1.3,))


def test_decorated_function_of_an_array():
    laws.check_function(of_an_array, (np.array([0.5, -1.2, 0.7]),))


@pytest.mark.parametrize(
    "f",
    [calls_itself, calls_itself_by_a_name_assigned_to, in_two_branches, cached, in_an_object],
    ids=lambda f: f.__name__,
)
def test_what_a_decorator_hides_is_right_or_refused(f):
    laws.right_or_refused(f, (1.3,))


def test_a_recursive_name_that_is_assigned_to_is_refused():
    with pytest.raises(tl.TapelessError, match="calls itself by a name that is also assigned"):
        tl.grad(calls_itself_by_a_name_assigned_to)(1.3)
