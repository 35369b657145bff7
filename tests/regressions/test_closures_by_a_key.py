"""Tables of local functions that capture what varies, of which one is taken by an option."""

import numpy as np
import pytest

from tests import laws

X = np.array([0.3, 0.5, -0.7, 1.1])


def rate(x):
    return -x * x


def of_a_dict(x, method, dt):
    steps = {
        "euler": lambda y: y + dt * rate(y),
        "heun": lambda y: y + 0.5 * dt * (rate(y) + rate(y + dt * rate(y))),
    }
    for _ in range(3):
        x = steps[method](x)
    return np.sum(x)


def of_a_dict_at_once(x, method, dt):
    step = {
        "euler": lambda y: y + dt * rate(y),
        "heun": lambda y: y + 0.5 * dt * (rate(y) + rate(y + dt * rate(y))),
    }[method]
    for _ in range(3):
        x = step(x)
    return np.sum(x)


def of_named_functions(x, method, dt):
    def euler(y):
        return y + dt * rate(y)

    def heun(y):
        v = rate(y)
        return y + 0.5 * dt * (v + rate(y + dt * v))

    v = {"euler": euler, "heun": heun}
    return np.sum(v[method](x) ** 2)


@pytest.mark.parametrize("method", ["euler", "heun"])
@pytest.mark.parametrize("f", [of_a_dict, of_a_dict_at_once, of_named_functions])
def test_by_a_text(f, method):
    laws.check_orders(f, X, method, 0.1)


def by_options(x, options):
    dt = options["dt"]
    step = {"euler": lambda y: y + dt * rate(y), "decay": lambda y: y - dt * y}[options["method"]]
    for _ in range(3):
        x = step(x)
    return np.sum(x)


def test_by_a_dict_of_options():
    for method in ("euler", "decay"):
        laws.check_orders(by_options, X, {"method": method, "dt": 0.1})


def of_a_list_at_once(x, k, dt):
    step = [lambda y: y + dt * rate(y), lambda y: y - dt * y, lambda y: np.sin(dt * y)][k]
    for _ in range(3):
        x = step(x)
    return np.sum(x)


def test_by_a_place():
    for k in (0, 1, -1):
        laws.check_orders(of_a_list_at_once, X, k, 0.1)
