"""Variables, row by row, and ordinary code that reads them."""

import copy
import pickle
import threading
import types

import numpy as np
import pytest

import tapeless as tl
from tapeless.errors import GradientError, TapelessError

X = np.array([0.3, 0.7])


@pytest.fixture
def w():
    return tl.Variable([1.0, 2.0], name="w")


@pytest.fixture
def b():
    return tl.Variable(0.5, name="b")


def slope_in(f, x=X, step=1e-6):
    """Return the gradient of a scalar function of an array by central differences."""
    made = np.zeros_like(x)
    for i in np.ndindex(x.shape):
        e = np.zeros_like(x)
        e[i] = step
        made[i] = (f(x + e) - f(x - e)) / (2 * step)
    return made


def slope_in_variable(f, variable, x=X):
    """Return the gradient with respect to a Variable by central differences."""
    old = variable.value.copy()

    def at(value):
        variable.assign(value)
        found = f(x)
        variable.assign(old)
        return found

    return slope_in(at, old)


def check(f, variables, x=X):
    """Compare the gradients of arguments and Variables with central differences."""
    before = [v.value for v in variables]
    found, of_variables = tl.grad(f, variables=variables)(x)
    np.testing.assert_allclose(found, slope_in(f, x), atol=1e-7)
    for variable, g, value in zip(variables, of_variables, before, strict=True):
        assert variable.value is value
        assert g.shape == variable.shape and g.dtype == variable.dtype
        np.testing.assert_allclose(g, slope_in_variable(f, variable, x), atol=1e-7)


# -- the object


def test_attributes_and_values():
    start = np.array([1.0, 2.0], dtype=np.float32)
    w = tl.Variable(start, name="w")
    start[0] = 9.0
    assert (w.shape, w.dtype, w.ndim, w.name, w.trainable) == ((2,), np.float32, 1, "w", True)
    np.testing.assert_array_equal(w.value, [1.0, 2.0])
    assert not tl.Variable(1.0, trainable=False).trainable


def test_arithmetic_gives_plain_arrays(w):
    for result in (w * X, X * w, w @ np.eye(2), -w, w**2, np.sin(w), np.stack([w, w]), w + w):
        assert type(result) is np.ndarray
    assert type(np.asarray(w)) is np.ndarray
    assert w[1] == 2.0 and len(w) == 2 and list(w) == [1.0, 2.0]
    np.testing.assert_array_equal(np.where(w > 1.5, w, 0.0), [0.0, 2.0])
    assert float(tl.Variable(3.0)) == 3.0 and {w: 1}[w] == 1


def test_assign_rebinds(w):
    old = w.value
    assert w.assign([3.0, 4.0]) is w.value
    np.testing.assert_array_equal(w.assign_add([1.0, 1.0]), [4.0, 5.0])
    np.testing.assert_array_equal(w.assign_sub(X), [3.7, 4.3])
    np.testing.assert_array_equal(old, [1.0, 2.0])
    assert w.assign(np.array([1, 2])).dtype == np.float64


def test_shape_and_dtype_are_kept(w):
    with pytest.raises(GradientError, match=r"shape \(3,\) is assigned to Variable w of shape"):
        w.assign(np.zeros(3))
    with pytest.raises(GradientError, match="complex value is assigned to Variable w"):
        w.assign(np.zeros(2) * 1j)


def test_nothing_writes_in_place(w):
    with pytest.raises(ValueError, match="read-only"):
        w.value[0] = 5.0
    with pytest.raises(TypeError, match="not written to in place: use assign"):
        w += 1.0


def test_copies_and_pickles(w):
    for made in (copy.deepcopy(w), pickle.loads(pickle.dumps(w))):
        assert made is not w and made.name == "w"
        np.testing.assert_array_equal(made.value, w.value)
        with pytest.raises(ValueError, match="read-only"):
            made.value[0] = 5.0


# -- what custom gradients are given


def scaled_by(variable, seen):
    """Make a custom gradient that multiplies by a Variable and notes what it was given."""

    @tl.custom_gradient
    def scaled(x):
        y = variable * x

        def grad(dy, variables=None):
            seen.append(variables)
            return dy * variable, [dy * x]

        return y, grad

    return scaled


