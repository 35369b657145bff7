"""What a `finally` does after a `return` above it is undone as what comes before it."""

import numpy as np
import pytest

import tapeless as tl
from tapeless import testing
from tests import laws

X = np.array([0.7, 0.3, 1.2])
COUNTS = {"n": 0.0}


def a_number_bound_below(x, c):
    y = x * 2.0
    n = 0
    try:
        if c > 0:
            return y
        y = y * x
    finally:
        while n < 3:
            y = y * np.sin(y)
            n = n + 1
        y = np.exp(y)
    return y * 3.0


def a_branch_below(x, c):
    y = x * 2.0
    z = x.copy()
    try:
        if c > 0:
            return np.sum(y)
        y = y * x
    finally:
        if z[0] > 0:
            y = y * z
            x[1] = z[1] * z[0]
    return np.sum(y * 3.0)


def lists_in_a_loop_below(x, c):
    try:
        test = c > 0
        if test:
            return 0.3
    finally:
        for t in np.full(3, x):
            items = []
            items.append(t)
    return items[0] * x


def out_of_a_loop(x, c):
    y = x
    for k in range(3):
        try:
            y = y * x
            if k > c:
                return y * y
        finally:
            w = np.sin(y)
            y = y + w * w
    return y


def one_within_another(x, c):
    y = x * x
    try:
        try:
            if c > 0:
                return y * x
        finally:
            v = np.sin(y)
            y = v * y
        y = y * v
    finally:
        u = np.cos(y)
        y = u * y
    return y


def in_a_callee(x, c):
    return a_number_bound_below(x * x, c) * one_within_another(x, c)


def a_list_that_is_changed_below(x, c):
    out = []
    try:
        if c > 0:
            return x * x, out
    finally:
        out.append(x * np.sin(x))
    return x, out


def an_array_that_is_changed_below(x, c):
    out = np.zeros(2)
    try:
        for k in range(3):
            if k > c:
                return x * k, out
    finally:
        out[0] = x * x
        out[1] = out[0] * x
    return x, out


def a_tuple_in_a_dict_that_is_changed_below(x, c):
    out = {}
    try:
        if c > 0:
            return x * x, out
    finally:
        out["a"] = (x * np.sin(x), x)
    return x, {"a": (x, 1.0)}


def of_lists(x, c):
    y, out = a_list_that_is_changed_below(x, c)
    return y * out[0]


def of_arrays(x, c):
    y, out = an_array_that_is_changed_below(x, c)
    return y * out[0] + out[1]


def of_dicts(x, c):
    y, out = a_tuple_in_a_dict_that_is_changed_below(x, c)
    return y * out["a"][0] + out["a"][1]


def out_of_loops(x, c):
    y = x * x
    try:
        for i in range(3):
            for k in range(3):
                if k * i > c + 2.5:
                    return y * k
                y = y * 1.1
            y = y + x
        else:
            y = np.sin(y)
        y = y * 2.0
        if c > 0:
            return y * x
        y = y * 3.0
    finally:
        x = np.cos(x * y)
    return y * x


def in_a_handler(x, c):
    try:
        n = int("3" if c > 0 else "three")
        return x**n
    except ValueError:
        return np.sin(x)
    finally:
        x = x * 2.0


def in_a_local_function(x, c):
    def inner(v):
        try:
            if c > 0:
                return v * x
            return v
        finally:
            v *= 2.0

    return inner(x * x) * inner(x)


def weighed_again(x, c):
    done = []
    try:
        for v in x:
            if v > 1.0:
                return v * x[0]
    finally:
        done.append(c)
    return x[1] * x[0] * done[0]


NUMBERS = [
    out_of_loops, in_a_handler, in_a_local_function,
    a_number_bound_below, lists_in_a_loop_below, out_of_a_loop, one_within_another,
]  # fmt: skip


@pytest.mark.parametrize("c", [1.0, -1.0])
@pytest.mark.parametrize("f", [*NUMBERS, in_a_callee])
def test_state_that_a_finally_binds_is_handed_over(f, c):
    laws.check_function(lambda x: f(x, c), (0.7,), smooth=True)
    testing.check_replay(f, 0.7, c)


@pytest.mark.parametrize("c", [1.0, -1.0])
@pytest.mark.parametrize("f", [of_lists, of_arrays, of_dicts])
def test_what_is_returned_is_changed_in_a_finally(f, c):
    tl.check_grads(lambda x: f(x, c), 0.7, order=1)
    testing.check_replay(f, 0.7, c)


@pytest.mark.parametrize("c", [1.0, -1.0])
def test_a_branch_in_a_finally(c):
    tl.check_grads(lambda x: a_branch_below(x, c), X.copy())
    testing.check_replay(a_branch_below, X.copy(), c)


def counted(x, c):
    try:
        if c > 0:
            return x * x
        x = x * 3.0
    finally:
        COUNTS["n"] = COUNTS["n"] + 1.0
    return x


@pytest.mark.parametrize("c", [1.0, -1.0])
def test_state_outside_is_stored_into_once(c):
    COUNTS["n"] = 0.0
    y, pullback = tl.vjp(counted, 1.5, c)
    assert y == (2.25 if c > 0 else 4.5)
    assert pullback(1.0)[0] == pullback(1.0)[0] == 3.0
    assert COUNTS["n"] == 1.0
    testing.check_replay(counted, 1.5, c)


@pytest.mark.parametrize("c", [1.0, -1.0])
@pytest.mark.parametrize("shift", [0.0, 1.0])
def test_second_order_out_of_a_loop(c, shift):
    rng = np.random.default_rng(0)
    laws.check_second_order(weighed_again, (X + shift - 0.5, c), (0,), rng, twice=True)


def out_of_an_endless_loop(x, c):
    try:
        if c > 0:
            while True:
                return x
        return x * x
    finally:
        x = 2.0


def out_of_two_branches(x, c):
    try:
        if c > 0:
            if c > 1.0:
                return x * 3.0
        return x * x
    finally:
        x = 2.0


class Turned:
    def __init__(self, angle):
        self.angle = angle

    def __enter__(self):
        return np.cos(self.angle)

    def __exit__(self, kind, error, trace):
        self.angle = self.angle * 0.5


def out_of_a_context(x, c):
    with Turned(x) as turned:
        if c > 0:
            for k in range(3):
                if k == c:
                    return turned * k
        return turned * x


@pytest.mark.parametrize("c", [2.0, 0.5, -1.0])
@pytest.mark.parametrize("f", [out_of_an_endless_loop, out_of_two_branches, out_of_a_context])
def test_results_of_two_returns(f, c):
    laws.check_orders(f, 1.3, c)
    value, gradient = tl.value_and_grad(f)(1.3, c)
    assert (value, gradient) == (f(1.3, c), tl.grad(f)(1.3, c))
