"""A closure that left a call took along what it captures: names of callers bound anew are old in it."""

import numpy as np
import pytest

import tapeless as tl
from tests.laws import check_function

X = np.array([0.3, 0.4])


def halved(f):
    def call(v):
        return 0.5 * f(v)

    return call


def itself(f):
    return f


def after_a_call(x):
    b = x[1] * 0.6
    g = halved(lambda v: b * v)
    b = 0.3 * b
    return g(x[0])


def by_a_decorator(x):
    b = x[1] * 0.6

    @halved
    def g(v):
        return b * v

    b = 0.3 * b
    return g(x[0])


def handed_back(x):
    b = x[1] * 0.6
    g = itself(lambda v: b * v)
    b = 0.3 * b
    return g(x[0])


def made_by_a_local_function(x):
    b = x[1] * 0.6

    def made(v):
        return lambda: b * v

    g = made(x[0])
    b = 0.3 * b
    return g()


def in_a_dict(x):
    b = x[1] * 0.6
    table = {"g": halved(lambda v: b * v)}
    b = 0.3 * b
    return table["g"](x[0])


def in_a_list_in_a_loop(x):
    b, kept = x[1] * 0.6, []
    for _ in range(2):
        kept.append(halved(lambda v: b * v))
        b = b * b
    return kept[0](x[0]) + kept[1](x[0])


def by_another_closure(x):
    b = x[1] * 0.6

    def again(v):
        return g(v) * 2.0

    g = halved(lambda v: b * v)
    b = 0.3 * b
    return again(x[0])


def in_the_next_trip(x):
    b, total = x[1] * 0.6, 0.0
    g = halved(lambda v: b * v)
    for v in x:
        total += g(v)
        b = b * v
    return total


def function_bound_anew(x):
    h = lambda v: v  # noqa: E731
    g = halved(lambda v: h(v))
    h = lambda v: v * x[1]  # noqa: E731
    return g(x[0])


@pytest.mark.parametrize(
    "f",
    [
        after_a_call,
        by_a_decorator,
        handed_back,
        made_by_a_local_function,
        in_a_dict,
        in_a_list_in_a_loop,
        by_another_closure,
        in_the_next_trip,
        function_bound_anew,
    ],
    ids=lambda f: f.__name__,
)
@pytest.mark.parametrize("mode", ["grad", "jvp"])
def test_refused(f, mode):
    with pytest.raises(tl.GradientError, match="took `[bh]` along, which is bound anew"):
        tl.source(f, mode=mode, like=(X,))


def bound_later(x):
    g = halved(lambda v: b * v)
    b = x[1] * 0.6
    return g(x[0])


@pytest.mark.parametrize("mode", ["grad", "jvp"])
def test_bound_later(mode):
    with pytest.raises(tl.GradientError, match="captures `b`, which is bound later"):
        tl.source(bound_later, mode=mode, like=(X,))


def bound_before(x):
    b = x[1] * 0.6
    b = 0.3 * b
    g = halved(lambda v: b * v)
    return g(x[0]) * b


def anew_in_each_trip(x):
    total = 0.0
    for v in x:
        b = v * total + 1.0
        g = halved(lambda u, b=b: b * u)
        h = halved(lambda u: b * u)  # noqa: B023
        total += g(v) * h(x[0])
    b = 2.0
    return total * b


def called_before(x):
    b = x[1] * 0.6
    g = halved(lambda v: b * v)
    y = g(x[0])
    b = y * b
    g = halved(lambda v: b * v)
    return g(x[0]) + y


def by_its_own_name(x):
    b = x[1] * 0.6

    def g(v):
        return b * v

    held = (g, 2.0)
    b = 0.3 * b
    return held[0](x[0]) * g(x[1])


@pytest.mark.parametrize(
    "f",
    [bound_before, anew_in_each_trip, called_before, by_its_own_name],
    ids=lambda f: f.__name__,
)
def test_right(f):
    check_function(f, (X,))
