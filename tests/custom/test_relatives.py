"""The relatives of custom gradients, row by row: stop_gradient, recompute_grad, straight-through."""

import inspect
import pickle

import numpy as np
import pytest

import tapeless as tl
from tapeless.errors import GradientError
from tests import laws

X = np.array([0.3, -0.5, 1.2])


def slope(f, x=X, step=1e-6):
    """Return the gradient of a scalar function of an array by central differences."""
    x = np.asarray(x)
    made = np.zeros_like(x)
    for index in np.ndindex(x.shape):
        e = np.zeros_like(x)
        e[index] = step
        made[index] = (f(x + e) - f(x - e)) / (2 * step)
    return made


def check(f, x=X):
    """Compare a gradient with central differences."""
    before = x.copy()
    np.testing.assert_allclose(tl.grad(f)(x), slope(f, x), atol=1e-7)
    np.testing.assert_array_equal(x, before)


class Point:
    def __init__(self, x, y):
        self.x = x
        self.y = y


# -- stop_gradient


@pytest.mark.parametrize(
    "stopped",
    [
        lambda x: tl.stop_gradient(x),
        lambda x: tl.stop_gradient(x=x),
        lambda x: tl.stop_gradient({"w": x, "b": 2.0 * x})["w"],
        lambda x: tl.stop_gradient([x, 2.0 * x])[0],
        lambda x: tl.stop_gradient((x, {"deep": [x]}))[1]["deep"][0],
        lambda x: tl.stop_gradient(Point(x, x)).y,
    ],
)
def test_nothing_passes_through_a_stopped_structure(stopped):
    np.testing.assert_array_equal(tl.grad(lambda x: np.sum(stopped(x) * x))(X), X)
    _, y_dot = tl.jvp(lambda x: np.sum(stopped(x) * x), (X,), (np.ones(3),))
    assert y_dot == pytest.approx(np.sum(X))


def test_the_rest_of_a_structure_is_not_stopped():
    def loss(p):
        return np.sum(tl.stop_gradient(p)["w"] * p["w"] * p["b"])

    p = {"w": X, "b": 2.0 * X}
    found = tl.grad(loss)(p)
    np.testing.assert_allclose(found["w"], X * 2.0 * X)
    np.testing.assert_allclose(found["b"], X * X)


def test_ranks_are_known_behind_it():
    assert "unbroadcast" not in tl.source(lambda x: np.sum(tl.stop_gradient(x) * x), like=(X,))


def test_a_store_into_what_was_stopped_is_refused():
    def loss(x):
        s = tl.stop_gradient(x)
        y = np.sum(x * x)
        s[0] = 5.0
        return y

    with pytest.raises(GradientError, match="which is its argument itself") as caught:
        tl.grad(loss)(X)
    assert caught.value.lineno == loss.__code__.co_firstlineno + 3

    def copied(x):
        s = tl.stop_gradient(x).copy()
        s[0] = 5.0
        return np.sum(s * x)

    np.testing.assert_array_equal(tl.grad(copied)(X), [5.0, *X[1:]])


# -- recompute_grad

RUNS = []


@tl.recompute_grad
def layer(x, scale=2.0):
    RUNS.append(1)
    y = np.tanh(scale * x)
    return y * y


def test_the_forward_runs_twice_and_nothing_is_kept():
    RUNS.clear()
    check_value = tl.grad(lambda x: np.sum(layer(x)))(X)
    assert len(RUNS) == 2
    np.testing.assert_allclose(check_value, slope(lambda x: np.sum(layer(x))), atol=1e-7)


def test_in_a_loop_only_the_inputs_are_kept():
    def loss(x):
        h = x
        for _ in range(3):
            h = layer(h)
        return np.sum(h)

    RUNS.clear()
    found = tl.grad(loss)(X)
    assert len(RUNS) == 6
    np.testing.assert_allclose(found, slope(loss), atol=1e-7)
    text = tl.source(loss, like=(X,))
    forward, reverse = text.split("# Reverse sweep")
    assert "layer(h)" in forward and "layer_fwd(h" not in forward
    assert reverse.index("layer_fwd(h, 2.0)") < reverse.index("layer_rev(")
    assert forward.count("append") == 2  # the log of runs, and h


