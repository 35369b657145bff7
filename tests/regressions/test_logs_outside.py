"""What is only added to, and never read, is not undone: its derivatives stay plain at every order."""

import numpy as np
import pytest

import tapeless as tl
from tests.regressions.state_laws import check, check_second_order


class Log:
    def __init__(self):
        self.n = 0
        self.items = []


def inline():
    o = Log()

    def f(x):
        o.n += 1
        return np.sum(x * x * x)

    return f, o


def inline_log():
    o = Log()

    def f(x):
        o.items.append(1)
        return np.sum(x * x * x)

    return f, o


def inline_list():
    L = [0]

    def f(x):
        L[0] += 1
        return np.sum(x * x * x)

    return f, L


def callee():
    o = Log()

    def bump():
        o.n += 1

    def f(x):
        bump()
        return np.sum(x * x * x)

    return f, o


def callee_log():
    L = []

    def bump():
        L.append(1)

    def f(x):
        bump()
        return np.sum(x * x * x)

    return f, L


def callee_arr():
    L = np.zeros(2)

    def bump():
        L[0] += 1

    def f(x):
        bump()
        return np.sum(x * x * x)

    return f, L


def callee_dict():
    L = {"n": 0}

    def bump():
        L["n"] += 1

    def f(x):
        bump()
        return np.sum(x * x * x)

    return f, L


def logs_varied():
    L = []

    def f(x):
        y = np.sum(x * x * x)
        L.append(y)
        return y

    return f, L


def logs_varied_callee():
    L = []

    def note(v):
        L.append(v)

    def f(x):
        y = np.sum(x * x * x)
        note(y)
        return y * y

    return f, L


PROGRAMS = [
    inline, inline_log, inline_list, callee, callee_log, callee_arr, callee_dict, logs_varied,
    logs_varied_callee,
]  # fmt: skip


@pytest.mark.parametrize("make", PROGRAMS)
def test_logs(make):
    check(make)
    check_second_order(make)


def test_a_log_is_not_undone():
    log = []

    def f(x: float):
        log.append(x)
        return x * x

    assert "pop" not in tl.source(f)


def test_a_log_that_is_read_by_another_name_is_undone():
    log = [2.0]

    def f(x):
        y = x * log[0]
        same = [log]
        log[0] += 1.0
        return y * same[0][0]

    assert tl.grad(f)(3.0) == 6.0
    assert log == [3.0]
