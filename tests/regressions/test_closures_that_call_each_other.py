"""Local functions that call each other, captured by a function that is returned."""

import numpy as np
import pytest

import tapeless as tl
from tests.laws import check_function


def called_beside(x):
    def odd(b, k):
        return b if k == 0 else even(b * 0.5, k - 1)

    def even(b, k):
        return b if k == 0 else odd(np.sin(b), k - 1)

    def made(v):
        def inner(a):
            return even(a, 2)

        return inner

    y = even(x, 3)
    kept = made(x)
    return y if kept is not None else x


def called_when_returned(x):
    def odd(b, k):
        return b if k == 0 else even(b * 0.5, k - 1)

    def even(b, k):
        return b if k == 0 else odd(np.sin(b), k - 1)

    def made(v):
        def inner(a):
            return even(a, 2) * v

        return inner

    return made(x)(x)


def test_not_called():
    check_function(called_beside, (0.7,))


@pytest.mark.parametrize("operator", [tl.grad, lambda f: lambda x: tl.jvp(f, (x,), (1.0,))])
def test_called(operator):
    with pytest.raises(tl.TapelessError, match="is not known"):
        operator(called_when_returned)(0.7)


def applied(f, n):
    return f(n)


def handed_on_by_itself(x):
    def power(n):
        return x if n == 0 else applied(power, n - 1) * x

    return power(2)


def kept_by_itself(x):
    def power(n):
        functions = [power]
        return x if n == 0 else functions[0](n - 1) * x

    return power(2)


@pytest.mark.parametrize("f", [handed_on_by_itself, kept_by_itself], ids=lambda f: f.__name__)
@pytest.mark.parametrize("mode", ["grad", "jvp"])
def test_handed_on_by_itself(f, mode):
    with pytest.raises(tl.GradientError, match="'power' is handed on by itself"):
        tl.source(f, mode=mode, like=(0.7,))


def named_by_itself(x):
    def power(n):
        again = power
        return x if n == 0 else again(n - 1) * x

    return power(2)


def test_named_by_itself():
    check_function(named_by_itself, (0.7,))
