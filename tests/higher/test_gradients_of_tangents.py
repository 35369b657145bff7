"""Second derivatives that are the gradient of a tangent, for the tangent of the gradient is refused."""

import numpy as np
import pytest

import tapeless as tl
from tests.test_operators import close, differences

X = np.array([0.3, 0.4, -0.7])
CALLS = []


class Layer:
    def __init__(self, w):
        self.w = w

    def __call__(self, x):
        self.last = x  # an attribute that the gradient makes and takes away
        return np.tanh(self.w * x)


class Net:
    def __init__(self, w):
        self.layers = [Layer(w), Layer(2.0 * w)]

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        self.out = x
        return x


NET = Net(1.0)  # its adjoints are kept beside it: that is not differentiated again


def loss(w, b):
    NET.layers[0].w = w
    y = NET.forward(np.array([0.5, 1.0, -0.2]))
    total = np.sum(y * NET.out * w) + b * np.sum(w**3) + b**2
    NET.layers[0].w = 1.0
    return total


def counted(w):
    CALLS.append(1.0)
    NET.layers[1].w = w
    total = np.sum(NET.forward(np.array([0.5, 1.0, -0.2])) ** 2)
    NET.layers[1].w = 1.0
    return total


def test_hessian_of_several_independents():
    h = tl.hessian(loss, wrt=(0, 1))(X, 1.5)
    for i, wrt in enumerate(("w", "b")):
        gradient = tl.grad(loss, wrt=wrt)
        close(h[i][0], differences(lambda w, g=gradient: g(w, 1.5), X))
        close(h[i][1], (gradient(X, 1.5 + 1e-5) - gradient(X, 1.5 - 1e-5)) / 2e-5)
    close(h[0][0], h[0][0].T)
    close(h[0][1], h[1][0])


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_product_has_the_dtype_of_the_independent(dtype):
    x = X.astype(dtype)
    product = tl.hvp(loss)(x, 1.5, np.ones(3, dtype))
    assert product.dtype == dtype
    wanted = differences(lambda w: tl.grad(loss)(w, 1.5), X) @ np.ones(3)
    np.testing.assert_allclose(product, wanted, rtol=1e-3 if dtype == np.float32 else 1e-6)


def test_tangent_of_a_gradient_along_what_it_holds_fixed():
    gradient, dot = tl.jvp(tl.grad(loss), (X, 1.5), (None, 1.0))
    np.testing.assert_array_equal(gradient, tl.grad(loss)(X, 1.5))
    close(dot, 3.0 * X**2)


def test_other_kinds_of_arguments_have_a_text_of_their_own():
    operator = tl.hvp(loss)
    first = operator(X, 1.5, np.ones(3))
    assert operator(X[:2].repeat([2, 1]), 2, np.ones(3)).shape == (3,)
    np.testing.assert_array_equal(operator(X, 1.5, np.ones(3)), first)


def test_what_a_call_does_besides_happens_once():
    CALLS.clear()
    tl.hvp(counted)(X, np.ones(3))
    assert CALLS == [1.0]


def test_the_text_is_shown():
    assert "with_tangent" in tl.source(loss, "hvp", like=[X, 1.5])


def test_where_both_are_refused_the_first_refusal_is_raised():
    def both(x):
        return np.sum(np.intersect1d(x, 1.0))

    with pytest.raises(tl.NoGradientError, match="intersect1d"):
        tl.hvp(both)(X, np.ones(3))


class Model:
    def __init__(self, k):
        self.k = k

    def run(self, v):
        return self.k * v


def apply(f, v):
    return f(v)


@tl.custom_gradient
def unlike_any_derivative(x):
    def grad(upstream):
        return upstream * np.array([x[1] ** 2, x[0] * x[1]])

    return x[0] * x[1], grad


KEPT = Model(1.0)


def takes_an_authors_word(x):
    before = KEPT.k
    KEPT.k = unlike_any_derivative(x)
    y = KEPT.run(1.0)
    KEPT.k = before
    return y


def hands_on_an_authors_word(x):
    return apply(Model(unlike_any_derivative(x)).run, 1.0)


@pytest.mark.parametrize(
    "derive", [lambda f: tl.hvp(f)(X[:2], X[1:]), lambda f: tl.hessian(f)(X[:2])]
)
def test_what_need_not_be_symmetric_is_refused(derive):
    with pytest.raises(tl.GradientError, match="adjoints of objects or of outer state"):
        derive(takes_an_authors_word)


def test_what_need_not_be_symmetric_is_the_derivative_of_what_its_author_wrote():
    x = X[:2]
    hessian = tl.hessian(hands_on_an_authors_word)(x)
    close(hessian, differences(tl.grad(hands_on_an_authors_word), x))
