"""What is written last: sums without products, matrices multiplied, rows added, arrays let go of.

Each program is checked whole, and its text for the form that it is there for: so a form that is no longer
written is noticed, and one that is written where it must not be.
"""

import re

import numpy as np
import pytest

import tapeless as tl
from tapeless.runtime import scatter_add
from tests import laws


def normal(*shape, dtype=float):
    return np.random.default_rng(sum(shape)).normal(size=shape).astype(dtype)


def scaled_rows(x, s):
    return np.sum(np.exp(x * s))


def pairs(x):
    between = x[:, None, :] - x[None, :, :]
    near = np.exp(-np.sum(between**2, axis=2))
    return np.sum(near**2)


def pulled(x, m):
    between = x[None, :, :] - x[:, None, :]
    return np.sum(np.sum(between * m[:, :, None], axis=1) ** 2)


def stacked(w, x):
    return np.sum(np.tanh(np.einsum("kij,nkj->nki", w, x)))


def transposed(a, b):
    return np.sum(np.sin(np.einsum("ij,jk->ki", a, b)))


def clusters(centres, spread, m, x):
    z = (x[:, None, :] - centres) * spread
    z = z + np.einsum("kij,nkj->nki", m, x[:, None, :] - centres)
    return np.sum(np.tanh(z))


def turned(centre, x, m):
    return np.sum(np.sin((x - centre) @ m))


def weighed(x, masses):
    between = x[None, :, :] - x[:, None, :]
    squares = np.sum(between**2, axis=2) + 0.1
    return np.sum(np.sum(between * (masses * squares**-1.5)[:, :, None], axis=1) ** 2)


def gathered(x, i, j):
    return np.sum((x[i] - x[j]) ** 4)


def entries(x, i, j):
    return np.sum(x[i[:, None], j] ** 3)


def smoothed(image):
    down = image[1:, :-1] - image[:-1, :-1]
    across = image[:-1, 1:] - image[:-1, :-1]
    return np.sum(np.sqrt(down**2 + across**2 + 1.0))


def waves(x):
    first, second = np.sin(x), np.cos(x)
    third = np.exp(first * second)
    return np.sum(first * third) + np.sum(np.sqrt(second**2 + third**2) * third)


def priced(x, v):
    first, second = np.sin(x) / v, np.cos(x) * v
    third = np.exp(first * second) / (1.0 + first**2)
    fourth = np.log(1.0 + third**2) * np.tanh(second)
    return np.sum(fourth * third) + np.sum(np.sqrt(second**2 + third**2) * fourth)


def curve(x):
    a = np.sin(x)
    b = np.cos(a) * x
    c = np.tanh(a * b)
    d = np.exp(-b * c) / (1.0 + x**2)
    e = np.where(x > 0.0, d * c, b - d)
    return np.sqrt(1.0 + e**2) * d


def both_curves(x, v):
    first = x * v
    low, high = curve(first), curve(first / (1.0 + v**2))
    ends = low * high
    return ends * np.sin(low + high) + first * ends


def on_both_curves(x, v):
    first = x * v
    low, high = curve(first), curve(first / (1.0 + v**2))
    ends = low * high
    return np.sum(ends * np.sin(low + high)) + np.sum(first * ends)


def mixture(weights, means, lower, x):
    z = x[:, None, :] - means
    z = z + np.einsum("kij,nkj->nki", lower, z)
    v = weights - 0.5 * np.sum(z**2, axis=2)
    top = np.max(v, axis=1, keepdims=True)
    return np.sum(top[:, 0] + np.log(np.sum(np.exp(v - top), axis=1)))


def logistic(x):
    return np.sum((1.0 / (1.0 + np.exp(-x)))[1:])


def relaxed(u, c, n):
    u = u.copy()
    for _ in range(n):
        u[1:-1] += c[1:-1] * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return np.sum(u**2)


def summed_up(x, n):
    total = np.zeros(9)
    for _ in range(n):
        x = x * np.sin(x)
        total += x
    return np.sum(total**3)