def test_read_directly_by_attribute_in_containers_in_helpers(w, b):
    class Model:
        def __init__(self):
            self.w = w
            self.rest = {"b": [b]}

    model = Model()

    def helper(x):
        return model.rest["b"][0] * x

    seen = []

    @tl.custom_gradient
    def f(x):
        y = model.w * helper(x) * w

        def grad(dy, variables=None):
            seen.append(variables)
            return dy * b * w**2, [np.sum(dy * w**2 * x), dy * 2 * b * w * x]

        return y, grad

    # the value of `model.w` is read by the product, after `helper` has read that of b
    found, (w_bar, b_bar) = tl.grad(lambda x: np.sum(f(x)), variables=[w, b])(X)
    assert len(seen) == 1 and seen[0][0] is b and seen[0][1] is w and len(seen[0]) == 2
    np.testing.assert_allclose(found, b * w**2)
    np.testing.assert_allclose(w_bar, 2 * b * w * X)
    np.testing.assert_allclose(b_bar, np.sum(w**2 * X))


def test_given_also_if_nobody_asked(w):
    seen = []
    scaled = scaled_by(w, seen)
    np.testing.assert_array_equal(tl.grad(lambda x: np.sum(scaled(x)))(X), w.value)
    assert len(seen) == 1 and seen[0] == [w]


def test_the_four_signatures(w):
    def gradients(dy, x):
        return dy * w, [dy * x]

    @tl.custom_gradient
    def required(x):
        def grad(dy, variables):
            return gradients(dy, x)

        return w * x, grad

    @tl.custom_gradient
    def default(x):
        def grad(dy, variables=None):
            return gradients(dy, x)

        return w * x, grad

    @tl.custom_gradient
    def keyword_only(x):
        def grad(dy, *, variables=None):
            return gradients(dy, x)

        return w * x, grad

    @tl.custom_gradient
    def any_keyword(x):
        def grad(dy, **kwargs):
            assert list(kwargs) == ["variables"]
            return gradients(dy, x)

        return w * x, grad

    check(lambda x: np.sum(required(x) ** 2), [w])
    check(lambda x: np.sum(default(x) ** 2), [w])
    check(lambda x: np.sum(keyword_only(x) ** 2), [w])
    check(lambda x: np.sum(any_keyword(x) ** 2), [w])


def test_pairs_none_for_a_variable_without_gradient(w, b):
    @tl.custom_gradient
    def f(x):
        def grad(dy, variables=None):
            return dy * w, (None, np.sum(dy))

        return w * x + b, grad

    found, (w_bar, b_bar) = tl.grad(lambda x: np.sum(f(x)), variables=[w, b])(X)
    np.testing.assert_array_equal(found, w.value)
    np.testing.assert_array_equal(w_bar, [0.0, 0.0])
    assert b_bar == 2.0


@pytest.mark.parametrize("with_list", [False, True])
def test_none_read(w, with_list):
    seen = []

    @tl.custom_gradient
    def f(x):
        def grad(dy, variables):
            seen.append(variables)
            return (2.0 * dy, []) if with_list else 2.0 * dy

        return 2.0 * x, grad

    found, [w_bar] = tl.grad(lambda x: np.sum(f(x)), variables=[w])(X)
    np.testing.assert_array_equal(found, [2.0, 2.0])
    np.testing.assert_array_equal(w_bar, [0.0, 0.0])
    assert seen == [None]


def test_in_the_order_of_first_reads():
    vs = [tl.Variable(float(i + 1), name=f"v{i}") for i in range(4)]
    seen = []

    @tl.custom_gradient
    def f(x):
        y = vs[2] * x
        y = y + vs[0] * x
        y = y + vs[2] * vs[3] * x

        def grad(dy, variables=None):
            seen.append(variables)
            slopes = {2: 1.0 + vs[3], 0: 1.0, 3: vs[2].value}
            return dy * (vs[2] + vs[0] + vs[2] * vs[3]), [
                np.sum(dy * x) * slopes[vs.index(v)] for v in variables
            ]

        return y, grad

    check(lambda x: np.sum(f(x)), [vs[0], vs[1], vs[2], vs[3]])
    assert [v.name for v in seen[0]] == ["v2", "v0", "v3"]


def test_non_trainable_is_not_listed(w):
    frozen = tl.Variable([3.0, 4.0], trainable=False)
    seen = []

    @tl.custom_gradient
    def f(x):
        y = frozen * w * x

        def grad(dy, variables=None):
            seen.append(variables)
            return dy * frozen * w, [dy * frozen * x]

        return y, grad

    check(lambda x: np.sum(f(x)), [w])
    assert seen[0] == [w]


