"""Forward mode: the tangent of every construct against central differences, and its text."""

import copy
import importlib
import inspect
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import tapeless as tl
from tapeless.analysis.abstract import Value
from tapeless.differentiate.forward.function import write_tangent
from tapeless.differentiate.module import Module
from tapeless.differentiate.reverse.split import write_split
from tapeless.kinds import Number, differentiable
from tapeless.pipeline import argument_kinds, render
from tapeless.source.loader import load
from tapeless.specialize.program import AnalysedProgram
from tests import laws

X = np.array([0.6, -1.4, 2.3, 0.9])
M = np.array([[0.3, -0.6, 1.1], [0.7, 2.2, -0.4], [-0.9, 0.5, 0.8]])
FAMILIES = "straight branches loops jumps arrays containers calls objects custom".split()
PAIRS = sorted(path.stem for path in (Path(__file__).parents[1] / "pairs").glob("g*.py"))


def written(f, args, kinds_known=True):
    """Return the text and the function of the tangent derivative of `f`."""
    program = AnalysedProgram()
    core = program.core(f)
    core = replace(core, externals=dict(core.externals))
    program.cores[f] = core
    heap = {}
    active = [bool(laws.float_leaves(arg)) for arg in args]
    kinds = argument_kinds(args, heap, active, False)
    if not kinds_known:
        kinds = [
            Number(frozenset([("argument", i)])) if laws.is_float(arg) else kind
            for i, (arg, kind) in enumerate(zip(args, kinds, strict=True))
        ]
    values = tuple(
        Value(kind, moves and differentiable(kind))
        for kind, moves in zip(kinds, active, strict=True)
    )
    facts = program.analyse(core, values, heap)
    core = facts.function
    module = Module(program, frozenset(facts.stored), write_split)
    write_tangent(module, core, facts, values, "tangent")
    text = render(module)
    namespace = load(text, "written", {k: e.value for k, e in module.externals.items()})
    return text, namespace["tangent"], [v.varied for v in values]


def all_arguments(f, args):
    """Complete the arguments by defaults; `*args` become one tuple."""
    if any(p.kind is p.VAR_POSITIONAL for p in inspect.signature(f).parameters.values()):
        return [tuple(args)]
    defaults = f.__defaults__ or ()
    missing = f.__code__.co_argcount - len(args)
    return [*args, *defaults[len(defaults) - missing :]]


def check(f, args, kinds_known=True):
    """Assert that value and tangent are right and that the arguments stay as they are."""
    if hasattr(f, "__custom_gradient__"):
        inner = f

        def f(x):
            return inner(x)

    args = all_arguments(f, args)
    starred = len(inspect.signature(f).parameters) == 1 and isinstance(args[0], tuple)
    starred = starred and "*" in str(inspect.signature(f))
    text, tangent, varied = written(f, args, kinds_known)
    rng = np.random.default_rng(7)
    direction = tuple(
        laws.random_like(rng, arg) if moves else laws.map_floats(np.zeros_like, arg)
        for arg, moves in zip(args, varied, strict=True)
    )
    seeds = [d for d, moves in zip(direction, varied, strict=True) if moves]
    before = copy.deepcopy((args, seeds))
    y, y_dot = tangent(*args, *seeds)
    laws.assert_identical((args, seeds), before, "arguments")

    def value(step):
        moved = laws.shifted(laws.in_double(tuple(args)), direction, step)
        return f(*moved[0]) if starred else laws.plain(f, moved)

    single = laws.least_dtype(args) == np.float32
    laws.leaves_like(y, y_dot, "tangent")
    outputs = len(laws.float_leaves(y))
    for i in range(outputs):
        weight = rng.normal(size=np.shape(laws.float_leaves(y)[i]))

        def phi(step, i=i, weight=weight):
            return float(np.sum(laws.float_leaves(value(step))[i] * weight))

        expected, error = laws.central_difference(phi)
        got = float(np.sum(laws.float_leaves(y_dot)[i] * weight))
        laws.assert_near(got, expected, error + (1e-3 if single else 1e-8), text)


def zoo():
    for family in FAMILIES:
        for label, f, args in importlib.import_module(f"tests.zoo.{family}").CASES:
            yield pytest.param(f, args, id=f"{family}-{label}")


@pytest.mark.parametrize(("f", "args"), list(zoo()))
def test_tangents_of_the_zoo(f, args):
    check(f, args)


@pytest.mark.parametrize("label", PAIRS)
def test_tangents_of_the_pairs(label):
    module = importlib.import_module(f"tests.pairs.{label}")
    args = module.make_inputs(np.random.default_rng(0))
    check(module.primal, args[0] if getattr(module, "MODE", "") == "jvp" else args)


