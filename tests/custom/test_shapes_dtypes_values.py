"""Section 2.4 of the contract: shapes, dtypes and values."""

import numpy as np
import pytest

import tapeless as tl

X = np.array([0.5, -1.2, 2.0])


@tl.custom_gradient
def bar(x, y):
    def grad(upstream):
        return upstream * y, upstream * x

    return x * y, grad


def test_gradients_are_summed_back_over_broadcasting():
    gx, gy = tl.grad(lambda x, y: np.sum(bar(x, y)), wrt=(0, 1))(X, 2.0)
    np.testing.assert_array_equal(gx, np.full(3, 2.0))
    assert gy == pytest.approx(np.sum(X)) and np.ndim(gy) == 0
    w = np.ones((4, 1))
    gx, gw = tl.grad(lambda x, w: np.sum(bar(x, w)), wrt=(0, 1))(X, w)
    assert gx.shape == (3,) and gw.shape == (4, 1)
    np.testing.assert_array_equal(gx, np.full(3, 4.0))


def test_nothing_is_broadcast_up():
    @tl.custom_gradient
    def h(x):
        return np.sum(x), lambda dy: dy

    with pytest.raises(tl.GradientError, match=r"returned shape \(\) for 'x' of shape \(3,\)"):
        tl.grad(h)(X)


def test_the_check_stands_once_and_only_where_needed():
    text = tl.source(lambda x: np.sum(bar(x, 2.0 * x)), like=(X,))
    assert "fit_gradient" not in text
    mixed = tl.source(lambda x, y: np.sum(bar(x, y)), wrt=(0, 1), like=(X, 2.0))
    assert mixed.count("fit_gradient(") == 1


def test_real_gradients_are_cast():
    @tl.custom_gradient
    def h(x):
        return np.sum(x), lambda dy: np.full(3, 2.0) * dy

    assert tl.grad(h)(X.astype(np.float32)).dtype == np.float32

    @tl.custom_gradient
    def k(x):
        return np.sum(x), lambda dy: np.array([1, 2, 3])

    got = tl.grad(k)(X)
    assert got.dtype == np.float64
    np.testing.assert_array_equal(got, [1.0, 2.0, 3.0])


def test_floats_and_empty_arrays():
    @tl.custom_gradient
    def h(x):
        return np.sum(x * x), lambda dy: 10.0 * dy * x

    assert tl.grad(h)(2.0) == 20.0
    zero_d = tl.grad(h)(np.array(2.0))
    assert zero_d.shape == () and zero_d == 20.0
    assert tl.grad(h)(np.zeros(0)).shape == (0,)
    assert tl.grad(h)(np.zeros((0, 3))).shape == (0, 3)


@tl.custom_gradient
def log1pexp(x):
    e = np.exp(x)

    def grad(upstream):
        return upstream * (1 - 1 / (1 + e))

    return np.log(1 + e), grad


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_stability():
    got = tl.grad(log1pexp)(np.float32(100.0))
    assert got == 1.0 and got.dtype == np.float32
    assert tl.grad(log1pexp)(1000.0) == 1.0
    naive = tl.grad(lambda x: np.log(1 + np.exp(x)))
    assert np.isnan(naive(np.float32(100.0))) and np.isnan(naive(1000.0))


@tl.custom_gradient
def tenfold_square(x):
    return x * x, lambda dy: 10.0 * dy * x


def rebound(x):
    y = tenfold_square(x)
    x = 100.0
    return y + 0.0 * x


def looped(x):
    for _ in range(3):
        x = tenfold_square(x)
    return x


def twice(x):
    return tenfold_square(x) * tenfold_square(2.0 * x)


def overwritten(x):
    a = x.copy()
    y = tenfold_square(a)
    a[0] = 50.0
    return np.sum(y) + np.sum(a)


def overwritten_argument(x):
    y = tenfold_square(x)
    x[0] = 50.0
    return np.sum(y)


