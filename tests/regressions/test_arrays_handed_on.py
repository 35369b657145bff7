"""An array that nobody changes any more is a value, whatever its names stood for and do next."""

import numpy as np
import pytest

import tapeless as tl
from tapeless.testing import check_grads
from tests import laws

U = np.array([1.05, 1.38, 0.94, 1.21, 0.87, 1.1, 1.42])


def copy_beside(u0, k, n):
    u = u0.copy()
    for _ in range(n):
        un = u.copy()
        u[1:-1] = un[1:-1] + k * (un[2:] - 2 * un[1:-1] + un[:-2]) * un[1:-1]
        u[0] = 0.0
    return np.sum(u * u)


def new_array_each_step(u0, k, n):
    u = u0.copy()
    for _ in range(n):
        new = u.copy()
        new[1:-1] = u[1:-1] + k * (u[2:] - 2 * u[1:-1] + u[:-2]) * u[1:-1]
        u = new
    return np.sum(u * u)


def two_buffers(u0, k, n):
    u = u0.copy()
    new = u0.copy()
    for _ in range(n):
        new[1:-1] = u[1:-1] + k * (u[2:] - 2 * u[1:-1] + u[:-2]) * u[1:-1]
        u, new = new, u
    return np.sum(u * u)


def step(u, k):
    u = u.copy()
    u[1:-1] += k * (u[2:] - 2 * u[1:-1] + u[:-2]) * u[1:-1]
    u[0] = u[1]
    return u


def copied_by_a_callee(u, k, n):
    for _ in range(n):
        u = step(u, k)
    return np.sum(u * u)


def rows_of_a_table(u, k, n):
    out = np.zeros((n + 1, len(u)))
    out[0] = u
    for i in range(n):
        out[i + 1] = step(out[i], k)
    return np.sum(out * out)


def simulated(u, k, n):
    for _ in range(n):
        new = u.copy()
        new[1:-1] = new[1:-1] + k * (u[2:] - 2 * u[1:-1] + u[:-2]) * u[1:-1]
        u = new
    return u


def of_a_callee(u, k, n):
    return np.sum(simulated(u, k, n) ** 2)


def stored_into_by_the_caller(u, k, n):
    y = simulated(u, k, n)
    y[0] *= y[1]
    y[2:4] = y[3:5] * k
    return np.sum(y * y * y)


def two_calls(u, k, n):
    y = simulated(u, k, n)
    z = simulated(y, k, n)
    y[0] = z[1] * k
    return np.sum(y * z)


def kept_in_a_list(u, k, n):
    hist = []
    for _ in range(n):
        new = u * 1.0
        new[1:-1] *= k * u[2:]
        u = new
        hist.append(u)
    return sum(np.sum(h * h) for h in hist)


def kept_under_a_third_name(u, k, n):
    best = u
    for i in range(n):
        new = u.copy()
        new[1:-1] = new[1:-1] * k * u[2:]
        if np.sum(new) > 0:
            best = new
        u = new
        u[0] = k * u[1]
    return np.sum(best * u)


def two_steps_back(u, k, n):
    prev = u
    for i in range(n):
        new = 2 * u - prev
        new[1:-1] += k * np.sin(u[2:] - u[:-2])
        prev = u
        u = new
    return np.sum(u * prev)


def left_by_jumps(u, k, n):
    i = 0
    while True:
        new = np.zeros_like(u)
        new[:] = u * u
        new[1:-1] -= k * u[2:]
        if i == n:
            break
        i += 1
        u = new
        if i == 2:
            continue
        u = u * 0.5
    return np.sum(u * new)


def stored_into_by_a_view_afterwards(u, k, n):
    old = u.copy()
    for i in range(n):
        v = old[1:-1]
        new = old.copy()
        new[1:-1] = v * k * old[2:]
        view = new[::2]
        old = new
        view[0] = 3.0 * k  # stores after it was handed on
    return np.sum(old * old)


def names_in_turn(u, k, n):
    a = u.copy()
    b = u * 2.0
    for i in range(n):
        c = a * b
        c[0] = k * a[1]
        a = b
        b = c
    return np.sum(a * b)


def second_name(u, k, n):
    a = u.copy()
    for i in range(n):
        b = a
        b[1:-1] = b[1:-1] * k * a[2:]
        a = b
    return np.sum(a * a)


def made_by_a_local_function(u, k, n):
    def stepit(z):
        w = z.copy()
        w[0] = k * w[1] * w[0]
        return w

    for i in range(n):
        new = stepit(u)
        new[2] = u[1] * new[0]
        u = new
    return np.sum(u * u)


def simulated_at_length(u, k, n):
    w = np.sin(u)
    w2 = np.cos(w)
    w3 = w * w2
    w4 = np.exp(-w3 * w3)
    w5 = w4 + w
    w6 = w5 * w4
    w7 = w6 - w5
    w8 = np.tanh(w7)
    w9 = w8 * w
    w10 = w9 + w8
    w11 = w10 * k
    w12 = w11 * w11
    w13 = np.sin(w12)
    w14 = w13 + w12
    w15 = w14 * 0.1
    w16 = w15 * w
    w17 = w16 + w15
    w18 = np.sin(w17) * 0.1
    w19 = w18 * w17
    w20 = np.cos(w19)
    for _ in range(n):
        new = u.copy()
        new[1:-1] = new[1:-1] + k * (u[2:] - 2 * u[1:-1] + u[:-2]) * u[1:-1] * w20[1:-1]
        new[0] = new[1] * w20[0]
        u = new
    return u


