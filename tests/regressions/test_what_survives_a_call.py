"""Pullbacks, exceptions, logs and threads: what is left of one call does not touch the next one."""

import copy
import threading

import numpy as np
import pytest

import tapeless as tl
from tests import laws

X = np.array([0.6, -1.4, 2.3, 0.9])

CONSTANT = np.array([1.5, -0.5, 2.0, 0.3])


class Box:
    def __init__(self, value):
        self.value = value
        self.count = 0

    def bump(self, c):
        self.value = self.value * c + self.count
        self.count += 1
        return self.value

    def content(self):
        return self.value


def prints_and_asserts(x):
    print("called with", x)
    assert np.all(x < 100.0), "too large"
    return np.sum(x**2)


def smoothed(x, c):
    y = x * 1.0
    for i in range(1, len(y) - 1):
        y[i] = y[i] + c * (y[i - 1] * y[i + 1])
    return y


def returns_its_stored_argument(x, c):
    for i in range(1, len(x) - 1):
        x[i] = x[i] + c * (x[i - 1] * x[i + 1])
    return x


@pytest.mark.parametrize("function", [smoothed, returns_its_stored_argument])
def test_pullback_twice_while_everybody_overwrites(function):
    x = X.copy()
    y, pullback = tl.vjp(function, x, 0.3)
    seed = np.array([1.0, -2.0, 0.5, 3.0])
    first = copy.deepcopy(pullback(seed))
    np.testing.assert_array_equal(x, X)
    np.testing.assert_array_equal(y, function(X.copy(), 0.3))
    y[:] = 0.0
    second = pullback(seed)
    laws.assert_identical(second, first, "the second pullback")
    second[0][:] = 0.0
    laws.assert_identical(pullback(seed), first, "the third pullback")
    laws.assert_identical(pullback(2.0 * seed)[1], 2.0 * first[1], "another seed")
    np.testing.assert_array_equal(seed, [1.0, -2.0, 0.5, 3.0])


def test_the_pullback_belongs_to_its_own_call():
    x = X.copy()
    _, first = tl.vjp(smoothed, x, 0.3)
    _, second = tl.vjp(smoothed, x * 2.0, 0.7)
    seed = np.ones(4)
    wanted = tl.vjp(smoothed, X, 0.3)[1](seed)
    second(seed)
    laws.assert_identical(first(seed), wanted, "a pullback after another call")


def fails_in_the_middle(x, n):
    for i in range(n):
        x[i] = x[i] * 2.0 + x[i - 1]
    return np.sum(x**2)


@pytest.mark.parametrize("transform", [tl.grad, tl.value_and_grad])
def test_an_exception_in_the_middle_of_a_store_loop(transform):
    g = transform(fails_in_the_middle)
    wanted = g(X.copy(), 4)
    left = X.copy()
    with pytest.raises(IndexError) as plain_error:
        fails_in_the_middle(left, 6)
    x = X.copy()
    with pytest.raises(IndexError) as error:
        g(x, 6)
    assert str(error.value) == str(plain_error.value)
    assert np.array_equal(x, left) or np.array_equal(x, X)
    laws.assert_identical(g(X.copy(), 4), wanted, "the call after the exception")


LOG = []

COUNTS = {"calls": 0}

CALLS = 0

STATE = np.zeros(4)


def counts_in_a_dict(x):
    COUNTS["calls"] += 1
    return x * x * COUNTS["calls"]


def counts_in_a_global(x):
    global CALLS
    CALLS += 1
    return x * x


def appends_to_a_log(x):
    LOG.append(len(LOG))
    return x * x * len(LOG)


def stores_into_a_global_array(x):
    for i in range(4):
        STATE[i] = STATE[i - 1] * 0.5 + np.sin(x[i])
    return np.sum(STATE**3)


def test_a_counter_in_a_global_dict_moves_by_one():
    g = tl.grad(counts_in_a_dict)
    COUNTS["calls"] = 4
    assert g(3.0) == 30.0
    assert COUNTS == {"calls": 5}
    assert tl.jvp(counts_in_a_dict, (3.0,), (1.0,))[1] == 36.0
    assert COUNTS == {"calls": 6}


def test_a_log_grows_by_one():
    LOG.clear()
    g = tl.grad(appends_to_a_log)
    assert [g(3.0), g(3.0)] == [6.0, 12.0]
    assert LOG == [0, 1]


def test_a_global_array_ends_as_after_one_plain_call():
    STATE[:] = 0.3
    stores_into_a_global_array(X)
    wanted_state = STATE.copy()
    wanted, error = laws.central_difference(lambda t: fresh_state(X + t * CONSTANT))
    STATE[:] = 0.3
    got = tl.grad(stores_into_a_global_array)(X)
    laws.assert_near(np.sum(got * CONSTANT), wanted, error, "the gradient")
    np.testing.assert_array_equal(STATE, wanted_state)
    STATE[:] = 0.3
    y, pullback = tl.vjp(stores_into_a_global_array, X)
    np.testing.assert_array_equal(STATE, wanted_state)
    laws.assert_near(np.sum(pullback(1.0)[0] * CONSTANT), wanted, error, "the pullback")
    laws.assert_near(np.sum(pullback(1.0)[0] * CONSTANT), wanted, error, "the pullback again")
    np.testing.assert_array_equal(STATE, wanted_state)


def fresh_state(x):
    STATE[:] = 0.3
    return stores_into_a_global_array(x)


def test_a_captured_object_ends_as_after_one_plain_call():
    box = Box(1.0)

    def f(x):
        for _ in range(3):
            box.value = box.value * x
            box.count += 1
        return box.value**2

    assert tl.grad(f)(2.0) == pytest.approx(6 * 2.0**5)
    assert (box.value, box.count) == (8.0, 3)


def test_prints_once(capsys):
    tl.grad(prints_and_asserts)(X)
    assert capsys.readouterr().out.count("called with") == 1
    _, pullback = tl.vjp(prints_and_asserts, X)
    pullback(1.0)
    pullback(1.0)
    tl.jvp(prints_and_asserts, (X,), (X,))
    assert capsys.readouterr().out.count("called with") == 2


def default_buffer(x, buffer=[0.5, 0.5]):  # noqa: B006
    buffer[0] = buffer[0] + 1.0
    return x * buffer[0]


def test_gradients_do_not_share_memory_with_captured_arrays():
    kept = CONSTANT.copy()
    got = tl.grad(lambda x: np.sum(x * CONSTANT))(X)
    np.testing.assert_array_equal(got, kept)
    got[:] = 0.0
    np.testing.assert_array_equal(CONSTANT, kept)
    _, pullback = tl.vjp(lambda x: x + CONSTANT, X)
    seed = np.ones(4)
    pullback(seed)[0][:] = 7.0
    np.testing.assert_array_equal(seed, np.ones(4))


def test_threads():
    g = tl.grad(lambda x: np.sum(smoothed(x, 0.3) ** 2))
    inputs = [X * (k + 1.0) for k in range(8)]
    wanted = [g(x) for x in inputs]
    found = [None] * 8

    def work(k):
        for _ in range(20):
            found[k] = g(inputs[k])

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for a, b in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(a, b)
