"""Functions called within a `try` that store into what lives on, and raise then."""

import numpy as np
import pytest

from tapeless.testing import check_grads

SAMPLES = [np.array([0.3, 0.7, 1.2]), np.array([0.6, 0.9, 0.2])]


def push(rows, v):
    rows.append(v)
    if v < 0.0:
        raise ValueError("negative")


def put(a, i, v):
    a[i] = v
    if v > 1.0:
        raise OverflowError
    a[i] = v * v


class Full(Exception):
    pass


class Tank:
    def __init__(self):
        self.level, self.number, self.poured = 0.0, 0, []

    def pour(self, v):
        self.level = self.level + v
        self.poured.append(v)
        self.check()
        self.number += 1

    def check(self):
        if self.level > 1.5:
            raise Full("the tank")


def in_a_loop(x):
    rows = []
    try:
        for v in x - 0.5:
            push(rows, v * v * np.sign(v))
    except ValueError:
        rows.append(x[2])
    return sum(rows)


def one_after_the_other(x):
    a = np.zeros(3)
    try:
        put(a, 0, x[0])
        put(a, 1, x[1] * 2.0)
        put(a, 2, x[2])
    except OverflowError:
        pass
    return np.sum(a * x)


def by_methods_that_call_others(x):
    tank = Tank()
    try:
        for v in x:
            tank.pour(v * v)
    except Full:
        tank.level *= 0.5
    return tank.level * tank.number + sum(tank.poured) * x[0]


def in_attempts_of_a_loop(x):
    tank, y = Tank(), 0.0
    for v in x:
        try:
            tank.pour(2.0 * v)
        except Full:
            y += tank.level
            tank.level = v
    return y * tank.level


def whose_exception_is_read(x):
    rows = []
    try:
        push(rows, x[0] - 0.5)
        push(rows, x[1])
    except ValueError as error:
        rows.append(x[2] * len(str(error)))
    finally:
        rows.append(x[1])
    return sum(v * v for v in rows)


def that_returns_else(x):
    def scaled(rows, v):
        rows[0] = rows[0] + v
        if v > 0.65:
            raise Full
        return v * rows[0]

    rows, y = [1.0], x[0]
    for v in x:
        try:
            y = scaled(rows, v)
        except Full:
            rows[0] = rows[0] * 0.9
    return y * rows[0]


@pytest.mark.parametrize("x", SAMPLES, ids=["one", "other"])
@pytest.mark.parametrize(
    "f",
    [
        in_a_loop,
        one_after_the_other,
        by_methods_that_call_others,
        in_attempts_of_a_loop,
        whose_exception_is_read,
        that_returns_else,
    ],
    ids=lambda f: f.__name__,
)
def test_how_far_they_came_is_known(f, x):
    check_grads(f, x, order=2, replay=True)
