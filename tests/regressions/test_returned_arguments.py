"""What is returned is an argument, or a part of one; arguments that grow: the pullback of a caller outside.

Inside a derivative an argument and a result that share memory have one cotangent. A caller outside has
two: the seed of the result is apart from the cotangents of the arguments, and belongs to both. And
what it gets back has the structure of what it gave, whatever the function made of it.
"""

import numpy as np
import pytest

import tapeless as tl
from tests import laws

X = np.array([0.6, -1.4, 2.3])
M = np.array([[0.3, -0.6, 1.1], [0.7, 2.2, -0.4], [-0.9, 0.5, 0.8]])


def stored_into_and_returned(x):
    x -= 2.0
    return x


def stored_by_a_slice(x, s):
    x[1:] = s * x[:-1]
    return x


def stored_in_a_loop(x):
    for i in range(1, 3):
        x[i] *= x[i - 1]
    return x


def stored_in_a_branch(x, s):
    if s > 0.0:
        x *= s
    return x


def returned_in_two_places(x, s):
    x[0] *= s
    if s > 0.0:
        return x
    return x * 2.0


def stored_through_an_alias(x, s):
    b = x
    b.fill(s)
    return x


def a_row_of_it(m):
    row = m[1]
    row[0] = 5.0 * row[1] * m[0, 0]
    return row


def a_view_of_it(x):
    x[0] *= x[1]
    return x[::-1]


def double(x):
    x *= 2.0
    return x


def stored_by_a_callee(x):
    return double(x)


def stored_by_a_callee_twice(x, s):
    y = double(x)
    y[0] *= s
    return double(y)


def by_itself(x, n):
    x[0] *= x[1]
    if n > 0:
        return by_itself(x, n - 1)
    return x


class Doubled:
    def __init__(self, x):
        self.x = x

    def double(self):
        self.x *= 2.0
        return self.x


def stored_by_a_method(x):
    return Doubled(x).double()


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (stored_into_and_returned, (X,)),
        (stored_into_and_returned, (X.astype(np.float32),)),
        (stored_by_a_slice, (X, 0.4)),
        (stored_in_a_loop, (X,)),
        (stored_in_a_branch, (X, 0.4)),
        (stored_in_a_branch, (X, -0.4)),
        (returned_in_two_places, (X, 0.4)),
        (returned_in_two_places, (X, -0.4)),
        (stored_through_an_alias, (X, 0.4)),
        (a_row_of_it, (M,)),
        (a_view_of_it, (X,)),
        (stored_by_a_callee, (X,)),
        (stored_by_a_callee_twice, (X, 0.3)),
        (by_itself, (X, 2)),
        (stored_by_a_method, (X,)),
    ],
)
def test_an_array_that_is_stored_into_and_returned(function, args):
    laws.check_function(function, args, smooth=True)


def itself(x):
    return x


def an_item(x):
    return x[0]


def changed_and_returned(x):
    x[0] = x[1] * x[0]
    return x


def by_key(d):
    d["a"][0] *= d["b"]
    return d


def a_value(d):
    d["a"][0] *= d["b"]
    return d["a"]


def a_slice(x):
    y = x
    return y[1:]


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (itself, ([0.3, 0.4],)),
        (itself, ({"a": X, "b": 0.4},)),
        (itself, ([X, [0.3, 0.4]],)),
        (an_item, ([[0.3, 0.4], [0.1]],)),
        (an_item, ([X, X * 2.0],)),
        (changed_and_returned, ([0.3, 0.4],)),
        (by_key, ({"a": X, "b": 0.4},)),
        (a_value, ({"a": X, "b": 0.4},)),
        (a_slice, ([0.3, 0.4, 0.5],)),
    ],
)
def test_a_container_that_is_returned(function, args):
    laws.check_function(function, args, smooth=False)


def appended(x, values):
    values.append(x)
    return x * values[0]


def appended_in_a_loop(x, values):
    for i in range(3):
        values.append(x * values[i])
    return values[-1]


def a_key_more(x, d):
    d["k"] = x
    return x * d["a"] * d["k"]


def popped(x, values):
    last = values.pop()
    return x * last


def a_row_longer(x, rows):
    rows[0].append(x)
    return rows[0][-1] * rows[0][0] * rows[1][0]


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (appended, (0.7, [0.3, 0.4])),
        (appended_in_a_loop, (0.7, [0.3, 0.4])),
        (a_key_more, (0.7, {"a": 0.3})),
        (popped, (0.7, [0.3, 0.4])),
    ],
)
def test_an_argument_that_grows_has_a_cotangent_of_its_own_structure(function, args):
    laws.check_function(function, args, smooth=True)


@pytest.mark.parametrize("rows", [[[0.3], [0.4, 0.1]], ([0.3], [0.4, 0.1])])
def test_a_list_that_grows_in_a_container_is_right_or_refused(rows):
    laws.right_or_refused(a_row_longer, (0.7, rows))


def test_the_gradient_of_an_array_without_axes_that_is_returned():
    assert tl.grad(stored_into_and_returned)(np.array(0.7)) == 1.0


def test_the_seed_stays_as_it_was():
    seed = [1.0, 2.0]
    _, pullback = tl.vjp(changed_and_returned, [0.3, 0.4])
    assert pullback(seed) == ([0.4, 2.3],)
    assert seed == [1.0, 2.0]
    assert pullback(seed) == ([0.4, 2.3],)
