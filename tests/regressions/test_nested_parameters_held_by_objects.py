"""Nested dicts and lists of parameters that objects hold, and that go through methods layer by layer."""

import copy

import numpy as np
import pytest

from tests import laws

X = np.array([0.4, -0.6])

PARAMS = {
    "layers": [
        {"W": np.array([[0.1, 0.2], [0.3, -0.4]]), "b": np.array([0.1, 0.2])},
        {"W": np.array([[0.5, 0.2], [-0.3, -0.4]]), "b": np.array([0.3, -0.2])},
    ]
}
TABLE = {"a": {"w": 0.3, "v": 0.4}, "b": {"w": 0.5, "v": -0.6}}


class Net:
    def __init__(self, params):
        self.params = params

    def __call__(self, x):
        for layer in self.params["layers"]:
            x = np.tanh(layer["W"] @ x + layer["b"])
        return x


class Scaled(Net):
    def __init__(self, params, options):
        self.params, self.options = params, options

    def __call__(self, x):
        for layer in self.params["layers"]:
            x = np.sin(layer["W"] @ x + layer["b"]) * self.options["gain"]
        return x


class Table:
    def __init__(self, rows):
        self.rows = rows

    def at(self, x):
        total = 0.0
        for key in ("a", "b"):
            total = total + self.rows[key]["w"] * x[0] + self.rows[key]["v"] * x[1]
        return total * total


def one_net(params, x):
    return np.sum(Net(params)(x) ** 2)


def beside_options(params, x):
    return np.sum(Scaled(params, {"gain": x[0] * 2.0})(x) ** 2)


def one_dict_in_two_objects(params, x):
    return np.sum(Net(params)(Net(params)(x)) ** 2)


def a_list_of_nets(several, x):
    for net in [Net(params) for params in several]:
        x = net(x)
    return np.sum(x * x)


def dicts_in_a_dict(rows, x):
    return Table(rows).at(x)


def dicts_made_here(x):
    return Table({"a": {"w": x[0], "v": x[1]}, "b": {"w": x[1] * x[0], "v": 2.0}}).at(x)


CASES = [
    (one_net, (PARAMS, X)),
    (beside_options, (PARAMS, X)),
    (one_dict_in_two_objects, (PARAMS, X)),
    (a_list_of_nets, ([PARAMS, copy.deepcopy(PARAMS)], X)),
    (dicts_in_a_dict, (TABLE, X)),
    (dicts_made_here, (X,)),
]


@pytest.mark.parametrize("f, args", CASES, ids=lambda case: getattr(case, "__name__", ""))
def test_derivatives(f, args):
    laws.check_orders(f, *args)
