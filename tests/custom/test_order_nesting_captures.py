"""Sections 2.5 of the contract: order, nesting, captures."""

import numpy as np
import pytest

import tapeless as tl

X = np.array([0.5, -1.2, 2.0])


@tl.custom_gradient
def log1pexp(x):
    e = np.exp(x)

    def grad(upstream):
        return upstream * (1 - 1 / (1 + e))

    return np.log(1 + e), grad


def test_what_the_forward_pass_saved_is_differentiated():
    s = 1.0 / (1.0 + np.exp(-0.7))
    assert tl.grad(tl.grad(log1pexp))(0.7) == pytest.approx(s * (1.0 - s))


def test_stop_gradient_cuts_it():
    @tl.custom_gradient
    def h(x):
        e = tl.stop_gradient(np.exp(x))

        def grad(upstream):
            return upstream * (1 - 1 / (1 + e))

        return np.log(1 + e), grad

    assert tl.grad(tl.grad(h))(0.7) == 0.0


@tl.custom_gradient
def op(x):
    y = x**3

    @tl.custom_gradient
    def grad_fn(dy):
        gdy = dy * 3.0 * x**2

        def grad_grad_fn(ddy):
            return 1000.0 * ddy

        return gdy, grad_grad_fn

    return y, grad_fn


def test_a_decorated_gradient_function():
    assert tl.grad(op)(2.0) == 12.0
    assert tl.grad(tl.grad(op))(2.0) == 0.0

    def weighted(x, c):
        return c * op(x)

    slope = tl.grad(weighted)

    def through_dy(c):
        return slope(2.0, c)

    # d/dc of c * op'(x) goes through dy: the inner rule
    assert tl.grad(through_dy)(1.0) == 1000.0


@tl.custom_gradient
def fused_passing_dy(x):
    y = x**3
    x_grad = 3.0 * x**2

    def first_order_gradient(dy):
        @tl.custom_gradient
        def first_order_custom(unused_x, unused_dy):
            def second_order_and_transpose(ddy):
                return ddy * dy * 6.0 * x, ddy * x_grad

            return dy * x_grad, second_order_and_transpose

        return first_order_custom(x, dy)

    return y, first_order_gradient


@tl.custom_gradient
def fused_product_outside(x):
    y = x**3
    x_grad = 3.0 * x**2

    def first_order_gradient(dy):
        @tl.custom_gradient
        def first_order_custom(unused_x):
            def second_order_for_x(ddy):
                return ddy * 6.0 * x

            return x_grad, second_order_for_x

        return dy * first_order_custom(x)

    return y, first_order_gradient


@tl.custom_gradient
def fused_as_printed(x):
    y = x**3
    x_grad = 3.0 * x**2

    def first_order_gradient(dy):
        @tl.custom_gradient
        def first_order_custom(unused_x):
            def second_order_and_transpose(ddy):
                return ddy * dy * 6.0 * x, ddy * x_grad

            return x_grad, second_order_and_transpose

        return dy * first_order_custom(x)

    return y, first_order_gradient


@pytest.mark.parametrize("h", [fused_product_outside, fused_passing_dy])
def test_op_with_fused_backprop(h):
    assert tl.grad(h)(2.0) == 12.0
    assert tl.grad(tl.grad(h))(2.0) == 12.0
    f = lambda x: h(x) ** 2  # noqa: E731
    assert tl.grad(tl.grad(f))(2.0) == pytest.approx(30.0 * 2.0**4)


def test_as_printed():
    assert tl.grad(fused_as_printed)(2.0) == 12.0
    with pytest.raises(tl.GradientError, match="returned 2 gradients, expected 1") as caught:
        tl.grad(tl.grad(fused_as_printed))(2.0)
    assert caught.value.lineno and caught.value.filename
    assert "pass what the others belong to as an argument" in str(caught.value)


def captures(x):
    @tl.custom_gradient
    def h(v):
        def grad(dy):
            return 5.0 * dy * x

        return v * v * x, grad

    return h(x) + 0.0 * h(2.0)


def test_captured_arrays_are_constants():
    assert tl.grad(captures)(3.0) == 15.0
    assert "x inside it counts as constant" in tl.source(captures, like=(3.0,))
    # what `grad` reads is ordinary code at the next order
    assert tl.grad(tl.grad(captures))(3.0) == 5.0


@tl.custom_gradient
def wrong(x):
    return x**3, lambda g: g * x