def test_a_variable_as_argument_is_an_input(w, b):
    seen = []

    @tl.custom_gradient
    def f(v, x):
        y = v * x * b

        def grad(dy, variables=None):
            seen.append(variables)
            return (dy * x * b, dy * v * b), [np.sum(dy * v * x)]

        return y, grad

    check(lambda x: np.sum(f(w, x) ** 2), [w, b])
    assert all(variables == [b] for variables in seen)


def test_a_variable_behind_an_input_is_not_listed(w, b):
    seen = []

    @tl.custom_gradient
    def f(v):
        def grad(dy, variables=None):
            seen.append(variables)
            return 2.0 * dy * v

        return v * v, grad

    check(lambda x: np.sum(f(w * x + b)), [w, b])
    assert all(variables is None for variables in seen)


def test_the_outer_function_owns_what_an_inner_one_reads(w, b):
    inner = scaled_by(w, [])
    seen = []

    @tl.custom_gradient
    def outer(x):
        y = inner(x) + b

        def grad(dy, variables=None):
            seen.append(variables)
            return dy * w, [dy * x, np.sum(dy)]

        return y, grad

    check(lambda x: np.sum(outer(x) ** 2), [b, w])
    assert all(v is wanted for v, wanted in zip(seen[0], [w, b], strict=True))


# -- how the gradients come back


def test_the_forms(w, b):
    def loss(x, y):
        return np.sum(w * x) * y

    unread = tl.Variable(np.ones((2, 3)))
    found, [b_bar, w_bar, zero] = tl.grad(loss, variables=[b, w, unread])(X, 2.0)
    np.testing.assert_allclose(found, 2.0 * w)
    np.testing.assert_allclose(w_bar, 2.0 * X)
    assert b_bar == 0.0 and b_bar.shape == ()
    np.testing.assert_array_equal(zero, np.zeros((2, 3)))
    [w_bar] = tl.grad(loss, wrt=None, variables=[w])(X, 2.0)
    np.testing.assert_allclose(w_bar, 2.0 * X)
    value, ((x_bar, y_bar), [w_bar]) = tl.value_and_grad(loss, wrt=(0, "y"), variables=[w])(X, 2.0)
    assert value == loss(X, 2.0)
    np.testing.assert_allclose(x_bar, 2.0 * w)
    assert y_bar == pytest.approx(np.sum(w * X))
    value, [w_bar] = tl.value_and_grad(loss, wrt=None, variables=[w])(X, 2.0)
    np.testing.assert_allclose(w_bar, 2.0 * X)
    assert tl.grad(loss, wrt=None, variables=[])(X, 2.0) == []


def test_vjp(w):
    y, pullback = tl.vjp(lambda x: w * x, X, variables=[w])
    np.testing.assert_allclose(y, w * X)
    for scale in (1.0, 2.0):
        (x_bar,), [w_bar] = pullback(scale * np.ones(2))
        np.testing.assert_allclose(x_bar, scale * w)
        np.testing.assert_allclose(w_bar, scale * X)


def test_has_aux(w):
    def loss(x):
        return np.sum(w * x), x + 1.0

    (found, [w_bar]), aux = tl.grad(loss, has_aux=True, variables=[w])(X)
    np.testing.assert_allclose(found, w.value)
    np.testing.assert_allclose(w_bar, X)
    np.testing.assert_allclose(aux, X + 1.0)


class Dense:
    def __init__(self, shape, rng):
        self.w = tl.Variable(rng.normal(size=shape) * 0.5, name="W")
        self.b = tl.Variable(np.zeros(shape[0]), name="b")
        self.rate = 0.5

    def __call__(self, x):
        return np.tanh(self.w @ x + self.b) * self.rate

    @property
    def penalty(self):
        return np.sum(self.w**2)


class Net:
    def __init__(self):
        rng = np.random.default_rng(3)
        self.layers = [Dense((3, 2), rng), Dense((2, 3), rng)]
        self.named = {"scale": tl.Variable(1.5, name="scale")}

    def loss(self, x):
        h = x
        for layer in self.layers:
            h = layer(h)
        return np.sum(h**2) * self.named["scale"] + 0.1 * self.layers[0].penalty

    @property
    def variables(self):
        return [v for layer in self.layers for v in (layer.w, layer.b)] + [self.named["scale"]]


