"""Functions that make custom gradients, called inside of what is differentiated."""

import numpy as np
import pytest

import tapeless as tl
from tests import laws

X = np.array([0.2, 0.5])


def softened(t, power=1.0, *, scale=1.0):
    """Make a custom gradient whose names are also those of its callers, and of its `grad`."""
    s = t * scale
    m = np.exp(s) ** power

    @tl.custom_gradient
    def op(v):
        w = np.tanh(v / m)

        def grad(upstream):
            s = 1 - w**2
            return upstream * s / m

        return w, grad

    return op


def called_where_it_is_made(x):
    return np.sum(softened(0.3)(x) ** 2)


def beside_names_of_its_own(x):
    m, s, op, w, v = x * 3, 2.0, 1.0, x + 1, x
    g, h = softened(0.3), softened(s, scale=0.5, power=2.0)
    return np.sum(g(m) * h(w) * g(v)) * op


def in_every_trip(x):
    for t in (0.1, 0.2):
        x = softened(t)(x) * t
    return np.sum(x**2)


def on_one_of_two_ways(x):
    f = softened(0.4) if x[0] > 0 else softened(0.9)
    return np.sum(f(x) ** 2)


def bound_anew(x):
    f = softened(0.4)
    y = f(x)
    f = softened(0.9)
    return np.sum(f(y) ** 2)


def listed(x):
    for f in [softened(0.4), np.sin, softened(0.9)]:
        x = f(x)
    return np.sum(x**2)


def in_a_local_function(x):
    def inner(z):
        f = softened(0.4)
        return f(z) * z

    return np.sum(inner(x) * inner(x * 2))


class Squared:
    def times(self, t):
        @tl.custom_gradient
        def op(v):
            return v * v * t, lambda upstream: upstream * 2 * v * t

        return op

    def __call__(self, x):
        op = self.times(3.0)
        return op(x) + x


def by_a_method(x):
    return np.sum(Squared()(x) ** 2)


@pytest.mark.parametrize(
    "f",
    [
        called_where_it_is_made, beside_names_of_its_own, in_every_trip, on_one_of_two_ways, bound_anew,
        listed, in_a_local_function, by_a_method,
    ],
)  # fmt: skip
def test_derivatives(f):
    laws.check_orders(f, X)


def doubled(x):
    f = softened(0.5)
    return np.sum(f(x))


def test_the_grad_is_spliced():
    text = tl.source(tl.grad(doubled), X)
    assert "s_1 = 1 - w_1**2" in text
    assert "# f.grad, as written by its author (test_made_inside.py:" in text


def test_what_it_captures_counts_as_a_constant():
    def f(x, k):
        return np.sum(softened(k)(x)) * k

    x, k = X, 0.3
    _, dk = tl.grad(f, wrt=(0, 1))(x, k)
    np.testing.assert_allclose(dk, np.sum(np.tanh(x / np.exp(k))))


def kept_from_earlier_trips(x):
    made = [softened(t) for t in (0.1, 0.2)]
    return np.sum(made[0](x) * made[1](x))


def test_what_still_reads_names_that_are_bound_anew_is_refused():
    with pytest.raises(tl.TapelessError):
        tl.grad(kept_from_earlier_trips)(X)
