"""Parameters in dicts, lists and tuples within each other, gone through by functions that call themselves."""

import numpy as np
import pytest

import tapeless as tl
from tests import laws

X = np.array([0.3, 0.5, -0.7, 1.1])


def total(tree):
    if isinstance(tree, dict):
        return sum(total(v) for v in tree.values())
    if isinstance(tree, (list, tuple)):
        return sum(total(v) for v in tree)
    return np.sum(tree**2)


def tree_map(f, tree):
    if isinstance(tree, dict):
        return {k: tree_map(f, v) for k, v in tree.items()}
    if isinstance(tree, list):
        return [tree_map(f, v) for v in tree]
    return f(tree)


def flatten(tree):
    if isinstance(tree, dict):
        out = []
        for k in sorted(tree):
            out.extend(flatten(tree[k]))
        return out
    return [np.ravel(tree)]


def sum_of_all(x):
    return total({"w": [x, x * 2.0], "b": {"c": x[0]}})


def mapped(x):
    p = {"w": [x, x * 2.0], "b": {"c": x[0]}}
    q = tree_map(lambda a: a * 2.0, p)
    return np.sum(q["w"][0] * q["w"][1]) + q["b"]["c"] ** 2


def flattened(x):
    p = {"w": x, "b": {"c": x[0], "d": x * 3.0}}
    v = np.concatenate(flatten(p))
    return v @ v


def two_loops(p):
    w = {"l1": {"W": np.outer(p, p), "b": p}, "l2": {"W": p, "b": p[0]}}
    return 0.5 * sum(np.sum(np.square(v)) for layer in w.values() for v in layer.values())


def tm1(tree):
    if isinstance(tree, dict):
        return {k: tm1(v) for k, v in tree.items()}
    return tree * 2.0


def tm3(tree):
    out = {}
    for k, v in tree.items():
        out[k] = tm3(v) if isinstance(v, dict) else v * 2.0
    return out


def tm5(params, grads):
    return {
        k: tm5(params[k], grads[k]) if isinstance(params[k], dict) else params[k] - 0.1 * grads[k]
        for k in params
    }


def scaled(x):
    q = tm1({"w": x, "b": {"c": x[0]}})
    return np.sum(q["w"]) + q["b"]["c"] ** 2


def scaled_with_a_test_inside(x):
    q = tm3({"w": x, "b": {"c": x[0]}})
    return np.sum(q["w"]) + q["b"]["c"] ** 2


def step_of_descent(x):
    q = tm5({"w": x, "b": {"c": x[0]}}, {"w": x * x, "b": {"c": x[1]}})
    return np.sum(q["w"]) + q["b"]["c"] ** 2


def names_of(d):
    return sorted(d)


def keys_sorted_elsewhere(x):
    d = {"w": x, "b": {"c": x[0]}, "a": x[1]}
    ks = names_of(d)
    s = 0.0
    for i, k in enumerate(ks):
        v = d[k]
        s = s + (np.sum(v["c"]) if isinstance(v, dict) else np.sum(v * v)) * (i + 1)
    return s


def flat(tree, out):
    for k in sorted(tree):
        v = tree[k]
        if isinstance(v, dict):
            flat(v, out)
        else:
            out.append(v)


def appended(x):
    out = []
    flat({"w": x[0], "b": {"d": x[1], "c": x[0] * x[1]}}, out)
    return sum((v**2 * (i + 1) for i, v in enumerate(out)))


def unflatten(keys, shapes, v):
    out, i = ({}, 0)
    for k, s in zip(keys, shapes):
        n = int(np.prod(s))
        out[k] = v[i : i + n].reshape(s)
        i += n
    return out


def taken_apart(v):
    p = unflatten(["W", "b"], [(2, 2), (2,)], v)
    return np.sum(np.tanh(p["W"] @ p["b"] + p["b"]))


def sgd(params, grads, lr):
    for k in params:
        if isinstance(params[k], dict):
            sgd(params[k], grads[k], lr)
        else:
            params[k] = params[k] - lr * grads[k]


def changed_in_place(x):
    p = {"w": x, "b": {"c": x[0]}}
    sgd(p, {"w": x * x, "b": {"c": x[1]}}, 0.1)
    return np.sum(p["w"]) * p["b"]["c"]


