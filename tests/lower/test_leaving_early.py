"""Functions that return or raise before their end, slices with steps, tests that compute."""

import numpy as np
import pytest

from tapeless.lower import NotLowered, lowered
from tapeless.lower.compiled import with_loops


def returns_in_a_loop(x):
    for i in range(len(x)):
        if x[i] > 0.5:
            return x[i] * 2.0, i
    return np.sum(x), -1


def returns_in_branches(x):
    if x[0] > 0.0:
        return x * 2.0
    else:
        return x[::-1] * 3.0


def returns_nothing_at_its_end(x):
    if x[0] > 0.0:
        return x * 2.0


def raises_after_a_store(x):
    x[0] = 7.0
    if np.sum(x) > 8.0:
        raise KeyError("too large")
    return x * 2.0


def steps(x):
    y = x * 1.0
    y[1::2] *= 0.5
    y[::3] -= x[::3]
    return y, np.sum(x[::2])


def computes_in_its_test(x):
    trips = 0
    while trips < 4 and np.sum(x * x) > 0.5:
        x = 0.5 * x
        trips += 1
    return x


PROGRAMS = (
    returns_in_a_loop,
    returns_in_branches,
    raises_after_a_store,
    steps,
    computes_in_its_test,
)


def outcome(f, x):
    try:
        return f(x), x
    except KeyError as error:
        return str(error), x


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("joined", [False, True])
def test_leaving_early(f, joined):
    for n in (6, 7):
        for scale in (0.1, 1.0, -1.0, 0.0):
            x = np.linspace(-1.0, 2.0, n) * scale
            loops = with_loops(lowered(f, (x,), joined=joined), f, "f", jit=False)
            mine, theirs = outcome(loops, x.copy()), outcome(f, x.copy())
            np.testing.assert_equal(mine, theirs)


def test_an_error_is_the_users_own():
    x = np.full(4, 3.0)
    loops = with_loops(lowered(raises_after_a_store, (x,)), raises_after_a_store, "f", jit=False)
    with pytest.raises(KeyError, match="too large"):
        loops(x)
    assert x[0] == 7.0  # as the function itself leaves it


def returns_two_things(x):
    if x[0] > 0.0:
        return x * 2.0
    return 1.0


def test_what_is_not_returned_alike_is_refused():
    with pytest.raises(NotLowered):
        lowered(returns_two_things, (np.ones(3),))


def divides_as_python_does(x, y):
    return float(x[0]) / float(y[0]), np.sum(x)


def divides_as_numpy_does(x, y):
    return np.float64(x[0]) / np.float64(y[0]), np.float64(0.5) / np.float64(y[0])


def test_a_number_of_pythons_still_raises():
    x, zero = np.ones(3), np.zeros(3)
    found = lowered(divides_as_python_does, (x, x))
    with pytest.raises(ZeroDivisionError):
        with_loops(found, divides_as_python_does, "f", jit=False)(x, zero)


def test_a_number_of_numpys_is_infinite():
    x, zero = np.ones(3), np.zeros(3)
    found = lowered(divides_as_numpy_does, (x, x))
    with np.errstate(all="ignore"):
        assert with_loops(found, divides_as_numpy_does, "f", jit=False)(x, zero) == (np.inf, np.inf)
