"""What stands at a place of a list that nothing changes is known, though other places hold something else."""

import numpy as np
import pytest

import tapeless as tl
from tapeless.runtime import AdjointMemory, without_parts
from tests import laws


def stored_into_the_array(x, s):
    held = [np.zeros(2), x[0]]
    held[0][1] = s
    return np.sum(held[0]) * held[1]


def kept_in_a_dict(x, s):
    table = {}
    for i in range(2):
        table[i] = [np.zeros(2), x[i]]
    table[0][0][1] = s
    return sum(np.sum(row[0]) * row[1] for row in table.values())


def kept_in_a_list(x, s):
    rows = []
    for i in range(2):
        rows.append([np.zeros(2), x[i]])
    rows[0][0][1] = s
    return sum(np.sum(row[0]) * row[1] for row in rows)


def options(x, s):
    p = [x, s, 3]
    return np.sum(p[0] ** p[2]) * p[1] + p[0][p[2] - 1]


def under_another_name(x, s):
    p = [np.zeros(3), s]
    q = p[0]
    q[1:] = x[:2] * p[1]
    return np.sum(p[0] ** 2) + p[-1]


def nothing_at_the_place(x, s):
    p = [None, x]
    return np.sum(p[1]) * (s if p[0] is None else 1.0)


def filled_later(x, s):
    p = [None, x]
    if s > 1:
        p[0] = s
    return np.sum(p[1]) * (p[0] or 1.0)


def exchanged(x, s):
    a, p = s, [x, s]
    p[1], a = a * 2, p[1]
    return np.sum(p[0]) * a * p[1]


def turned_round(x, s):
    p = [x, s]
    p.reverse()
    return np.sum(p[1]) * p[0]


def changed_by_a_callee(x, s):
    def swap(pair):
        pair[0], pair[1] = pair[1], pair[0]

    p = [x, s]
    swap(p)
    return np.sum(p[1]) * p[0]


def without_its_first(x, s):
    p = [x, s]
    del p[0]
    return p[0] * np.sum(x)


def put_before(x, s):
    p = [x, s]
    p.insert(0, s)
    return np.sum(p[1]) * p[0]


PROGRAMS = [
    stored_into_the_array,
    kept_in_a_dict,
    kept_in_a_list,
    options,
    under_another_name,
    nothing_at_the_place,
    filled_later,
    exchanged,
    turned_round,
    changed_by_a_callee,
    without_its_first,
    put_before,
]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_both_modes_and_orders(f):
    laws.check_orders(f, np.array([0.3, 0.7, 0.5]), 1.7)


def made_in_each_trip(x, s):
    p = [x, s]
    for i in range(2):
        p = [p[0] * p[1], p[1]] if i else [p[0] + 1.0, p[1]]
    return np.sum(p[0])


def of_two_lists(x, s):
    p = [x, s]
    r = p if s > 1 else [s, x]
    return np.sum(r[0]) * p[1]


@pytest.mark.parametrize("f", [made_in_each_trip, of_two_lists], ids=lambda f: f.__name__)
def test_first_order(f):
    for s in (0.6, 1.7):
        tl.check_grads(f, np.array([0.3, 0.7, 0.5]), s, order=1)


def test_what_is_counted_once():
    bars, inner = AdjointMemory(), [1.0]
    outer = [inner, 2.0]
    bars[outer][1] = 3.0
    assert without_parts(bars, outer, bars[outer], (True, {0: (True, {})})) == 0.0
    assert bars[outer][1] == 3.0


def held_beside_lists(a, b):
    """Not known, or right: the array that is stored into is not the one whose cotangent is passed on."""
    p = [(np.sin(b), a[0]), [np.zeros(3), a[1]]]
    w = [p, a]
    p[1][0][1:] = w[0][0][0][:2]
    return np.sum(p[0][0] * p[1][0] * b)


def test_lists_beside_tuples_are_right_or_refused():
    a, b = np.array([0.3, 0.7, 0.5]), np.array([0.4, 0.9, 1.2])
    try:
        found = tl.grad(held_beside_lists, wrt="b")(a, b)
    except tl.GradientError:
        return
    steps = np.eye(3) * 1e-6
    wanted = [(held_beside_lists(a, b + e) - held_beside_lists(a, b - e)) / 2e-6 for e in steps]
    np.testing.assert_allclose(found, wanted, rtol=1e-6)
