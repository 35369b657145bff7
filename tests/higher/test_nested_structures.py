"""Gradients of what is computed from gradients of structures: dicts of lists, lists of dicts, objects."""

import copy
from dataclasses import dataclass

import numpy as np
import pytest

import tapeless as tl


@dataclass
class Layer:
    w: np.ndarray
    b: np.ndarray


def leaves(x):
    if isinstance(x, dict):
        return [part for key in x for part in leaves(x[key])]
    if isinstance(x, (list, tuple)):
        return [part for item in x for part in leaves(item)]
    return leaves(vars(x)) if isinstance(x, Layer) else [x]


def moved(x, dots, h):
    """Move the arrays of a structure, which come in the order of `leaves`."""
    made = copy.deepcopy(x)
    for part, dot in zip(leaves(made), dots, strict=True):
        part += h * dot
    return made


def inner(x, dots):
    return sum(np.sum(part * dot) for part, dot in zip(leaves(x), dots, strict=True))


def dict_of_lists(p):
    x = np.array([0.3, -0.5])
    for w, b in zip(p["w"], p["b"], strict=True):
        x = np.tanh(w * x + b)
    return np.sum(x * x)


def by_index(p):
    x = np.array([0.3, -0.5])
    for k in range(len(p["w"])):
        x = np.tanh(p["w"][k] * x + p["b"][k])
    return np.sum(x * x)


def norm_of_lists(g, c):
    return sum(np.sum(v**2 * c) for k in ("w", "b") for v in g[k])


def apply(layer, x):
    return np.tanh(layer["w"] * x + layer["b"])


def list_of_dicts(p):
    x = np.array([0.3, -0.5])
    for layer in p[:-1]:
        x = apply(layer, x) + apply(p[0], x)
    return np.sum(apply(p[-1], x) ** 2)


def put_together_anew(p):
    rows = [p[0], p[2], p[0]]
    rows.append(p[1])
    x = np.array([0.3, -0.5])
    for layer in reversed(rows):
        x = apply(layer, x)
    return np.sum(x * x)


def norm_of_dicts(g, c):
    total = 0.0
    for layer in g:
        for key in ("w", "b"):
            total = total + np.sum(layer[key] ** 2 * c)
    return total


def list_of_objects(p):
    x = np.array([0.3, -0.5])
    for layer in p:
        x = np.tanh(layer.w * x + layer.b)
    return np.sum(x * x)


def norm_of_objects(g, c):
    total = 0.0
    for layer in g:
        total = total + np.sum(layer.w**2 * c) + np.sum(layer.b**3)
    return total


def lists_in_lists(p):
    total = 0.0
    for row in p:
        for layer in row[:1]:
            total = total * layer["w"][0] + np.sum(layer["b"] ** 3 * layer["w"])
    return total


def row(layers):
    return sum(np.sum(layer["w"] ** 3) * layer["b"][0] for layer in layers)


def rows_by_a_function(p):
    return row(p[0]) * row(p[1]) + row(p[0])


def slices_of_rows(p):
    return sum(row(part) for part in p[1:]) * row(p[0])


def norm_of_rows(g, c):
    return norm_of_dicts(g[0], c) * norm_of_dicts(g[1], c)


rng = np.random.default_rng(3)


def draw():
    return rng.normal(size=2)


LISTS = {"w": [draw(), draw()], "b": [draw(), draw()]}
DICTS = [{"w": draw(), "b": draw()} for _ in range(3)]
OBJECTS = [Layer(draw(), draw()) for _ in range(2)]
ROWS = [[{"w": draw(), "b": draw()} for _ in range(2)] for _ in range(2)]
CASES = [
    (dict_of_lists, norm_of_lists, LISTS),
    (by_index, norm_of_lists, LISTS),
    (list_of_dicts, norm_of_dicts, DICTS),
    (put_together_anew, norm_of_dicts, DICTS),
    (list_of_objects, norm_of_objects, OBJECTS),
    (lists_in_lists, norm_of_rows, ROWS),
    (rows_by_a_function, norm_of_rows, ROWS),
    (slices_of_rows, norm_of_rows, ROWS),
]


@pytest.mark.parametrize(("f", "norm", "p"), CASES, ids=[f.__name__ for f, _, _ in CASES])
def test_gradient_of_a_norm_of_a_gradient(f, norm, p):
    c = np.array([1.0, 0.5])
    dots = [np.random.default_rng(5).normal(size=2) for _ in leaves(p)]

    def penalty(p):
        return norm(tl.grad(f)(p), c)

    before = copy.deepcopy(p)
    found = tl.grad(penalty)(p)
    assert all(map(np.array_equal, leaves(p), leaves(before)))
    h = 1e-5
    wanted = (penalty(moved(p, dots, h)) - penalty(moved(p, dots, -h))) / (2 * h)
    assert abs(inner(found, dots) - wanted) < 1e-6 * (1.0 + abs(wanted))
    slope = tl.jvp(penalty, (p,), (moved(moved(p, leaves(p), -1.0), dots, 1.0),))[1]
    assert abs(slope - inner(found, dots)) < 1e-9 * (1.0 + abs(wanted))


@pytest.mark.parametrize(("f", "norm", "p"), CASES, ids=[f.__name__ for f, _, _ in CASES])
def test_products_with_the_hessian(f, norm, p):
    dots = [np.random.default_rng(5).normal(size=2) for _ in leaves(p)]
    others = [np.random.default_rng(6).normal(size=2) for _ in leaves(p)]
    tangent = moved(moved(p, leaves(p), -1.0), dots, 1.0)
    seed = moved(moved(p, leaves(p), -1.0), others, 1.0)
    h = 1e-5
    wanted = (
        inner(tl.grad(f)(moved(p, dots, h)), others) - inner(tl.grad(f)(moved(p, dots, -h)), others)
    ) / (2 * h)
    by_pullback = tl.vjp(tl.grad(f), p)[1](seed)
    by_pullback = by_pullback[0] if isinstance(by_pullback, tuple) else by_pullback
    for found in (inner(tl.hvp(f)(p, tangent), others), inner(by_pullback, dots)):
        assert abs(found - wanted) < 1e-6 * (1.0 + abs(wanted))
