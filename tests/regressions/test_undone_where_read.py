"""Stores into arrays that are made by a function are undone where something reads what they held.

In each program a function is called, so that its derivative has two halves, and stores into an array. The
names, containers and functions by which the array may be read besides are what differs.
"""

import numpy as np
import pytest

import tapeless as tl
from tests import laws

X = np.array([0.6, -1.4, 2.3, 0.9])


def scan(x):
    a = np.zeros(len(x))
    a[0] = x[0]
    for i in range(1, len(x)):
        a[i] = np.sin(a[i - 1]) * x[i]
    return a[-1] * x[0]


def calls_scan(x):
    return scan(x) + scan(x * 2.0)


def scan_and_square(x):
    a = np.zeros(len(x))
    a[0] = x[0]
    y = np.sum(a * a * x)
    a[1] = x[1] * x[2]
    return y + np.sum(a * a * x), a


def reads_before_the_store(x):
    y, a = scan_and_square(x)
    z, b = scan_and_square(x * a)
    return y * z + np.sum(a * b)


def through_another_name(x):
    a = x * 2.0
    b = a
    y = np.sum(b**3)
    a[0] = x[1] * x[2]
    return y + np.sum(b**2)


def through_a_view(x):
    a = x * 2.0
    tail = a[1:]
    y = np.sum(tail**3)
    a[1] = x[0] * x[2]
    return y * np.sum(tail**2)


def through_one_of_two(x):
    a = x * 2.0
    b = x * 3.0
    c = a if x[0] > 0.0 else b
    y = np.sum(c**3)
    a[0] = x[1] * x[2]
    return y + np.sum(c**2) + np.sum(b)


def through_what_was_none(x):
    best = None
    a = x * 2.0
    y = 0.0
    for i in range(3):
        if best is not None:
            y = y + np.sum(best**3)
        best = a
        a[i] = x[i] * x[i + 1]
    return y


def through_a_list(x):
    a = x * 2.0
    held = [a]
    y = np.sum(held[0] ** 3)
    a[0] = x[1] * x[2]
    return y + np.sum(a**2)


class Box:
    def __init__(self, a):
        self.a = a


def through_an_object(x):
    a = x * 2.0
    box = Box(a)
    y = np.sum(box.a**3)
    a[0] = x[1] * x[2]
    return y + np.sum(a**2)


def cubed(a):
    return np.sum(a**3)


def through_a_function(x):
    a = x * 2.0
    y = cubed(a)
    a[0] = x[1] * x[2]
    return y + cubed(a)


def through_a_local_function(x):
    a = x * 2.0

    def cubes():
        return np.sum(a**3)

    y = cubes()
    a[0] = x[1] * x[2]
    return y + cubes()


@tl.custom_gradient
def by_hand(a):
    def grad(upstream):
        return upstream * 3.0 * a**2

    return np.sum(a**3), grad


def through_a_custom_gradient(x):
    a = x * 2.0
    y = by_hand(a)
    a[0] = x[1] * x[2]
    return y + by_hand(a)


def made_in_turn(x):
    a = x * 1.0
    y = 0.0
    for i in range(3):
        b = a
        y = y + np.sum(b**2 * x)
        a = x * (i + 1.0)
        a[i] = b[i + 1] * x[i]
        y = y + np.sum(a**3)
    return y


def twice_in_one_trip(x):
    a = np.zeros(len(x))
    y = 0.0
    for i in range(len(x)):
        if x[i] > 0.0:
            a[i] = x[i] ** 2
        else:
            a[i] = x[0] * x[i]
        y = y + np.sum(a**2)
        a[i] = a[i] * x[-1]
    return y


HELPERS = [
    through_another_name,
    through_a_view,
    through_one_of_two,
    through_what_was_none,
    through_a_list,
    through_an_object,
    through_a_function,
    through_a_local_function,
    through_a_custom_gradient,
    made_in_turn,
    twice_in_one_trip,
]


@pytest.mark.parametrize("f", [calls_scan, reads_before_the_store])
def test_whole_programs(f):
    laws.check_orders(f, X)


@pytest.mark.parametrize("f", HELPERS)
def test_called_twice(f):
    def program(x):
        return f(x) * f(np.cos(x) + 0.3)

    tl.check_grads(program, X, replay=True)


@pytest.mark.parametrize("f", HELPERS)
def test_pullback_run_twice(f):
    def program(x):
        return f(x) * f(np.cos(x) + 0.3)

    _, pullback = tl.vjp(program, X)
    np.testing.assert_array_equal(pullback(1.0)[0], pullback(1.0)[0])


def test_what_nothing_reads_is_not_kept():
    text = tl.source(calls_scan, like=(X,))
    assert "_old" not in text
