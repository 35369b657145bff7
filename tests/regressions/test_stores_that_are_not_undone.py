"""What was overwritten is put back only where the reverse sweep still reads entries of the array."""

import re

import numpy as np
import pytest

import tapeless as tl
from tapeless.testing import check_replay
from tests import laws

START = np.linspace(0.1, 1.0, 6)


def linear_steps(start, rate, steps):
    u = start.copy()
    for _ in range(steps):
        new = u.copy()
        for i in range(1, len(u) - 1):
            new[i] = u[i] + rate * (u[i + 1] - 2.0 * u[i] + u[i - 1])
        new[0] = new[1]
        u = new
    return np.sum(u * u)


def steps_that_read(start, rate, steps):
    u = start.copy()
    for _ in range(steps):
        new = u.copy()
        for i in range(1, len(u) - 1):
            new[i] = u[i] ** 2 + rate * (u[i + 1] - 2.0 * u[i] * u[i - 1])
        new[0] = new[1] * new[2]
        u = new
    return np.sum(u * u)


def exchanged(start, rate, steps):
    u = start.copy()
    v = np.zeros_like(u)
    for _ in range(steps):
        for i in range(1, len(u) - 1):
            v[i] = u[i] * u[i - 1] + rate * u[i + 1]
        u, v = v, u
    return np.sum(u * u)


def seen_by_a_view(start, rate):
    u = start.copy()
    w = u[1:]
    s = 0.0
    for i in range(len(w)):
        s = s + np.sin(w[i])
        u[i] = rate * s
        w[i] = 2.0 * u[i] * s
    return s + np.sum(u)


def read_whole(start, rate):
    u = start.copy()
    s = 0.0
    for i in range(3):
        s = s + rate * np.sum(u**3)
        u[i] = s
    return s


def read_whole_by_another_name(start, rate):
    u = start.copy()
    v = u
    s = 0.0
    for i in range(3):
        s = s + rate * np.sum(v**3)
        u[i] = s
    return s


def stored_into_an_argument(u, rate):
    for i in range(1, len(u)):
        u[i] = u[i] + rate * u[i - 1]
    return np.sum(u)


@pytest.mark.parametrize(
    ("function", "args", "undone"),
    [
        (linear_steps, (START, 0.2, 3), False),
        (steps_that_read, (START, 0.2, 3), False),
        (exchanged, (START, 0.2, 3), False),
        (seen_by_a_view, (START, 0.2), False),
        (read_whole, (START, 0.2), True),
        (read_whole_by_another_name, (START, 0.2), True),
    ],
)
def test_stores(function, args, undone):
    laws.check_function(function, args)
    check_replay(function, *args)
    reverse = tl.source(function, like=args).split("# Reverse sweep")[1]
    assert bool(re.search(r"^ +[a-z]+\[i\] = ", reverse, re.MULTILINE)) == undone


def test_an_argument_is_undone():
    u = START.copy()
    tl.grad(stored_into_an_argument)(u, 0.2)
    assert np.array_equal(u, START)
