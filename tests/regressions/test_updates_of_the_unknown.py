"""`place op= value` where it is not known what the place holds: an array changes, a number is replaced."""

import copy

import numpy as np
import pytest

import tapeless as tl
from tapeless.testing import check_grads, check_replay

KEPT = [None]
ARGUMENTS = 0.889, (1.188, np.array([1.274, 1.298, 0.649]))


def of_a_name(x, pair):
    KEPT[0] = pair
    m = KEPT[0][1]
    m *= KEPT[0][1][0]
    return x * 3.0


def of_a_name_in_a_loop(x, pair):
    KEPT[0] = pair
    for _ in range(2):
        m = KEPT[0][1]
        m += x
    return x * 2.0


def scaled(x):
    m = KEPT[0][1]
    m *= x
    return x * 2.0


def of_a_name_in_a_callee(x, pair):
    KEPT[0] = pair
    return scaled(x)


def of_a_name_in_a_branch(x, pair):
    KEPT[0] = pair
    if x > 0.0:
        m = KEPT[0][1]
        m -= x
    return x * x


FUNCTIONS = [of_a_name, of_a_name_in_a_loop, of_a_name_in_a_callee, of_a_name_in_a_branch]


SLOPES = {of_a_name: 3.0, of_a_name_in_a_loop: 2.0, of_a_name_in_a_callee: 2.0}


@pytest.mark.parametrize("f", FUNCTIONS)
def test_what_a_tuple_kept_outside_holds_is_known(f):
    slope = SLOPES.get(f, 2.0 * ARGUMENTS[0])
    assert np.isclose(tl.grad(f)(*copy.deepcopy(ARGUMENTS)), slope)
    assert np.isclose(tl.vjp(f, *copy.deepcopy(ARGUMENTS))[1](1.0)[0], slope)
    tangents = 1.0, (1.0, np.ones(3))
    assert np.isclose(tl.jvp(f, copy.deepcopy(ARGUMENTS), tangents)[1], slope)
    check_replay(f, *copy.deepcopy(ARGUMENTS))


@pytest.mark.parametrize("f", FUNCTIONS)
def test_pullbacks_leave_arguments_as_they_were(f):
    arguments = copy.deepcopy(ARGUMENTS)
    tl.vjp(f, *arguments)[1](1.0)
    assert np.array_equal(arguments[1][1], ARGUMENTS[1][1])


def kept_in_a_list(p, dt):
    q = p.copy()
    rows = [q[0], q[1]]
    q += rows[1] * dt
    return np.sum(rows[0] * q)


def part_of_a_row(p, dt):
    q = p.copy()
    part = q[0][1:]
    q += dt
    return np.sum(part * q[1][1:])


def by_two_names(p, dt):
    q = p.copy()
    row = q[0]
    same = row
    q += dt * row
    return np.sum(same * q)


def read_at_once(p, dt):
    q = p.copy()
    row = q[0]
    same = row
    d = same * dt - q[1][1:2]
    q += d
    return np.sum(d * q)


@pytest.mark.parametrize("f", [kept_in_a_list, part_of_a_row, by_two_names])
def test_views_of_what_changes_are_not_taken_for_copies(f):
    p = np.arange(12.0).reshape(4, 3)
    with pytest.raises(tl.GradientError, match="not known here"):
        tl.source(f)
    check_grads(f, p, 0.3, order=2, replay=True, rtol=1e-4, atol=1e-6)


def test_rows_read_before_anything_changes():
    p, text = np.arange(12.0).reshape(4, 3), {}
    exec(tl.source(read_at_once), text)
    got = text["read_at_once_grad"](p.copy(), 0.3)
    np.testing.assert_allclose(got, tl.grad(read_at_once)(p, 0.3), rtol=1e-12)