def extremes(a, b):
    return np.sum(np.maximum(a, b) ** 2) - np.sum(np.minimum(a, b[:, None]) ** 3)


def capped_twice(a, b):
    for _ in range(2):
        b = np.fmin(a, np.sin(b))
        a = np.maximum(b, a[::-1] * b)
    return a @ b


I, J = np.array([0, 3, -1, 3]), np.array([2, 2, 1, 0])
MANY = np.arange(40) % 7
PROGRAMS = [
    (scaled_rows, (normal(9, 8), normal(8)), (0, 1), "np.einsum("),
    (pairs, (normal(9, 3),), (0,), "np.einsum("),
    (pulled, (normal(9, 3), normal(9, 9)), (0, 1), "np.einsum("),
    (stacked, (normal(3, 4, 4), normal(9, 3, 4)), (0, 1), ".transpose(1, 2, 0) @ "),
    (transposed, (normal(4, 5), normal(5, 3)), (0, 1), ".T"),
    (
        clusters,
        (normal(3, 4), normal(3, 4), normal(3, 4, 4), normal(9, 4)),
        (0, 1, 2),
        "ij,ijk->ik",
    ),
    (turned, (normal(4), normal(9, 4), normal(4, 5)), (0,), ", axis=0) @ m.T"),
    (weighed, (normal(6, 3), np.abs(normal(6))), (0, 1), "ij,ijk->jk"),
    (gathered, (normal(7, 2), MANY, MANY[::-1]), (0,), "scatter_add("),
    (gathered, (normal(7, 2), I, J), (0,), "scatter_add("),
    (entries, (normal(5, 5), I, J), (0,), "scatter_add("),
    (smoothed, (normal(9, 9),), (0,), "image_bar"),
    (waves, (normal(20, 20),), (0,), "del "),
    (priced, (normal(20), 1.0 + normal(20) ** 2), (0, 1), "del "),
    (on_both_curves, (normal(20), normal(20)), (0, 1), "del "),
    (mixture, (normal(3), normal(3, 2), normal(3, 2, 2), normal(20, 2)), (0, 1, 2), "del "),
    (logistic, (normal(9),), (0,), " / "),
    (relaxed, (normal(9), normal(9), 3), (0, 1), " += "),
    (summed_up, (normal(9), 3), (0,), " += "),
    (extremes, (normal(5), normal(5) + 0.1), (0, 1), " * (1.0 - where_a_b)"),
    (capped_twice, (normal(5), normal(5) + 0.1), (0, 1), "b_bar * (1.0 - where_"),
]


@pytest.mark.parametrize(
    ("f", "args", "wrt", "form"), PROGRAMS, ids=lambda x: getattr(x, "__name__", "")
)
def test_programs(f, args, wrt, form):
    laws.check_function(f, args, wrt)
    assert form in tl.source(f, wrt=wrt, like=args).partition("# Reverse sweep")[2]


def test_ties_are_shared_by_halves():
    a = np.array([0.0, 1.0, 2.0])
    for f in (np.maximum, np.minimum, np.fmax, np.fmin):
        a_bar, b_bar = tl.grad(lambda a, b, f=f: np.sum(f(a, b)), wrt=(0, 1))(a, a.copy())
        np.testing.assert_array_equal(a_bar, np.full(3, 0.5))
        np.testing.assert_array_equal(b_bar, np.full(3, 0.5))


def test_what_is_no_number_is_passed_over():
    a, b = np.array([np.nan, 1.0, 2.0]), np.array([3.0, np.nan, 5.0])
    a_bar, b_bar = tl.grad(lambda a, b: np.sum(np.fmax(a, b)), wrt=(0, 1))(a, b)
    np.testing.assert_array_equal(a_bar, [0.0, 1.0, 0.0])
    np.testing.assert_array_equal(b_bar, [1.0, 0.0, 1.0])


def series(x, c):
    return np.sum(c * x ** np.arange(len(c)))


def growing(x, n):
    total = 0.0
    for i in range(3):
        total = total + np.sum(x ** (n + i)) * np.sum(x ** (-i - n))
        x = x * 1.1
    return total


