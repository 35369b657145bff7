"""The adjoint of an array that a local function stores into is made before the loop that calls it."""

import numpy as np
import pytest

import tapeless as tl

G = np.zeros(3)


class Held:
    pass


def item_of_the_argument(x):
    m = np.zeros(3)
    s = x[0]

    def put(q):
        m[1] = s

    for i in range(2):
        put(i)
    return np.sum(m)


def captured_array(s):
    m = np.zeros(3)

    def put(q):
        m[1] = s

    for i in range(2):
        put(i)
    return np.sum(m)


def reads_it_too(x):
    m = np.zeros(3)
    s = x * x

    def put(q):
        m[1] = s[q] * m[0] + s[0]

    put(0)
    put(1)
    return np.sum(m * m)


def outside(s):
    def put(q):
        G[1] = s

    for i in range(2):
        put(i)
    return np.sum(G)


def captured_dict(s):
    d = {"a": 0.0}

    def put(q):
        d["a"] = s

    for i in range(2):
        put(i)
    return d["a"]


def captured_list(s):
    l = [0.0, 0.0]

    def put(q):
        l[1] = s

    for i in range(2):
        put(i)
    return l[1] + l[0]


def captured_object(s):
    o = Held()
    o.k = 0.0

    def put(q):
        o.k = s

    for i in range(2):
        put(i)
    return o.k


def passed(s):
    m = np.zeros(3)

    def put(q, m, s):
        m[1] = s

    for i in range(2):
        put(i, m, s)
    return np.sum(m)


def stored_whole(s):
    m = np.zeros(3)

    def put():
        m[:] = s

    put()
    put()
    return np.sum(m * m)


def through_a_view(s):
    m = np.zeros(3)
    r = m[1:]
    for i in range(2):
        r[0] = s * s
    return np.sum(m)


def through_a_view_of_a_view(s):
    m = np.zeros((2, 3))
    r = m[1]
    q = r[1:]

    def put(k):
        q[k] = s * s

    for i in range(2):
        put(0)
        if i > 0:
            put(1)
    return np.sum(m)


def in_branches(s):
    m = np.zeros(3)

    def put(k):
        m[k] = s * s

    if s > 0:
        put(1)
    else:
        put(2)
    return np.sum(m)


def in_a_while(s):
    m = np.zeros(3)

    def put(k):
        m[k] = s * s

    k = 0
    while k < 3:
        put(k)
        k += 1
        if k > 1:
            break
    put(0)
    return np.sum(m)


PROGRAMS = [
    item_of_the_argument,
    captured_array,
    reads_it_too,
    outside,
    captured_dict,
    captured_list,
    captured_object,
    passed,
    stored_whole,
    through_a_view,
    through_a_view_of_a_view,
    in_branches,
    in_a_while,
]


@pytest.mark.parametrize("f", PROGRAMS)
def test_stores_by_local_functions_in_loops(f):
    x = np.array([0.3, 0.5, 0.7]) if f in (item_of_the_argument, reads_it_too) else 1.3
    wanted = (f(x + 1e-6) - f(x - 1e-6)) / 2e-6
    along = np.ones_like(x) if isinstance(x, np.ndarray) else 1.0
    np.testing.assert_allclose(np.sum(tl.grad(f)(x)), wanted, rtol=1e-6)
    np.testing.assert_allclose(tl.jvp(f, (x,), (along,))[1], wanted, rtol=1e-6)
    np.testing.assert_allclose(np.sum(tl.vjp(f, x)[1](1.0)[0]), wanted, rtol=1e-6)
