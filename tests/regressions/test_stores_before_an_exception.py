"""What an interrupted `try` stored into a thing that it made is in what a handler reads of it."""

import numpy as np
import pytest

from tests.laws import check_function

X = np.array([1.036, 1.168, 0.887])


def into_an_array(x):
    try:
        new = x * 1.0
        new[0] = new[0] * x[1]
        raise ValueError
    except ValueError:
        y = new * 2.0
    return np.sum(y * y)


def in_a_loop(x):
    u = x * 1.0
    for i in range(3):
        try:
            new = u * 1.0
            new[0] = new[0] * u[1]
            if i == 1:
                raise ValueError
            u = new
        except ValueError:
            u = new * 2.0
    return np.sum(u * u)


def into_a_list(x):
    r = 0.0
    for i in range(3):
        try:
            new = [x[0] * 1.0, x[1]]
            new[0] = new[0] * x[1]
            new.append(x[2])
            if i == 1:
                raise ValueError
            r += new[0] * new[2]
        except ValueError:
            r += new[0] * x[1]
    return r


def into_what_a_list_holds(x):
    held = []
    u = x * 1.0
    for i in range(3):
        try:
            new = u * 1.0
            held.append(new)
            new[0] = new[0] * u[1]
            if i == 1:
                raise ValueError
            u = new
        except ValueError:
            u = u * 2.0
    return np.sum(u * u) + held[1][0] * held[1][1]


def in_place(x):
    r = 0.0
    for i in range(3):
        try:
            new = x * 1.0
            new *= x[1]
            if i == 1:
                raise ValueError
            r += new[0]
        except ValueError:
            r += new[1] * x[1]
    return r


def seen_by_nobody(x):
    r = 0.0
    for i in range(3):
        try:
            new = x * 1.0
            new[0] = new[0] * x[1]
            if i == 1:
                raise ValueError
            r += new[0]
        except ValueError:
            r += x[1]
    return r


@pytest.mark.parametrize(
    "f",
    [into_an_array, in_a_loop, into_a_list, into_what_a_list_holds, in_place, seen_by_nobody],
    ids=lambda f: f.__name__,
)
def test_it_counts(f):
    check_function(f, (X,))
