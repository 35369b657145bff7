"""Custom gradients that read Variables, differentiated again; other ways to Variables."""

import functools

import numpy as np
import pytest

import tapeless as tl
from tests.custom.test_variables import slope_in, slope_in_variable

X = np.array([0.3, 0.5])
A = np.array([1.0, 2.0])
W = tl.Variable([1.0, 2.0], name="w")
B = tl.Variable(0.5, name="b")
FROZEN = tl.Variable([3.0, 4.0], trainable=False)
LISTED = [tl.Variable([1.0, 0.5], name="p"), tl.Variable([2.0, 3.0], name="q")]


@tl.custom_gradient
def positional(x):
    y = W * x + B

    def grad(dy, variables=None):
        assert len(variables) == 2
        assert variables[0] is W
        grad_vars = [dy * x]
        grad_vars.append(np.sum(dy))
        return dy * variables[0], grad_vars

    return y, grad


@tl.custom_gradient
def keyword_only(x):
    def grad(dy, *, variables):
        return dy * W, [dy * x]

    return W * x, grad


@tl.custom_gradient
def any_keyword(x):
    def grad(dy, **keywords):
        return dy * keywords["variables"][0], [dy * x]

    return W * x, grad


@tl.custom_gradient
def reads_none(x):
    def grad(dy, variables):
        return 2.0 * dy * x, []

    return x * x, grad


@tl.custom_gradient
def beside_frozen(x):
    def grad(dy, variables=None):
        return dy * FROZEN * W, [dy * FROZEN * x]

    return FROZEN * W * x, grad


@tl.custom_gradient
def in_the_order_of_reads(x):
    y = W * np.sin(LISTED[1]) * x  # the read of LISTED[1] is the first

    def grad(dy, variables=None):
        q, w = variables
        return dy * w * np.sin(q), [dy * w * np.cos(q) * x, dy * np.sin(q) * x]

    return y, grad


@tl.custom_gradient
def of_an_argument(v, x):
    def grad(dy, variables=None):
        return (dy * x * B, dy * v * B), [np.sum(dy * v * x)]

    return v * x * B, grad


@tl.custom_gradient
def from_a_list(x):
    y = LISTED[1] * x + LISTED[0]

    def grad(dy, variables=None):
        return dy * LISTED[1], [dy * x, dy]

    return y, grad


class Layer:
    def __init__(self):
        self.w, self.b, self.scale = W, B, 2.0

    @tl.custom_gradient
    def __call__(self, x):
        y = self.scale * (self.w * x + self.b)

        def grad(dy, variables=None):
            return self.scale * dy * self.w, [self.scale * dy * x, self.scale * np.sum(dy)]

        return y, grad


LAYER = Layer()


def local(x):
    @tl.custom_gradient
    def scaled(v):
        def grad(dy, variables=None):
            return dy * W, [dy * v]

        return W * v, grad

    return scaled(x)


AGAIN = {
    "positional": (positional, [W, B]),
    "keyword_only": (keyword_only, [W]),
    "any_keyword": (any_keyword, [W]),
    "reads_none": (reads_none, [W]),
    "beside_frozen": (beside_frozen, [W]),
    "in_the_order_of_reads": (in_the_order_of_reads, [W, LISTED[1]]),
    "of_an_argument": (lambda x: of_an_argument(W, x), [W, B]),
    "from_a_list": (from_a_list, LISTED),
    "method": (lambda x: LAYER(x), [W, B]),
    "local": (local, [W]),
}


@pytest.mark.parametrize("label", list(AGAIN))
def test_second_order(label):
    h, variables = AGAIN[label]

    def f(x):
        return np.sum(h(x) ** 3)

    def along(x):
        return np.sum(A * tl.grad(f)(x))

    rows = [slope_in(lambda x, i=i: tl.grad(f)(x)[i], X) for i in range(2)]
    np.testing.assert_allclose(tl.hessian(f)(X), rows, atol=1e-6)
    np.testing.assert_allclose(tl.hvp(f)(X, A), slope_in(along, X), atol=1e-6)
    found, of_variables = tl.grad(along, variables=variables)(X)
    np.testing.assert_allclose(found, slope_in(along, X), atol=1e-6)
    for variable, g in zip(variables, of_variables, strict=True):
        np.testing.assert_allclose(g, slope_in_variable(along, variable, X), atol=1e-5)


@tl.custom_gradient
def wrong(x):
    def grad(dy, variables=None):
        return 2.0 * dy * W, [3.0 * dy * x]

    return W * x, grad


def test_a_wrong_rule_governs_variables_at_second_order():
    def along(x):
        return np.sum(tl.grad(lambda x: np.sum(wrong(x) ** 2))(x))  # 4 w h(x), h' = 2 w

    found, [of_w] = tl.grad(along, variables=[W])(X)
    np.testing.assert_allclose(found, 8.0 * W.value**2)
    np.testing.assert_allclose(of_w, 4.0 * W.value * X + 4.0 * W.value * 3.0 * X)


@tl.custom_gradient
def in_a_branch(x):
    y = W * x if x[0] > 0 else B * x * x

    def grad(dy, variables=None):
        if x[0] > 0:
            return dy * W, [dy * x]
        return 2.0 * dy * B * x, [np.sum(dy * x * x)]

    return y, grad


def read_by_helper(x):
    return W * x**2


@tl.custom_gradient
def in_a_helper(x):
    def grad(dy, variables=None):
        return 2.0 * dy * variables[0] * x, [dy * x**2]

    return read_by_helper(x), grad


