"""Callees that store into their own defaults, or into what stars pass: a call leaves there what it did."""

import numpy as np
import pytest

from tests.regressions.state_laws import check


def a_list():
    def push(v, store=[]):  # noqa: B006
        store.append(1.0)
        return v * len(store)

    def f(x):
        return np.sum(push(x) * x)

    return f, push.__defaults__


def a_dict_by_keyword():
    def push(v, *, store={"n": 1.0}):  # noqa: B006
        store["n"] *= 2.0
        return store["n"] * v

    def f(x):
        return np.sum(push(x) * push(x))

    return f, push.__kwdefaults__


def an_array_in_a_loop():
    def push(v, store=np.ones(3)):  # noqa: B008
        store *= 2.0
        return store * v

    def f(x):
        total = 0.0
        for _ in range(2):
            total += np.sum(push(x) * x)
        return total

    return f, push.__defaults__


def of_a_method():
    class Counter:
        def add(self, v, seen=[0.0]):  # noqa: B006
            seen[0] += 1.0
            return v * seen[0]

    def f(x):
        counter = Counter()
        return np.sum(counter.add(x) * counter.add(x * x))

    return f, Counter.add.__defaults__


def what_a_star_passes():
    log = [[1.0]]

    def push(v, *rest):
        rest[0].append(2.0)
        return v * len(rest[0])

    def f(x):
        return np.sum(push(x, log[0]) * x)

    return f, log


def what_keywords_pass():
    log = [[1.0]]

    def push(v, **rest):
        rest["to"].append(2.0)
        return v * len(rest["to"])

    def f(x):
        return np.sum(push(x, to=log[0]) * x)

    return f, log


@pytest.mark.parametrize(
    "make",
    [
        a_list,
        a_dict_by_keyword,
        an_array_in_a_loop,
        of_a_method,
        what_a_star_passes,
        what_keywords_pass,
    ],
    ids=lambda make: make.__name__,
)
def test_is_as_after_one_plain_call(make):
    check(make)
