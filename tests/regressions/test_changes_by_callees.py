"""State that callees change is undone, whatever they are called with, and ends as a call leaves it.

A callee that is given nothing that varies stores all the same: into a captured object, a global list
or dict or array, a Variable, a default. What its caller read before is read again, or was kept by
reference: so the store is undone in the reverse sweep, and done again at the end.
"""

from functools import partial

import numpy as np
import pytest

import tapeless as tl
from tests.regressions.state_laws import X, check, check_second_order


class Held:
    def __init__(self):
        self.k = 2.0
        self.a = np.array([1.0, 2.0, 3.0])
        self.l = [2.0, 3.0]

    def tick(self):
        self.k += 1.0


def attribute():
    o = Held()

    def bump():
        o.k += 1.0

    def f(x):
        y = x * o.k
        bump()
        return np.sum(y * o.k * x)

    return f, o


def method():
    o = Held()

    def f(x):
        y = x * o.k
        o.tick()
        return np.sum(y * o.k * x)

    return f, o


def global_list():
    L = [2.0, 3.0]

    def bump():
        L[0] += 1.0

    def f(x):
        y = x * L[0]
        bump()
        return np.sum(y * L[0] * x)

    return f, L


def list_append():
    L = [2.0, 3.0]

    def bump():
        L.append(L[-1] + 1.0)

    def f(x):
        y = x * L[-1]
        bump()
        return np.sum(y * L[-1] * x)

    return f, L


def list_len():
    L = [2.0, 3.0]

    def bump():
        L.append(1.0)

    def f(x):
        y = x * len(L)
        bump()
        return np.sum(y * len(L) * x)

    return f, L


def of_a_dict():
    D = {"k": 2.0}

    def bump():
        D["k"] += 1.0

    def f(x):
        y = x * D["k"]
        bump()
        return np.sum(y * D["k"] * x)

    return f, D


def array_whole():
    A = np.array([1.0, 2.0, 3.0])

    def bump():
        A[0] += 1.0

    def f(x):
        y = x * A * x
        bump()
        return np.sum(y * A * x)

    return f, A


def array_item():
    A = np.array([1.0, 2.0, 3.0])

    def bump():
        A[0] += 1.0

    def f(x):
        y = x * A[0] * x
        bump()
        return np.sum(y * A[0] * x)

    return f, A


def array_aug():
    A = np.array([1.0, 2.0, 3.0])

    def bump(A):
        A *= 2.0

    def f(x):
        y = x * A * x
        bump(A)
        return np.sum(y * A * x)

    return f, A


def variable():
    v = tl.Variable(np.array(2.0), name="v")

    def bump():
        v.assign_add(1.0)

    def f(x):
        y = x * v.value
        bump()
        return np.sum(y * v.value * x)

    return f, v


def variable2():
    v = tl.Variable(np.array([2.0, 3.0, 4.0]), name="v")

    def bump():
        v.assign(v * 2.0)

    def f(x):
        y = x * v * x
        bump()
        return np.sum(y * v * x)

    return f, v


def nested_def():
    o = Held()

    def f(x):
        def bump():
            o.k += 1.0

        y = x * o.k
        bump()
        return np.sum(y * o.k * x)

    return f, o


def by_partial():
    A = [2.0]

    def tick(l):
        l[0] += 1.0

    def f(x):
        y = x * A[0]
        partial(tick, A)()
        return np.sum(y * A[0] * x)

    return f, A


def partial_arr():
    A = np.array([2.0, 1.0, 4.0])

    def tick(l):
        l[0] += 1.0

    def f(x):
        y = x * A * x
        partial(tick, A)()
        return np.sum(y * A * x)

    return f, A


def in_loop():
    o = Held()

    def bump():
        o.k += 1.0

    def f(x):
        y = x
        for i in range(3):
            y = np.sin(y * o.k)
            bump()
        return np.sum(y * x)

    return f, o


def in_loop_array():
    A = np.array([2.0, 1.0, 4.0])

    def bump():
        A[1] += 1.0

    def f(x):
        y = x
        for i in range(3):
            y = np.sin(y * A)
            bump()
        return np.sum(y * x)

    return f, A


def in_branch():
    o = Held()

    def bump():
        o.k += 1.0

    def f(x):
        y = x * o.k
        if x[0] > 0.0:
            bump()
        else:
            o.tick()
        return np.sum(y * o.k * x)

    return f, o


def callee_of_callee():
    o = Held()

    def inner():
        o.k += 1.0

    def bump():
        inner()
        inner()

    def f(x):
        y = x * o.k
        bump()
        return np.sum(y * o.k * x)

    return f, o


