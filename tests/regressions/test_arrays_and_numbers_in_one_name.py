"""A name that is an array that is stored into here and a number there is refused, or right."""

import numpy as np
import pytest

import tapeless as tl
from tests import laws

REFUSED = "is an array that is stored into or a number is not known here"


class Box:
    def __init__(self, v):
        self.v = v


def bound_in_a_branch(x, y):
    x *= 2.0
    if y > 0.0:
        x = y * y
    return np.sum(x)


def bound_in_both_branches(x, y):
    x *= 2.0
    if y > 0.0:
        z = y * y
    else:
        z = x
    return np.sum(z * 3.0)


def bound_by_an_expression(x, y):
    x *= 2.0
    z = x if y < 0.0 else y * y
    return np.sum(z)


def a_parameter_by_another_name(x, y):
    x *= 2.0
    z = x
    if y > 0.0:
        z = y
    return np.sum(z)


def the_array_reduced(x, y):
    x *= y
    if y > 0.0:
        x = np.sum(x * x)
    return np.sum(x)


def bound_before_a_loop(x, y):
    x[0] = 2.0
    z = y * y
    t = 0.0
    for _ in range(3):
        t += np.sum(z * y)
        z = x
    return t


def bound_by_a_loop(x, y):
    x *= 2.0
    z = x
    for z in [y, y * y]:
        pass
    return np.sum(z)


def bound_where_it_was_none(x, y):
    x *= 2.0
    z = None
    if y < 0.0:
        z = x
    if z is None:
        z = y * y
    return np.sum(z)


def bound_in_a_handler(x, y):
    x *= 2.0
    try:
        z = x
        if y > 0.0:
            raise ValueError
    except ValueError:
        z = y * y
    return np.sum(z)


def in_a_tuple(x, y):
    x *= 2.0
    a, b = (x, y) if y < 0.0 else (y * y, y)
    return np.sum(a) * b


def in_an_attribute(x, y):
    x *= 2.0
    box = Box(x)
    if y > 0.0:
        box.v = y * y
    return np.sum(box.v)


def total(a):
    return np.sum(a * a)


def passed_to_a_callee(x, y):
    x *= 2.0
    z = x
    if y > 0.0:
        z = y * y
    return total(z)


def read_by_a_local_function(x, y):
    x *= 2.0
    z = x
    if y > 0.0:
        z = y * y

    def inside():
        return np.sum(z)

    return inside()


def pick(a, y):
    if y > 0.0:
        return y * y
    return a


def given_by_a_callee(x, y):
    x *= 2.0
    return np.sum(pick(x, y))


def pick_in_a_loop(a, y):
    for i in range(3):
        if y > i:
            return y * y
    return a


def given_by_a_loop_in_a_callee(x, y):
    x *= 2.0
    return np.sum(pick_in_a_loop(x, y))


@pytest.mark.parametrize(
    "f",
    [
        bound_in_a_branch,
        bound_in_both_branches,
        bound_by_an_expression,
        a_parameter_by_another_name,
        the_array_reduced,
        bound_before_a_loop,
        bound_by_a_loop,
        bound_where_it_was_none,
        bound_in_a_handler,
        in_a_tuple,
        in_an_attribute,
        passed_to_a_callee,
        read_by_a_local_function,
        given_by_a_callee,
        given_by_a_loop_in_a_callee,
    ],
)
def test_a_number_that_varies_is_refused_where_it_is_bound(f):
    with pytest.raises(tl.GradientError, match=REFUSED) as caught:
        tl.grad(f, wrt=(0, 1))(np.arange(1.0, 4.0), 2.0)
    assert "give the number a name of its own" in str(caught.value)


def test_forward_mode_follows_either():
    x, y, dx, dy = np.arange(1.0, 4.0), 2.0, np.array([0.3, 0.5, 0.7]), 1.1
    _, tangent = tl.jvp(bound_in_a_branch, (x, y), (dx, dy))
    assert tangent == pytest.approx(2.0 * y * dy)
    _, tangent = tl.jvp(bound_in_a_branch, (x, -y), (dx, dy))
    assert tangent == pytest.approx(2.0 * dx.sum())


def the_number_by_a_name_of_its_own(x, y):
    x *= 2.0
    if y > 0.0:
        t = y * y
    else:
        t = np.sum(x)
    return t * y


def a_temporary_of_both(x, y):
    x *= 2.0
    if y > 0.0:
        t = y * y
        r = t * 3.0
    else:
        t = x
        r = np.sum(t)
    return r


def a_constant(x, y):
    x *= 2.0
    if y > 0.0:
        x = 1.0
    return np.sum(x) * y