@pytest.mark.parametrize("x", [0.7, 2.5, 0.0, -1.3])
def test_powers_of_one_number(x):
    tl.check_grads(series, x, normal(4), order=2, replay=True)
    if x > 0:
        tl.check_grads(growing, x, normal(4), order=2, replay=True)
    assert "powers_of_number(" in tl.source(series, like=(x, normal(4)))


def test_divisors_that_are_not_zero_need_no_guard():
    text = tl.source(logistic, like=(normal(9),))
    assert "times_partial" not in text


def shares(x, s):
    return np.sum((1.0 / (x + s))[1:])


def test_other_divisors_need_one():
    assert "times_partial" in tl.source(shares, like=(normal(9), 1.0))


@pytest.mark.parametrize("rows, columns", [(1, 1), (9, 1), (1, 9), (0, 9), (9, 0), (9, 9)])
def test_axes_of_one_are_broadcast(rows, columns):
    x, s = normal(9, 9), normal(rows, columns)
    if 0 in (rows, columns):
        x = normal(rows, columns)
    laws.check_function(scaled_rows, (x, s), (0, 1))


def test_stacks_with_axes_of_one():
    for w in (normal(1, 4, 4), normal(3, 4, 1)):
        laws.check_grad(stacked, (w, normal(9, 3, 4)), (0, 1), np.random.default_rng(0))


@pytest.mark.parametrize("n, k, d", [(1, 3, 4), (9, 1, 4), (9, 3, 1), (0, 3, 4), (1, 1, 1)])
def test_sums_of_terms_with_axes_of_one(n, k, d):
    args = normal(k, d), normal(k, d), normal(k, d, d), normal(n, d)
    laws.check_grad(clusters, args, (0, 1, 2), np.random.default_rng(0))
    laws.check_grad(weighed, (normal(k, d), np.abs(normal(k))), (0, 1), np.random.default_rng(0))


def test_single_precision_stays():
    x, s = normal(9, 8, dtype=np.float32), normal(8, dtype=np.float32)
    grads = tl.grad(scaled_rows, wrt=(0, 1))(x, s)
    wanted = tl.grad(scaled_rows, wrt=(0, 1))(x.astype(float), s.astype(float))
    for found, exact in zip(grads, wanted, strict=True):
        assert found.dtype == np.float32
        np.testing.assert_allclose(found, exact, rtol=1e-4)


def test_what_is_not_finite_is_as_in_a_product():
    x, s = normal(9, 8), normal(8)
    x[2, 3], x[4, 5] = np.nan, np.inf
    with np.errstate(all="ignore"):
        _, s_bar = tl.grad(scaled_rows, wrt=(0, 1))(x, s)
        np.testing.assert_allclose(s_bar, np.sum(np.exp(x * s) * x, axis=0))


SCATTERED = [
    ((7, 2), MANY, (40, 2)),
    ((7, 2), MANY - 7, (40, 2)),
    ((7, 2), MANY.reshape(8, 5), (8, 5, 2)),
    ((7, 2), MANY, ()),
    ((7, 2), MANY, (2,)),
    ((7, 20), MANY, (40, 20)),
    ((7, 2, 3), MANY, (40, 2, 3)),
    ((7,), MANY, (40,)),
    ((7, 2), I, (4, 2)),
    ((7, 2), np.array([], int), (0, 2)),
    ((7, 0), MANY, (40, 0)),
    ((7, 2), [0, 0, 1], (3, 2)),
    ((7, 2), 3, (2,)),
    ((7, 7), np.ix_(MANY, MANY), (40, 40)),
    ((7, 7), (MANY, MANY), (40,)),
    ((7, 7), (MANY - 7, MANY), (40,)),
    ((7, 7), (MANY, 2), (40,)),
    ((7, 7), (np.array([], int), np.array([], int)), (0,)),
    ((7, 7), np.eye(7, dtype=bool), (7,)),
    ((7, 7), (slice(None), [1, 1]), (7, 2)),
    ((7, 7), Ellipsis, (7, 7)),
]