def stored_into_by_the_caller_at_length(u, k, n):
    y = simulated_at_length(u, k, n)
    y[0] *= y[1]
    y[2:4] = y[3:5] * k
    z = simulated_at_length(y, k, n)
    z[1] = z[2] * y[0]
    a = simulated_at_length(z * y, k, n)
    b = simulated_at_length(a + y, k, n)
    c = simulated_at_length(b * a, k, 2)
    return np.sum(y * y * y) + np.sum(z * y) + np.sum(a * b * c)


def bound_anew_in_a_row(u, k, n):
    # rebinding in straight line
    u = u.copy()
    u[1:] *= u[:-1]
    u = np.sin(u)
    u[0] = k * u[1]
    v = u
    u = u * 2.0
    u[1] = v[0] * k
    v[2] = u[1]
    return np.sum(u * v)


def bound_in_branches(u, k, n):
    if k > 0:
        u = u.copy()
        u[0] = k * u[1]
    else:
        u = u * 3.0
    u[2] = u[0] * u[1]
    for i in range(n):
        u = u * 1.5
        for j in range(1, 3):
            u[j] = u[j - 1] * u[j] * k
    return np.sum(u * u)


def returned_from_the_loop(u, k, n):
    for i in range(n):
        u = u * 1.5
        if i == 1:
            return np.sum(u) * k
        u[1] = u[0] * k
    return np.sum(u * u)


def two_names(u, k, n):
    p = u * 1.0
    q = u * 2.0
    for i in range(n):
        p = p * q
        p[0] = k * q[1]
        q = q + p
        q[1] = p[0] * q[0]
    return np.sum(p * q)


def trips_of_rows(u, k, n):
    hist = np.zeros((n + 1, len(u)))
    hist[0] = u
    for i in range(n):
        x = hist[i].copy()
        x[1:] = x[1:] * x[:-1] * k
        x = x + 1.0
        x[0] = x[1] * x[2]
        hist[i + 1] = x
    return np.sum(hist**2)


def as_long_as_small(u, k, n):
    x = u.copy()
    while np.sum(x) < 50.0:
        x = x * 1.3
        x[0] = x[0] + k * x[1]
    return np.sum(x * x)


OWN = [
    copy_beside,
    new_array_each_step,
    copied_by_a_callee,
    rows_of_a_table,
    of_a_callee,
    two_steps_back,
    left_by_jumps,
    names_in_turn,
    made_by_a_local_function,
    bound_anew_in_a_row,
    two_names,
    trips_of_rows,
    as_long_as_small,
]
SHARED = [
    two_buffers,
    stored_into_by_the_caller,
    two_calls,
    kept_in_a_list,
    kept_under_a_third_name,
    stored_into_by_a_view_afterwards,
    second_name,
    bound_in_branches,
    returned_from_the_loop,
]


@pytest.mark.parametrize("f", [*OWN, *SHARED], ids=lambda f: f.__name__)
def test_derivatives_are_right(f):
    laws.check_orders(f, U, 0.3, 3)


@pytest.mark.parametrize("f", OWN[:5], ids=lambda f: f.__name__)
def test_second_derivatives_are_right(f):
    check_grads(f, U[:5], 0.3, 2, order=2)


@pytest.mark.parametrize("f", OWN, ids=lambda f: f.__name__)
def test_adjoints_have_names(f):
    text = tl.source(tl.grad(f, wrt=(0, 1)), like=(U, 0.3, 3))
    assert "AdjointMemory" not in text


def test_a_caller_stores_into_what_is_not_written_in_its_place():
    check_grads(stored_into_by_the_caller_at_length, U, 0.3, 2, modes=("reverse",))


def test_what_is_returned_is_not_undone():
    y, pullback = tl.vjp(simulated, U, 0.3, 3)
    kept = y.copy()
    pullback(np.ones_like(y))
    np.testing.assert_array_equal(y, kept)
    np.testing.assert_array_equal(y, simulated(U, 0.3, 3))


def exchanged_in_a_loop(x):
    a = x * 0.0
    for i in range(3):
        a[i] = x[i] ** 2
    first, second, third = a, x, a
    for _ in range(2):
        first = second
        second = third
        third = a[::1]
    return np.sum(first**2)


def handed_on_twice_or_new(x):
    a = np.zeros(3)
    for i in range(3):
        a[i] = x[i] ** 2
    old = a
    new = old
    for k in range(2):
        old = new
        if k:
            new = a[:]
        else:
            new = new * x
    return np.sum(new * old) + np.sum(a**3)


def two_steps_back(x):
    s = 0.0
    u = x.copy()
    before = u
    for k in range(3):
        v = u * 1.0
        v[1:] += u[:-1] * x[1:]
        back = before
        before = u
        u = v
        last = before
        if k > 1:
            last = v[::1]
        s += np.sum(back * last)
    return s + np.sum(u**2)


def beside_views_in_branches(x):
    a = x * 1.0
    a[1] = x[0] * x[2]
    p = a
    q = p
    r = q
    if x[0] > 0:
        q = a.T
    if x[0] > 0:
        p = x * 2.0
    if x[1] < 0:
        r = a[::1]
    return np.sum(p * q * r) + np.sum(a**2)


@pytest.mark.parametrize(
    "f", [exchanged_in_a_loop, handed_on_twice_or_new, two_steps_back, beside_views_in_branches]
)
def test_handed_on_twice_its_cotangents_count_once(f):
    check_grads(f, U[:3], order=2, replay=True)