@tl.custom_gradient
def in_a_list(x):
    y = x
    for v in LISTED:
        y = v * y

    def grad(dy, variables):
        p, q = LISTED
        assert len(variables) == 2
        return dy * p * q, [dy * q * x, dy * p * x]

    return y, grad


@pytest.mark.parametrize("h", [in_a_branch, in_a_helper, in_a_list])
@pytest.mark.parametrize("x", [X, -X], ids=["positive", "negative"])
def test_what_only_a_run_tells_is_found_by_one_at_second_order(h, x):
    def f(x):
        return np.sum(h(x) ** 3)

    gradient = tl.grad(f)
    np.testing.assert_allclose(gradient(x), slope_in(f, x), atol=1e-6)
    v = np.array([0.7, -0.4])
    along = tl.hvp(f)(x, v)
    h_ = 1e-5
    wanted = (gradient(x + h_ * v) - gradient(x - h_ * v)) / (2.0 * h_)
    np.testing.assert_allclose(along, wanted, atol=1e-6)

    def slope(x):
        return np.sum(gradient(x) * v)

    variables = [W, B, *LISTED]
    found, of_variables = tl.grad(slope, variables=variables)(x)
    np.testing.assert_allclose(found, along, atol=1e-9)  # v @ H is H @ v
    for variable, g in zip(variables, of_variables, strict=True):
        np.testing.assert_allclose(g, slope_in_variable(slope, variable, x), atol=1e-6)


@tl.custom_gradient
def noisy(x):
    y = x * np.random.normal() if x[0] < 0 else W * x

    def grad(dy, variables=None):
        return dy * W, [dy * x]

    return y, grad


@tl.custom_gradient
def read_now_and_then(x):
    y = W * x if x[0] > 0 else x

    def grad(dy, variables=None):
        return dy * W, [dy * x for _ in variables]

    return y, grad


def test_what_no_second_run_can_tell_is_refused():
    with pytest.raises(tl.GradientError, match="at run time only, and it draws random numbers"):
        tl.hessian(lambda x: np.sum(noisy(x) ** 2))(X)
    hessian = tl.hessian(lambda x: np.sum(read_now_and_then(x) ** 2))
    assert hessian(X).shape == (2, 2)
    with pytest.raises(tl.GradientError, match="and none in this one") as caught:
        hessian(-X)
    assert caught.value.filename == __file__


class Twice:
    def __init__(self, v):
        self.a = self.b = v

    @tl.custom_gradient
    def __call__(self, x):
        y = self.a * x + self.b

        def grad(dy, variables=None):
            return dy * self.a, [dy * (x + 1.0)]

        return y, grad


def test_one_variable_by_two_names():
    layer = Twice(W)
    np.testing.assert_array_equal(tl.grad(lambda x: np.sum(layer(x)))(X), W.value)
    with pytest.raises(tl.GradientError, match="reads one Variable by two names"):
        tl.hessian(lambda x: np.sum(layer(x) ** 2))(X)


def named(x, p, q):
    return np.sum(x * p * q)


def any_names(x, **values):
    return np.sum(x * values["p"] * values["q"])


BY_NAME = {"p": LISTED[0], "q": LISTED[1]}


def over_items(x):
    total = 0.0
    for v in W:
        total = total + v * x[0]
    return total


@pytest.mark.parametrize(
    "f",
    [
        lambda x: named(x, **BY_NAME),
        lambda x: any_names(x, **BY_NAME),
        lambda x: np.sum(functools.reduce(lambda a, b: a * b, LISTED) * x),
        over_items,
        lambda x: np.sum(np.ones(W.shape) * x * B),
        lambda x: float(B) * x[0],
    ],
)
def test_more_ways_to_read(f):
    variables = [W, B, *LISTED]
    found, of_variables = tl.grad(f, variables=variables)(X)
    np.testing.assert_allclose(found, slope_in(f, X), atol=1e-7)
    for variable, g in zip(variables, of_variables, strict=True):
        np.testing.assert_allclose(g, slope_in_variable(f, variable, X), atol=1e-7)


def test_items_spread_over_any_keywords():
    values = {"p": np.array([1.0, 2.0]), "q": np.array([3.0, 1.0])}
    found = tl.grad(lambda values, x: any_names(x, **values))(values, X)
    np.testing.assert_allclose(found["p"], X * values["q"])
    np.testing.assert_allclose(found["q"], X * values["p"])


class Net:
    def __init__(self):
        self.w = tl.Variable([1.0, 2.0], name="net_w")

    @tl.custom_gradient
    def layer(self, x):
        y = np.tanh(self.w * x)

        def grad(dy, variables=None):
            return dy * (1.0 - y * y) * self.w, [dy * (1.0 - y * y) * x]

        return y, grad

    def loss(self, x):
        for _ in range(2):
            x = self.layer(x)
        return np.sum(x**2)

    def __call__(self, x):
        return self.loss(x) + np.sum(self.w)


NET = Net()


def central(gradient, v, h=1e-5):
    return (gradient(X + h * v) - gradient(X - h * v)) / (2.0 * h)


@pytest.mark.parametrize("f", [NET.loss, NET, lambda x: NET.loss(x), lambda x: x[0] * NET(x)])
def test_variables_of_an_object_whose_methods_are_called(f):
    if f is NET:
        np.testing.assert_allclose(tl.hvp(f)(X, A), central(tl.grad(f), A), atol=1e-6)
    found, [of_w] = tl.grad(f, variables=[NET.w])(X)
    np.testing.assert_allclose(found, slope_in(f, X), atol=1e-7)
    np.testing.assert_allclose(of_w, slope_in_variable(f, NET.w, X), atol=1e-7)