def callee_of_varied():
    o = Held()

    def inner():
        o.k += 1.0

    def bump(x):
        y = x * o.k
        inner()
        return y * o.k

    def f(x):
        return np.sum(bump(x) * bump(x))

    return f, o


def read_in_callee():
    o = Held()

    def bump():
        o.k += 1.0

    def scaled(x):
        return np.sin(x * o.k)

    def f(x):
        y = scaled(x)
        bump()
        return np.sum(y * scaled(x))

    return f, o


def steers_test():
    o = Held()

    def bump():
        o.k += 1.0

    def f(x):
        y = x
        for i in range(3):
            if o.k > 2.5:
                y = np.sin(y)
            else:
                y = y * y
            bump()
        return np.sum(y * x)

    return f, o


def steers_loop():
    L = [1.0]

    def bump():
        L.append(2.0)

    def f(x):
        y = x
        for v in L:
            y = np.sin(y * v)
        bump()
        for v in L:
            y = np.sin(y * v)
        return np.sum(y * x)

    return f, L


def with_result():
    o = Held()

    def bump():
        o.k += 1.0
        return o.k

    def f(x):
        y = x * o.k
        z = bump()
        return np.sum(y * z * x)

    return f, o


def in_expression():
    o = Held()

    def bump():
        o.k += 1.0
        return o.k

    def f(x):
        y = x * o.k
        return np.sum(y * bump() * x * bump())

    return f, o


def index():
    o = Held()
    o.i = 0

    def bump():
        o.i += 1

    def f(x):
        y = 0.0
        for _ in range(3):
            y += x[o.i] ** (o.i + 1)
            bump()
        return y

    return f, o


def returns_early():
    o = Held()

    def bump(n):
        if n > 2:
            return
        o.k += 1.0

    def f(x):
        y = x
        for i in range(5):
            y = np.sin(y * o.k)
            bump(i)
            if o.k > 4:
                return np.sum(y * x)
        return np.sum(y)

    return f, o


def recursive():
    o = Held()

    def bump(n):
        if n > 0:
            o.k += 1.0
            bump(n - 1)

    def f(x):
        y = x * o.k
        bump(3)
        return np.sum(y * o.k * x)

    return f, o


def rebind_attr():
    o = Held()

    def bump():
        o.a = o.a * 2.0

    def f(x):
        y = x * o.a * x
        bump()
        return np.sum(y * o.a * x)

    return f, o


def default_arg():
    h = [1.0]

    def bump(l=h):
        l[0] += 1.0

    def f(x):
        y = x * h[0]
        bump()
        return np.sum(y * h[0] * x)

    return f, h


def with_context():
    o = Held()

    class Ctx:
        def __enter__(self):
            o.k += 1.0
            return self

        def __exit__(self, *a):
            o.k += 2.0

    c = Ctx()

    def f(x):
        y = x * o.k
        with c:
            y = y * o.k
        return np.sum(y * o.k * x)

    return f, o


def nested_object():
    o = Held()
    o.p = Held()

    def bump():
        o.p.k += 1.0

    def f(x):
        y = x * o.p.k
        bump()
        return np.sum(y * o.p.k * x)

    return f, [o.p]


def list_of_objects():
    os = [Held(), Held()]

    def bump():
        for o in os:
            o.k += 1.0

    def f(x):
        y = x
        for o in os:
            y = np.sin(y * o.k)
        bump()
        for o in os:
            y = np.sin(y * o.k)
        return np.sum(y)

    return f, os


def argument_object_tick():
    c = [Held()]

    def f(x):
        o = c[0]
        y = x * o.k
        o.tick()
        return np.sum(y * o.k * x)

    return f, c


def list_and_item():
    A = np.zeros(3)
    L = [A]

    def f(x):
        A[0] = x[0] * x[1]
        return L[0][0] * x[1] + A[0]

    return f, L


def object_and_attr():
    A = np.zeros(3)
    o = Held()
    o.a = A

    def f(x):
        A[0] = x[0] * x[1]
        return o.a[0] * x[1] + A[0]

    return f, o


def object_twice():
    o = Held()
    L = [o]

    def f(x):
        o.k = x[0] * x[1]
        return L[0].k * x[1] + o.k

    return f, L


def read_by_alias():
    o = Held()
    L = [o]

    def f(x):
        y = L[0].k * x[1] ** 2
        o.k = 5.0
        return y * L[0].k + o.k * x[0]

    return f, L