def mutating(d, x):
    d["z"] = x
    s = 0.0
    for k in d:
        s = s * 2.0 + np.sum(d[k])
    return s


def a_key_that_a_callee_adds(x):
    d = {"w": x, "b": [x[0]]}
    return mutating(d, x[1]) + sum((np.sum(d[k]) * i for i, k in enumerate(d)))


def a_key_that_may_be_there(x):
    d = {"w": x, "b": [x[0]]}
    if x[0] > 0:
        d["a"] = x[1]
    s = 0.0
    for k in d:
        s = s * 2.0 + np.sum(d[k])
    return s


def names_turned_round(x):
    ks = ["w", "b"]

    def f(ks, d):
        s = 0.0
        for k in ks:
            s = s * 2.0 + np.sum(d[k])
        return s

    d = {"w": x, "b": [x[0]]}
    u = f(ks, d)
    ks.reverse()
    return u + 3.0 * f(ks, d)


def tmap(f, t):
    if isinstance(t, dict):
        return {k: tmap(f, v) for k, v in t.items()}
    if isinstance(t, (list, tuple)):
        return type(t)(tmap(f, v) for v in t)
    return f(t)


def unlike_in_a_list(x):
    p = tmap(lambda a: a * 2.0, {"a": [x, x[0]]})
    return np.sum(p["a"][0]) * p["a"][1]


def unlike_in_a_tuple(x):
    p = tmap(lambda a: a * 2.0, (x, {"c": x[1]}))
    return np.sum(p[0] ** 2) * p[1]["c"]


def in_a_tuple(x):
    p = tmap(lambda a: a * 2.0, (x, x[0]))
    return np.sum(p[0]) * p[1]


def tmap2(f, *ts):
    t = ts[0]
    if isinstance(t, dict):
        return {k: tmap2(f, *(u[k] for u in ts)) for k in t}
    if isinstance(t, (list, tuple)):
        return type(t)(tmap2(f, *us) for us in zip(*ts))
    return f(*ts)


def two_trees(x):
    p = {"a": [x, x * 3.0], "b": {"c": x[0]}}
    g = {"a": [x * x, x], "b": {"c": x[1]}}
    q = tmap2(lambda a, b: a - 0.1 * b, p, g)
    return np.sum(q["a"][0] * q["a"][1]) + q["b"]["c"] ** 2


CASES = [
    (sum_of_all, (np.array([0.3, 0.5]),)),
    (mapped, (np.array([0.3, 0.5]),)),
    (flattened, (np.array([0.3, 0.5]),)),
    (two_loops, (np.array([0.3, 0.5]),)),
    (scaled, (np.array([0.3, 0.5]),)),
    (scaled_with_a_test_inside, (np.array([0.3, 0.5]),)),
    (step_of_descent, (np.array([0.3, 0.5]),)),
    (keys_sorted_elsewhere, (np.array([0.3, 0.5]),)),
    (appended, (np.array([0.3, 0.5]),)),
    (taken_apart, (np.array([0.3, 0.5, 0.7, 0.2, -0.4, 0.9]),)),
    (changed_in_place, (np.array([0.3, 0.5]),)),
    (a_key_that_a_callee_adds, (np.array([0.3, 0.5]),)),
    (a_key_that_may_be_there, (np.array([0.3, 0.5]),)),
    (names_turned_round, (np.array([0.3, 0.5]),)),
    (unlike_in_a_list, (np.array([0.3, 0.5]),)),
    (unlike_in_a_tuple, (np.array([0.3, 0.5]),)),
    (in_a_tuple, (np.array([0.3, 0.5]),)),
    (two_trees, (np.array([0.3, 0.5]),)),
]
FIRST_ORDER = {flattened, unlike_in_a_tuple}  # the second is refused


@pytest.mark.parametrize("f, args", CASES, ids=lambda case: getattr(case, "__name__", ""))
def test_derivatives(f, args):
    if f in FIRST_ORDER:
        tl.check_grads(f, *args, order=1, replay=True)
    else:
        laws.check_orders(f, *args)