def test_ordinary_code_a_network():
    net = Net()
    check(net.loss, net.variables)
    check(lambda x: net.loss(x) + net.loss(2.0 * x), net.variables[::-1])


def test_ordinary_code_training_goes_down():
    net = Net()
    g = tl.value_and_grad(net.loss, wrt=None, variables=net.variables)
    first, _ = g(X)
    for _ in range(30):
        value, bars = g(X)
        for v, v_bar in zip(net.variables, bars, strict=True):
            v.assign_sub(0.1 * v_bar)
    assert value < 0.5 * first


W = tl.Variable([1.0, 2.0], name="W")
B = tl.Variable(0.5, name="B")
LIST = [tl.Variable([0.1 * i, 0.2], name=f"l{i}") for i in range(3)]
MIXED = [W, np.ones(2)]
PAIR = (W, B)


def product(x, v):
    return np.sum(x * v * v)


def recursive(x, n):
    return x * W if n == 0 else np.sin(recursive(x, n - 1) * W)


def chosen(i):
    return LIST[i]


def over_a_list(x):
    h = x
    for v in LIST:
        h = np.sin(h * v + v[0])
    return np.sum(h)


def enumerated(x):
    total = 0.0
    for i, v in enumerate(LIST):
        total = total + (i + 1.0) * np.sum(v * x)
    return total


def branches(x):
    if W[0] > 0.5:
        return np.sum(x * W)
    return np.sum(x + W)


def into_arrays(x):
    y = x * 1.0
    y += W
    y *= W
    y[0] = W[1]
    y[1:] = y[1:] * B
    return np.sum(y * y)


def carried(x):
    h = W
    for _ in range(2):
        h = np.tanh(h * x)
    return np.sum(h)


def either(x):
    p = W if x[0] > 0 else x
    return np.sum(p * x)


def unpacked(x):
    a, c = PAIR
    return np.sum(a * x) * c


def reads_in_all_ways(x):
    return (
        W[1] * x[0] + np.dot(W, x) + np.sum(W.T * x) + W.value[0] + np.sum(np.sort(W) * x)
        + W.value.sum() + float(W.shape[0]) * np.sum(x)
    )  # fmt: skip


recomputed = tl.recompute_grad(lambda h: np.tanh(h * W + B))


@pytest.mark.parametrize(
    "f",
    [
        lambda x: product(x, W) + product(x, LIST[1]) + product(x, x),
        lambda x: np.sum(recursive(x, 3)),
        lambda x: np.sum(chosen(1) * x) + np.sum(chosen(2) * x * x),
        lambda x: np.sum(np.stack([W, LIST[1], x]) * np.array([[1.0], [2.0], [3.0]])),
        lambda x: np.sum(np.stack(MIXED) * np.array([[1.0], [2.0]]) * x),
        lambda x: np.sum(np.stack(LIST) * np.array([[1.0], [2.0], [3.0]]) * x),
        lambda x: np.sum(np.concatenate((W, x)) ** 2),
        lambda x: np.sum(np.where(x > 0.5, W, x * W)),
        lambda x: np.sum(recomputed(recomputed(x))),
        over_a_list,
        enumerated,
        branches,
        into_arrays,
        carried,
        either,
        unpacked,
        reads_in_all_ways,
    ],
)
def test_ordinary_code_ways_to_read(f):
    check(f, [B, W, *LIST])


def test_stop_gradient(w):
    found, [w_bar] = tl.grad(lambda x: np.sum(tl.stop_gradient(w) * w * x), variables=[w])(X)
    np.testing.assert_allclose(w_bar, w * X)
    np.testing.assert_allclose(found, w * w)


def test_derivatives_inside(w):
    inner = tl.grad(lambda x: np.sum(np.tanh(w * x)))
    check(lambda x: np.sum(inner(x) ** 2), [w])


def test_arguments_that_are_variables_or_hold_them(w, b):
    np.testing.assert_allclose(tl.grad(lambda v: np.sum(v * v * X))(w), 2.0 * w * X)
    found = tl.grad(lambda p: np.sum(p["w"] * X) * p["b"])({"w": w, "b": b})
    np.testing.assert_allclose(found["w"], b * X)
    np.testing.assert_allclose(found["b"], np.sum(w * X))
    with pytest.raises(GradientError, match="stands in two places"):
        tl.grad(lambda v: np.sum(v * w), variables=[w])(w)
    _, y_dot = tl.jvp(lambda v: np.sum(v * v * X), (w,), (np.ones(2),))
    assert y_dot == pytest.approx(np.sum(2.0 * w * X))


