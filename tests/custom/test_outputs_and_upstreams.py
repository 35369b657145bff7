"""Section 2.3 of the contract: outputs and upstreams."""

import numpy as np
import pytest

import tapeless as tl
from tests.laws import check_function

X = np.array([0.5, -1.2, 2.0])


def receiving(make_y):
    """A function whose gradient writes down what it receives."""
    seen = []

    @tl.custom_gradient
    def h(x):
        def grad(*upstreams):
            seen.append(upstreams)
            return 10.0 * x

        return make_y(x), grad

    return h, seen


def test_nested_outputs_one_upstream_for_each_leaf():
    @tl.custom_gradient
    def h(x):
        def grad(a, b, c):
            return a + 10.0 * b + 100.0 * c

        return (x, [x, x]), grad

    def f(x):
        first, rest = h(x)
        return first + 2.0 * rest[0] + 3.0 * rest[1]

    assert tl.grad(f)(1.0) == 321.0


def test_one_upstream_for_each_output():
    @tl.custom_gradient
    def h(x):
        def grad(a, rest):
            return a + 10.0 * rest[0] + 100.0 * rest[1]

        return (x, [x, x]), grad

    def f(x):
        first, rest = h(x)
        return first + 2.0 * rest[0] + 3.0 * rest[1]

    assert tl.grad(f)(1.0) == 321.0


def test_one_upstream_with_the_structure_of_y():
    @tl.custom_gradient
    def h(x):
        def grad(dy):
            return dy[0] + 10.0 * dy[1]

        return (x, x), grad

    def f(x):
        a, b = h(x)
        return a + 2.0 * b

    assert tl.grad(f)(1.0) == 21.0


@tl.custom_gradient
def complex_op(x, y):
    z = np.multiply(x, y) + np.sin(x)
    w = np.square(y)

    def grad(dy_dz, dy_dw):
        grad_x = dy_dz * (y + np.cos(x))
        grad_y = dy_dz * x + dy_dw * 2 * y
        return grad_x, grad_y

    return z, w, grad


def test_flat_return():
    def loss(x, y):
        z, w, _ = complex_op(x, y)
        return np.add(z, w)

    z, w, grad = complex_op(2.0, 3.0)
    assert (z, w) == (6.0 + np.sin(2.0), 9.0) and callable(grad)
    assert tl.grad(loss, wrt=(0, 1))(2.0, 3.0) == pytest.approx((3.0 + np.cos(2.0), 8.0))
    assert "open_custom" not in tl.source(tl.grad(loss), like=(2.0, 3.0))


def test_upstream_is_one_with_nothing_after():
    h, seen = receiving(lambda x: x * x)
    tl.grad(h)(3.0)
    assert seen == [(1.0,)]


@tl.custom_gradient
def keras_any(x):
    e = np.exp(x)

    def grad(*args, upstream=None):
        if upstream is None:
            (upstream,) = args
        return np.multiply(upstream, 1.0 - 1.0 / np.add(1, e))

    return np.log(1 + e), grad


@tl.custom_gradient
def keras_plain(x):
    e = np.exp(x)

    def grad(upstream):
        return np.multiply(upstream, 1.0 - 1.0 / np.add(1, e))

    return np.log(1 + e), grad


@tl.custom_gradient
def keras_keyword(x):
    e = np.exp(x)

    def grad(*args, upstream):
        return np.multiply(upstream, 1.0 - 1.0 / np.add(1, e))

    return np.log(1 + e), grad


@pytest.mark.parametrize("h", [keras_any, keras_plain, keras_keyword])
def test_keras_forms(h):
    f = lambda x: np.sum(h(x) * X)  # noqa: E731
    np.testing.assert_allclose(tl.grad(f)(X), X / (1.0 + np.exp(-X)), rtol=1e-14)
    text = tl.source(tl.grad(f), like=(X,))
    assert "None" not in text and "args" not in text and "open_custom" not in text


def test_the_inputs_come_as_args():
    @tl.custom_gradient
    def h(x, y):
        def grad(*args, upstream):
            a, b = args
            return upstream * b * 10.0, upstream * a * 10.0

        return x * y, grad

    assert tl.grad(h, wrt=(0, 1))(2.0, 3.0) == (30.0, 20.0)


