"""Second derivatives of functions that are returned, and keep a count of their own."""

import numpy as np
import pytest

import tapeless as tl

X = np.array([0.3, -0.4, 0.5])


def counter(k):
    count = 0.0

    def step(u):
        nonlocal count
        count = count + np.sum(u) * 0.1
        return u * count + k

    return step


def averaging(rate):
    mean, steps = None, 0

    def update(u):
        nonlocal mean, steps
        steps += 1
        mean = u if mean is None else (1.0 - rate) * mean + rate * u
        return mean / (1.0 - rate**steps)

    return update


def called_once(x, s):
    return np.sum(counter(s)(x) ** 2)


def called_twice(x, s):
    step = counter(s)
    return np.sum((step(x) + step(x * x)) ** 2)


def called_in_a_loop(x, s):
    step, total = counter(s), 0.0
    for i in range(3):
        total = total + np.sum(step(x * i) ** 2)
    return total


def two_of_them(x, s):
    one, other = counter(s), counter(s * s)
    return np.sum(one(x) * other(x * x) + one(other(x)))


def with_an_array(x, s):
    update = averaging(s)
    y = update(x)
    y = update(y * x)
    return np.sum(y**2)


CASES = [called_once, called_twice, called_in_a_loop, two_of_them, with_an_array]


@pytest.mark.parametrize("f", CASES, ids=[f.__name__ for f in CASES])
def test_their_second_derivatives(f):
    tl.check_grads(f, X, 0.6, order=2, replay=True)
