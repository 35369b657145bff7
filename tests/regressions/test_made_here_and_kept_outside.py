"""After a derivative, what was made in the function and kept outside holds what a call leaves in it."""

import copy

import numpy as np
import pytest

import tapeless as tl

X = np.array([0.3, 0.5, 0.9])
ITEMS = [None]


class Holder:
    pass


HOLDER = Holder()


def reset():
    ITEMS[0] = None
    vars(HOLDER).clear()
    HOLDER.v = None


def held(value):
    if isinstance(value, (Holder, Two)):
        return held(vars(value))
    if isinstance(value, dict):
        return [[key, held(part)] for key, part in value.items()]
    if isinstance(value, list):
        return [held(part) for part in value]
    return copy.deepcopy(value)


def array_stored_into_afterwards(x):
    a = x * 1.0
    ITEMS[0] = a
    a[0] = 7.0
    return np.sum(a * x)


def array_stored_into_before(x):
    a = x * 1.0
    a[0] = 7.0
    HOLDER.v = a
    return np.sum(a * x)


def comprehension(x):
    ITEMS[0] = [v * v for v in x]
    return ITEMS[0][1] * ITEMS[0][0]


def list_that_is_filled(x):
    squares = []
    HOLDER.v = squares
    for v in x:
        if v > 0.4:
            squares.append(v * v)
    return sum(squares)


def array_in_a_list_in_a_dict(x):
    a = x * 1.0
    ITEMS[0] = {"k": [a]}
    a[0] = 7.0
    a *= x
    return np.sum(a * x)


def made(x):
    squares = []
    for v in x:
        squares.append(v * v)
    return squares


def made_in_a_callee(x):
    ITEMS[0] = made(x)
    return sum(ITEMS[0])


def keep(x):
    a = x * 1.0
    ITEMS[0] = a
    a[1] = 5.0
    return a


def kept_in_a_callee(x):
    return np.sum(keep(x) * x)


def object_with_a_new_attribute(x):
    o = Holder()
    ITEMS[0] = o
    o.k = 1.0
    o.k = x[0]
    return o.k * o.k


def beside_an_argument(x):
    a = x * 1.0
    HOLDER.v = [a, x]
    a[0] = 7.0
    x[1] = x[0] * x[2]
    return np.sum(a * x)


def returned_from_a_loop(x):
    squares = [x[0]]
    HOLDER.v = squares
    squares[0] = x[1] * 2.0
    for v in x:
        if v > 0.4:
            return squares[0] * v
    return x[0]


def attribute_of_an_object_returned_from_a_loop(x):
    HOLDER.v = Holder()
    HOLDER.v.square = x[0]
    HOLDER.v.square = x[1] * 2.0
    for _ in range(1):
        return HOLDER.v.square * x[2]


def diagonal_kept(x):
    a = np.outer(x, x)
    ITEMS[0] = np.diag(a)  # a view that itself may not be stored into
    a[0, 0] = a[1, 2]
    return np.sum(ITEMS[0])


def row_shown_many_times(x):
    a = x * x
    HOLDER.v = np.broadcast_to(a[:2], (3, 2))
    a[1] = 7.0
    return np.sum(a * x)


class Two:
    def __init__(self, a, b):
        set_first(self, a)
        self.b = b


def set_first(two, a):
    two.a = a


def attributes_in_their_order(x):
    ITEMS[0] = Two(x[1] * x[0], x[1] + x[0])
    return ITEMS[0].b ** 2


@pytest.mark.parametrize(
    "function",
    [
        attributes_in_their_order,
        diagonal_kept,
        row_shown_many_times,
        returned_from_a_loop,
        attribute_of_an_object_returned_from_a_loop,
        array_stored_into_afterwards,
        array_stored_into_before,
        comprehension,
        list_that_is_filled,
        array_in_a_list_in_a_dict,
        made_in_a_callee,
        kept_in_a_callee,
        object_with_a_new_attribute,
        beside_an_argument,
    ],
)
@pytest.mark.parametrize("derivative", [tl.grad, tl.value_and_grad])
def test_what_is_kept_outside_is_as_a_call_leaves_it(function, derivative):
    reset()
    function(X.copy())
    wanted = held([ITEMS, HOLDER])
    reset()
    given = X.copy()
    found = derivative(function)(given)
    gradient = found if derivative is tl.grad else found[1]
    np.testing.assert_array_equal(given, X)
    if function is beside_an_argument:
        dict(wanted[1])["v"][1] = X  # the argument is as it was
    np.testing.assert_equal(held([ITEMS, HOLDER]), wanted)
    steps = 1e-6 * np.eye(3)
    differences = [(function(X + h) - function(X - h)) / 2e-6 for h in steps]
    np.testing.assert_allclose(gradient, differences, rtol=1e-6, atol=1e-8)


def changed_where_it_is_kept(x):
    HOLDER.v = x[1]
    HOLDER.v += x[1]
    return x[0]


def a_part_changed_by_a_callee(x):
    HOLDER.v = x[1][:2]
    add_to(HOLDER.v, x[1][:2])
    return x[0]


def changed_in_a_list(x):
    ITEMS[0] = x[1]
    ITEMS[0] *= 3.0
    return x[0] * ITEMS[0][1]


def add_to(a, b):
    a += b


@pytest.mark.parametrize(
    "f", [changed_where_it_is_kept, a_part_changed_by_a_callee, changed_in_a_list]
)
def test_an_argument_that_is_kept_outside_stays_as_it_was(f):
    HOLDER.v = ITEMS[0] = np.ones(3)
    x = (0.9, X.copy())
    tl.grad(f)(x)
    np.testing.assert_array_equal(x[1], X)
    reset()
