"""What a class holds is another thing with each store: the reverse sweep asks for what it held then."""

import numpy as np
import pytest

from tapeless.testing import check_grads

X = np.array([1.3, 2.1, -0.4])


class Settings:
    mode = "slow"
    count = 2
    start = 0
    ready = True
    rate = 2.0


class Mode:
    current = "sine"

    def __init__(self, mode):
        self.mode = mode

    def __enter__(self):
        self.before = Mode.current
        Mode.current = self.mode

    def __exit__(self, *failure):
        Mode.current = self.before


def step(x):
    return x * 2.0 if Settings.mode == "slow" else x**2


def branches(x):
    Settings.mode = "slow"
    first = step(x)
    Settings.mode = "fast"
    return first @ step(x)


def put_back_at_the_end(x):
    before = Settings.mode
    Settings.mode = "fast"
    try:
        y = step(x)
    finally:
        Settings.mode = before
    return y @ step(x)


def activation(x):
    return np.sin(x) if Mode.current == "sine" else np.cos(x) * x


def within_a_context(x):
    with Mode("cosine"):
        y = activation(x)
    return y @ activation(x)


def repeated(x):
    y = x
    for _ in range(Settings.count):
        y = y * x
    return y


def until_counted(x):
    y, k = x, 0
    while k < Settings.count:
        y = np.sin(y) * x
        k += 1
    return y


def bounds_of_loops(x):
    Settings.count = 1
    a, b = repeated(x), until_counted(x)
    Settings.count = 3
    c, d = repeated(x), until_counted(x)
    Settings.count = 0
    return a @ c + b @ d


def entry(x):
    return x[Settings.start] * x[Settings.start + 1] ** Settings.count


def places_and_powers(x):
    Settings.count, Settings.start, Settings.rate = 2, 0, 2.0
    a = entry(x) * np.sin(x * Settings.rate)
    Settings.count, Settings.start, Settings.rate = 3, 1, 0.5
    b = entry(x) * Settings.rate
    Settings.start = 0
    return a * b


def in_a_loop(x):
    total = 0.0
    Settings.count = 0
    for v in x:
        Settings.count += 1
        if Settings.count % 2:
            total += v * v
        else:
            total = total * v
    return total


def by_a_local_function(x):
    def turn(v):
        if Settings.ready and v > 0.0:
            Settings.ready = False
            return v * v
        Settings.ready = True
        return v * 3.0

    return sum(turn(v) * x[0] for v in x)


def until_left(x):
    y = x
    Settings.count = 2
    while True:
        Settings.count = Settings.count + 1
        y = y * x
        if Settings.count > 4:
            break
    return y


@pytest.mark.parametrize(
    "function",
    [branches, put_back_at_the_end, within_a_context, bounds_of_loops, places_and_powers, in_a_loop,
     by_a_local_function, until_left],
)  # fmt: skip
def test_settings_of_classes(function):
    check_grads(function, X, replay=True)
