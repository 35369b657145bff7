"""Adjoints of names that are not bound on every way: their zeros ask nothing of the name."""

import numpy as np
import pytest

import tapeless as tl
from tapeless import testing
from tests import laws

X = np.array([0.3, -0.7, 0.5])


class Pair:
    def __init__(self, a, b):
        self.a = a
        self.b = b


def last_of_a_loop(x, n):
    for _ in range(2):
        d = x * x
    return np.sum(x * d)


def of_another_shape(x, n):
    for k in range(2):
        d = x[: k + 2] * x[0]
    return np.sum(d * d)


def read_in_the_next_trip(x, n):
    y = 0.0
    for k in range(n):
        if k > 0:
            y += np.sum(d * d)  # noqa: F821
        d = x * (k + 1.0)
    return y


def of_a_while(x, n):
    k = 0
    while k < n + 1:
        d = np.outer(x, x) * k
        k += 1
    return np.sum(d @ x)


def a_list(x, n):
    for k in range(2):
        if x[0] > 0:
            r = [2.0, x[2] * x[k]]
    return r[0] * r[1] ** 2


def a_dict(x, n):
    for k in range(2):
        r = {"a": x[k] * x[k], "b": x}
    return r["a"] * np.sum(r["b"] ** 2)


def an_object(x, n):
    for k in range(2):
        p = Pair(x[k] ** 2, x)
    return p.a * np.sum(p.b**3)


def in_a_branch(x, n):
    y = np.sum(x)
    if n > 0:
        d = x * x
    y = y * y
    if n > 0:
        y += np.sum(d * x)
        d = np.sin(d)
    if n > 0:
        y += np.sum(d**3)
    return y


def after_a_jump(x, n):
    y = 0.0
    for k in range(3):
        if k == n:
            break
        d = x * y + x
        y += np.sum(d * d) * 0.1
    else:
        d = x * x * x
    return y + np.sum(d) if n > 0 else y


def in_a_callee(x, n):
    def last(v, m):
        for k in range(m + 1):
            w = v * v * (k + 1.0)
        return w

    y = 0.0
    for k in range(2):
        y += np.sum(last(x * y + x, k))
    return y


def scaled(a, b):
    return a * np.cos(b)


def a_call_in_a_branch(x, n):
    if n > 0:
        z = np.sin(x) * scaled(x, x)
    else:
        z = x * x
    return np.sum(z)


def a_call_in_a_loop(x, n):
    for k in range(n):
        z = np.sin(x) * scaled(x, x) * k
    return np.sum(z * z) if n else np.sum(x * x)


def whole_or_reshaped(x, n):
    p = x.reshape(3)
    q = p if n > 0 else x
    return np.sum(q) + x**2


def one_of_two_in_a_branch(x, n):
    if n > 0:
        v = x * x
    else:
        v = np.sin(x)
    q = v
    w = q
    return np.sum(w) * x


def one_of_two_in_a_loop(x, n):
    s = 0.0
    for k in range(2):
        v = x * x if k < n else np.sin(x)
        q = v
        s = s + np.sum(q) * x[0]
    return s


def one_of_two_by_a_callee(x, n):
    return whole_or_reshaped(x * 1.0, n) * np.sum(x)


def unpacked_where_always_true(x, n):
    held = {0}
    if held:
        held.clear()
        u, _ = x.copy(), 0
    u[1:] = u[1:] + n * u[:-1]
    return np.sum(u**2)


def unpacked_in_a_loop(x, n):
    for _ in range(n + 1):
        u, d = x.copy(), x * x
    u[0] = u[1] * d[2]
    return np.sum(u**2 * d)


def unpacked_in_a_try(x, n):
    try:
        u, k = x * 1.0, n
    finally:
        n += 1
    u[k] = u[1] * u[1]
    return np.sum(u**2)


def bound_by_a_loop_in_a_branch(x, n):
    try:
        k = 0
    except ZeroDivisionError:
        raise
    if n < 1 + k:
        return x[2] * max(x[0], x[1])
    m = np.outer(x, x).T
    for _ in range(3):
        v = m[:, 0]
        for t in m[:, n]:
            k += t > 0.0
    return np.sum(v) + np.sum(m)


def bound_by_a_loop_after_a_jump(x, n):
    y = 0.0
    for k in range(3):
        if k < n:
            continue
        for j in range(2):
            d = x * (j + y)
        y += np.sum(d * d)
    return y


FUNCTIONS = [
    bound_by_a_loop_in_a_branch,
    bound_by_a_loop_after_a_jump,
    unpacked_where_always_true,
    unpacked_in_a_loop,
    unpacked_in_a_try,
    whole_or_reshaped,
    one_of_two_in_a_branch,
    one_of_two_in_a_loop,
    one_of_two_by_a_callee,
    last_of_a_loop,
    of_another_shape,
    read_in_the_next_trip,
    of_a_while,
    a_list,
    a_dict,
    an_object,
    in_a_branch,
    after_a_jump,
    in_a_callee,
    a_call_in_a_branch,
    a_call_in_a_loop,
]


@pytest.mark.parametrize("n", [0, 2])
@pytest.mark.parametrize("f", FUNCTIONS)
def test_first_and_second_order(f, n):
    laws.check_function(f, (X, n))


@pytest.mark.parametrize("f", [a_call_in_a_branch, last_of_a_loop])
@pytest.mark.parametrize("n", [0, 1])
def test_reverse_over_reverse(f, n):
    rng = np.random.default_rng(0)
    laws.check_second_order(f, (X, n), (0,), rng, twice=True)


def test_the_text_reads_what_has_the_same_shape():
    text = tl.source(last_of_a_loop, like=(X, 1))
    assert "d_bar = np.zeros_like(x)" in text
    assert "append" not in text


@pytest.mark.parametrize("n", [0, 2])
@pytest.mark.parametrize("f", FUNCTIONS)
def test_replay(f, n):
    testing.check_replay(f, X, n)


class Asked:
    def __init__(self, value):
        self._value = value

    @property
    def value(self):
        self.last = self._value
        return self._value


def read_for_nothing(x, n):
    asked = Asked(x[0] * x[1])
    if n:
        scaled = asked.value * x[2]
    _unread = scaled + asked.last
    return np.sum(x * asked.last)


def test_a_tangent_that_nobody_reads_reads_nothing():
    laws.check_function(read_for_nothing, (X, 1))
    assert "scaled_dot" not in tl.source(read_for_nothing, "jvp", like=(X, 1))