def test_a_wrong_rule_governs_at_every_order():
    g = wrong
    for expected in (3.0, 1.0, 0.0):
        g = tl.grad(g)
        assert g(3.0) == expected
    # f = h^2: f' = 2 h h', f'' = 2 h'^2 + 2 h h'', with h' = x and h'' = 1
    f = lambda x: wrong(x) ** 2  # noqa: E731
    x = 1.5
    assert tl.grad(f)(x) == pytest.approx(2 * x**3 * x)
    assert tl.grad(tl.grad(f))(x) == pytest.approx(2 * x * x + 2 * x**3)
    assert tl.grad(tl.grad(tl.grad(f)))(x) == pytest.approx(6 * x)


@tl.custom_gradient
def opaque_sine(x):
    y = np.array([float(np.sin(v)) for v in np.atleast_1d(x)]).reshape(np.shape(x))

    def grad(dy):
        return dy * opaque_cosine(x)

    return y, grad


@tl.custom_gradient
def opaque_cosine(x):
    y = np.array([float(np.cos(v)) for v in np.atleast_1d(x)]).reshape(np.shape(x))

    def grad(dy):
        return -dy * opaque_sine(x)

    return y, grad


def test_an_opaque_forward_differentiates_to_any_order():
    g = lambda x: np.sum(opaque_sine(x))  # noqa: E731
    assert tl.grad(g)(0.4) == pytest.approx(np.cos(0.4))
    assert tl.grad(tl.grad(g))(0.4) == pytest.approx(-np.sin(0.4))
    assert tl.grad(tl.grad(tl.grad(g)))(0.4) == pytest.approx(-np.cos(0.4))


def test_third_order_of_a_spliced_rule():
    def third(x):
        s = 1.0 / (1.0 + np.exp(-x))
        return s * (1 - s) * (1 - 2 * s)

    assert tl.grad(tl.grad(tl.grad(log1pexp)))(0.3) == pytest.approx(third(0.3))


@tl.custom_gradient
def by_branches(x):
    if x > 0:

        def grad(dy):
            return dy * x

    else:

        def grad(dy):
            return dy * 5.0 * x * x

    return x**3, grad


@tl.custom_gradient
def by_loops(x):
    y = 1.0
    for _ in range(3):
        y = y * x

    def grad(dy):
        for _ in range(2):
            dy = dy * x
        return 10.0 * dy

    return y, grad


@tl.custom_gradient
def early(x):
    if x > 0:
        return x**3, lambda dy: dy * x * x
    return x, lambda dy: 7.0 * dy * x


@pytest.mark.parametrize(
    ("h", "x", "slopes"),
    [
        (by_branches, 3.0, (3.0, 1.0)),
        (by_branches, -3.0, (45.0, -30.0)),
        (by_loops, 3.0, (90.0, 60.0)),
        (early, 3.0, (9.0, 6.0)),
        (early, -3.0, (-21.0, 7.0)),
    ],
)
def test_second_order_with_control_flow(h, x, slopes):
    assert tl.grad(h)(x) == slopes[0]
    assert tl.grad(tl.grad(h))(x) == slopes[1]
    f = lambda x: h(x) ** 2  # noqa: E731
    wanted = 2 * slopes[0] ** 2 + 2 * h(x) * slopes[1]
    assert tl.grad(tl.grad(f))(x) == pytest.approx(wanted)
    assert tl.jvp(tl.grad(f), (x,), (1.0,))[1] == pytest.approx(wanted)


def test_the_gradient_calls_other_custom_gradients():
    @tl.custom_gradient
    def inner(x):
        return x * x, lambda dy: 100.0 * dy

    @tl.custom_gradient
    def outer(x):
        def grad(dy):
            return dy * inner(x)

        return x, grad

    assert tl.grad(outer)(3.0) == 9.0
    assert tl.grad(tl.grad(outer))(3.0) == 100.0


def test_what_nobody_asked_for_is_not_written():
    @tl.custom_gradient
    def h(x, y):
        def grad(dy):
            expensive = np.cosh(x)
            return dy * y, dy * expensive

        return x * y, grad

    assert "cosh" not in tl.source(lambda x, y: h(x, y), like=(1.0, 2.0))
    assert "cosh" in tl.source(lambda x, y: h(x, y), wrt=(0, 1), like=(1.0, 2.0))


def test_a_jvp_as_the_third_item():
    @tl.custom_gradient
    def h(x, y):
        def grad(dy):
            return dy * y, dy * x

        def jvp(x_dot, y_dot):
            return 1000.0 * x_dot + y_dot

        return x * y, grad, jvp

    assert h(2.0, 3.0) == 6.0
    assert tl.grad(h, wrt=(0, 1))(2.0, 3.0) == (3.0, 2.0)
    assert tl.jvp(h, (2.0, 3.0), (1.0, 1.0)) == (6.0, 1001.0)
    assert tl.jvp(h, (2.0, 3.0), (1.0, None)) == (6.0, 1000.0)


