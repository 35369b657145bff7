"""What is faster runs, where it is measured; arguments are stored into once."""

import time

import numpy as np

from tapeless.lower import lowered
from tapeless.lower.measured import LARGE, by_turns, faster


def slow(x):
    time.sleep(0.002)
    x += 1.0
    return "slow"


def quick(x):
    x += 1.0
    return "quick"


def test_the_faster_one_runs_and_stores_once():
    for f, g in ((slow, quick), (quick, slow)):
        run = faster(f, g, (0,), 0)
        for n in (3, 3, 5000):
            x = np.zeros(n)
            assert run(x) == "quick"
            assert np.all(x == 1.0)


def test_small_arguments_are_not_measured():
    assert faster(slow, quick, (0,), LARGE)(np.zeros(3)) == "slow"


def test_loops_over_numbers_are_never_measured():
    def of_numbers(x):
        total = 0.0
        for i in range(len(x)):
            total += x[i]
        return total

    def of_arrays(x, n):
        y = x * 1.0
        for _ in range(n):
            y = y + np.sin(y)
        return y

    def straight(x):
        return np.sum(x * x)

    x = np.ones(4)
    assert lowered(of_numbers, [x]).measured_from is None
    assert lowered(of_arrays, [x, 3]).measured_from == LARGE
    assert lowered(straight, [x]).measured_from == 0


def test_two_run_by_turns_each_once_at_each_call():
    chosen, ran = [], []

    def slow(x):
        ran.append("slow")
        time.sleep(0.002)
        return x

    def quick(x):
        ran.append("quick")
        return x

    run = by_turns(slow, quick, chosen.append)
    for k in range(10):
        assert run(k) == k
    assert ran == ["slow", "quick"] * 5
    assert chosen == [quick]
