"""Derivatives of methods, partial functions and closures, taken inside a differentiated function."""

import functools

import numpy as np
import pytest

import tapeless as tl
from tests import laws

X = np.array([0.5, 1.5])


class Chain:
    def __init__(self, stiffness):
        self.stiffness = stiffness

    def energy(self, x, scale=1.0):
        stretch = x[1:] - x[:-1]
        return 0.5 * self.stiffness * np.sum(stretch**2) * scale + 0.1 * np.sum(x**4)

    def forces(self, x):
        return -tl.grad(self.energy)(x)

    def step(self, x, v, dt):
        v = v + dt * self.forces(x)
        return x + dt * v, v


class Learner:
    def __init__(self, w):
        self.w = w

    def loss(self, w):
        return np.sum((w - 1.0) ** 2 * w)

    def fit(self):
        slope = tl.grad(self.loss)
        for _ in range(3):
            self.w = self.w - 0.1 * slope(self.w)
        return self.w


FIXED = Chain(2.0)


@tl.differentiable
def cubes(x):
    return np.sum(x**3)


def scaled(x, scale=2.0):
    return np.sum(x**3) * scale


def forces_of_an_object_outside(x):
    return np.sum(FIXED.forces(x) ** 2)


def forces_of_an_object_made_here(x):
    return np.sum(Chain(np.sum(x)).forces(x) ** 2)


def a_method_through_hessian_and_jacobian(x):
    chain = Chain(np.sum(x))
    return np.sum(tl.hessian(chain.energy)(x)) + np.sum(tl.jacobian(chain.forces)(x))


def a_method_through_hvp(x):
    chain = Chain(np.sum(x))
    return np.sum(tl.hvp(chain.energy)(x, np.ones(2)))


def value_and_keyword(x):
    chain = Chain(np.sum(x))
    e, slope = tl.value_and_grad(chain.energy, wrt="x")(x, scale=2.0)
    return e * np.sum(slope)


def two_independents_of_a_method(x):
    chain = Chain(np.sum(x))
    x_slope, scale_slope = tl.grad(chain.energy, wrt=(0, 1))(x, 2.0)
    return scale_slope * np.sum(x_slope)


def an_optimizer(x):
    return np.sum(Learner(x).fit() ** 2)


def tangent_of_a_method(x):
    chain = Chain(np.sum(x))
    return tl.jvp(chain.energy, (x,), (np.ones(2),))[1]


def tangent_by_keywords(x):
    y, y_dot = tl.jvp(scaled, primals=(x,), tangents=(x * 2.0,))
    return y * y_dot


def a_partial(x):
    product = functools.partial(lambda a, b: np.sum(a * b**2), x)
    return np.sum(tl.grad(product)(x * 2.0))


def a_returned_closure(x):
    def times(a):
        def product(b):
            return np.sum(a * b**2)

        return product

    return np.sum(tl.grad(times(x))(x * 2.0))


def asked_of_a_differentiable_function(x):
    y, slope = cubes.value_and_grad()(x)
    return y * np.sum(cubes.grad()(x) * slope)


PROGRAMS = [
    forces_of_an_object_outside, forces_of_an_object_made_here,
    a_method_through_hessian_and_jacobian, a_method_through_hvp, value_and_keyword,
    two_independents_of_a_method, an_optimizer, tangent_of_a_method, tangent_by_keywords, a_partial,
    a_returned_closure, asked_of_a_differentiable_function,
]  # fmt: skip


@pytest.mark.usefixtures("on_disk")  # plain calls take derivatives of new closures
@pytest.mark.parametrize("f", PROGRAMS)
def test_derivatives_of_methods_inside(f):
    laws.check_function(f, (X,), smooth=False)


def simulated(stiffness, x):
    chain, v = Chain(stiffness), np.zeros(2)
    for _ in range(2):
        x, v = chain.step(x, v, 0.1)
    return np.sum(x**2)


def test_a_simulation_by_forces_that_are_gradients():
    laws.check_function(simulated, (1.3, X), wrt=(0, 1), smooth=False)


def tangents_in_a_list(x):
    dots = tuple([np.ones(2)])
    return tl.jvp(scaled, (x,), dots)[1]


def test_a_jvp_whose_tangents_come_from_a_list_that_is_written_out():
    tl.check_grads(tangents_in_a_list, X, order=2, replay=True)


def tangents_unseen(x):
    dots = tuple([np.ones(2) for _ in range(1)])
    return tl.jvp(scaled, (x,), dots)[1]


def test_a_jvp_whose_tangents_are_not_written_out_is_refused_by_name():
    with pytest.raises(tl.GradientError, match=r"`tl\.jvp` of what varies") as caught:
        tl.grad(tangents_unseen)(X)
    assert "tuples written out" in str(caught.value)
