"""What is one array in NumPy and several blocks in loops: saved arrays, branches, items of lists."""

import numpy as np
import pytest

import tapeless as tl
from tapeless.lower import NotLowered, lowered
from tapeless.lower.compiled import with_loops

ALIASED = "a store into an array that another name stands for, too"
HELD = "an item of a list that is replaced while a name stands for it"


def must_not_run(*arguments):
    raise AssertionError("the NumPy text runs")


def x6():
    return np.linspace(-1.0, 2.0, 6)[::-1].copy()


# Arrays that a loop saved are stored into


def emptied_in_nests(x):
    s = 0.0
    for j in range(2):
        saved = []
        for i in range(4):
            t = x * i + j
            saved.append(t)
        for t in reversed(saved):
            t[0] += 1.0
            s += np.sum(t)
    return s


def saved_in_some_trips(x):
    saved = []
    for i in range(5):
        t = x * i
        if x[i] > 0:
            saved.append(t)
    s = 0.0
    for _ in range(2):
        t = saved.pop()
        u = t
        t[1] = 4.0
        s += u[1]
    return s


def items_stored_into(x):
    rows = []
    for i in range(4):
        h = x * i
        rows.append(h)
    rows[1][0] = 100.0
    rows[-1] += 1.0
    return np.sum(rows[1]) + np.sum(np.stack(rows))


def log_likelihood(logits, mu, x):
    total = 0.0
    for i in range(len(x)):
        t = np.zeros(3)
        for k in range(3):
            t[k] = logits[k] - 0.5 * np.sum((x[i] - mu[k]) ** 2)
        m = np.max(t)
        total += m + np.log(np.sum(np.exp(t - m)))
    return total


def saved_twice(x):
    saved, others = [], []
    for i in range(4):
        t = x * i
        saved.append(t)
    for t in saved:
        others.append(t)
    for t in others:
        t[0] = 5.0
    return sum(np.sum(t) for t in saved)


def a_view_is_saved_too(x):
    saved, others = [], []
    for i in range(4):
        t = x * i
        saved.append(t)
        others.append(t[1:])
    for t in others:
        t[0] = 5.0
    return sum(np.sum(t) for t in saved)


def stored_and_saved(x):
    saved, others = [], []
    for i in range(4):
        t = x * i
        saved.append(t)
    for t in saved:
        t[0] = 5.0
        others.append(t)
        t[1] = 7.0
    return sum(np.sum(t) for t in others)


def saved_before_it_is_bound_anew(x):
    saved = []
    t = x * 1.0
    for i in range(4):
        old = t
        t = x * i
        saved.append(old)
    s = 0.0
    for u in saved:
        u[0] = 5.0
        s += np.sum(t)
    return s + np.sum(saved[1])


def carried_on(x):
    saved = []
    for i in range(4):
        t = x * i
        saved.append(t)
    s = 0.0
    for t in reversed(saved):
        y = t
        for _ in range(20):
            t[0] = 5.0
            s += y[0]
            y = y * 2.0
    return s


# Branches


def exchanged_in_a_branch(x):
    t, u = x * 1.0, x * 2.0
    for i in range(3):
        if x[i] > 0.5:
            w = t
            t = u * 2.0
        else:
            w = u * 3.0
        w = w + 1.0
        t[1] = 3.0
        u[0] += w[0]
    return np.sum(u) + np.sum(t)


def another_name_in_a_branch(x):
    t, u = x * 1.0, x * 2.0
    for i in range(3):
        if x[i] > 0:
            w = t
        else:
            w = u * 3.0
        w[0] = 9.0
    return np.sum(u) + np.sum(t)


def fixed_point(a, b):
    x, k = np.zeros(len(b)), 0
    while True:
        new = np.tanh(0.1 * a @ x + b)
        if np.max(np.abs(new - x)) < 1e-8 or k > 50:
            break
        x = new
        k += 1
    return np.sum(x**2)


# Lists of as many items as an array has


def rows_of_a_list(x):
    n = len(x)
    out = [0.0] * n
    for i in range(n):
        out[i] = np.sin(x * (i + 1))
    s = 0.0
    for i in range(n):
        s += np.sum(out[i] * x)
    return s


def states_in_a_list(x):
    n = len(x)
    out = [0.0] * n
    out[0] = x * 1.0
    for i in range(1, n):
        out[i] = np.tanh(out[i - 1] * x)
    return np.sum(out[n - 1])


