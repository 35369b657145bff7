"""A loop with jumps keeps no list of where its trips ended if the reverse sweep can ask their tests again."""

import math

import numpy as np
import pytest

import tapeless as tl
from tapeless.testing import check_replay
from tests import laws

PLACES = np.array([[0.0, 0.1, 0.2], [1.1, 0.0, 0.3], [0.2, 1.4, 0.1], [2.5, 0.3, 0.7]])


def within_reach(places, strength, reach):
    energy = 0.0
    for i in range(len(places)):
        for j in range(i):
            way = places[i] - places[j]
            square = np.dot(way, way)
            if square > reach**2:
                continue
            energy += strength * (reach - np.sqrt(square)) ** 2
    return energy


def gives_in_both_ways(places, k, most):
    energy = 0.0
    for i in range(len(places)):
        gap = np.sum(places[i]) * k - 1.0
        if abs(gap) > most:
            energy += gap
            continue
        energy += gap * gap * k
    return energy


def left_by_a_break(x, y, n):
    s = x
    for i in range(n):
        t = s * y
        if t > 3.0:
            break
        s = t + math.sin(x)
    return s * x


def jumps_twice(x, y, n):
    s = x
    for i in range(n):
        t = s * y + i
        if t < 1.0:
            s = s * 1.5
            continue
        u = t * x
        if u > 2.0:
            s = s + u
            break
        s = u + math.sin(x)
    return s * x


def asks_what_changes(x, y, n):
    s = x
    for i in range(n):
        if s > 1.0:
            s = s * 0.5
            continue
        s = s * y + x
    return s * x


def returns_from_inside(speed, angle, drag):
    x, y = 0.0, 0.0
    u, v = speed * math.cos(angle), speed * math.sin(angle)
    while True:
        x_new, y_new = x + 0.05 * u, y + 0.05 * v
        if y_new < 0:
            return x + y / (y - y_new) * (x_new - x)
        x, y = x_new, y_new
        u, v = u - 0.05 * drag * u, v - 0.05 * (9.81 + drag * v)


@pytest.mark.parametrize(
    ("function", "args", "asked_again"),
    [
        (within_reach, (PLACES, 1.2, 1.6), True),
        (gives_in_both_ways, (PLACES, 1.2, 1.6), True),
        (left_by_a_break, (0.3, 2.0, 5), True),
        (jumps_twice, (0.3, 2.0, 5), True),
        (asks_what_changes, (0.3, 2.0, 5), False),
        (returns_from_inside, (20.0, 0.7, 0.01), True),
    ],
)
def test_jumps(function, args, asked_again):
    laws.check_function(function, args, smooth=False)
    check_replay(function, *args)
    assert ("ends" not in tl.source(function, like=args)) == asked_again


def test_what_is_not_finite_has_no_part_in_a_trip_that_gives_nothing():
    def nearest(x, far):
        s = 0.0
        for i in range(len(x)):
            way = x[i] * far[i]
            if way > 10.0:
                continue
            s += way * way
        return s

    got = tl.grad(nearest)(np.array([1.0, 2.0, 1.0]), np.array([2.0, np.inf, 3.0]))
    assert np.array_equal(got, [8.0, 0.0, 18.0])


def asks_what_is_unpacked(x, pairs):
    s = x
    for i in range(3):
        most, k = pairs[i]
        if most < 0.5:
            continue
        for n in range(2):
            last = k * n
        if last > 4.0:
            break
        s = s * most + k
    return s * x


def test_what_is_asked_may_be_unpacked_or_bound_by_a_loop():
    pairs = [(0.7, 1.0), (0.2, 1.5), (0.9, 2.5)]
    laws.check_function(asks_what_is_unpacked, (0.3, pairs), smooth=False)
    check_replay(asks_what_is_unpacked, 0.3, pairs)
