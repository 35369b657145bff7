"""A loop that one `return` leaves is one that `break` leaves; others keep their returns where they stand."""

import numpy as np
import pytest

import tapeless as tl
from tapeless import testing
from tests import laws

X = np.array([0.6, -1.4, 2.3, 0.9])
POINTS = [X, X[::-1].copy(), 0.1 * np.abs(X) + 0.01, -X]


def of_an_item(x):
    for v in x:
        if v > 1.0:
            return v * v
    return 0.0 * x[0]


def of_two_loops(x):
    for k in range(4):
        d = x[k] * x[0]
        if d > 0.5:
            y = d * d
            return y * x[k]
    for v in x:
        if v < 0:
            return v * 3
        d = d + v
    return d


def of_a_nested_branch(x):
    k = 0
    while k < 4:
        if x[k] > 1:
            if x[k] > 2:
                return np.sum(x[:k] * x[k])
        k += 1
    if x[0] > 0:
        return x[0]
    else:
        return x[1] * x[2]


def of_an_endless_loop(x):
    t = x * 1.0
    while True:
        t *= 1.3
        if np.sum(t * t) > 30:
            t[0] = x[1]
            return np.sum(t * x)


def followed_by_what_never_runs(x):
    while 1:
        x = x * 1.2
        if np.max(np.abs(x)) > 4:
            return np.sum(x * x)
    return 0.0


def at_once(x):
    for v in x:
        return v * x[0]
    return x[0] * 0


def within_a_branch(x):
    if x[0] > 0:
        for v in x:
            if v > 2:
                return v * x[1]
        return x[2]
    for v in x:
        if v < 0:
            return v
    return x[0]


def of_a_list_that_grows(x):
    out = []
    for v in x:
        out.append(v * v)
        if v > 2:
            return out[-1] * out[0] + len(out)
    return sum(out)


def beside_an_else(x):
    n = 0
    for v in x:
        if v > 5:
            continue
        n += 1
        if n == 3:
            return v * n
    else:
        n = 7
    return x[0] * n


def beside_an_else_that_returns(x):
    n = 1.0
    for v in x:
        if v > 2:
            return v * n
        n = n * v
    else:
        return x[0] * n
    return x[1]


def of_a_try(x):
    for v in x:
        try:
            if v > 2:
                return v * v
        finally:
            x = x * 1.1
    return x[0]


def of_an_inner_loop(x):
    for i in range(3):
        for v in x:
            if v > 2:
                return v * i
        x = x * 1.5
    return x[1]


def one_of_two(x):
    for v in x:
        if v > 2:
            return v * v
        if v < -1:
            return v * x[0]
    return x[1]


RETURNS = [
    of_an_item, of_two_loops, of_a_nested_branch, of_an_endless_loop, followed_by_what_never_runs,
    at_once, within_a_branch, of_a_list_that_grows, beside_an_else, beside_an_else_that_returns,
    of_a_try, of_an_inner_loop, one_of_two,
]  # fmt: skip


@pytest.mark.parametrize("f", RETURNS)
def test_returns_in_loops(f):
    for x in POINTS:
        laws.check_function(f, (x,))
        testing.check_replay(f, x)


def test_an_endless_loop_is_one_text():
    text = tl.source(of_an_endless_loop, like=(X,))
    assert "_rev" not in text and "break" in text


def is_small(x, tol):
    for v in x:
        if abs(v) > tol:
            return False
    return True


def of_the_module(x):
    y = x
    for _ in range(20):
        y = 0.5 * y
        if is_small(y, 0.05):
            break
    return np.sum(y * x)


def largest(x):
    found = 0.0
    for v in x:
        if abs(v) > found:
            found = abs(v)
            if found > 100.0:
                return found
    return found


def of_a_real_number(x):
    y = x
    while largest(y) < 5.0:
        y = y * 1.5
    return np.sum(y * y)


def of_a_local_function(x):
    def error(a):
        found = 0.0
        for v, w in zip(a, x):
            found = max(found, abs(v - w))
            if found > 50.0:
                return found
            if found < 0.0:
                return 0.0
        return found

    y, n = x * 0.5, 0
    while error(y) > 1e-2:
        y = y + 0.5 * (x - y)
        n += 1
    return np.sum(y * y) + n


def that_logs(x):
    log = []

    def size(a):
        log.append(1.0)
        return float(np.max(np.abs(a)))

    y = x
    while size(y) < 5.0:
        y = y * 1.5
    return np.sum(y) * len(log)


def that_counts(x):
    counts = {}

    def bump(k):
        counts[k] = counts.get(k, 0) + 1
        return counts[k]

    s = 0.0
    for v in x:
        if bump(v > 0) > 1:
            s = s + v * v
    return s


def read_by_a_test_on_one_way(x):
    z = largest(x[:2])
    if z > 1:
        w = x[1]
    else:
        w = x[2] * z
    return w


FOR_TESTS = [
    of_the_module, of_a_real_number, of_a_local_function, that_logs, that_counts,
    read_by_a_test_on_one_way,
]  # fmt: skip


@pytest.mark.parametrize("f", FOR_TESTS)
def test_calls_for_tests(f):
    for x in POINTS:
        laws.check_function(f, (x,))
        testing.check_replay(f, x)


def test_what_only_tests_read_has_no_adjoint():
    text = tl.source(of_a_real_number, like=(X,))
    assert "largest(y) < 5.0" in text and "largest_rev" not in text
    text = tl.source(of_a_local_function, like=(X,))
    assert "def error" in text and "error_rev" not in text
