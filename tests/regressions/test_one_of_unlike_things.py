"""Names and slots that are an array on one way and a list or tuple on another: right, or refused."""

import numpy as np
import pytest

import tapeless as tl
from tests import laws

X = np.array([0.3, -0.2])


class Held:
    pass


def stored(x):
    y = x * 1.0
    y[0] = 2.0 * x[1]
    return y


def a_list_or_a_tuple(x):
    z = [x[0], x[1]]
    if x[0] > 5:
        z = (x[0], 1.0)
    return np.sum(z)


def a_list_or_an_array(x):
    z = [x[0], x[1]]
    z[0] = x[0] * 2.0
    if x[0] > 5:
        z = x * 1.0
    return np.sum(z)


def chosen_by_an_expression(x):
    y = x * 1.0
    y[0] = 2.0 * x[1]
    z = y if x[0] < 5 else [x[0], x[1]]
    return np.sum(z)


def another_in_each_trip(x):
    y = stored(x)
    total = 0.0
    for _ in range(2):
        total += np.sum(y)
        y = [x[0] * 2.0, x[1]]
    return total


def in_a_slot(x):
    items = [stored(x)]
    if x[0] > 5:
        items[0] = [x[0], x[1]]
    return np.sum(items[0])


def in_an_attribute(x):
    held = Held()
    held.a = stored(x)
    if x[0] > 5:
        held.a = [x[0], x[1]]
    return np.sum(held.a)


def in_a_tuple(x):
    pair = (stored(x), 1.0)
    if x[0] > 5:
        pair = ([x[0], x[1]], 2.0)
    return np.sum(pair[0]) * pair[1]


def side_by_side_in_a_list(x):
    total = 0.0
    for item in [stored(x), [x[0], x[1]]]:
        total += np.sum(item)
    return total


def either(x):
    y = x * 1.0
    y[0] = 2.0 * x[1]
    if x[0] > 5:
        return [x[0], x[1]]
    return y


def returned_by_a_callee(x):
    return np.sum(either(x))


def dict_or_its_item(x):
    d = {"a": x * 1.0}
    d["a"] *= 2.0
    y = d["a"] if x[0] < 5 else d
    return np.sum(y)


REFUSED = [
    a_list_or_a_tuple,
    a_list_or_an_array,
    chosen_by_an_expression,
    another_in_each_trip,
    in_a_slot,
    in_an_attribute,
    in_a_tuple,
    returned_by_a_callee,
    dict_or_its_item,
]


@pytest.mark.parametrize("f", REFUSED, ids=lambda f: f.__name__)
def test_is_refused_where_the_cotangent_has_two_places_to_go(f):
    with pytest.raises(tl.GradientError, match="is not known here") as refusal:
        tl.grad(f)(X)
    assert refusal.value.lineno is not None
    tangent = np.array([0.5, 2.0])
    slope = (f(X + 1e-6 * tangent) - f(X - 1e-6 * tangent)) / 2e-6
    assert tl.jvp(f, (X,), (tangent,))[1] == pytest.approx(slope, rel=1e-6)


def a_list_under_another_name(x):
    items = [x[0] * x[1], x[1]]
    z = items if x[0] < 5 else x
    return np.sum(z) * np.prod(items)


def only_tested(x):
    z = stored(x) if x[0] < 5 else [x[0], x[1]]
    return x * 2.0 if z is not None else x


@pytest.mark.parametrize("f", [a_list_under_another_name, only_tested], ids=lambda f: f.__name__)
def test_is_right_where_it_has_one(f):
    laws.check_function(f, (X,), smooth=False)


def differences(x):
    total = np.cumsum(x)
    while True:
        y = np.diff(total)
        break
    return y[0] * y[1]


def test_an_adjoint_of_a_loop_at_second_order():
    x = np.array([0.3, -0.2, 1.4, 0.5])

    def product(x):
        return tl.grad(differences)(x) @ x

    with pytest.raises(tl.GradientError, match="is not known here"):
        tl.grad(product)(x)


def test_unlike_things_side_by_side_are_told_apart():
    tl.check_grads(side_by_side_in_a_list, X)