def test_checkpoint_is_its_other_name():
    assert tl.checkpoint is tl.recompute_grad


def test_a_direct_call_runs_once():
    RUNS.clear()
    layer(X)
    assert len(RUNS) == 1


@tl.recompute_grad
def pair(x, y, n=2):
    a, b = x**n, np.sin(y)
    return a * b, a + b


def two_outputs(x):
    p, q = pair(x, x, n=3)
    return np.sum(p * q) + np.sum(pair(y=x[::-1], x=x)[1])


def only_one_used(x):
    return np.sum(pair(x, x)[0])


def overwritten(x):
    h = x
    for _ in range(3):
        h, k = pair(h, x)
        h[0] = 2.0 * h[1] * k[0]
    return np.sum(h)


def made_in_place(x):
    k = x[0]

    def block(h):
        return np.tanh(h * k)

    h = x
    for _ in range(3):
        h = tl.checkpoint(block)(h)
    return np.sum(h * h)


@tl.recompute_grad
def recursive(x, n):
    if n == 0:
        return x
    return np.sin(recursive(x, n - 1) * x)


class Net:
    def __init__(self, w):
        self.w = w

    @tl.recompute_grad
    def loss(self, x):
        return np.sum(np.tanh(self.w * x))


def object_made_inside(x):
    return Net(2.0 * x).loss(x)


NET = Net(np.array([1.0, 2.0, 3.0]))


@pytest.mark.parametrize(
    "f",
    [
        two_outputs,
        only_one_used,
        overwritten,
        made_in_place,
        object_made_inside,
        NET.loss,
        lambda x: NET.loss(x),
        lambda x: np.sum(recursive(x, 3)),
        lambda x: np.sum(layer(x, scale=x)),
        lambda x: np.sum(tl.recompute_grad(np.sin)(x)),
        tl.recompute_grad(lambda x: np.sum(x**3)),
    ],
)
def test_kinds_of_calls(f):
    check(f)
    _, y_dot = tl.jvp(f, (X,), (np.array([1.0, 2.0, 3.0]),))
    assert y_dot == pytest.approx(np.sum(slope(f) * [1.0, 2.0, 3.0]), abs=1e-6)


def test_empty_arrays():
    empty = np.zeros((0, 3))
    found = tl.grad(lambda x: np.sum(layer(x)))(empty)
    assert found.shape == (0, 3)


@tl.recompute_grad
def smooth(x, scale=2.0):
    return np.tanh(scale * x) * np.exp(x)


@pytest.mark.parametrize(
    "f", [lambda x: np.sum(smooth(x) * x), lambda x: np.sum(smooth(smooth(x)))]
)
def test_second_and_third_order(f):
    direction = np.array([1.0, -2.0, 0.5])
    first = tl.grad(f)

    def along(x):
        return np.sum(first(x) * direction)

    check(along)
    second = tl.grad(along)

    def along_twice(x):
        return np.sum(second(x) * direction)

    np.testing.assert_allclose(tl.grad(along_twice)(X), slope(along_twice), atol=1e-5)


def test_second_order_of_several_outputs():
    first = tl.grad(two_outputs)
    check(lambda x: np.sum(first(x) * x))


def test_all_laws():
    laws.check_function(lambda x: np.sum(smooth(x) * x), (X,))


def test_it_looks_like_the_function():
    assert layer.__name__ == "layer"
    assert str(inspect.signature(layer)) == "(x, scale=2.0)"
    assert layer.__wrapped__.__code__.co_name == "layer"
    assert pickle.loads(pickle.dumps(layer)) is layer


def test_what_is_not_callable():
    with pytest.raises(TypeError, match="not a float"):
        tl.recompute_grad(1.0)


RNG = np.random.default_rng(0)
STATE = {"n": 0}


