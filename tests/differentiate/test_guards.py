"""Rules with poles: zero, not nan, where the text shows that something cut the cotangent.

Each program has a pole at the entries of `x` that are 0 (or 1, for the arc functions), and a result
that does not depend on them. The other entries are compared with central differences.
"""

import math

import numpy as np
import pytest

import tapeless as tl

ZERO = np.array([0.0, 1.5, 4.0])
ONE = np.array([1.0, 0.5, -0.25])


def where_sqrt(x):
    return np.sum(np.where(x > 0, np.sqrt(x), 0.0))


def where_cbrt(x):
    return np.sum(np.where(x > 0, np.cbrt(x), 0.0))


def where_quotient(x):
    return np.sum(np.where(x > 0, 3.0 / x, 1.0))


def where_numerator(x):
    return np.sum(np.where(x > 0, (x + 1.0) / x, 1.0))


def where_reciprocal(x):
    return np.sum(np.where(x > 0, np.reciprocal(x), 1.0))


def where_log(x):
    return np.sum(np.where(x > 0, np.log(x) + np.log2(x) + np.log10(x), 1.0))


def where_log1p(x):
    return np.sum(np.where(x > 0, np.log1p(x - 1.0), 1.0))


def where_root_power(x):
    return np.sum(np.where(x > 0, x**0.5 + x**0.3, 1.0))


def where_negative_power(x):
    return np.sum(np.where(x > 0, x**-2 + x**-1 + x**-0.5, 1.0))


def where_unknown_power(x):
    n = 1.0 / 3.0
    return np.sum(np.where(x > 0, x**n, 1.0))


def where_arctan2(x):
    return np.sum(np.where(x > 0, np.arctan2(x, 2.0 * x * x), 0.0))


def where_norm(x):
    rows = np.outer(x, np.array([1.0, 2.0]))
    return np.sum(np.where(x > 0, np.log(np.linalg.norm(rows, axis=1)), 0.0))


def where_through_others(x):
    return np.sum(np.where(x > 0, np.exp(-np.sum(np.outer(np.sqrt(x), np.ones(2)), axis=1)), 1.0))


def slice_of_root(x):
    return np.sum(np.sqrt(x)[1:])


def index_of_root(x):
    y = np.sqrt(x)
    return y[1] * y[2]


def unpacked_root(x):
    a, b, c = np.sqrt(x)
    return b * c


def integer_array_of_quotient(x):
    y = 1.0 / x
    return np.sum(y[np.array([1, 2, 2])] ** 2)


def mask_of_log(x):
    return np.sum(np.log(x)[x > 0])


def take_of_log(x):
    return np.sum(np.take(np.log(x), [2, 1]))


def maximum_of_root(x):
    return np.sum(np.maximum(np.sqrt(x), 0.7) * np.sqrt(x + 1.0))


def largest_root(x):
    return np.max(np.sqrt(x)) + np.sqrt(x).max()


def clipped_root(x):
    return np.sum(np.clip(np.sqrt(x), 0.5, 10.0))


def builtin_max(x):
    return max(math.sqrt(x[0]), math.sqrt(x[1]))


def sorted_root(x):
    return np.sum(np.sort(np.sqrt(x))[1:])


def product_with_comparison(x):
    return np.sum((x > 0) * np.sqrt(x)) + np.sum(np.sqrt(x) * (x != 0))


def product_with_mask_as_float(x):
    m = (x > 0).astype(float)
    return np.sum(m * np.sqrt(x)) + np.sum(np.sqrt(x) * np.where(x > 0, 1.0, 0.0))


def masked_store(x):
    y = np.sqrt(x)
    y[x == 0] = 2.0
    return np.sum(y * y * y)


def stores_into_part(x):
    y = np.zeros(3)
    y[:] = 1.0 / x
    y[0] = 5.0
    return np.sum(y * y)


def store_in_loop(x):
    y = np.zeros(3)
    for i in range(3):
        y[i] = np.sqrt(x[i])
    return y[1] + y[2]


def branch_not_taken(x):
    root = np.sqrt(x[0])
    y = x[1] * x[1]
    if x[2] < 0:
        y = y + root
    return y


def loop_that_does_not_run(x):
    root = np.sqrt(x[0])
    y = x[1] * x[1]
    while y < 0:
        y = y + root
    return y


def element_in_list(x):
    roots = [np.sqrt(x[0]), np.sqrt(x[1])]
    return roots[1] * x[2]


def roots_of(x):
    return np.sqrt(x)


