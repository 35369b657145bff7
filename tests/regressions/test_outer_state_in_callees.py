"""What a caller stores outside the arguments is found there by the functions that it calls."""

import copy
import functools

import numpy as np
import pytest

import tapeless as tl
from tapeless.testing import check_replay


class Holder:
    def __init__(self):
        self.v = np.ones(3)
        self.w = 2.0

    def weight(self):
        return self.w

    @property
    def tripled(self):
        return self.w * 3.0

    def __call__(self, t):
        return self.w * t

    def __mul__(self, other):
        return self.w * other


A = np.zeros(3)
B = [1.0, 2.0]
D = {"a": 1.5}
O = Holder()  # noqa: E741
FIRST = O.v
ROWS = [None]


def reset():
    A[:], B[:] = 0.0, [1.0, 2.0]
    FIRST[:] = 1.0
    O.v, O.w, D["a"], ROWS[0] = FIRST, 2.0, 1.5, None


def state():
    return copy.deepcopy((A, B, D, vars(O), ROWS))


# Each kind of state, stored here and read there


def first():
    return B[0] * B[1]


def item_of_list(x):
    B[0] = x * x
    return first()


def last():
    return B[-1]


def item_from_the_end(x):
    B[-1] = x * x
    return last() * B[1]


def item_by_a_loop(x):
    for i in range(2):
        B[i] = B[i] * x
    return first()


def of_key():
    return D["a"]


def item_of_dict(x):
    D["a"] = x * x
    return of_key() * x


def weight():
    return O.w


def attribute(x):
    O.w = x * x
    return weight()


def attribute_in_a_branch(x):
    if x > 0.0:
        O.w = x * x
    else:
        O.w = x
    return weight() * x


def attribute_in_a_loop(x):
    for _ in range(3):
        O.w = O.w * x
        x = x + weight()
    return x


def attribute_by_a_method(x):
    O.w = np.sin(x)
    return O.weight()


def total():
    return np.sum(A * A)


def global_array(x):
    A[1] = x * 3.0
    return total()


def squares():
    return np.sum(O.v * O.v)


def array_in_an_attribute(x):
    O.v[1] = x * x
    return squares()


def array_by_another_name():
    return FIRST[1]


def array_by_two_names(x):
    O.v[1] = x * x
    return array_by_another_name()


def new_array_in_an_attribute(x):
    O.v = np.array([x, 2.0 * x, 1.0])
    return squares()


def new_array_beside_the_first(x):
    O.v = np.array([x, 2.0 * x, 1.0])
    return squares() + array_by_another_name()


def put(a, x):
    a[0] = x
    return A[0]


def argument_that_is_a_global(x):
    return put(A, x)


class Moved:
    def run(self):
        return ROWS[0].reshape(9)


def array_in_a_list_in_fortran_order(x):
    ROWS[0] = np.asfortranarray(np.outer([1.0, 2.0, 3.0], [x, x, 1.0]))
    flat = ROWS[0].ravel(order="F")
    flat[1] = ROWS[0][0, 0] * ROWS[0][2, 2]
    rows = Moved().run()
    return np.sum(ROWS[0] * ROWS[0]) + np.sum(rows)


# Each way to a function


def sets(x):
    O.w = x * x


def stored_by_one_read_by_another(x):
    sets(x)
    return weight() * x


def twice():
    return weight() * 2.0


def two_calls_deep(x):
    O.w = x**3
    return twice()


def local_function(x):
    B[0] = x * x

    def inner(t):
        return B[0] * t

    return inner(B[1])


def lambda_function(x):
    B[0] = x * x
    g = lambda: B[0] * B[1]  # noqa: E731
    return g()


def local_function_that_stores(x):
    B[0] = x * x

    def step():
        B[0] = B[0] * B[0]
        return B[0]

    return step() + B[0]


def power(n):
    return B[1] if n == 0 else B[1] * power(n - 1)


def recursion(x):
    B[1] = x * 1.5
    return power(3)


def property_of_an_object(x):
    O.w = x * x
    return O.tripled


def callable_object(x):
    O.w = x * x
    return O(x)


def operator_of_an_object(x):
    O.w = x * x
    return O * x


def times(s, t):
    return O.w * s * t


def partial_function(x):
    O.w = x * x
    return functools.partial(times, 2.0)(x)


def mapped(x):
    O.w = x * x
    return sum(map(lambda t: t * O.w, [1.0, x]))


def weights():
    for k in range(3):
        yield O.w * k


def generator(x):
    O.w = x * x
    return sum(weights())


def square(t):
    return t * t * O.w


def gradient_inside(x):
    O.w = x * x
    return tl.grad(square)(x)


def read_before_and_after(x):
    s = 0.0
    for _ in range(3):
        s = s + weight() * x
        O.w = s * x
    return s


def noted():
    return ROWS[0]


def none_at_first(x):
    for k in range(3):
        if noted() is None or k * x > noted():
            ROWS[0] = (k + 1.0) * x * x
    return noted() * x


def none_in_a_branch(x):
    if noted() is None:
        ROWS[0] = x * x
    return noted() * x


def attribute_that_is_none(x):
    O.w = None
    s = 0.0
    for _ in range(2):
        if weight() is not None:
            s = s + weight() * x
        O.w = x * x
    return s + weight()


def never_mind(x):
    return x * x


def beside_a_function_that_does_not_look(x):
    O.w = x * x
    return never_mind(x) * weight() + never_mind(2.0 * x)


@pytest.mark.parametrize(
    "function",
    [
        item_of_list,
        item_from_the_end,
        item_by_a_loop,
        item_of_dict,
        attribute,
        attribute_in_a_branch,
        attribute_in_a_loop,
        attribute_by_a_method,
        global_array,
        array_in_an_attribute,
        array_by_two_names,
        new_array_in_an_attribute,
        new_array_beside_the_first,
        argument_that_is_a_global,
        array_in_a_list_in_fortran_order,
        stored_by_one_read_by_another,
        two_calls_deep,
        local_function,
        lambda_function,
        local_function_that_stores,
        recursion,
        property_of_an_object,
        callable_object,
        operator_of_an_object,
        partial_function,
        mapped,
        generator,
        gradient_inside,
        read_before_and_after,
        none_at_first,
        none_in_a_branch,
        attribute_that_is_none,
        beside_a_function_that_does_not_look,
    ],
)
def test_what_is_stored_outside_is_found_by_callees(function):
    x, h = 0.425, 1e-6

    def at(value):
        reset()
        return function(value)

    wanted = (at(x + h) - at(x - h)) / (2.0 * h)
    bend = (at(x + 1e-4) - 2.0 * at(x) + at(x - 1e-4)) / 1e-8
    at(x)
    after = state()
    ways = {
        "grad": lambda: tl.grad(function)(x),
        "vjp": lambda: tl.vjp(function, x)[1](1.0)[0],
        "jvp": lambda: tl.jvp(function, (x,), (1.0,))[1],
        "second": lambda: tl.jvp(tl.grad(function), (x,), (1.0,))[1],
        "replay": lambda: check_replay(function, x),
    }
    refused = []
    for way, derivative in ways.items():
        reset()
        try:
            found = derivative()
        except tl.TapelessError:
            refused.append(way)
            continue
        if way != "replay":
            right = bend if way == "second" else wanted
            np.testing.assert_allclose(found, right, rtol=1e-4, atol=1e-5, err_msg=way)
            np.testing.assert_equal(state(), after, way)
    in_fortran_order = function is array_in_a_list_in_fortran_order
    assert set(refused) <= ({"grad", "vjp", "second", "replay"} if in_fortran_order else {"second"})
