"""Arrays that are stored into and reached through an argument that holds them."""

import numpy as np
import pytest

from tests.laws import check_function

X = np.array([0.5, -1.2, 2.0])
Y = np.array([1.5, 0.4, -0.8])


def item_of_a_dict(p, x):
    doubled = {k: v * 2.0 for k, v in p.items()}
    p["w"][0] = x[1] * x[0]
    return np.sum(doubled["w"] * x + p["w"] * p["w"])


def named_item(p, x):
    v = p["w"]
    v[0] = x[1] * x[0]
    v *= x
    return np.sum(v * v)


def item_of_a_list(p, x):
    p[0][0] = x[1] * x[0]
    return np.sum(p[0] * x)


def nested(p, x):
    p["a"]["w"][0] = x[1] * x[0]
    p["b"] = p["b"] * x
    return np.sum(p["a"]["w"] * p["a"]["v"]) + np.sum(p["b"] * p["n"])


def stored(v, x):
    v[1:] = v[1:] * x[0]


def in_a_callee(p, x):
    stored(p["w"], x)
    return np.sum(p["w"] * p["w"])


@pytest.mark.parametrize(
    "f, p",
    [
        (item_of_a_dict, {"w": Y}),
        (named_item, {"w": Y}),
        (item_of_a_list, [Y]),
        (item_of_a_list, (Y,)),
        (nested, {"a": {"w": Y, "v": Y + 2.0}, "b": Y * 3.0, "n": 2}),
        (in_a_callee, {"w": Y}),
    ],
)
def test_their_adjoints_are_in_the_gradient_of_the_container(f, p):
    check_function(f, (p, X))
