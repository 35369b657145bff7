"""Second derivatives of lists that are stored into rows of an array, as right-hand sides return them."""

import numpy as np
import pytest

from tests import laws

X = np.array([0.3, 0.5])


def pair(a, b):
    return [a * b, np.sin(a)]


def rows(x):
    p = np.zeros((2, 2))
    for i in range(2):
        p[i] = pair(x[0] * i, x[1])
    return np.sum(p**3)


def rows_of_tuples(x):
    p = np.zeros((2, 2))
    for i in range(2):
        p[i] = tuple(pair(x[0] * i, x[1]))
    return np.sum(p**3)


def nested(x):
    p = np.zeros((2, 2, 2))
    for i in range(2):
        p[i] = [pair(x[0] * i, x[1]), [1.0, 2.0]]
    return np.sum(p**3)


def broadcast(x):
    p = np.zeros((3, 2))
    p[1:] = pair(x[0], x[1])
    return np.sum(p**3)


@pytest.mark.parametrize("f", [rows, rows_of_tuples, nested, broadcast])
def test_laws_and_replay(f):
    laws.check_orders(f, X)


def pendulum(t, y):
    return [y[1], -np.sin(y[0])]


def test_a_right_hand_side_that_returns_a_list():
    integrate = pytest.importorskip("scipy.integrate")

    def end(y0):
        found = integrate.solve_ivp(pendulum, (0.0, 1.0), y0, rtol=1e-9, atol=1e-10)
        return found.y[0, -1]

    laws.check_orders(end, X)
