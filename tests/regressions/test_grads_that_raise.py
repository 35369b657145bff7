"""A `grad` that raises in the middle of a reverse sweep: arguments come back, state is as it ends."""

import copy

import numpy as np
import pytest

import tapeless as tl
from tests import laws

X = np.array([1.0, 2.0, 3.0])
TABLE = np.array([1.0, 2.0, 3.0])


class Broken(Exception):
    pass


@tl.custom_gradient
def spliced(x):
    def grad(dy):
        raise Broken("spliced")

    return np.sum(x * x), grad


@tl.custom_gradient
def called(x):
    def grad(dy):
        for i in range(3):
            if i == 2:
                raise Broken("called")
        return 2.0 * x * dy

    return np.sum(x * x), grad


def fails():
    raise Broken("in a helper")


@tl.custom_gradient
def by_a_helper(x):
    def grad(dy):
        fails()
        return 2.0 * x * dy

    return np.sum(x * x), grad


class Table:
    def look_up(self):
        raise Broken("in a method")

    def __getitem__(self, key):
        raise Broken("in an item")


@tl.custom_gradient
def by_a_method(x):
    table = Table()

    def grad(dy):
        return 2.0 * x * dy * table.look_up()

    return np.sum(x * x), grad


@tl.custom_gradient
def by_an_item(x):
    table = Table()

    def grad(dy):
        return 2.0 * x * dy * table["key"]

    return np.sum(x * x), grad


def with_a_rule(x):
    return np.sum(x * x)


@tl.register_gradient(with_a_rule)
def with_a_rule_rule(x):
    def grad(dy):
        raise Broken("in a rule")

    return with_a_rule(x), grad


def with_a_rule_by_a_helper(x):
    return np.sum(x * x)


@tl.register_gradient(with_a_rule_by_a_helper)
def with_a_rule_by_a_helper_rule(x):
    def grad(dy):
        fails()
        return 2.0 * x * dy

    return with_a_rule_by_a_helper(x), grad


def straight(x, h):
    x *= 2.0
    y = h(x)
    x[0] = 7.0
    return y * np.sum(x)


def inner(x, h):
    x[1] *= 3.0
    y = h(x)
    x[0] = 1.0
    return y


def in_a_callee(x, h):
    x *= 2.0
    y = inner(x, h)
    x *= 4.0
    return y * np.sum(x)


def in_a_loop(x, h):
    y = 0.0
    for i in range(3):
        x[i] *= 2.0
        y = y + h(x)
        x *= 1.5
    return y


def in_a_branch(x, h):
    x *= 2.0
    if x[0] > 0.0:
        y = h(x)
        x[1] = 4.0
    else:
        y = np.sum(x)
    x[0] = 7.0
    return y * np.sum(x)


def in_a_try(x, h):
    x *= 2.0
    try:
        y = h(x)
    finally:
        x *= 3.0
    return y * np.sum(x)


def before_an_early_return(x, h):
    x *= 2.0
    for i in range(3):
        if x[i] > 100.0:
            return np.sum(x)
        x[i] = h(x)
    return np.sum(x)


def dict_of_arrays(d, h):
    d["a"] *= 2.0
    y = h(d["a"])
    d["b"] = y
    d["a"] *= 3.0
    return y * np.sum(d["a"])


def list_appended(items, h):
    items.append(items[0] * 2.0)
    y = h(items[-1])
    items.append(y)
    return y * items[-1]


PROGRAMS = [
    (straight, X), (in_a_callee, X), (in_a_loop, X), (in_a_branch, X), (in_a_try, X),
    (before_an_early_return, X), (dict_of_arrays, {"a": X, "b": 1.0}), (list_appended, [X]),
]  # fmt: skip


@pytest.mark.parametrize(
    "h",
    [spliced, called, by_a_helper, by_a_method, by_an_item, with_a_rule, with_a_rule_by_a_helper],
)
@pytest.mark.parametrize(("f", "x"), PROGRAMS)
def test_arguments_come_back(f, x, h):
    for make in (tl.grad, tl.value_and_grad):
        given = copy.deepcopy(x)
        with pytest.raises(Broken):
            make(lambda x: f(x, h))(given)
        laws.assert_identical(given, x, "the argument")


def test_state_is_as_it_ends():
    def f(x):
        TABLE[0] *= 2.0
        y = spliced(x * TABLE)
        TABLE[1] = 5.0
        return y * np.sum(TABLE)

    with pytest.raises(Broken):
        tl.grad(f)(X.copy())
    np.testing.assert_array_equal(TABLE, [2.0, 5.0, 3.0])


def test_what_raises_in_the_forward_sweep_leaves_what_a_plain_call_leaves():
    @tl.custom_gradient
    def body_raises(x):
        if x[0] > 0.0:
            raise Broken("in the body")

        def grad(dy):
            raise Broken("in grad")

        return np.sum(x), grad

    def f(x):
        x *= 2.0
        return body_raises(x) * x[0]

    x = X.copy()
    with pytest.raises(Broken, match="in the body"):
        tl.grad(f)(x)
    np.testing.assert_array_equal(x, 2.0 * X)


def test_a_pullback_that_raises_can_be_called_again():
    asked = []

    @tl.custom_gradient
    def once(x):
        def grad(dy):
            asked.append(1)
            if len(asked) == 1:
                raise Broken("at first")
            return 2.0 * x * dy

        return np.sum(x * x), grad

    def f(x):
        x *= 2.0
        y = once(x)
        x[0] = 7.0
        return y * np.sum(x)

    x = X.copy()
    _, pullback = tl.vjp(f, x)
    with pytest.raises(Broken):
        pullback(1.0)
    np.testing.assert_array_equal(x, X)

    def plain(x):
        return np.sum(4.0 * x * x) * (7.0 + 2.0 * x[1] + 2.0 * x[2])

    np.testing.assert_allclose(pullback(1.0)[0], tl.grad(plain)(X))