def item_that_is_replaced(x):
    n = len(x)
    out = [0.0] * n
    for i in range(n):
        out[i] = x * i
    v = out[0]
    out[0] = x * 2.0
    return np.sum(v) + np.sum(out[0]) * 2.0


def items_that_are_saved(x):
    n = len(x)
    out = [0.0] * n
    rows = []
    for i in range(n):
        out[0] = x * i
        rows.append(out[0])
    s = 0.0
    for row in rows:
        s += np.sum(row)
    return s


def numbers_that_are_exchanged(x):
    n = len(x)
    out = [0.0] * n
    for i in range(n):
        out[i] = x[i] * i
    a = out[1]
    out[1] = out[2]
    out[2] = a
    s = 0.0
    for i in range(n):
        s += out[i] * i
    return s


def stored_after_it_was_put_in(x):
    n = len(x)
    out = [0.0] * n
    for i in range(n):
        row = x * 1.0
        out[i] = row
        row[0] = 7.0 + i
    s = 0.0
    for i in range(n):
        s += np.sum(out[i])
    return s


def updated_under_two_names(x):
    n = len(x)
    out = [0.0] * n
    out[0] = x * 1.0
    row = x * 3.0
    out[1] = row
    out[1] += 1.0
    return np.sum(row)


def one_item_in_two_places(x):
    n = len(x)
    out = [0.0] * n
    for i in range(n):
        out[i] = x * i
    out[1] = out[2]
    out[1][0] = 9.0
    return np.sum(out[2])


def first_of_a_list_stored_into(x):
    y = x * 1.0
    states = [y]
    y[0] = 7.0
    for _ in range(20):
        y = y * 0.5
        states.append(y)
    return np.sum(np.array(states))


def given():
    return (x6(),)


LOWERED = [
    (emptied_in_nests, given),
    (saved_in_some_trips, given),
    (items_stored_into, given),
    (log_likelihood, lambda: (x6()[:3], x6()[:3, None] * np.ones(2), x6()[:, None] * np.ones(2))),
    (exchanged_in_a_branch, given),
    (fixed_point, lambda: (np.outer(x6(), x6()), x6())),
    (rows_of_a_list, given),
    (states_in_a_list, given),
    (item_that_is_replaced, given),
    (items_that_are_saved, given),
    (numbers_that_are_exchanged, given),
]
REFUSED = [
    (saved_twice, ALIASED),
    (a_view_is_saved_too, ALIASED),
    (stored_and_saved, ALIASED),
    (saved_before_it_is_bound_anew, ALIASED),
    (carried_on, ALIASED),
    (another_name_in_a_branch, ALIASED),
    (stored_after_it_was_put_in, ALIASED),
    (updated_under_two_names, ALIASED),
    (one_item_in_two_places, ALIASED),
    (first_of_a_list_stored_into, ALIASED),
]


@pytest.mark.parametrize(("f", "make"), LOWERED, ids=[f.__name__ for f, _ in LOWERED])
@pytest.mark.parametrize("joined", [False, True])
def test_loops_show_stores_where_numpy_does(f, make, joined):
    loops = with_loops(lowered(f, make(), joined=joined), must_not_run, "f", jit=False)
    np.testing.assert_allclose(loops(*make()), f(*make()), rtol=1e-13)


@pytest.mark.parametrize(("f", "reason"), REFUSED, ids=[f.__name__ for f, _ in REFUSED])
def test_stores_that_would_be_seen_on_one_side_only_are_refused(f, reason):
    with pytest.raises(NotLowered) as refusal:
        lowered(f, (x6(),))
    assert refusal.value.reason == reason


GRADIENTS = {
    log_likelihood: None,
    fixed_point: None,
    rows_of_a_list: None,
    states_in_a_list: None,
    items_that_are_saved: None,
    numbers_that_are_exchanged: None,
    exchanged_in_a_branch: ALIASED,
    item_that_is_replaced: HELD,
}


@pytest.mark.parametrize("f", GRADIENTS, ids=lambda f: f.__name__)
def test_gradients(f):
    make = dict(LOWERED)[f]
    plain = tl.grad(f, wrt=tuple(range(len(make()))), scalarize=False).serving(make()).function
    if GRADIENTS[f] is not None:
        with pytest.raises(NotLowered) as refusal:
            lowered(plain, make())
        assert refusal.value.reason == GRADIENTS[f]
        return
    loops = with_loops(lowered(plain, make()), must_not_run, "f", jit=False)
    for mine, theirs in zip(loops(*make()), plain(*make()), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=1e-13)
