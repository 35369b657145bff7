"""Custom gradients of dicts, dataclasses and lists, differentiated again."""

import dataclasses

import numpy as np
import pytest

import tapeless as tl
from tests.test_operators import close, differences

X = np.array([0.4, 1.2])
V = np.array([1.0, -0.5])


@tl.custom_gradient
def two_outputs(x):
    e = np.exp(x)

    def grad(e_bar, s_bar):  # by sorted keys
        return e_bar * e + s_bar * 2.0 * x

    return {"s": x * x, "e": e}, grad


@tl.custom_gradient
def whole_upstream(x):
    def grad(upstream):
        return upstream["e"] * np.exp(x) + upstream["s"] * 2.0 * x

    return {"s": x * x, "e": np.exp(x)}, grad


def both_used(x):
    found = two_outputs(x)
    return np.sum(found["e"] * found["s"])


def one_used(x):
    return np.sum(two_outputs(x)["e"] ** 2)


def whole(x):
    found = whole_upstream(x)
    return np.sum(found["e"] * found["s"])


@dataclasses.dataclass
class Layer:
    w: np.ndarray
    b: float


@tl.custom_gradient
def applied(layer, x):
    def grad(dy):
        return Layer(dy * layer.b * x, np.sum(dy * layer.w * x)), dy * layer.w * layer.b

    return layer.w * layer.b * x, grad


def of_a_dataclass(x):
    return np.sum(applied(Layer(x, 3.0), np.sin(x)) ** 2)


def of_its_number(x):
    return np.sum(applied(Layer(np.cos(x), x[0] * x[1]), x) ** 2)


@tl.custom_gradient
def of_dict(p):
    def grad(dy):
        return {"w": dy * p["b"], "b": dy * p["w"]}

    return p["w"] * p["b"], grad


def of_a_dict(x):
    return np.sum(of_dict({"w": np.sin(x), "b": x**2}) ** 2)


@tl.custom_gradient
def of_list(items, c):
    def grad(dy):
        return [dy * items[1] * c, dy * items[0] * c], None

    return items[0] * items[1] * c, grad


def of_a_list(x):
    return np.sum(of_list([np.sin(x), x**2], 2) ** 2)


@pytest.mark.parametrize(
    "f", [both_used, one_used, whole, of_a_dataclass, of_its_number, of_a_dict, of_a_list]
)
def test_structures_at_second_order(f):
    gradient = tl.grad(f)
    close(gradient(X), differences(f, X), 1e-6)
    hessian = tl.hessian(f)(X)
    close(hessian, differences(gradient, X), 1e-6)
    twice = tl.grad(lambda x: np.sum(tl.grad(f)(x) * V))(X)
    close(twice, V @ hessian, 1e-9)


def test_the_hessian_of_a_dataclass_nests_them():
    def f(layer):
        return np.sum(applied(layer, layer.w) ** 2)  # b ** 2 * sum(w ** 4)

    found = tl.hessian(f)(Layer(X, 3.0))
    close(found.w.w, np.diag(108.0 * X**2))
    close(found.w.b, 24.0 * X**3)
    close(found.b.b, 2.0 * np.sum(X**4))


def test_a_dataclass_that_is_read_beside_its_custom_gradient():
    def f(x):
        layer = Layer(x, 3.0)
        return np.sum(applied(layer, x)) + np.sum(layer.w**2)

    close(tl.grad(f)(X), differences(f, X))  # 2 b x + 2 x
    close(tl.grad(f)(X), 8.0 * X)
