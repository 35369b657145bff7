"""Functions that ask a clock on their way: what they are told is a number, and another one each time."""

import time

import numpy as np
import pytest

import tapeless as tl


class Timer:
    def __init__(self):
        self.elapsed = 0.0

    def __enter__(self):
        self._start = time.perf_counter()
        return self

    def __exit__(self, *exc):
        self.elapsed += time.perf_counter() - self._start
        return False


def timed_in_a_with_block(x):
    with Timer() as timer:
        y = np.sum(x**2)
    assert timer.elapsed >= 0.0
    return y


def summed_in_a_loop(x):
    start, elapsed = time.monotonic(), 0.0
    for _ in range(3):
        x = x * 1.1
        elapsed += time.monotonic() - start
    return np.sum(x**2) if elapsed < 1e9 else 0.0


class Budget:
    def __init__(self, seconds):
        self.until = time.time() + seconds
        self.spent = 0.0

    def is_left(self):
        self.spent += time.process_time()
        return time.time() < self.until


def until_the_time_is_up(x):
    budget = Budget(1e6)
    for _ in range(4):
        if not budget.is_left():
            break
        x = np.sin(x)
    return np.sum(x)


@pytest.mark.parametrize("f", [timed_in_a_with_block, summed_in_a_loop, until_the_time_is_up])
def test_laws(f):
    tl.check_grads(f, np.array([1.1, 0.7]), order=2)