def used_again_for_its_sum(x, y):
    x *= y
    x = np.sum(x)
    if y > 0.0:
        x = x * y
    return x


def of_several_ranks(x, y):
    x *= 2.0
    box = Box(x)
    if y < 0.0:
        box.v = np.ones((3, 3)) * y
    return np.sum(box.v)


@pytest.mark.parametrize("y", [2.0, -2.0])
@pytest.mark.parametrize(
    "f",
    [
        the_number_by_a_name_of_its_own,
        a_temporary_of_both,
        a_constant,
        used_again_for_its_sum,
        of_several_ranks,
    ],
)
def test_what_tells_them_apart_is_right(f, y):
    laws.check_function(f, (np.arange(1.0, 4.0), y), smooth=True)


class Slot:
    def __init__(self, v):
        self.v = v


def joined_with_an_array_stored_into(x, flag):
    z = x[0] if flag else x * 2.0
    w = x * 3.0
    w[0] = 5.0
    if flag:
        w = z * 1.0
    return np.sum(w * w)


def stored_by_constructors(x, flag):
    p = Slot(x[0] * 2.0)
    q = Slot(x * 1.0)
    q.v[0] = 7.0
    r = p if flag else q
    return np.sum(r.v * r.v)


def stored_by_a_constructor_and_again(x, flag):
    p = Slot(x[0] * x[1])
    if not flag:
        p.v = x * 1.0
        p.v[1] = 4.0
    return np.sum(p.v * p.v)


def reduced_along_an_axis_not_known(x, flag):
    t = np.sum(x, axis=None if flag else 0)
    z = x * 1.0
    z[0] *= x[1]
    for k in range(2):
        if k == 1:
            z = t
    return np.sum(z * z)


def the_greatest_by_a_key(x, flag):
    arr = x * 1.0
    h = max(x, key=lambda v: v)
    z = h if flag else arr
    if not flag:
        z[1] = 3.0 * x[0]
    return np.sum(z * z) + np.sum(arr)


@pytest.mark.parametrize("flag", [True, False])
@pytest.mark.parametrize(
    "f",
    [joined_with_an_array_stored_into, stored_by_constructors, stored_by_a_constructor_and_again,
     reduced_along_an_axis_not_known, the_greatest_by_a_key],
)  # fmt: skip
def test_a_number_of_several_ways_is_right_or_refused(f, flag):
    x = np.array([1.0, 2.0, 3.0])
    direction = np.array([0.3, -0.5, 0.7])
    wanted, error = laws.central_difference(lambda step: float(f(x + step * direction, flag)))
    laws.assert_near(float(tl.jvp(f, (x, flag), (direction, None))[1]), wanted, error, "jvp")
    with pytest.raises(tl.GradientError, match="is an array that is stored into or a number"):
        tl.grad(f)(x, flag)


def reduced_in_a_loop(x, n):
    y = np.sum(x)
    for _ in range(n):
        x = y
    return np.sum(x)


def reduced_where_it_is_read(x, n):
    y = 0.0
    for _ in range(n):
        y = y + np.sum(x)
        x = np.sum(x) * 0.5
    return y


def reduced_in_branches(x, n):
    y = 1.0
    if n > 1:
        x = np.sum(x)
    if n > 0:
        y = y * np.sum(x)
        x = np.sum(x)
    return y * np.sum(x)


def reduced_until_it_is_small(x, n):
    y = 0.0
    while y < n:
        y = y + np.sum(x * x)
        if y > 1.0:
            break
        x = np.sum(x)
    return y


@pytest.mark.parametrize("n", [0, 1, 3])
@pytest.mark.parametrize(
    "f",
    [reduced_in_a_loop, reduced_where_it_is_read, reduced_in_branches, reduced_until_it_is_small],
)
def test_an_array_that_becomes_its_sum_gets_a_whole_gradient(f, n):
    x = np.array([[0.3, 0.2], [0.4, 0.6]])
    laws.check_function(lambda x: f(x, n), (x,), smooth=True)
    assert np.shape(tl.grad(f)(x, n)) == x.shape


ITEMS = [None]


def an_alias_of_a_form(x, y):
    s = np.reshape(x * 2.0, ())
    t = s
    s += y
    return t * x


def a_form_of_what_is_kept_outside(x, y):
    ITEMS[0] = x
    s = ITEMS[0].reshape(())
    s += y
    return ITEMS[0] * y


def test_another_form_of_a_number_may_be_an_array():
    with pytest.raises(tl.GradientError, match="is an array or a number is not known here"):
        tl.vjp(an_alias_of_a_form, 1.3, 0.7)


