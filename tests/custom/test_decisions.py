"""The decisions D1 to D15 of the contract, one test each, and rows that have no other place."""

import functools

import numpy as np
import pytest

import tapeless as tl
from tests.laws import check_function

X = np.array([0.5, -1.2, 2.0])


def said(thunk):
    with pytest.raises(tl.GradientError) as caught:
        thunk()
    return caught.value.reason


@tl.custom_gradient
def flat(x, y):
    return x * y, x + y, lambda a, b: (a * y + b, a * x + b)


@tl.custom_gradient
def paired(x, y):
    return (x * y, x + y), lambda a, b: (a * y + b, a * x + b)


def test_D01_a_flat_tuple_comes_back_unchanged_and_a_pair_without_grad():
    assert len(flat(2.0, 3.0)) == 3 and callable(flat(2.0, 3.0)[-1])
    assert paired(2.0, 3.0) == (6.0, 5.0)

    def of_flat(x, y):
        z, w, _ = flat(x, y)
        return z * w

    def of_paired(x, y):
        z, w = paired(x, y)
        return z * w

    for f in (of_flat, of_paired):
        assert tl.grad(f, wrt=(0, 1))(2.0, 3.0) == (3.0 * 5.0 + 6.0, 2.0 * 5.0 + 6.0)


@tl.custom_gradient
def signed(x, scale=2.0, *rest, shift, **options):
    def grad(dy):
        return (dy * scale, dy * x, *(dy for _ in rest), dy, *(3.0 * dy for _ in options))

    return scale * x + sum(rest) + shift + 3.0 * sum(options.values()), grad


def test_D02_gradients_follow_the_signature():
    def f(a, b, c, d, e):
        return signed(a, b, c, more=e, shift=d)

    assert tl.grad(f, wrt=(0, 1, 2, 3, 4))(2.0, 3.0, 4.0, 5.0, 6.0) == (3.0, 2.0, 1.0, 1.0, 3.0)


@tl.custom_gradient
def one_for_two(x, y=1.0):
    return x * y, lambda dy: dy * y


def test_D03_trailing_gradients_may_be_left_out_where_nothing_is_lost():
    assert tl.grad(lambda x: one_for_two(x))(2.0) == 1.0
    assert tl.grad(lambda x: one_for_two(x, 4.0))(2.0) == 4.0
    assert said(lambda: tl.grad(lambda y: one_for_two(2.0, y))(3.0)) == (
        "grad function of 'one_for_two' returned 1 gradient, expected 2 (x, y); "
        "use None for arguments without one"
    )


@pytest.mark.parametrize("flat_list", [True, False])
def test_D04_structures_or_the_flat_list_in_sorted_key_order(flat_list):
    @tl.custom_gradient
    def f(p):
        def grad(dy):
            b, w = 2.0 * dy, 3.0 * dy
            return [b, w] if flat_list else {"w": w, "b": b}

        return 3.0 * p["w"] + 2.0 * p["b"], grad

    assert tl.grad(lambda p: f(p))({"w": 1.0, "b": 1.0}) == {"w": 3.0, "b": 2.0}


@pytest.mark.parametrize(
    "grad",
    [
        lambda a, b: 2.0 * a + 3.0 * b,
        lambda *dys: 2.0 * dys[0] + 3.0 * dys[1],
        lambda dy: 2.0 * dy[0] + 3.0 * dy[1],
        lambda *args, upstream: 2.0 * upstream[0] + 3.0 * upstream[1],
    ],
)
def test_D05_upstreams_by_what_grad_can_take(grad):
    @tl.custom_gradient
    def f(x):
        return (2.0 * x, 3.0 * x), grad

    def total(x):
        a, b = f(x)
        return 5.0 * a + 7.0 * b

    assert tl.grad(total)(1.0) == 2.0 * 5.0 + 3.0 * 7.0


def test_D06_captured_arrays_are_constants_of_the_value():
    def f(x):
        @tl.custom_gradient
        def h(v):
            return v * x, lambda dy: dy * x

        return h(x)

    assert tl.grad(f)(3.0) == 3.0  # not 6: x inside h is a constant
    assert tl.grad(tl.grad(f))(3.0) == 1.0  # what grad reads is ordinary code


@tl.custom_gradient
def wrong(x):
    return x**3, lambda g: g * x


def test_D07_the_rule_governs_at_every_order():
    orders = [tl.grad(wrong)]
    orders += [tl.grad(orders[0])]
    orders += [tl.grad(orders[1])]
    assert [g(3.0) for g in orders] == [3.0, 1.0, 0.0]
    assert tl.grad(tl.grad(lambda x: wrong(x) ** 2))(1.5) == 2 * 1.5**2 + 2 * 1.5**3


@tl.custom_gradient
def dense(x, w):
    return w @ x, lambda dy: (w.T @ dy, np.outer(dy, x))


def test_D08_forward_mode_by_transposing():
    x, w = np.array([0.3, -0.2]), np.array([[1.0, 2.0], [3.0, 4.0], [0.5, 0.1]])
    x_dot, w_dot = np.array([1.0, 0.5]), np.ones((3, 2))
    _, found = tl.jvp(dense, (x, w), (x_dot, w_dot))
    np.testing.assert_allclose(found, w @ x_dot + w_dot @ x)
    assert tl.jvp(wrong, (3.0,), (2.0,)) == (27.0, 6.0)


def test_D09_variables_in_the_order_that_was_asked_for():
    a, b = tl.Variable(2.0), tl.Variable(3.0)
    grads, found = tl.grad(lambda x: x * b * b * a, variables=[a, b])(1.0)
    assert (grads, [float(g) for g in found]) == (18.0, [9.0, 12.0])
    assert [float(g) for g in tl.grad(lambda x: b * x, wrt=None, variables=[a, b])(4.0)] == [
        0.0,
        4.0,
    ]