@tl.recompute_grad
def storing(x):
    x[0] = 3.0
    return np.sum(x * x)


@tl.recompute_grad
def counting(x):
    STATE["n"] += 1
    return np.sum(x) * STATE["n"]


@tl.recompute_grad
def drawing(x):
    return np.sum(x * np.random.normal(size=3))


@tl.recompute_grad
def drawing_from(x, rng):
    return np.sum(x * rng.normal(size=3))


@pytest.mark.parametrize(
    "f, reason",
    [
        (lambda x: storing(x.copy()), "'storing' stores into its arguments"),
        (lambda x: counting(x), "'counting' uses state outside its arguments that it changes"),
        (lambda x: drawing(x), "'drawing' draws random numbers"),
        (lambda x: drawing_from(x, RNG), "'drawing_from' draws random numbers"),
    ],
)
def test_what_cannot_run_twice_is_refused(f, reason):
    with pytest.raises(GradientError, match=f"{reason}, so recompute_grad cannot run it again"):
        tl.grad(f)(X)


# -- grad_pass_through

signed = tl.grad_pass_through(np.sign)


class Rounded:
    def __call__(self, x):
        return np.round(x)


def crossed(a, b):
    return np.round(b), np.floor(a)


def test_value_of_f_gradient_of_identity():
    value, found = tl.value_and_grad(lambda x: np.sum(signed(x) * x))(X)
    assert value == pytest.approx(np.sum(np.abs(X)))
    np.testing.assert_allclose(found, X + np.sign(X))
    np.testing.assert_array_equal(signed(X), np.sign(X))


def test_it_is_spliced():
    text = tl.source(lambda x: np.sum(signed(x) * x), like=(X,))
    assert "from numpy import sign" in text
    assert "x_bar += x" in text


def test_callable_objects():
    rounded = tl.grad_pass_through(Rounded())
    np.testing.assert_array_equal(tl.grad(lambda x: np.sum(rounded(x)))(X), np.ones(3))


def test_several_inputs_and_outputs():
    both = tl.grad_pass_through(crossed)

    def loss(x):
        p, q = both(x, 2.0 * x)
        return np.sum(3.0 * p + 5.0 * q)

    np.testing.assert_array_equal(tl.grad(loss)(X), 3.0 + 2.0 * 5.0 * np.ones(3))


def test_forward_mode():
    y, y_dot = tl.jvp(lambda x: signed(x) * 2.0, (X,), (X,))
    np.testing.assert_array_equal(y, 2.0 * np.sign(X))
    np.testing.assert_allclose(y_dot, 2.0 * X)


# -- registered gradients


def cube(x):
    raise AssertionError("the source of a registered function is not entered")


class Scale:
    def __init__(self, x):
        self.x = x


@pytest.fixture
def clean():
    yield
    for fn in (cube, np.tan, Scale, sorted, Net.__init__):
        tl.unregister_gradient(fn)


def cube_rule(x):
    def grad(upstream):
        return 3.0 * upstream * x * x

    return x**3, grad


def other_rule(x):
    def grad(upstream):
        return 7.0 * upstream

    return x**3, grad


def test_a_python_function_is_not_entered(clean):
    def opaque(x):
        y = x.copy()
        exec("y[...] = y ** 3")
        return y

    tl.register_gradient(opaque, cube_rule)
    try:
        np.testing.assert_allclose(tl.grad(lambda x: np.sum(opaque(x)))(X), 3 * X**2)
    finally:
        tl.unregister_gradient(opaque)


def test_any_callable_by_reference(clean):
    @tl.register_gradient(sorted)
    def sorted_rule(xs):
        order = np.argsort(xs)

        def grad(upstream):
            bars = np.zeros(len(order))
            bars[order] = upstream
            return bars

        return np.asarray(xs)[order], grad

    weights = np.array([1.0, 10.0, 100.0])
    found = tl.grad(lambda x: np.sum(np.asarray(sorted(x)) * weights))(X)
    np.testing.assert_array_equal(found, [10.0, 1.0, 100.0])


