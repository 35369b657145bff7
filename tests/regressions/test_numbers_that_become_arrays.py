"""A number that an update makes an array: bound anew in the first trip, changed in place in the next."""

import numpy as np
import pytest

import tapeless as tl
from tests.laws import check_function

X = np.array([1.2, 0.7, -0.4])


def summed(x):
    t = 0
    for k in range(3):
        t += x * k
    return np.sum(t)


def of_numbers_and_arrays(x):
    t = 0.0
    for z in [x, x[0], x * 2]:
        t += z
    return np.sum(t * x)


def multiplied(x):
    t = 1.0
    for z in [x[0] * 1.0, x * 3.0, np.sum(x)]:
        t *= z
    return np.sum(t * x)


def read_by_a_local_function(x):
    t, s = 0.0, 0.0

    def total():
        return np.sum(t) * 2.0

    for k in range(3):
        t += x * k
        s += total()
    return s


def subtracted_and_divided(x):
    t, n = 0.0, 0
    while n < 3:
        t -= np.outer(x, x) ** n
        t /= 2.0 + n
        n += 1
    return np.sum(t)


def with_axes_of_one(x):
    t = 0.0
    for k in range(3):
        t += x[:1] * k
    t += x[0]
    return np.sum(t * x)


def of_rank_zero(x):
    loss = 0.0
    for row in x:
        loss += (row * row).reshape(()) if row > 0.0 else row.item()
    return loss * loss


PROGRAMS = [
    summed,
    of_numbers_and_arrays,
    multiplied,
    read_by_a_local_function,
    subtracted_and_divided,
    with_axes_of_one,
    of_rank_zero,
]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_numbers_that_become_arrays(f):
    check_function(f, [X])


@pytest.mark.parametrize("f", PROGRAMS[:3], ids=lambda f: f.__name__)
def test_in_single_precision(f):
    x = X.astype("f4")
    value, gradient = tl.value_and_grad(f)(x)
    assert value == f(x)
    assert value.dtype == f(x).dtype
    assert gradient.dtype == x.dtype
    np.testing.assert_allclose(gradient, tl.grad(f)(X), rtol=1e-5)


def of_two_precisions(x, y):
    t = 0.0
    for z in [x, y]:
        t += z * z
    return t


def test_an_array_keeps_its_dtype():
    x, y = X.astype("f4"), 2.0 * X
    value, pullback = tl.vjp(of_two_precisions, x, y)
    assert value.dtype == np.float32
    np.testing.assert_array_equal(value, of_two_precisions(x, y))
    x_bar, y_bar = pullback(np.ones(3, "f4"))
    np.testing.assert_allclose(x_bar, 2.0 * x, rtol=1e-6)
    np.testing.assert_allclose(y_bar, 2.0 * y, rtol=1e-6)


def test_an_array_keeps_its_shape():
    with pytest.raises(ValueError, match="non-broadcastable output operand"):
        tl.vjp(of_two_precisions, X[:1], X)


def kept_beside(x):
    t, kept = 0.0, []
    for k in range(3):
        t += x * k
        kept.append(t)
    return np.sum(kept[0] * kept[2])


def visited(x):
    t = 2.0 if x[0] > 5.0 else x * x
    s = 0.0
    for y in np.atleast_1d(t):
        t *= 1.5
        s += y * np.sum(t)
    return s


def copied_before(x):
    t = 0.0
    for k in range(2):
        u = t
        t += x * (k + 1.0)
    return np.sum(t) + np.sum(u)


@pytest.mark.parametrize("f", [kept_beside, visited, copied_before], ids=lambda f: f.__name__)
def test_what_others_see_is_refused(f):
    with pytest.raises(tl.GradientError, match="or a number is not known here"):
        tl.grad(f)(X)


def rows_of_what_was_stored_into(x):
    def folded(c, t):
        p = c.copy()
        for r in range(1, len(p)):
            n = len(p) - r
            p[:n] = (1 - t) * p[:n] + t * p[1 : n + 1]
        return p[0]

    controls = [x, np.array([x[1], [0.3, 0.5], [1.0, 0.0]])]
    s = 0.0
    for c in controls:
        a, b = folded(c, 0.3), folded(c, 0.8)
        s += a[0] * b[1] - a[1] * b[0]
    return s


def test_rows_of_what_was_stored_into():
    check_function(rows_of_what_was_stored_into, [np.arange(6.0).reshape(3, 2) ** 0.5])


def with_a_length_of_unknown_kind(x, options):
    n = options.get("n", 2)
    y = x.reshape(len(x), n, x.shape[1] // n).transpose(1, 0, 2)
    return np.sum((y @ y.transpose(0, 2, 1)) ** 2)


def in_order_of_columns(x):
    y = np.reshape(x, (2, 6), "F") @ np.reshape(x, (6, 2), "C")
    return np.sum(y) + np.sum(np.reshape(x, 12, "C")[1:3] * np.reshape(x, -1)[1:3])


@pytest.mark.parametrize("f", [with_a_length_of_unknown_kind, in_order_of_columns])
def test_ranks_of_other_forms(f):
    x = np.linspace(0.2, 1.4, 12).reshape(3, 4)
    check_function(f, [x, {}] if f is with_a_length_of_unknown_kind else [x])


def items_of_what_is_an_array(x):
    p = np.array([x, [2.4, 0.3, 1.0]])
    a, b, c = x * x
    return np.hypot(*(p[1] - p[0])[:2]) * np.hypot(*[a, b]) + c


def test_items_of_what_is_an_array():
    check_function(items_of_what_is_an_array, [X])