def test_another_form_of_an_array_that_was_none_is_changed_in_place():
    x = np.ones(1)
    y, pullback = tl.vjp(a_form_of_what_is_kept_outside, x, 0.7)
    x_bar, y_bar = pullback(np.ones(1))
    np.testing.assert_allclose([y[0], x_bar[0], y_bar], [1.19, 0.7, 2.4])
    _, y_dot = tl.jvp(a_form_of_what_is_kept_outside, (np.ones(1), 0.7), (np.ones(1), 1.0))
    np.testing.assert_allclose(y_dot, [3.1])


class Holder:
    pass


def a_product_kept_outside(x):
    slots = [x]
    HOLDER.v = np.tensordot(slots[0], slots[0], axes=1)
    c = HOLDER.v
    c[...] *= 2.0
    return HOLDER.v


def a_product_in_a_slot(x):
    slots = [x]
    c = np.tensordot(slots[0], slots[0], axes=1)
    c[...] *= 2.0
    d = c
    c = np.tensordot(c, slots[0], axes=0)
    c[1] *= d
    return c[1] * c[2]


HOLDER = Holder()


@pytest.mark.parametrize("f", [a_product_kept_outside, a_product_in_a_slot])
def test_the_tangent_of_what_is_stored_into_is_an_array_as_it_is(f):
    x = np.array([0.6, -1.4, 2.3])
    tl.check_grads(f, x, modes=("forward",))


def a_part_of_it_in_a_branch(a, n):
    if n == 0:
        return 0.0
    if np.ndim(a) > 0:
        return a[1] * a[0]
    return np.sin(a) + a_part_of_it_in_a_branch(a * 0.5, n - 1)


def stored_into_in_a_branch(a, n):
    if np.ndim(a) > 0:
        a[0] = 5.0 * a[1]
    if n == 0:
        return np.sum(a * a)
    return np.sum(a * a) + stored_into_in_a_branch(a * 2.0, n - 1)


def items_handed_to_a_callee(x, s):
    items = [x * s]
    items.append(np.sum(x))
    t = 0.0
    for v in items:
        t += a_part_of_it_in_a_branch(v * 2.0, 2)
    return t


def a_name_handed_to_a_callee(x, s):
    v = x * 2.0
    if s > 0.0:
        v = np.sum(x) * s
    return a_part_of_it_in_a_branch(v * 2.0, 2)


def a_name_handed_to_one_that_stores(x, s):
    v = x * 2.0
    if s > 0.0:
        v = np.sum(x) * s
    return stored_into_in_a_branch(v * 2.0, 2)


@pytest.mark.parametrize("s", [0.5, -0.5])
@pytest.mark.parametrize("f", [items_handed_to_a_callee, a_name_handed_to_a_callee])
def test_callees_that_read_a_part_give_the_cotangent_of_a_number_back(f, s):
    tl.check_grads(f, np.array([0.3, 0.5, -0.2]), s, order=1, replay=True)


@pytest.mark.parametrize("s", [0.5, -0.5])
def test_callees_that_store_where_it_is_an_array_are_refused(s):
    with pytest.raises(
        tl.GradientError, match="is an array or a number is not known here"
    ) as caught:
        tl.grad(a_name_handed_to_one_that_stores)(np.array([0.3, 0.5, -0.2]), s)
    assert "called from" in str(caught.value)


def a_product_beside_its_factor(p):
    p.append(np.dot(p[-1], np.array([0.3, 0.6, -0.4])))
    p.append(np.sum(p[2]))
    return np.sin(p[3])


def several_products_beside_their_factor(p):
    p.append(np.inner(p[1], p[1]))
    p.append(np.sum(p[2]))
    p.append(np.vdot(p[1], p[3] * p[1]))
    return np.sin(p[3]) * p[4]


def a_product_in_a_list_written_out(p):
    q = [p[1], np.dot(p[-1], np.array([0.3, 0.6, -0.4]))]
    return np.sin(np.sum(q[1]) * np.sum(q[0]))


def a_product_in_a_dict(p):
    q = {"a": p[1]}
    q["b"] = np.matmul(p[1], np.array([0.3, 0.6, -0.4]))
    t = 0.0
    for v in q.values():
        t = t + np.sum(v * v)
    return t


@pytest.mark.parametrize(
    "f",
    [a_product_beside_its_factor, several_products_beside_their_factor,
     a_product_in_a_list_written_out, a_product_in_a_dict],
)  # fmt: skip
def test_second_derivatives_of_products_kept_beside_arrays(f):
    tl.check_grads(f, [0.85, np.array([-0.59, 0.11, 0.95])], order=2, replay=True)
