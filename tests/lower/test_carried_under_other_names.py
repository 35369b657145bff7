"""An array that a loop carries may be known elsewhere: a store that would be seen there is refused."""

import numpy as np
import pytest

from tapeless.lower import NotLowered, lowered
from tapeless.lower.compiled import with_loops

X = np.array([0.3, 0.5, 0.7, 1.1])


def kept_and_stored_into_in_a_later_trip(x):
    a = np.sin(x)
    kept = []
    for _ in range(len(x) - 2):
        for _ in range(2):
            a[0] -= 0.1
            a = x * a
        kept.append(a)
    return np.sum(kept[0]) + 2.0 * np.sum(kept[1])


def kept_and_stored_into_in_a_branch(x):
    a = np.sin(x)
    kept = []
    for k in range(len(x) - 1):
        for _ in range(1):
            if x[k] > 0.4:
                a[0] -= 0.1
            a = x * a
        kept.append(a)
    return np.sum(kept[0]) + 2.0 * np.sum(kept[1])


def kept_in_a_short_loop(x):
    a = np.sin(x)
    kept = []
    for _ in range(2):
        for _ in range(2):
            a[0] -= 0.1
            a = x * a
        kept.append(a)
    return np.sum(kept[0]) + 2.0 * np.sum(kept[1])


def kept_in_a_short_loop_with_a_branch(x):
    a = np.sin(x)
    kept = []
    for k in range(3):
        for _ in range(1):
            if x[k] > 0.4:
                a[0] -= 0.1
            a = x * a
        kept.append(a)
    return np.sum(kept[0]) + 2.0 * np.sum(kept[1])


def an_argument_that_comes_round(x):
    b, c = 2.0 * x, np.cos(x)
    for _ in range(3):
        for _ in range(2):
            b, c = c, b
            c = x
        b[1:] += 0.5
    return np.sum(b * x)


def an_argument_that_comes_in_the_third_trip(x):
    a, b, c = 2.0 * x, np.cos(x), np.sin(x)
    for _ in range(len(x) - 1):
        a, b, c = b, c, x
        a[0] += 0.5
    return np.sum(a * x)


def kept_and_stored_into_behind_the_loop(x):
    a, b = np.sin(x), 2.0 * x
    kept = []
    for _ in range(2):
        for _ in range(1):
            b, a = a, b
            b = a * x
        kept.append(b)
    a[0] += 0.5
    a = x
    return np.sum(kept[0] * a) + np.sum(kept[1])


def a_copy_that_is_kept(x):
    a = np.sin(x)
    kept = []
    for _ in range(2):
        for _ in range(2):
            a[0] -= 0.1
            a = x * a
        kept.append(a.copy())
    return np.sum(kept[0]) + 2.0 * np.sum(kept[1])


def stored_into_before_it_is_bound_anew(x):
    a, b = np.sin(x), np.cos(x)
    for _ in range(3):
        for _ in range(2):
            a[0] -= 0.1
            a, b = b * 1.0, a * 1.0
    return np.sum(a * b)


REFUSED = [
    kept_and_stored_into_in_a_later_trip, kept_and_stored_into_in_a_branch,
    kept_and_stored_into_behind_the_loop, an_argument_that_comes_round,
    an_argument_that_comes_in_the_third_trip,
]  # fmt: skip


@pytest.mark.parametrize("f", REFUSED)
def test_what_would_be_seen_elsewhere_is_refused(f):
    with pytest.raises(NotLowered, match="another name"):
        lowered(f, [X])


LOWERED = [
    a_copy_that_is_kept, stored_into_before_it_is_bound_anew, kept_in_a_short_loop,
    kept_in_a_short_loop_with_a_branch,
]  # fmt: skip


@pytest.mark.parametrize("f", LOWERED)
def test_what_is_known_by_one_name_is_lowered(f):
    quick = with_loops(lowered(f, [X]), f, f.__name__, jit=False)
    np.testing.assert_allclose(quick(X.copy()), f(X.copy()), rtol=1e-13)