def test_a_callable_argument_closes_over_constants():
    @tl.custom_gradient
    def apply(f, x):
        return f(x), lambda dy: (None, 10.0 * dy)

    def loss(x, c):
        return apply(lambda v: v * c, x)

    assert tl.grad(loss, wrt=(0, 1))(2.0, 3.0) == (10.0, 0.0)


def test_side_effects_in_the_gradient_run_once(capsys):
    log = []

    @tl.custom_gradient
    def h(x):
        def grad(dy):
            log.append(float(dy))
            print("in grad")
            return dy * 2.0

        return x, grad

    assert tl.grad(lambda x: h(x) * 3.0)(1.0) == 6.0
    assert log == [3.0]
    assert capsys.readouterr().out == "in grad\n"


# D8: forward mode


@tl.custom_gradient
def dense(x, w):
    def grad(dy):
        return w.T @ dy, 10.0 * np.outer(dy, x)

    return w @ x, grad


def test_forward_mode_is_the_transpose():
    w, x_dot, w_dot = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), X + 1.0, np.ones((2, 3))
    y, y_dot = tl.jvp(dense, (X, w), (x_dot, w_dot))
    np.testing.assert_allclose(y, w @ X)
    np.testing.assert_allclose(y_dot, w @ x_dot + 10.0 * w_dot @ X)
    assert tl.jvp(wrong, (3.0,), (2.0,)) == (27.0, 6.0)
    for h, x, slope in ((by_branches, -3.0, 45.0), (by_loops, 3.0, 90.0), (early, -3.0, -21.0)):
        assert tl.jvp(h, (x,), (2.0,)) == (h(x), 2.0 * slope)


def test_forward_mode_several_outputs():
    @tl.custom_gradient
    def h(x, y):
        return (x * y, y), lambda a, b: (10.0 * a, 20.0 * a + 30.0 * b)

    (u, v), (u_dot, v_dot) = tl.jvp(h, (2.0, 3.0), (1.0, 1.0))
    assert (u, v, u_dot, v_dot) == (6.0, 3.0, 30.0, 30.0)


def test_forward_mode_of_a_gradient_without_source_names_it():
    namespace = {}
    exec(compile("def pull(dy):\n    return 2.0 * dy\n", "<nowhere>", "exec"), namespace)

    @tl.custom_gradient
    def h(x):
        return x * x, namespace["pull"]

    assert tl.grad(h)(1.0) == 2.0
    with pytest.raises(tl.GradientError, match="function pull at"):
        tl.jvp(h, (1.0,), (1.0,))


def slope_of(h):
    def slope(x):
        _, y_dot = tl.jvp(h, (x,), (1.0,))
        return y_dot

    return slope


@pytest.mark.parametrize(
    ("h", "x", "slope", "second"),
    [
        (wrong, 3.0, 3.0, 1.0),
        (by_branches, -3.0, 45.0, -30.0),
        (by_loops, 3.0, 90.0, 60.0),
        (early, -3.0, -21.0, 7.0),
    ],
)
def test_gradients_of_tangents(h, x, slope, second):
    assert tl.jvp(h, (x,), (1.0,))[1] == slope
    assert tl.grad(slope_of(h))(x) == pytest.approx(second)


def test_gradient_of_the_tangent_of_a_matrix_product():
    w, v = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), np.array([0.3, 0.1, -0.2])

    def along(w):
        _, y_dot = tl.jvp(dense, (X, w), (v, None))
        return np.sum(y_dot * y_dot)

    got = tl.grad(along)(w)
    np.testing.assert_allclose(got, 2.0 * np.outer(w @ v, v))


def test_tangents_and_second_order_follow_keywords():
    @tl.custom_gradient
    def h(x, scale, shift):
        def grad(g):
            for _ in range(1):
                g = g * x
            return g * scale, 10.0 * g, 100.0 * g

        return x * scale + shift, grad

    f = lambda x, s, t: h(shift=t, scale=s, x=x)  # noqa: E731
    assert tl.jvp(f, (2.0, 3.0, 4.0), (1.0, 0.5, 0.25)) == (10.0, 6.0 + 10.0 + 50.0)
    assert tl.grad(tl.grad(f), wrt=(0, 1, 2))(2.0, 3.0, 4.0) == (3.0, 2.0, 0.0)
