"""Classes, and names that functions bind by `global`, hold what varies: totals, states, the last value."""

import numpy as np
import pytest

import tapeless as tl
from tapeless.testing import check_grads

X = np.array([0.3, 0.7, 1.2])
TOTAL, LAST, FIELD, ROWS = 2.0, None, np.ones(3), []


class Tally:
    total, number, last = 1.0, 0, 0.5
    field = np.ones(3)

    def scaled(self, v):
        Tally.number += 1
        Tally.last = v
        return v * Tally.number

    @classmethod
    def add(cls, v):
        cls.total += v * v
        cls.number += 1

    @staticmethod
    def mean():
        return Tally.total / Tally.number


class Narrow(Tally):
    pass


def add(v):
    global TOTAL
    TOTAL = TOTAL + np.sin(v)


def remember(v):
    global LAST
    LAST = v
    return v * 2.0


def multiply(n, x):
    global TOTAL
    if n == 0:
        return
    TOTAL *= np.sin(x[n - 1])
    multiply(n - 1, x)


def sum_of_squares(x):
    global TOTAL
    TOTAL = 0.0
    for v in x:
        TOTAL += v * v
    return np.sqrt(TOTAL)


def by_a_function(x):
    for v in x:
        add(v)
    return TOTAL * x[0]


def by_recursion(x):
    multiply(3, x)
    return TOTAL


def the_last_one_on_some_ways(x):
    s = 0.0
    for v in x:
        s += remember(v)
        if v > 0.5:
            s *= LAST
    return s


def put_back_in_the_end(x):
    global TOTAL
    before = TOTAL
    TOTAL = x[0]
    try:
        return TOTAL * x[1] + before
    finally:
        TOTAL = before


def an_array_stored_into(x):
    global FIELD
    FIELD = np.zeros(3)
    FIELD[0] = x[0] * x[1]
    field = FIELD
    field[1] = x[1] ** 2
    field[0] = x[2] * 2.0
    return (FIELD * x).sum()


def a_list_that_grows(x):
    global ROWS
    ROWS = []
    for v in x:
        ROWS.append(v * v)
    ROWS[0] = x[1]
    return ROWS[0] * ROWS[1]


def of_a_class(x):
    Tally.total = 0.0
    for v in x:
        Tally.total += v * v
        Tally.number += 1
    return np.sqrt(Tally.total)


def by_methods(x):
    tally, s = Tally(), 0.0
    for v in x:
        s += tally.scaled(v) * Tally.last
    return s


def by_class_methods(x):
    for v in x:
        Tally.add(v)
    return Tally.mean()


def an_array_of_a_class(x):
    Tally.number += 1
    Tally.field[0] = Tally.field[0] * 0.5 + x[0]
    Tally.field = Tally.field * 1.0
    Tally.field[1] = x[2]
    return (Tally.field * x).sum()


FOLLOWED = [
    sum_of_squares, by_a_function, by_recursion, the_last_one_on_some_ways, put_back_in_the_end,
    an_array_stored_into, a_list_that_grows, of_a_class, by_methods, by_class_methods,
    an_array_of_a_class,
]  # fmt: skip


def from_the_start():
    global TOTAL, LAST, FIELD, ROWS
    TOTAL, LAST, FIELD, ROWS = 2.0, None, np.ones(3), []
    Tally.total, Tally.number, Tally.last, Tally.field = 1.0, 0, 0.5, np.ones(3)


def held():
    arrays = [FIELD.tolist(), Tally.field.tolist()]
    return TOTAL, LAST, list(ROWS), Tally.total, Tally.number, Tally.last, *arrays


@pytest.mark.parametrize("f", FOLLOWED, ids=lambda f: f.__name__)
def test_both_modes(f):
    def started(x):
        from_the_start()
        return f(x)

    check_grads(started, X, order=1, replay=True)


@pytest.mark.parametrize("f", FOLLOWED, ids=lambda f: f.__name__)
def test_left_as_by_one_call(f):
    from_the_start()
    value = f(X)
    expected = held()
    from_the_start()
    assert tl.value_and_grad(f)(X)[0] == value
    assert held() == expected
    from_the_start()
    _, pullback = tl.vjp(f, X)
    from_the_start()
    before = held()
    [first] = pullback(1.0)
    [again] = pullback(1.0)
    assert held() == before
    assert first.tolist() == again.tolist() == tl.grad(f)(X).tolist()


def found_in_an_object(x):
    Tally.last = x[0]
    return Tally().last * x[1]


def found_in_a_subclass(x):
    Tally.last = x[0]
    return Narrow.last * x[1]


@pytest.mark.parametrize("f", [found_in_an_object, found_in_a_subclass])
def test_found_by_another_way(f):
    with pytest.raises(tl.GradientError, match="is found through an object or a subclass"):
        tl.grad(f)(X)


def reset():
    global TOTAL
    TOTAL = 0.0


def emptied_between(x):
    reset()
    for v in x:
        add(v)
    first = TOTAL
    reset()
    add(x[1] * x[2])
    return first * TOTAL


def bound_there_for_the_first_time(x):
    global FIRST, SECOND
    FIRST, SECOND = x[0], x[1]
    FIRST, SECOND = SECOND, FIRST * SECOND
    return FIRST - SECOND * x[2]


def test_bound_for_the_first_time():
    gradient = tl.grad(bound_there_for_the_first_time)(X)
    assert np.allclose(gradient, [-X[1] * X[2], 1.0 - X[0] * X[2], -X[0] * X[1]])
    assert (FIRST, SECOND) == (X[1], X[0] * X[1])  # noqa: F821
    check_grads(bound_there_for_the_first_time, X, order=1, replay=True)


def test_emptied_by_a_function():
    check_grads(emptied_between, X, order=1, replay=True)
    hessian = tl.hessian(emptied_between)(X)
    assert np.allclose(hessian, tl.jacobian(tl.grad(by_name_of_its_own))(X))


def by_name_of_its_own(x):
    return np.sum(np.sin(x)) * np.sin(x[1] * x[2])