@pytest.mark.parametrize(("shape", "index", "of"), SCATTERED)
@pytest.mark.parametrize("make", [np.ascontiguousarray, np.asfortranarray, lambda a: a[::-1]])
@pytest.mark.parametrize("dtype", [float, np.float32])
def test_rows_are_added_as_numpy_adds_them(shape, index, of, make, dtype):
    found, wanted = (make(normal(*shape, dtype=dtype)) for _ in range(2))
    g = normal(*of, dtype=dtype)
    scatter_add(found, index, g)
    np.add.at(wanted, index, g)
    np.testing.assert_allclose(found, wanted, rtol=1e-6 if dtype is float else 1e-4)


@pytest.mark.parametrize("index", [np.full(40, 7), (np.full(40, 7), np.zeros(40, int))])
def test_rows_that_are_not_there_are_refused_as_by_numpy(index):
    with pytest.raises((IndexError, ValueError)):
        scatter_add(np.zeros((7, 2)), index, 1.0)


def test_of_few_vectors_none_is_let_go():
    text = tl.source(lambda x: np.sum(np.sin(np.cos(x) ** 2)), like=(normal(20),))
    assert "del " not in text


def test_no_short_vector_is_let_go():
    assert "del " not in tl.source(priced, wrt=(0, 1), like=(normal(4), normal(4)))


def test_what_is_small_beside_the_largest_array_is_kept():
    text = tl.source(
        mixture, wrt=(0, 1, 2), like=(normal(3), normal(3, 2), normal(3, 2, 2), normal(20, 2))
    )
    assert not re.search(r"del [^\n]*\b(top|weights_bar|lower_bar)\b", text)


def test_what_a_forward_half_keeps_is_let_go_of():
    text = tl.source(on_both_curves, wrt=(0, 1), like=(normal(20), normal(20)))
    assert re.search(r"del [^\n]*\bsaved_curve", text)


def test_a_pullback_that_lets_go_can_be_called_again():
    args = normal(20), normal(20)
    _, pullback = tl.vjp(both_curves, *args)
    first, second = pullback(np.ones(20)), pullback(np.ones(20))
    wanted = tl.grad(on_both_curves, wrt=(0, 1))(*args)
    for found in (first, second):
        np.testing.assert_allclose(found, wanted, rtol=1e-12)


def test_many_vectors_are_let_go_of_in_single_precision():
    args = normal(20, dtype="f4"), (1.0 + normal(20) ** 2).astype("f4")
    for found, wanted in zip(
        tl.grad(priced, wrt=(0, 1))(*args),
        tl.grad(priced, wrt=(0, 1))(*(a.astype(float) for a in args)),
        strict=True,
    ):
        assert found.dtype == np.float32
        np.testing.assert_allclose(found, wanted, rtol=2e-4)


def test_what_is_let_go_of_may_be_raised_past():
    with pytest.raises(ValueError, match="broadcast"):
        tl.grad(lambda image, w: smoothed(image) + np.sum(image * w))(normal(9, 9), normal(8, 8))


def test_a_reverse_half_is_not_handed_how_often_a_loop_ran():
    class Decay:
        def __init__(self, y):
            self.y = y

        def run(self, rate):
            while self.y > 0.1:
                self.y = self.y * np.exp(-rate)
            return self.y

    def final(y, rate):
        decay = Decay(y)
        return decay.run(rate) * decay.run(0.5 * rate)

    text = tl.source(final, wrt=("y", "rate"), like=(1.0, 0.3))
    assert "in reversed(saved" in text
    assert "trips" not in text
    tl.check_grads(final, 1.0, 0.3, order=2, replay=True)


def on_some_days(x):
    total = 0.0
    for day in range(len(x)):
        total = total + x[day] ** 2 * (0.5 if day in {1, 2} else 1.0)
    return total


def test_sets_stand_as_they_were_written():
    x = normal(4)
    assert "if day in {1, 2} else" in tl.source(tl.grad(on_some_days), like=(x,))
    tl.check_grads(on_some_days, x, order=2, replay=True)