def test_D10_variables_missing_matters_only_if_asked_for():
    k = tl.Variable(2.0, name="k")

    @tl.custom_gradient
    def f(x):
        return k * x, lambda dy: dy * k

    assert tl.grad(f)(3.0) == 2.0
    assert said(lambda: tl.grad(f, variables=[k])(3.0)).startswith("'f' reads Variable(s) k")


def test_D11_zeros_are_arrays_of_full_shape():
    seen = []

    @tl.custom_gradient
    def f(x):
        def grad(a, b):
            seen.append(b)
            return None

        return (x, np.outer(x, x).astype(np.float32)), grad

    found = tl.grad(lambda x: np.sum(f(x)[0]))(X)
    np.testing.assert_array_equal(found, np.zeros(3))
    assert found.dtype == X.dtype
    assert seen[0].shape == (3, 3) and seen[0].dtype == np.float32 and not seen[0].any()


@tl.custom_gradient
def added(a, b):
    return a + b, lambda dy: (dy, dy)


@tl.custom_gradient
def too_small(x):
    return x * 2.0, lambda dy: np.sum(dy)


def test_D12_sums_over_broadcasting_never_broadcasts_up():
    a, b = tl.grad(lambda a, b: np.sum(added(a, b)), wrt=(0, 1))(np.ones((2, 1)), np.ones(3))
    np.testing.assert_array_equal(a, [[3.0], [3.0]])
    np.testing.assert_array_equal(b, [2.0, 2.0, 2.0])
    reason = "grad function of 'too_small' returned shape () for 'x' of shape (3,)"
    assert said(lambda: tl.grad(lambda x: np.sum(too_small(x)))(X)) == reason


def test_D13_real_gradients_are_cast_complex_ones_refused():
    @tl.custom_gradient
    def doubled(x):
        return 2.0 * x, lambda dy: np.asarray(2.0 * dy, dtype=np.float64)

    @tl.custom_gradient
    def turned(x):
        return 2.0 * x, lambda dy: 2j * dy

    assert tl.grad(lambda x: np.sum(doubled(x)))(X.astype(np.float32)).dtype == np.float32
    reason = "grad function of 'turned' returned dtype complex128 for real 'x' (float64)"
    assert said(lambda: tl.grad(lambda x: np.sum(turned(x)))(X)) == reason


@tl.custom_gradient
def without_return(x):
    def grad(dy):
        dy * 2.0

    return 2.0 * x, grad


def test_D14_a_body_without_return_is_an_error_before_anything_runs():
    reason = "grad function of 'without_return' has no return statement"
    assert said(lambda: tl.source(without_return, like=(1.0,))) == reason


def test_D15_nothing_is_shared():
    @tl.custom_gradient
    def both(a, b):
        def grad(dy):
            dy *= 2.0
            return dy, dy

        return a + b, grad

    y, pullback = tl.vjp(lambda a, b: both(a, b), X, 2.0 * X)
    seed = np.ones(3)
    a_bar, b_bar = pullback(seed)
    np.testing.assert_array_equal(seed, np.ones(3))
    np.testing.assert_array_equal(a_bar, 2.0 * np.ones(3))
    assert not any(np.shares_memory(p, q) for p, q in [(a_bar, b_bar), (a_bar, seed), (y, X)])


def test_keras_upstream_beside_variables():
    kernel = tl.Variable([[1.0, 2.0], [3.0, 4.0]])

    @tl.custom_gradient
    def matmul(x):
        def grad(*args, upstream=None, variables=None):
            if upstream is None:
                (upstream,) = args
            return upstream @ kernel.value.T, [np.outer(x, upstream)]

        return x @ kernel, grad

    x = np.array([0.5, -1.0])
    (found, [of_kernel]) = tl.grad(lambda x: np.sum(matmul(x)), variables=[kernel])(x)
    np.testing.assert_allclose(found, np.ones(2) @ kernel.value.T)
    np.testing.assert_allclose(of_kernel, np.outer(x, np.ones(2)))
    np.testing.assert_allclose(tl.grad(lambda x: np.sum(matmul(x)))(x), found)


def test_residuals_are_what_grad_closes_over():
    @tl.custom_gradient
    def f(x):
        root = np.sqrt(x)
        return root, lambda dy: dy / (2.0 * root)

    text = tl.source(lambda x: np.sum(f(x) * x), like=(np.ones(2),))
    assert text.count("np.sqrt(x)") == 1
    check_function(lambda x: np.sum(f(x) * x), (np.array([0.5, 2.0]),))


def made_with(slope):
    @tl.custom_gradient
    def line(x):
        return slope * x, lambda dy: slope * dy

    return line


def helper(x):
    return 2.0 * x


def changed_helper(x):
    return 5.0 * x


def through_helper(x):
    return helper(x)


def test_what_is_kept_is_told_apart(monkeypatch):
    assert [tl.grad(made_with(s))(1.0) for s in (2.0, 3.0)] == [2.0, 3.0]  # by closure cells
    g = tl.grad(through_helper)
    assert g(1.0) == 2.0
    monkeypatch.setitem(globals(), "helper", changed_helper)
    assert g(1.0) == 5.0  # by what is called, at each call
    f = functools.partial(lambda x, y: x * y, 3.0)
    assert tl.grad(lambda x, y: x * y, wrt=1)(3.0, 2.0) == 3.0  # by wrt
    assert f(2.0) == 6.0
