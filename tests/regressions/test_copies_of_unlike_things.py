"""Dicts of arrays, lists, numbers and texts that are copied in depth."""

import copy

import numpy as np
import pytest

import tapeless as tl

X = np.array([0.3, 0.5, 1.2])


def array_list_and_text(x):
    d = {"a": x * 2, "b": [x[0], 3.0], "c": "s"}
    e = copy.deepcopy(d)
    e["a"][0] = 1.0
    e["b"].append(x[1])
    return np.sum(d["a"] * e["a"]) + e["b"][0] ** 2 * e["b"][2] * len(d["b"])


def best_state_of_a_loop(x):
    state = {"w": x * x, "n": 0, "first": x[0], "opt": {"m": x + 1.0, "t": 1.0}}
    best = copy.deepcopy(state)
    for _ in range(3):
        state["w"] -= 0.1 * x
        state["opt"]["m"] *= 0.9
        state["n"] += 1
        if state["w"][0] > -0.5:
            best = copy.deepcopy(state)
    return np.sum(best["w"] * best["opt"]["m"]) * best["n"] + best["first"] * best["opt"]["t"]


def parameters_changed_in_a_copy(x, p):
    q = copy.deepcopy(p)
    q["w"][0] = x[0]
    q["layers"][0] *= x[1]
    return np.sum(q["w"] * p["w"]) + q["layers"][0] * p["layers"][1] + q["b"]


def key_that_is_not_there(x):
    d = {"a": x * 2.0}
    if x[0] > 1.0:
        d["z"] = "unused"
    d["l"] = [x[2]]
    e = copy.deepcopy(d)
    e["l"][0] = e["l"][0] * x[1]
    s = 0.0
    for i, _ in enumerate(e):
        s = s + (i + 1) * np.sum(e["a"])
    return s * d["l"][0] * e["l"][0] + len(e)


def clone(d):
    return copy.deepcopy(d)


def copied_by_a_callee(x):
    e = clone({"a": x, "l": [x[2]]})
    e["a"] *= 2.0
    return np.sum(e["a"] * x) * e["l"][0]


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (array_list_and_text, (X,)),
        (best_state_of_a_loop, (X,)),
        (parameters_changed_in_a_copy, (X, {"w": X * 2, "layers": [0.3, 1.0], "b": 1.0})),
        (key_that_is_not_there, (X,)),
        (copied_by_a_callee, (X,)),
    ],
)
def test_a_dict_of_unlike_things_is_copied_by_its_keys(f, args):
    tl.check_grads(f, *args, order=1, replay=True)
    tl.check_grads(f, *args, modes=("forward",))