def test_forward_mode_holds_variables_fixed(w):
    y, y_dot = tl.jvp(lambda x: np.sum(w * x * x), (X,), (np.ones(2),))
    assert y_dot == pytest.approx(np.sum(2 * w * X))


def test_threads(w):
    seen = []
    scaled = scaled_by(w, seen)
    other = tl.Variable([5.0, 6.0])
    seen_other = []
    scaled_other = scaled_by(other, seen_other)
    g = tl.grad(lambda x: np.sum(scaled(x) ** 2), variables=[w])
    h = tl.grad(lambda x: np.sum(scaled_other(x) ** 2), variables=[other])

    def run(f):
        for _ in range(30):
            f(X)

    threads = [threading.Thread(target=run, args=(f,)) for f in (g, h, g, h)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert all(len(v) == 1 and v[0] is w for v in seen) and len(seen) == 60
    assert all(len(v) == 1 and v[0] is other for v in seen_other)


class Shared:
    w = tl.Variable([1.0, 2.0], name="shared")

    def loss(self, x):
        return np.sum(self.w * x) + np.sum(Shared.w * x * x)


def test_attributes_of_classes_and_modules():
    check(Shared().loss, [Shared.w])
    check(lambda x: np.sum(Shared.w * x) + np.dot(Shared.w, x), [Shared.w])
    module = types.ModuleType("module")
    module.w = tl.Variable([1.0, 2.0])
    check(lambda x: np.sum(module.w * x) + np.dot(module.w, x), [module.w])


class Layer:
    def __init__(self):
        self.k = tl.Variable([2.0, 3.0], name="k")

    @tl.custom_gradient
    def scaled(self, x):
        y = self.k * x

        def grad(dy, variables=None):
            assert variables == [self.k]
            return dy * self.k, [dy * x]

        return y, grad


def test_methods_and_recomputed_functions_around_them(w):
    layer = Layer()
    check(lambda x: np.sum(layer.scaled(x) ** 2), [layer.k])
    block = tl.checkpoint(lambda h: layer.scaled(h) + w * h)
    check(lambda x: np.sum(block(block(x)) ** 2), [w, layer.k])


def test_what_was_read_differs_from_call_to_call(w):
    other = tl.Variable([5.0, 6.0])

    @tl.custom_gradient
    def f(x):
        used = w if x[0] > 0.2 else other
        y = used * x

        def grad(dy, variables=None):
            assert len(variables) == 1 and variables[0] is used
            return dy * used, [dy * x]

        return y, grad

    check(lambda x: np.sum(f(x) ** 2), [w, other])
    check(lambda x: np.sum(f(x - 0.2) ** 2), [w, other])


def test_dtypes_and_shapes_of_the_variable():
    half = tl.Variable(np.array([1.0, 2.0], np.float32))
    _, [bar] = tl.grad(lambda x: np.sum(half * x), variables=[half])(X)
    assert bar.dtype == np.float32
    row, column = tl.Variable(np.ones(1)), tl.Variable(np.ones((2, 1)))
    check(lambda x: np.sum((row * x + column) ** 2), [row, column])


# -- assigning in differentiated code: state ends as one plain call leaves it


def test_assign_moving_average(w):
    mean = tl.Variable([0.1, 0.2], trainable=False, name="mean")
    start = mean.value

    def loss(x):
        mean.assign(0.9 * mean + 0.1 * x)
        return np.sum((x - mean) ** 2 * w)

    def plain_loss(x):
        mean.assign(start)
        found = loss(x)
        mean.assign(start)
        return found

    found, [w_bar] = tl.grad(loss, variables=[w])(X)
    np.testing.assert_allclose(mean.value, 0.9 * start + 0.1 * X)
    np.testing.assert_allclose(found, slope_in(plain_loss), atol=1e-7)
    np.testing.assert_allclose(w_bar, slope_in_variable(plain_loss, w), atol=1e-7)


def test_assign_what_is_asked_for(w):
    start = w.value

    def loss(x):
        y = np.sum(w**3)
        new = w.assign_sub(0.1 * x)
        return y + np.sum(w * new * x)

    def plain_loss(x):
        value = w.value
        found = loss(x)
        w.assign(value)
        return found

    found, [w_bar] = tl.grad(loss, variables=[w])(X)
    np.testing.assert_allclose(w.value, start - 0.1 * X)
    w.assign(start)
    np.testing.assert_allclose(found, slope_in(plain_loss), atol=1e-7)
    np.testing.assert_allclose(w_bar, slope_in_variable(plain_loss, w), atol=1e-7)


def test_assign_in_a_loop(w):
    count = tl.Variable(0.0, name="count")

    def loss(x):
        h = x
        for _ in range(3):
            count.assign_add(1.0)
            h = h * w * count
        return np.sum(h)

    found, [w_bar] = tl.grad(loss, variables=[w])(X)
    assert count.value == 3.0
    np.testing.assert_allclose(found, 6.0 * w**3)
    np.testing.assert_allclose(w_bar, 18.0 * w**2 * X)


def test_pass_through_of_assign(w):
    stored = tl.grad_pass_through(w.assign)
    value, found = tl.value_and_grad(lambda x: np.sum(stored(x) * x))(X)
    assert value == pytest.approx(np.sum(X * X))
    np.testing.assert_allclose(found, 2.0 * X)
    np.testing.assert_array_equal(w.value, X)


def test_variables_inside_get_none(w):
    passed = tl.grad_pass_through(lambda x: np.round(x * w))
    found, [w_bar] = tl.grad(lambda x: np.sum(passed(x)), variables=[w])(X)
    np.testing.assert_array_equal(found, [1.0, 1.0])
    np.testing.assert_array_equal(w_bar, [0.0, 0.0])


# -- captured arrays, missing Variables, identity


def test_captured_arrays_are_constants_and_the_error_says_what_to_do():
    weights = np.array([1.0, 2.0])

    def f(x):
        return np.sum(weights * x)

    np.testing.assert_array_equal(tl.grad(f)(X), weights)
    with pytest.raises(GradientError) as caught:
        tl.grad(f, wrt="weights")
    wanted = "weights is not a parameter of f: pass it as an argument or make it a tl.Variable"
    assert caught.value.reason == wanted


def test_variables_missing_matters_only_if_asked_for(w):
    @tl.custom_gradient
    def f(x):
        def grad(dy):
            return dy * w

        return w * x, grad

    np.testing.assert_array_equal(tl.grad(lambda x: np.sum(f(x)))(X), w.value)
    other = tl.Variable(1.0)
    found, [zero] = tl.grad(lambda x: np.sum(f(x)), variables=[other])(X)
    np.testing.assert_array_equal(found, w.value)
    assert zero == 0.0
    with pytest.raises(TapelessError, match="must accept variables="):
        tl.grad(lambda x: np.sum(f(x)), variables=[w])(X)


def test_identity_is_of_the_variable():
    a, b = tl.Variable([1.0, 2.0]), tl.Variable([1.0, 2.0])

    class Half:
        """Shows a Variable at another precision."""

        def __init__(self, inner):
            self.inner = inner

        def read(self):
            return self.inner.value.astype(np.float32).astype(np.float64)

    half = Half(a)
    found, [a_bar, b_bar] = tl.grad(lambda x: np.sum(half.read() * x), variables=[a, b])(X)
    np.testing.assert_allclose(a_bar, X)
    np.testing.assert_array_equal(b_bar, [0.0, 0.0])


def test_a_holder_that_is_given_another_variable():
    a, b = tl.Variable([1.0, 2.0]), tl.Variable([3.0, 4.0])
    holder = {"w": a}
    g = tl.grad(lambda x: np.sum(holder["w"] * x), wrt=None, variables=[b])
    np.testing.assert_array_equal(g(X)[0], [0.0, 0.0])
    holder["w"] = b
    np.testing.assert_allclose(g(X)[0], X)


# -- the example of the reference: weights[1] * x


def test_the_reference_example_with_weights():
    weights = [tl.Variable(np.array(1.0)), tl.Variable(np.array(2.0))]

    @tl.custom_gradient
    def f(x):
        y = weights[1] * x

        def grad(upstream, variables=None):
            return upstream * weights[1], [np.sum(upstream * x) for _ in variables]

        return y, grad

    found, bars = tl.grad(lambda x: np.sum(f(x)), variables=weights)(X)
    np.testing.assert_array_equal(found, [2.0, 2.0])
    np.testing.assert_allclose(bars, [0.0, np.sum(X)])
