"""What is refused of a second derivative says so, and where it stands in the user's file."""

import numpy as np
import pytest

import tapeless as tl


class Model:
    parts = [np.ones(3), 2.0]

    def in_pairs(self, v):
        t = 0.0
        for p, w in [(self.parts, v), (self.parts, v * 2.0)]:
            t = t + np.sum(np.sin(p[0] * w)) * p[1]
        return t


class Linked:
    def __init__(self, value, parents=()):
        self.value, self.parents = value, parents

    def __add__(self, other):
        return Linked(self.value + other.value, (self, other))


def linked_with_what_it_is_made_of(x):
    total = Linked(x)
    for _ in range(3):
        total = total + (total.parents[0] if total.parents else Linked(1.0))
    return np.sum(total.value**2)


def in_a_list_of_pairs(x):
    return Model().in_pairs(np.sin(x)) ** 2


REFUSED = [linked_with_what_it_is_made_of]
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


def test_a_list_of_pairs_in_an_attribute():
    tl.check_grads(in_a_list_of_pairs, X, order=2, replay=True)