# Sharing: a tangent shares memory exactly where its primal does


def result_of_a_sum_stored_into(x, c):
    y = x + 3.0
    y[0] = c * x[1]
    return np.sum(y * x)


def plus_one(x):
    return x + 1.0


def result_of_a_callee_stored_into(x, c):
    y = plus_one(x)
    y[0] = c
    return np.sum(y * x)


def copies_stored_into(x):
    y = x.copy()
    y[1:] *= x[0]
    z = np.array(y)
    z[0] = y[1]
    w = np.copy(z)
    w[2:] = 1.0
    return np.sum(y * x * z * w)


def same_array_by_asarray(x):
    y = x * 1.0
    np.asarray(y)[0] = x[1]
    z = np.asarray(y, dtype=float)
    z[1] = x[1] * x[2]
    return np.sum(y**2)


def ravelled_transpose(m):
    flat = m.T.ravel()
    flat[0] = m[1, 1] * 3.0
    return np.sum(m * m) + np.sum(flat)


def ravelled_sum(m):
    a = m.T + 1.0
    flat = a.ravel()
    flat[0] = m[1, 1] * 3.0
    return np.sum(a * m) + np.sum(flat)


def ravelled_fortran_copy(m):
    a = np.asfortranarray(m) * 1.0
    flat, columns = a.ravel(), a.T.ravel()
    flat[0] = m[1, 1] * 3.0
    columns[1] = m[2, 2] * m[0, 1]
    return np.sum(a * m) + np.sum(flat)


def operand_is_the_place(x):
    z = x * 1.0
    z *= z
    z /= z[1]
    z -= z[::-1]
    z[1:] *= z[:-1]
    return z


def view_chosen_at_run_time(x, n):
    a = x * 2.0
    b = x * x
    u = a if n > 1 else b[::-1]
    u[1:] = u[:-1] * x[0]
    return np.sum(a * b)


# Shapes: a tangent has the full shape of its primal


def constant_broadcast(x, c):
    y = np.ones(4) + c
    s = np.sum(y)
    y[0] = 0.0
    return s + np.mean(y) * c + np.sum(np.where(x > 0, c, np.ones(4)))


def maximum_broadcast(x, c):
    y = np.maximum(np.zeros(4), c)
    y[1:] = y[:-1] * x[0]
    return np.sum(y)


def scalar_becomes_array(x, c):
    s = 0.0
    s += c
    s += x
    s *= x
    return s


def number_or_array(x, n):
    y = x * 1.0
    z = y
    if n > 2:
        y = np.sum(x)
    y += x[0]
    y *= x[1]
    return np.sum(y) * np.sum(z)


def filled(x, c):
    y = np.empty(3)
    y.fill(c)
    y[1] *= x[0]
    return y


# Values without derivative where others have one


def starts_as_none(x):
    last = None
    t = 0.0
    for v in x:
        if last is not None:
            t = t + last * v
        last = v
    return t


def starts_as_integer(x):
    s = 0
    p = 1
    for v in x:
        s += v
        p *= v
    return s * p


def parameter_rebound(x, c):
    if c > 0:
        x = x * c
    else:
        x = 0.0
    c = 2.0
    return np.sum(x) * c


def mixed_list(x):
    items = [1, 2.0, x[0]]
    items[0] = items[2] * items[1]
    items.insert(0, x[1])
    items.reverse()
    p, q = items.pop(), items.pop(0)
    items.extend([x[2], 3])
    items += [x[3]]
    return items[0] * items[-1] + p * q + items[1]


def writes_out(x):
    y = np.zeros(4)
    np.multiply(x, x, out=y)
    return np.sum(y)


def sorted_in_place(x):
    y = x.copy()
    y.sort()
    return y * x


def mixed_dict(x):
    d = {}
    d.setdefault("a", x[0])
    d.update({"b": x[1]})
    e = d.copy()
    d["a"] = d["a"] * e["b"]
    return d["a"] * e.pop("a") * d.get("missing", x[2]) * d.get("a", 1.0)


def loops_over_pairs(x):
    t = 0.0
    for i, (a, b) in enumerate(zip(x, x[::-1], strict=True)):
        t = t + i * a * b
    for a, k in zip(x, range(3), strict=False):
        t = t + a * k
    for i, row in enumerate(reversed([x, 2.0 * x])):
        t += np.sum(row) * i
    return t


class Bag:
    def __init__(self):
        self.items = []
        self.count = 0

    def add(self, v):
        self.items.append(v)
        self.count += 1
        return self

    def __call__(self, x):
        return x * self.items[0]


def object_seen_by_two_names(x, c):
    bag = Bag()
    same = bag
    bag.add(1.0).add(c)
    same.items[0] = same.items[1] * x[0]
    return bag(x[1]) * bag.count


