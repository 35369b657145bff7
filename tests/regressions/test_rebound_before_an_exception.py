"""A name that is bound to a constant before an exception no longer carries what it carried before it."""

import contextlib

import numpy as np
import pytest

import tapeless as tl
from tests import laws
from tests.laws import check_function

X = np.array([1.036, 1.168, 0.887])


def by_a_constant(x):
    r = x[1]
    try:
        r = 0.8
        raise ValueError("stop")
    except ValueError:
        pass
    return r * x[0]


def swapped(x):
    r, b = x[1], 0.8
    try:
        r, b = b, r
        raise ValueError("stop")
    except (ValueError, KeyError):
        pass
    return r * x[0] + b


def perhaps_raised(x):
    r = x[1]
    try:
        r = 0.8
        if x[2] < 1.0:
            raise ValueError("stop")
        r = x[0]
    except ValueError:
        pass
    return r * x[2]


def in_a_loop(x):
    r = x[1] * x[1]
    for i in range(3):
        try:
            r = 2.0
            if i == 1:
                raise KeyError(i)
            r = r * x[i]
        except KeyError:
            pass
        r = r * x[0]
    return r


def arrays(x):
    r, s = x * 2.0, x * x
    try:
        r, s = np.ones(3), r
        int("a")
    except ValueError:
        pass
    return np.sum(r * s)


def by_the_target_of_a_loop(x):
    r = x[1]
    try:
        for r in (0.5, 0.25):
            if r < 0.4:
                raise ValueError("stop")
    except ValueError:
        pass
    return r * x[0]


@contextlib.contextmanager
def half():
    yield 0.5


def by_a_context(x):
    r = x[1]
    try:
        with half() as r:
            raise ValueError("stop")
    except ValueError:
        pass
    return r * x[0]


def below_a_finally(x):
    r = x[0] * 2.0
    try:
        try:
            r = 1.0
            raise KeyError
        finally:
            r = r * x[1]
    except KeyError:
        pass
    return r * x[2]


def to_none(x):
    r = x * 2.0
    try:
        r = None
        raise ValueError
    except ValueError:
        pass
    return np.sum(x * x) if r is None else np.sum(r)


PROGRAMS = (by_a_constant, by_a_context, swapped, perhaps_raised, in_a_loop, arrays, to_none)
REFUSED = (by_the_target_of_a_loop, below_a_finally)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_derivative(f):
    check_function(f, (X,))


@pytest.mark.parametrize("f", REFUSED, ids=lambda f: f.__name__)
def test_refused(f):
    with pytest.raises(tl.GradientError, match="`r` is read after an exception that may come"):
        tl.vjp(f, X)


def entered(x):
    r = x[1]
    with half() as r:  # noqa: F811
        y = r * x[0]
    return y * r


def entered_in_a_branch(x):
    r = x[1]
    if x[0] > 0:
        with half() as r:
            y = r * x[0]
    else:
        y = x[0]
    return r * x[2] + y


def entered_in_a_loop(x):
    r = x[1]
    for _ in range(2):
        r = r * x[2]
        with half() as r:
            y = r * x[0]
        r = r * y
    return r * x[2]


def two_entered(x):
    r, s = x[1], x[2]
    with half() as r, contextlib.closing(open(__file__)) as s:  # noqa: F811
        y = r * x[0]
    return y * r if s.closed else y


def suppressed(x):
    r = x[1]
    with contextlib.suppress(ValueError) as r:  # noqa: F811
        raise ValueError("stop")
    return x[0] * x[0] if r is None else r * x[0]


ENTERED = (entered, entered_in_a_branch, entered_in_a_loop, two_entered, suppressed)


@pytest.mark.parametrize("f", ENTERED, ids=lambda f: f.__name__)
def test_bound_by_entering_a_context(f):
    check_function(f, (X,))


def number_of_the_trip_thrown_away(x):
    try:
        for _ in range(3):
            if _ == 1:
                raise ValueError("stop")
    except ValueError:
        pass
    return x[_] ** 2


def rebound_by_the_loop(x):
    i = 0
    y = x[i] ** 3
    try:
        for i in range(3):
            if x[i] > 1.1:
                raise ValueError("stop")
    except ValueError:
        y = y * x[i]
    return y * x[i]


def beside_an_entry(x):
    s = 0.0
    try:
        for i, v in enumerate(x):
            if v > 1.1:
                raise ValueError("stop")
    except ValueError:
        s = x[i] ** 2
    return s + x[i]


def interrupted_or_not(x):
    s = 0.0
    for low in (0.1, 1.1, 5.0):
        n = 0
        try:
            for n, k in enumerate((2, 0, 1)):
                t = x[k] ** 2
                if t > low:
                    raise ValueError("stop")
        except ValueError:
            s = s + x[k] * n
        s = s * x[k] + n * x[n]
    return s


def in_a_loop_around(x):
    s = 0.0
    for k in range(3):
        try:
            for i in range(3):
                if x[i] * k > 1.1:
                    raise ValueError("stop")
        except ValueError:
            s = s + x[i] ** 2
        s = s * x[i] + x[k]
    return s


COUNTED = (
    number_of_the_trip_thrown_away,
    rebound_by_the_loop,
    beside_an_entry,
    interrupted_or_not,
    in_a_loop_around,
)


@pytest.mark.parametrize("f", COUNTED, ids=lambda f: f.__name__)
def test_bound_by_a_loop_to_what_carries_no_derivative(f):
    laws.check_orders(f, X)


def test_a_list_argument():
    assert tl.grad(by_a_constant)([1.0, 2.0, 3.0]) == [0.8, 0.0, 0.0]