def root_of(x):
    return np.sqrt(x)


def callee(x):
    return np.sum(roots_of(x)[1:])


def scalar_callee(x):
    total = 0.0
    for v in x:
        total = total + (v > 0) * root_of(v)
    return total


def called_in_where(x):
    return np.sum(np.where(x > 0, roots_of(x), x))


def two_calls(x):
    return np.sum(roots_of(x + 1.0)) + np.sum(roots_of(x)[1:])


def unused_result(x):
    def pair(x):
        return np.sqrt(x[0]), x[1] * x[2]

    first, second = pair(x)
    return second


def power(v, n):
    if n == 0:
        return np.sqrt(v)
    return v * power(v, n - 1)


def recursive(x):
    return np.sum(np.where(x > 0, power(x, 2), 0.0))


def scalar_where(x):
    root = np.sqrt(x[0])
    return np.where(x[0] > 0, root, x[1] * x[2])


def arcs(x):
    return np.sum(np.where(x < 1, np.arcsin(x) + np.arccos(x), 0.0))


def arctanh(x):
    return np.sum(np.arctanh(x)[1:])


def math_arcs(x):
    a = math.asin(x[0])
    return x[1] * (a if x[1] < 0 else x[2])


AT_ZERO = [
    where_sqrt, where_cbrt, where_quotient, where_numerator, where_reciprocal, where_log,
    where_log1p, where_root_power, where_negative_power, where_unknown_power, where_arctan2,
    where_norm, where_through_others, slice_of_root, index_of_root, unpacked_root,
    integer_array_of_quotient, mask_of_log, take_of_log, maximum_of_root, largest_root,
    clipped_root, builtin_max, sorted_root, product_with_comparison, product_with_mask_as_float,
    masked_store, stores_into_part, store_in_loop, branch_not_taken, loop_that_does_not_run,
    element_in_list, callee, scalar_callee, called_in_where, two_calls, unused_result, recursive,
    scalar_where,
]  # fmt: skip
AT_ONE = [arcs, arctanh, math_arcs]
CASES = [(f, ZERO) for f in AT_ZERO] + [(f, ONE) for f in AT_ONE]
# Where a function has more to it than the part that was cut.
DEPENDS_ON_FIRST = {maximum_of_root, two_calls, called_in_where}
NOT_TWICE = {
    element_in_list, masked_store, stores_into_part, store_in_loop, recursive,
    integer_array_of_quotient,
}  # fmt: skip

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")
cases = pytest.mark.parametrize("f, x", CASES, ids=[f.__name__ for f, _ in CASES])


def central_differences(f, x, entries, h=1e-6):
    unit = np.eye(len(x))
    return np.array([(f(x + h * unit[i]) - f(x - h * unit[i])) / (2 * h) for i in entries])


def cut_value(f):
    """What the entry at the pole contributes apart from the pole."""
    if f is maximum_of_root:
        return 0.7 * 0.5
    return {two_calls: 0.5, called_in_where: 1.0}.get(f, 0.0)