def no_derivative_on_one_way(x, c):
    if c > 100:
        return x * c
    return np.ones(4)


# Rules that have a grad only


def smoothed(x):
    return np.cumsum(x) * x


@tl.register_gradient(smoothed)
def smoothed_rule(x):
    y = smoothed(x)
    sums = np.cumsum(x)

    def grad(g):
        return g * sums + np.cumsum((g * x)[::-1])[::-1]

    return y, grad


def reciprocal(x):
    return 1.0 / x


@tl.register_gradient(reciprocal)
def reciprocal_rule(x):
    y = 1.0 / x

    def grad(g):
        return -g * y * y

    return y, grad


def rule_with_a_full_jacobian(x):
    return np.sum(smoothed(x) * x)


def rule_with_a_diagonal_jacobian(x):
    return reciprocal(x) * x[0] + reciprocal(x[1])


HAZARDS = [
    (result_of_a_sum_stored_into, (X, 0.7)),
    (result_of_a_callee_stored_into, (X, 0.7)),
    (copies_stored_into, (X,)),
    (same_array_by_asarray, (X,)),
    (ravelled_transpose, (M,)),
    (ravelled_sum, (M,)),
    (ravelled_fortran_copy, (M,)),
    (operand_is_the_place, (X,)),
    (view_chosen_at_run_time, (X, 0)),
    (view_chosen_at_run_time, (X, 3)),
    (constant_broadcast, (X, 0.7)),
    (maximum_broadcast, (X, 0.7)),
    (scalar_becomes_array, (X, 0.7)),
    (number_or_array, (X, 0)),
    (number_or_array, (X, 3)),
    (filled, (X, 0.7)),
    (starts_as_none, (X,)),
    (starts_as_integer, (X,)),
    (parameter_rebound, (X, 0.7)),
    (mixed_list, (X,)),
    (mixed_dict, (X,)),
    (writes_out, (X,)),
    (loops_over_pairs, (X,)),
    (object_seen_by_two_names, (X, 0.7)),
    (no_derivative_on_one_way, (X, 0.7)),
    (rule_with_a_full_jacobian, (X,)),
    (rule_with_a_diagonal_jacobian, (X,)),
]


@pytest.mark.parametrize("kinds_known", [True, False])
@pytest.mark.parametrize(("f", "args"), [pytest.param(*c, id=c[0].__name__) for c in HAZARDS])
def test_hazards(f, args, kinds_known):
    check(f, args, kinds_known)


TABLE = np.zeros(3)


def writes_global(v):
    TABLE[0] = v


def global_through_a_callee(x):
    writes_global(x[0])
    return TABLE[0] * x[1]


@pytest.mark.parametrize("f", [sorted_in_place, global_through_a_callee])
def test_stores_of_callees_and_methods(f):
    check(f, (X,), True)


# The text


def test_tangents_stand_beside_their_statements():
    pair = importlib.import_module("tests.pairs.g10_forward_mode")
    args, _ = pair.make_inputs(np.random.default_rng(0))
    text, _, _ = written(pair.primal, list(args))
    body = [line.strip() for line in text.splitlines()]
    assert "def tangent(x, c, x_dot, c_dot):" in body
    at = body.index("u[i + 1] = v_4")
    assert body[at - 1] == "u_dot[i + 1] = v_4_dot"
    assert body.index("u_dot = np.zeros(5)") < body.index("u = np.zeros(5)")


def scaled(x, c):
    return np.exp(x) * c - x / c


def test_text_of_a_formula():
    text, _, _ = written(scaled, [X, 0.7])
    lines = [line.strip() for line in text.splitlines()]
    assert lines[lines.index("def tangent(x, c, x_dot, c_dot):") + 1 :] == [
        "v = np.exp(x)",
        "v_dot = v * x_dot",
        "v_1_dot = v_dot * c + v * c_dot",
        "v_1 = v * c",
        "v_2 = x / c",
        "v_2_dot = x_dot / c - c_dot * v_2 / c",
        "v_3_dot = v_1_dot - v_2_dot",
        "v_3 = v_1 - v_2",
        "return v_3, v_3_dot",
    ]


def test_names_of_the_user_are_respected():
    def f(x, x_dot):
        return x * x_dot

    text, tangent, _ = written(f, [2.0, 3.0])
    assert "def tangent(x, x_dot, x_dot_1, x_dot_dot):" in text
    assert tangent(2.0, 3.0, 1.0, 10.0) == (6.0, 23.0)


def stopped(x):
    return x * tl.stop_gradient(x)


def test_stop_gradient_has_no_tangent():
    _, tangent, _ = written(stopped, [3.0])
    assert tangent(3.0, 1.0) == (9.0, 3.0)