def test_values_are_those_of_the_call():
    assert tl.grad(rebound)(3.0) == 30.0
    # x -> x^2 -> x^4, each with slope 10 x
    assert tl.grad(looped)(2.0) == 10 * 2 * 10 * 4 * 10 * 16
    assert tl.grad(twice)(1.0) == 10.0 * 4.0 + 1.0 * 10.0 * 2.0 * 2.0
    np.testing.assert_array_equal(tl.grad(overwritten)(X), 10.0 * X + [0.0, 1.0, 1.0])
    before = X.copy()
    np.testing.assert_array_equal(tl.grad(overwritten_argument)(before), 10.0 * X)
    np.testing.assert_array_equal(before, X)


@tl.custom_gradient
def branching(x):
    if np.sum(x) > 0:
        return x * x, lambda dy: 10.0 * dy * x
    return 1.0 * x, lambda dy: 20.0 * dy


def overwritten_and_called(x):
    a = x.copy()
    y = branching(a)
    a[0] = 50.0
    return np.sum(y) + np.sum(a)


def test_values_of_what_is_called():
    np.testing.assert_array_equal(tl.grad(overwritten_and_called)(X), 10.0 * X + [0.0, 1.0, 1.0])


def test_storing_into_what_may_be_the_argument_is_refused():
    @tl.custom_gradient
    def through(x):
        return x, lambda dy: 10.0 * dy

    def f(x):
        y = through(x)
        y[0] = 2.0
        return np.sum(y)

    with pytest.raises(tl.GradientError, match="may share memory with its argument"):
        tl.grad(f)(X.copy())


def test_the_forward_pass_runs_once():
    runs = []

    @tl.custom_gradient
    def h(x):
        runs.append("f")

        def grad(dy):
            runs.append("grad")
            return dy

        return np.random.permutation(x), grad

    tl.grad(lambda x: np.sum(h(x) ** 2))(X)
    assert runs == ["f", "grad"]
    y, pullback = tl.vjp(h, X)
    pullback(np.ones(3))
    pullback(np.ones(3))
    assert runs == ["f", "grad", "f", "grad", "grad"]
    assert sorted(y) == sorted(X)


# D15: upstreams and gradients share no memory with each other, seeds, or what was saved


@tl.custom_gradient
def in_place(x, y):
    def grad(dy):
        dy *= 2.0
        return dy, dy

    return x + y, grad


def test_in_place_work_on_an_upstream_stays_private():
    def f(x, y):
        z = x * 1.0
        return np.sum(in_place(z, y) * in_place(y, z) + z)

    gx, gy = tl.grad(f, wrt=(0, 1))(X, 2.0 * X)
    np.testing.assert_allclose(gx, 2.0 * 2.0 * 3.0 * X + 1.0)
    np.testing.assert_allclose(gy, 2.0 * 2.0 * 3.0 * X)
    assert not np.shares_memory(gx, gy)


def test_the_seed_is_left_alone():
    seed = np.ones(3)
    _, pullback = tl.vjp(in_place, X, X)
    gx, gy = pullback(seed)
    np.testing.assert_array_equal(seed, np.ones(3))
    assert not np.shares_memory(gx, gy) and not np.shares_memory(gx, seed)
    np.testing.assert_array_equal(pullback(seed)[0], np.full(3, 2.0))


def test_gradients_are_not_what_was_saved():
    @tl.custom_gradient
    def h(x):
        kept = 2.0 * x

        def grad(dy):
            return kept

        return np.sum(x * x), grad

    y, pullback = tl.vjp(h, X)
    [first] = pullback(1.0)
    first += 100.0
    np.testing.assert_array_equal(pullback(1.0)[0], 2.0 * X)
    got = tl.grad(lambda x: h(x) + np.sum(x))(X)
    np.testing.assert_array_equal(got, 2.0 * X + 1.0)


def test_a_gradient_that_is_the_argument():
    @tl.custom_gradient
    def h(x):
        return np.sum(x * x) / 2.0, lambda dy: x

    x = X.copy()
    got = tl.grad(lambda x: h(x) + h(x))(x)
    np.testing.assert_array_equal(got, 2.0 * X)
    np.testing.assert_array_equal(x, X)
    assert not np.shares_memory(tl.grad(h)(x), x)