@cases
def test_gradient(f, x):
    got = tl.grad(f)(x.copy())
    np.testing.assert_allclose(got[1:], central_differences(f, x, [1, 2]), rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(got[0], cut_value(f), atol=1e-12)


@cases
def test_tangent_agrees(f, x):
    x_dot = np.array([0.3, -0.7, 1.1])
    _, y_dot = tl.jvp(f, (x.copy(),), (x_dot,))
    np.testing.assert_allclose(y_dot, tl.grad(f)(x.copy()) @ x_dot, rtol=1e-12)


@cases
def test_second_order(f, x):
    weights = np.array([1.0, -2.0, 0.5])
    gradient = tl.grad(f)

    def weighted(x):
        return np.sum(weights * gradient(x))

    try:
        got = tl.grad(weighted)(x.copy())
    except tl.TapelessError:
        assert f in NOT_TWICE, "first order is supported, and nothing that second order refuses"
        return
    want = central_differences(weighted, x, [1, 2])
    np.testing.assert_allclose(got[1:], want, rtol=1e-5, atol=1e-7)
    assert np.isfinite(got).all()


def test_no_warning_where_the_primal_gives_none():
    with np.errstate(all="raise"):
        np.testing.assert_allclose(tl.grad(where_sqrt)(ZERO), [0.0, 0.5 / np.sqrt(1.5), 0.25])


def test_single_precision_stays_single():
    got = tl.grad(where_sqrt)(ZERO.astype(np.float32))
    assert got.dtype == np.float32 and got[0] == 0


def test_pole_that_nothing_cut_is_infinite():
    assert tl.grad(lambda x: np.sum(np.sqrt(x)))(ZERO)[0] == np.inf


def test_zero_seed_at_a_pole():
    _, pullback = tl.vjp(lambda x: np.sqrt(x), ZERO)
    np.testing.assert_allclose(pullback(np.array([0.0, 0.0, 1.0]))[0], [0.0, 0.0, 0.25])


def test_zero_by_value_keeps_its_derivative():
    """A cotangent that is 0 by value is not constant: the mixed derivative is that of the root."""

    def f(x, w):
        return np.sum(w * np.sqrt(x)[1:])

    gradient = tl.grad(f)
    mixed = tl.grad(lambda x, w: np.sum(gradient(x, w)), wrt="w")
    np.testing.assert_allclose(mixed(ZERO, np.zeros(2)), 0.5 / np.sqrt(ZERO[1:]))


def full_root(x):
    return np.sum(np.sqrt(x + 1.0) / x)


def full_callee(x):
    y = roots_of(x)
    return np.sum(y / (1.0 + y))


def full_in_loop(x):
    y = 1.0
    for _ in range(3):
        y = np.sqrt(y + np.sum(x))
    return y


def full_and_part(x):
    y = np.sqrt(x)
    return np.sum(y) + y[0]


def smooth_part(x):
    return np.sum(np.exp(np.sin(x))[1:] / 3.0) + np.sum(np.arctan(x)[1:])


@pytest.mark.parametrize(
    "f",
    [full_root, full_callee, full_in_loop, full_and_part, smooth_part],
    ids=lambda f: f.__name__,
)
@pytest.mark.parametrize("mode", ["grad", "jvp"])
def test_no_guard_where_nothing_is_cut(f, mode):
    assert "times_partial" not in tl.source(f, mode=mode, like=(ZERO,))


def whole_views(x):
    y = np.sqrt(x)
    return np.sum(y[:, None] - y[None, ::-1])


def both_sides(x):
    y = 1.0 / x
    z = np.exp(-y) * y
    return np.sum(np.where(x > 1.0, 1.0 - z, z))


def both_sides_in_a_loop(x):
    y = 1.0 / x
    for _ in range(2):
        y = np.where(x > 1.0, 1.0 - y, y)
    return np.sum(y)


@pytest.mark.parametrize("f", [whole_views, both_sides, both_sides_in_a_loop])
def test_no_guard_where_all_entries_are_read_in_one_way_or_the_other(f):
    assert "times_partial" not in tl.source(f, like=(ZERO,))


def turned_sides(x):
    y = np.sqrt(x)
    return np.sum(np.where(x > 0, y[::-1] * 0.0 + x, y))


def other_condition(x):
    y = 1.0 / x
    c = x > 0
    z = np.where(c, y, 0.0)
    c = x < 0
    return np.sum(np.where(c, 1.0 - y, 0.0)) + np.sum(z)


def trip_before(x):
    y = 1.0 / x
    u = np.zeros_like(x)
    total = 0.0
    for i in range(2):
        total = total + np.sum(np.where((x > 0) & (i == 1), u, 0.0))
        u = 1.0 - y
    return total


def summed_side(x):
    y = 1.0 / x
    return np.sum(np.where(x > 0, y, np.sum(x)))


@pytest.mark.parametrize("f", [turned_sides, other_condition, trip_before, summed_side])
def test_two_halves_make_a_whole_only_entry_by_entry_and_of_one_condition(f):
    assert "times_partial" in tl.source(f, like=(ZERO,))


@pytest.mark.parametrize("f", [other_condition, trip_before, summed_side])
def test_what_is_left_out_at_a_pole_counts_for_nothing(f):
    got = tl.grad(f)(ZERO)
    want = central_differences(f, ZERO, [1, 2])
    np.testing.assert_allclose(got[1:], want, rtol=1e-6, atol=1e-8)
    assert np.isfinite(got[0])


def scalar_pole(x, flag):
    root = np.sqrt(x)
    return root if flag else x * x


def test_scalars_are_guarded_by_a_condition():
    text = tl.source(scalar_pole, like=(1.0, True))
    assert "times_partial" not in text and "else 0.0" in text
    assert tl.grad(scalar_pole)(0.0, False) == 0.0
    assert tl.grad(scalar_pole)(0.0, True) == np.inf
    assert tl.grad(scalar_pole)(4.0, True) == 0.25
