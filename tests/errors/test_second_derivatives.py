"""What is refused of a second derivative says so, and where it stands in the user's file."""

import numpy as np
import pytest

import tapeless as tl


class Model:
    parts = [np.ones(3), 2.0]

    def deep(self, v, n):
        if n == 0:
            return v
        return self.deep(np.tanh(self.parts[0] * v) * self.parts[1], n - 1)

    def in_pairs(self, v):
        t = 0.0
        for p, w in [(self.parts, v), (self.parts, v * 2.0)]:
            t = t + np.sum(np.sin(p[0] * w)) * p[1]
        return t


def recursive(x):
    return np.sum(Model().deep(x, 3))


def in_a_list_of_pairs(x):
    return Model().in_pairs(np.sin(x)) ** 2


REFUSED = [recursive, in_a_list_of_pairs]
X = np.array([0.3, 0.5, -0.2])


@pytest.mark.parametrize("f", REFUSED, ids=lambda f: f.__name__)
def test_the_derivative_of_a_gradient_says_so(f):
    tl.check_grads(f, X, order=1, replay=True)
    with pytest.raises(
        tl.GradientError, match=f"second derivative: that of '{f.__name__}'"
    ) as caught:
        tl.vjp(tl.grad(f), X)
    assert caught.value.filename == __file__


@pytest.mark.parametrize("f", REFUSED, ids=lambda f: f.__name__)
def test_gradients_within_functions_point_to_a_line(f):
    with pytest.raises(tl.GradientError) as caught:
        tl.check_grads(f, X)
    assert caught.value.filename == __file__
    assert caught.value.lineno is not None