def test_not_callable():
    with pytest.raises(TypeError, match="registered for a callable, not for a float"):
        tl.register_gradient(1.0, cube_rule)
    with pytest.raises(TypeError, match="a rule must be callable, not a int"):
        tl.register_gradient(cube, 3)


def test_the_function_inside_its_own_rule_is_the_primitive(clean):
    ran = []

    def primitive(x):
        ran.append(1)
        return x**3

    @tl.register_gradient(primitive)
    def rule(x):
        y = primitive(x)

        def grad(upstream):
            return 5.0 * upstream * x

        return y, grad

    g = tl.grad(lambda x: np.sum(primitive(x)))
    np.testing.assert_allclose(g(X), 5.0 * X)
    assert len(ran) <= 1
    np.testing.assert_allclose(tl.grad(lambda x: np.sum(g(x)))(X), 5.0 * np.ones(3))
    tl.unregister_gradient(primitive)


def test_what_was_built_is_built_again(clean):
    def user(x):
        return x**2

    g = tl.grad(lambda x: np.sum(user(x)))
    np.testing.assert_allclose(g(X), 2 * X)
    tl.register_gradient(user, other_rule)
    np.testing.assert_allclose(g(X), 7.0 * np.ones(3))
    with pytest.raises(GradientError, match="already has a gradient") as caught:
        tl.register_gradient(user, cube_rule)
    assert "override=True" in str(caught.value)
    tl.register_gradient(user, other_rule)  # the same rule again is fine
    tl.register_gradient(user, cube_rule, override=True)
    np.testing.assert_allclose(g(X), 3 * X**2)
    tl.unregister_gradient(user)
    np.testing.assert_allclose(g(X), 2 * X)


def test_a_built_in_rule_comes_back(clean):
    g = tl.grad(lambda x: np.sum(np.tan(x)))
    before = g(X)
    tl.register_gradient(np.tan, other_rule, override=True)
    np.testing.assert_allclose(g(X), 7.0 * np.ones(3))
    tl.unregister_gradient(np.tan)
    np.testing.assert_array_equal(g(X), before)


def test_second_order_is_built_again(clean):
    def user(x):
        return x**3

    h = tl.grad(tl.grad(user))
    assert h(2.0) == pytest.approx(12.0)
    tl.register_gradient(user, other_rule)
    assert h(2.0) == 0.0
    tl.unregister_gradient(user)
    assert h(2.0) == pytest.approx(12.0)


def test_options_keep_their_defaults():
    rounded = tl.grad_pass_through(np.round)
    for f in (
        lambda x: np.sum(rounded(x, 1) * x),
        lambda x: np.sum(rounded(a=x, decimals=1) * x),
    ):
        np.testing.assert_allclose(tl.grad(f)(X), X + np.round(X, 1))
    first = tl.grad(lambda x: np.sum(rounded(1.7 * x) ** 2 * x))
    # 2 r 1.7 x + r**2, in which r has the slope 1.7
    wanted = 3.4 * (1.7 * X + np.round(1.7 * X)) + 2 * np.round(1.7 * X) * 1.7
    np.testing.assert_allclose(tl.grad(lambda x: np.sum(first(x)))(X), wanted)


@pytest.mark.parametrize(
    "f, call",
    [
        (lambda x, y: x * y, lambda h, x: np.sum(h(x, x))),
        (lambda x: (x, x), lambda h, x: np.sum(h(x)[0])),
    ],
)
def test_as_many_outputs_as_inputs(f, call):
    passed = tl.grad_pass_through(f)
    with pytest.raises(GradientError, match="grad function of"):
        tl.grad(lambda x: call(passed, x))(X)


def test_counted_at_the_call():
    passed = tl.grad_pass_through(lambda *xs: xs[0] * xs[1])
    with pytest.raises(GradientError, match="1 output and 2 inputs"):
        tl.grad(lambda x: np.sum(passed(x, x)))(X)