def test_dict_outputs_come_in_sorted_order():
    @tl.custom_gradient
    def h(x):
        def grad(db, dw):
            return 10.0 * db + dw

        return {"w": x, "b": x}, grad

    def f(x):
        p = h(x)
        return 2.0 * p["b"] + 3.0 * p["w"]

    assert tl.grad(f)(1.0) == 23.0


def test_an_unused_output_has_full_zeros():
    shapes = []

    @tl.custom_gradient
    def h(x):
        def grad(a, b):
            shapes.append((a.shape, a.dtype, b.shape, b.dtype, float(np.sum(np.abs(b)))))
            return a + b[0]

        return (x, np.ones((2, 3), np.float32) * x.astype(np.float32)), grad

    def f(x):
        first, _ = h(x)
        return np.sum(first)

    np.testing.assert_array_equal(tl.grad(f)(X), np.ones(3))
    assert shapes == [((3,), np.dtype("f8"), (2, 3), np.dtype("f4"), 0.0)]


def test_spliced():
    @tl.custom_gradient
    def h(x, w):
        def grad(da, db):
            return da + w.T @ db, np.outer(db, x)

        return (x, w @ x), grad

    def f(x, w):
        first, _ = h(x, w)
        return np.sum(first)

    gx, gw = tl.grad(f, wrt=(0, 1))(X, np.ones((2, 3)))
    np.testing.assert_array_equal(gx, np.ones(3))
    np.testing.assert_array_equal(gw, np.zeros((2, 3)))


def test_grad_does_not_run_where_nothing_depends_on_it():
    h, seen = receiving(lambda x: x * x)

    def unused(x):
        h(x)
        return x * 2.0

    assert tl.grad(unused)(3.0) == 2.0
    assert tl.grad(lambda x, c: x * h(c))(3.0, 2.0) == 4.0
    assert seen == []


def test_outputs_without_derivative():
    h, seen = receiving(lambda x: (x, 3, "text", True, np.arange(2)))

    def f(x):
        y, n, _, _, _ = h(x)
        return y * n

    assert tl.grad(f)(1.0) == 10.0
    [(a, n, text, flag, places)] = seen
    assert (a, n, text, flag) == (3.0, 0, None, False)
    np.testing.assert_array_equal(places, [0, 0])


@pytest.mark.parametrize("reduce", [np.sum, np.mean])
def test_upstreams_are_materialised(reduce):
    @tl.custom_gradient
    def h(x, w):
        def grad(dy):
            return dy @ w.T, x.T @ dy

        return x @ w, grad

    x, w = np.ones((2, 3)), np.ones((3, 4))
    gx, gw = tl.grad(lambda x, w: reduce(h(x, w)), wrt=(0, 1))(x, w)
    n = 1.0 if reduce is np.sum else 8.0
    np.testing.assert_allclose(gx, np.full((2, 3), 4.0 / n))
    np.testing.assert_allclose(gw, np.full((3, 4), 2.0 / n))


def test_shape_and_dtype_of_the_output():
    h, seen = receiving(lambda x: (x * x).astype(np.float32))
    tl.grad(lambda x: np.sum(h(x)))(X)
    [(dy,)] = seen
    assert dy.shape == (3,) and dy.dtype == np.float32


def test_one_leaf_in_a_container():
    @tl.custom_gradient
    def h(x):
        def grad(d):
            return 10.0 * d

        return {"only": x * x}, grad

    assert tl.grad(lambda x: h(x)["only"])(3.0) == 10.0


@tl.custom_gradient
def flat_results(x, y):
    z = np.multiply(x, y) + np.sin(x)
    w = np.square(y)

    def grad(dz, dw):
        return dz * (y + np.cos(x)), dz * x + dw * 2 * y

    return z, w, grad


def of_flat_results(x, y):
    z, w, _ = flat_results(x, y)
    return np.sum(z * w)


def test_flat_return_at_second_order():
    check_function(of_flat_results, (np.array([0.3, 0.4]), np.array([1.2, -0.7])))
    found = tl.hessian(of_flat_results, wrt=1)(0.5, 2.0)  # (x y + sin x) y^2
    np.testing.assert_allclose(found, 6.0 * 0.5 * 2.0 + 2.0 * np.sin(0.5))