def view_in_list():
    A = np.ones(4)
    L = [A[1:]]

    def f(x):
        y = x * x * L[0]
        A[1] = 3.0
        return np.sum(y * L[0])

    return f, A


def slots():
    class S:
        __slots__ = ("k",)

        def __init__(self):
            self.k = 2.0

    s = S()

    def bump():
        s.k += 1.0

    def f(x):
        y = x * s.k
        bump()
        return np.sum(y * s.k * x)

    return f, []


def prop():
    class P:
        def __init__(self):
            self._k = 2.0

        @property
        def k(self):
            return self._k

        @k.setter
        def k(self, v):
            self._k = v

    p = P()

    def bump():
        p.k += 1.0

    def f(x):
        y = x * p.k
        bump()
        return np.sum(y * p.k * x)

    return f, p


def rebound_parent():
    o = Held()
    o.p = Held()
    q = Held()
    q.k = 5.0

    def swap():
        o.p = q

    def bump():
        o.p.k += 1.0

    def f(x):
        y = x * o.p.k
        swap()
        bump()
        return np.sum(y * o.p.k * x)

    return f, [o, q, o.p]


def deep():
    o = Held()
    o.p = [Held(), Held()]

    def bump(m):
        for i in range(2):
            m.p[i].k += 1.0

    def f(x):
        y = x * o.p[1].k
        bump(o)
        return np.sum(y * o.p[0].k * x)

    return f, o


def numpy_inplace():
    A = np.array([3.0, 1.0, 2.0])

    def bump():
        A.sort()

    def f(x):
        y = x * A
        bump()
        return np.sum(y * A * x)

    return f, A


def list_sort():
    A = [3.0, 1.0, 2.0]

    def bump():
        A.sort()

    def f(x):
        y = x * A[0]
        bump()
        return np.sum(y * A[0] * x)

    return f, A


def list_reverse():
    A = [3.0, 1.0, 2.0]

    def bump():
        A.reverse()

    def f(x):
        y = x * A[0]
        bump()
        return np.sum(y * A[0] * x)

    return f, A


def dict_update():
    A = {"k": 3.0}

    def bump():
        A.update(k=5.0)

    def f(x):
        y = x * A["k"]
        bump()
        return np.sum(y * A["k"] * x)

    return f, A


def list_clear():
    A = [3.0, 1.0, 2.0]

    def bump():
        A.clear()

    def f(x):
        y = x * len(A)
        bump()
        return np.sum(y * x) + len(A)

    return f, A


def list_pop():
    A = [3.0, 1.0, 2.0]

    def bump():
        return A.pop()

    def f(x):
        y = x * A[-1]
        v = bump()
        return np.sum(y * A[-1] * x * v)

    return f, A


def np_copyto():
    A = np.array([3.0, 1.0, 2.0])

    def bump():
        np.copyto(A, 7.0)

    def f(x):
        y = x * A
        bump()
        return np.sum(y * A * x)

    return f, A


def np_out():
    A = np.array([3.0, 1.0, 2.0])

    def bump():
        np.add(A, 1.0, out=A)

    def f(x):
        y = x * A
        bump()
        return np.sum(y * A * x)

    return f, A


def by_setattr():
    o = Held()

    def bump():
        setattr(o, "k", o.k + 1.0)

    def f(x):
        y = x * o.k
        bump()
        return np.sum(y * o.k * x)

    return f, o


def lambda_append():
    L = [2.0]
    bump = lambda: L.append(3.0)

    def f(x):
        y = x * L[-1]
        bump()
        return np.sum(y * L[-1] * x)

    return f, L


def passed_function():
    o = Held()

    def bump():
        o.k += 1.0

    def twice(g):
        g()
        g()

    def f(x):
        y = x * o.k
        twice(bump)
        return np.sum(y * o.k * x)

    return f, o


def comprehension():
    o = Held()

    def bump(i):
        o.k += 1.0
        return o.k

    def f(x):
        y = x * o.k
        l = [bump(i) for i in range(3)]
        return np.sum(y * o.k * x) * l[1]

    return f, o


def steered_if():
    o = Held()

    def bump():
        o.k += 1.0
        return o.k > 2.0

    def f(x):
        y = x * o.k
        if bump():
            y = y * o.k
        return np.sum(y * x)

    return f, o


def steered_while():
    o = Held()

    def bump():
        o.k += 1.0
        return o.k < 5.0

    def f(x):
        y = x * o.k
        while bump():
            y = np.sin(y * o.k)
        return np.sum(y * x)

    return f, o


