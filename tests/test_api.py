"""Threads, copies, pickles and the looks of decorated and of derivative functions."""

import collections
import copy
import functools
import inspect
import pickle
import threading

import numpy as np
import pytest

import tapeless as tl

X = np.array([0.3, 0.5, 0.7])


def energy(x, k=2.0):
    "Give the energy."
    return np.sum(np.sin(x) * x**k)


@tl.grad
def force(x, k=3.0):
    "Give the force."
    return np.sum(x**2) * k


@tl.hessian
def stiffness(x):
    return np.sum(x**3)


@tl.custom_gradient
def cube(x):
    "Give the cube."

    def grad(g):
        return g * 3.0 * x**2

    return x**3, grad


@tl.differentiable
def area(r):
    "Give the area."
    return np.pi * r**2


MADE = [
    tl.grad(energy),
    tl.grad(energy, wrt="k"),
    tl.value_and_grad(energy, wrt=(0, 1)),
    tl.jacobian(energy),
    tl.hessian(energy),
]


@pytest.mark.parametrize("h", [force, stiffness, cube, area], ids=lambda h: h.__name__)
def test_decorated_functions_pickle_by_name_and_copy_as_themselves(h):
    assert pickle.loads(pickle.dumps(h)) is h
    assert copy.deepcopy(h) is h
    assert copy.copy(h) is h
    assert copy.deepcopy({"layers": [h]})["layers"][0] is h


@pytest.mark.parametrize("g", MADE, ids=repr)
def test_derivatives_pickle_by_function_and_options(g):
    back = pickle.loads(pickle.dumps(g))
    np.testing.assert_equal(back(X, 2.0), g(X, 2.0))
    assert copy.deepcopy(g) is g


def test_a_derivative_of_a_derivative_pickles():
    second = tl.jacobian(tl.grad(energy))
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(second))(X), second(X))


def test_closures_say_why_they_do_not_pickle():
    scale = 2.0

    def local(x):
        return scale * x**2

    for f in (local, lambda x: x**2):
        with pytest.raises(tl.GradientError, match="cannot be pickled") as caught:
            pickle.dumps(tl.grad(f))
        assert caught.value.filename == __file__


@pytest.mark.parametrize(
    ("h", "name"), [(force, "force"), (cube, "cube"), (area, "area"), (tl.grad(energy), "energy")]
)
def test_looks(h, name):
    assert h.__name__ == name
    assert h.__qualname__ == name
    assert h.__module__ == __name__
    assert h.__doc__ and "Give the" in h.__doc__
    wrapped = getattr(h, "__wrapped__", h)
    assert inspect.signature(h).parameters == inspect.signature(wrapped).parameters
    assert "return" not in h.__annotations__


def test_a_derivative_in_a_class_is_a_method():
    class Model:
        k = 2.0

        @tl.grad(wrt="x")
        def slope(self, x):
            return self.k * x**2

    assert Model().slope(3.0) == 12.0


def test_the_same_function_and_options_give_the_same_derivative():
    assert tl.grad(energy) is tl.grad(energy)
    assert tl.grad(energy) is not tl.grad(energy, wrt="k")

    @functools.wraps(energy)
    def other(x, k=2.0):
        return 2.0 * energy(x, k)

    np.testing.assert_allclose(tl.grad(other)(X), 2.0 * tl.grad(energy)(X))


def test_a_gradient_taken_again_in_a_loop_is_built_once(monkeypatch):
    tl.grad(energy)(X)
    monkeypatch.setattr("tapeless.pipeline.write", None)
    for _ in range(3):
        tl.grad(energy)(X)


def test_a_gradient_function_can_be_an_argument():
    def descend(slope, x):
        return np.sum((x - 0.1 * slope(x)) ** 2)

    tl.check_grads(lambda x: descend(tl.grad(energy), x), X, order=1)


@pytest.mark.parametrize("mode", ["grad", "hessian", "vjp", "jvp"])
def test_threads_build_and_call_one_derivative(mode):
    def local(x):
        y = x * 1.0
        for i in range(1, len(x)):
            y[i] = y[i - 1] * np.sin(x[i])
        return np.sum(y**2)

    def run(x):
        if mode == "vjp":
            return tl.vjp(local, x)[1](1.0)[0]
        if mode == "jvp":
            return tl.jvp(local, (x,), (x,))[1]
        return getattr(tl, mode)(local)(x)

    inputs = [X * (1.0 + 0.1 * i) for i in range(8)]
    found = [None] * len(inputs)
    start = threading.Barrier(len(inputs))

    def work(i):
        start.wait()
        for _ in range(5):
            found[i] = run(inputs[i])

    threads = [threading.Thread(target=work, args=(i,)) for i in range(len(inputs))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for x, got in zip(inputs, found, strict=True):
        np.testing.assert_array_equal(got, run(x))


@pytest.mark.parametrize(
    ("value", "label"),
    [
        (collections.deque([1.0, 2.0]), "a deque"),
        ({1.0, 2.0}, "a set"),
        (range(3), "a range"),
        (object(), "an object"),
        ((v for v in [1.0]), "a generator"),
    ],
)
def test_an_independent_without_a_derivative_is_refused(value, label):
    with pytest.raises(tl.GradientError, match=f"is {label}, which has no derivative"):
        tl.grad(lambda items: 1.0 + 0.0 * len(items))(value)


class Parent:
    def __init__(self, x):
        self.total = 0.0
        self.children = [Child(self, v) for v in x]


class Child:
    def __init__(self, parent, v):
        self.parent = parent
        self.v = v

    def tick(self):
        self.parent.total = self.parent.total * self.v + self.v**2


def test_objects_that_hold_each_other_are_right_or_refused():
    def summed(x):
        parent = Parent(x)
        for child in parent.children:
            child.tick()
        return parent.total * x[0]

    x, v = np.array([0.5, 1.5, 0.7]), np.array([1.0, 2.0, -1.0])
    slope = (summed(x + 1e-6 * v) - summed(x - 1e-6 * v)) / 2e-6
    np.testing.assert_allclose(tl.jvp(summed, (x,), (v,))[1], slope, rtol=1e-6)
    np.testing.assert_allclose(tl.grad(summed)(x) @ v, slope, rtol=1e-6)
    gradient = tl.grad(summed)
    bend = (gradient(x + 1e-6 * v) - gradient(x - 1e-6 * v)) / 2e-6
    np.testing.assert_allclose(tl.jvp(gradient, (x,), (v,))[1], bend, rtol=1e-6)
    with pytest.raises(tl.GradientError, match="holds itself"):
        tl.grad(lambda x: gradient(x) @ v)(x)
