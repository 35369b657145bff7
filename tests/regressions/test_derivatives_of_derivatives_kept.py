"""What is made of a derivative is written once, however often it is asked for."""

import copy
import pickle

import numpy as np
import pytest

import tapeless as tl
from tapeless import pipeline

X = np.array([0.3, 0.5, 0.7])
V = np.array([1.0, -0.5, 2.0])


def energy(x):
    return np.sum(np.tanh(x) * x[::-1])


@pytest.fixture
def written(monkeypatch):
    """The names of the functions of which derivatives are written."""
    found = []
    plain = pipeline.write_for_kinds

    def noted(program, function, *rest, **more):
        found.append(function)
        return plain(program, function, *rest, **more)

    monkeypatch.setattr(pipeline, "write_for_kinds", noted)
    return found


def pulled(g):
    return tl.vjp(g, X)[1](V)[0]


def pushed(g):
    return tl.jvp(g, (X,), (V,))[1]


def differentiated_again(g):
    return tl.jacobian(g)(X) @ V


def of_the_gradient_of_a_sum(g):
    def along(x):
        return np.sum(g(x) * V)

    return tl.grad(along)(X)


@pytest.mark.parametrize("asked", [pulled, pushed, differentiated_again])
def test_they_are_written_once(asked, written):
    gradient = tl.grad(energy)
    first = asked(gradient)
    count = len(written)
    for _ in range(3):
        np.testing.assert_array_equal(asked(gradient), first)
    assert len(written) == count
    np.testing.assert_allclose(first, of_the_gradient_of_a_sum(gradient), rtol=1e-12)


def test_each_copy_has_its_own():
    gradient = tl.grad(energy)
    expected = pulled(gradient)
    for other in (
        copy.copy(gradient),
        copy.deepcopy(gradient),
        pickle.loads(pickle.dumps(gradient)),
    ):
        np.testing.assert_array_equal(pulled(other), expected)


SCALE = 1.0


def scaled(x):
    return SCALE * np.sum(x**3)


def test_what_they_rest_on_is_read_again(monkeypatch):
    gradient = tl.grad(scaled)
    first = pulled(gradient)
    monkeypatch.setitem(globals(), "SCALE", 2.0)
    np.testing.assert_allclose(pulled(gradient), 2.0 * first, rtol=1e-14)


def test_a_function_with_other_code_is_written_anew():
    def f(x):
        return np.sum(x**2)

    def other(x):
        return np.sum(x**4)

    gradient = tl.grad(f)
    np.testing.assert_allclose(pulled(gradient), 2.0 * V)
    f.__code__ = other.__code__
    np.testing.assert_allclose(pulled(gradient), 12.0 * X**2 * V)


def test_objects_of_the_user_are_left_as_they_are():
    class Model:
        def __call__(self, x):
            return np.sum(x**2)

    model = Model()
    pulled(tl.grad(model))
    tl.vjp(model, X)
    assert vars(model) == {}