def custom_inner():
    o = Held()

    def bump():
        o.k += 1.0

    @tl.custom_gradient
    def sq(x):
        k = o.k
        return k * x * x, lambda g: g * k * 2.0 * x

    def f(x):
        y = sq(x)
        bump()
        return np.sum(y * sq(x))

    return f, o


def stop_grad():
    o = Held()

    def bump(v):
        o.k = o.k + float(v)

    def f(x):
        y = x * o.k
        bump(tl.stop_gradient(1.0))
        return np.sum(y * o.k * x)

    return f, o


def int_arg():
    o = Held()

    def bump(n):
        o.k += n
        return n

    def f(x):
        y = x * o.k
        n = bump(len(x))
        return np.sum(y * o.k * x * n)

    return f, o


def class_made():
    o = Held()

    class T:
        def __init__(self, n):
            o.k += n
            self.n = n

    def f(x):
        y = x * o.k
        t = T(2)
        return np.sum(y * o.k * x * t.n)

    return f, o


def variable_in_obj():
    o = Held()
    o.w = tl.Variable(np.array(2.0), name="w")

    def bump():
        o.w.assign(o.w.value * 2.0)

    def f(x):
        y = x * o.w.value
        bump()
        return np.sum(y * o.w.value * x)

    return f, o.w


def variables_list():
    ws = [tl.Variable(np.array(2.0), name="w"), tl.Variable(np.array(3.0), name="u")]

    def bump():
        for w in ws:
            w.assign(w.value * 2.0)

    def f(x):
        y = x * ws[0].value * ws[1].value
        bump()
        return np.sum(y * ws[0].value * x)

    return f, ws


PROGRAMS = [
    attribute,
    method,
    global_list,
    list_append,
    list_len,
    of_a_dict,
    array_whole,
    array_item,
    array_aug,
    variable,
    variable2,
    nested_def,
    by_partial,
    partial_arr,
    in_loop,
    in_loop_array,
    in_branch,
    callee_of_callee,
    callee_of_varied,
    read_in_callee,
    steers_test,
    steers_loop,
    with_result,
    in_expression,
    index,
    returns_early,
    recursive,
    rebind_attr,
    default_arg,
    with_context,
    nested_object,
    list_of_objects,
    argument_object_tick,
    list_and_item,
    object_and_attr,
    object_twice,
    read_by_alias,
    view_in_list,
    slots,
    prop,
    rebound_parent,
    deep,
    numpy_inplace,
    list_sort,
    list_reverse,
    dict_update,
    list_clear,
    list_pop,
    np_copyto,
    np_out,
    by_setattr,
    lambda_append,
    passed_function,
    comprehension,
    steered_if,
    steered_while,
    custom_inner,
    stop_grad,
    int_arg,
    class_made,
    variable_in_obj,
    variables_list,
]


@pytest.mark.parametrize("make", PROGRAMS)
def test_changes_by_callees(make):
    check(make)


SECOND_ORDER = [array_whole, array_item, array_aug, in_loop_array, partial_arr, numpy_inplace]


@pytest.mark.parametrize("make", SECOND_ORDER)
def test_changes_by_callees_at_second_order(make):
    check_second_order(make)


class Counted:
    calls = 0
    level = 2.0


def count():
    Counted.calls += 1


def test_an_attribute_of_a_class_that_is_read():
    def raise_level():
        Counted.level = 3.0

    def f(x):
        y = x * Counted.level
        raise_level()
        return np.sum(y * Counted.level)

    for derivative in (tl.grad(f), lambda x: tl.vjp(f, x)[1](1.0)[0]):
        Counted.level = 2.0
        np.testing.assert_allclose(derivative(X), np.full(X.shape, 6.0))
        assert Counted.level == 3.0


def test_an_attribute_of_a_class_that_only_counts():
    def f(x):
        count()
        return np.sum(x**3)

    before = Counted.calls
    np.testing.assert_allclose(tl.grad(f)(X), 3.0 * X**2)
    np.testing.assert_allclose(tl.hvp(f)(X, X), 6.0 * X**2)
    assert Counted.calls == before + 2


def test_one_array_by_two_ways():
    shared = np.array([1.0, 2.0, 3.0])
    held = [shared]

    def f(x):
        shared[0] = x[0] * x[1]
        return held[0][0] * x[1] + shared[0]

    np.testing.assert_allclose(tl.grad(f)(X), [0.75, 0.6, 0.0])
    np.testing.assert_allclose(tl.jvp(f, (X,), (np.ones(3),))[1], 1.35)
