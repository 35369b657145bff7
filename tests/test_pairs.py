"""The pairs: a function, and the derivative that an expert would have written for it.

Each generated derivative must be right and must read like its target. "Reads like" is measured
by the number of statements, for which 1.3 times the target's is allowed.
"""

import ast
import copy
import importlib
import inspect
import pathlib

import numpy as np
import pytest

import tapeless as tl
from benchmarks.statements import statements, statements_reached
from tests import laws

HERE = pathlib.Path(__file__).parent / "pairs"
NAMES = sorted(path.stem for path in HERE.glob("g*.py"))
GENERIC = {"g11_unknown_ranks"}
MOST_STATEMENTS = 1.3
# written once in the library and imported by generated text, so not counted in a target
LIBRARY_HELPERS = {"unbroadcast"}


def load(name):
    return importlib.import_module(f"tests.pairs.{name}")


def is_forward(pair):
    return getattr(pair, "MODE", "grad") == "jvp"


def inputs(pair, seed=0):
    """Return the arguments of the primal, and those of the target."""
    made = pair.make_inputs(np.random.default_rng(seed))
    if is_forward(pair):
        primals, tangents = made
        return primals, primals + tangents
    return made, made


def target_statements(pair):
    """Count the statements of the target and of the helper functions that it calls."""
    return statements_reached(inspect.getsource(pair), "target", LIBRARY_HELPERS)


def generated_text(name, pair):
    args, _ = inputs(pair)
    like = None if name in GENERIC else args
    if is_forward(pair):
        return tl.source(pair.primal, mode="jvp", wrt=tuple(range(len(args))), like=like)
    return tl.source(pair.primal, mode="grad", wrt=pair.WRT, like=like)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_target_is_right(name, seed):
    pair = load(name)
    args, target_args = inputs(pair, seed)
    before = copy.deepcopy(target_args)
    got = pair.target(*copy.deepcopy(target_args))
    rng = np.random.default_rng(seed + 100)
    if is_forward(pair):
        value, y_dot = got
        assert value == pair.primal(*args)
        tangents = target_args[len(args) :]
        wanted, error = laws.central_difference(
            lambda step: pair.primal(*laws.shifted(args, tangents, step))
        )
        laws.assert_near(y_dot, wanted, error + 1e-9, "the target")
        return
    bars = [None] * len(args)
    for i, bar in zip(pair.WRT, got, strict=True):
        bars[i] = bar
    laws.check_numbers(pair.primal, args, pair.WRT, 1.0, bars, rng)
    laws.assert_identical(args, before, "an argument of the target")


@pytest.mark.parametrize("name", NAMES)
def test_generated_derivative_is_right(name):
    pair = load(name)
    args, target_args = inputs(pair)
    if is_forward(pair):
        tangents = target_args[len(args) :]
        value, y_dot = tl.jvp(pair.primal, args, tangents)
        wanted_value, wanted = pair.target(*target_args)
        assert value == wanted_value
        np.testing.assert_allclose(y_dot, wanted, rtol=1e-10)
    wrt = getattr(pair, "WRT", tuple(range(len(args))))
    laws.check_function(pair.primal, args, wrt=wrt, smooth=False)


@pytest.mark.parametrize("name", NAMES)
def test_generated_text_has_the_shape_and_the_numbers_of_the_target(name):
    pair = load(name)
    text = generated_text(name, pair)
    found = statements(ast.parse(text))
    target = target_statements(pair)
    assert found <= MOST_STATEMENTS * target, f"{found} statements, target {target}:\n{text}"
    if is_forward(pair):
        assert generated_text(name, pair) == text, "written again"
        return
    gradient = tl.grad(pair.primal, wrt=pair.WRT)
    for seed in range(2):
        compare_with_target(pair, gradient, seed)
    if name not in GENERIC:
        assert gradient.text() == text, "written again"


def compare_with_target(pair, gradient, seed):
    args, target_args = inputs(pair, seed)
    before = copy.deepcopy(args)
    got = gradient(*args)
    wanted = pair.target(*copy.deepcopy(target_args))
    laws.assert_identical(args, before, "an argument")
    bars = [None] * len(args)
    for i, bar in zip(pair.WRT, wanted, strict=True):
        bars[i] = bar
    for i, found in zip(pair.WRT, got, strict=True):
        leaves = laws.leaves_like(args[i], found, f"gradient {i}")
        for a, b in zip(leaves, laws.leaves_like(args[i], bars[i], "target"), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-11)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", NAMES)
def test_second_order(name):
    pair = load(name)
    args, _ = inputs(pair)
    wrt = getattr(pair, "WRT", tuple(range(len(args))))
    laws.check_second_order(pair.primal, args, wrt, np.random.default_rng(5))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", NAMES)
def test_grad_of_jvp(name):
    pair = load(name)
    args, _ = inputs(pair)
    wrt = getattr(pair, "WRT", tuple(range(len(args))))
    rng = np.random.default_rng(6)
    tangents = tuple(laws.random_like(rng, arg) if i in wrt else None for i, arg in enumerate(args))

    def slope(*a):
        _, y_dot = tl.jvp(pair.primal, a, tangents)
        return y_dot

    laws.check_function(slope, args, wrt=wrt, smooth=False)


def test_state_outside_the_arguments_ends_as_after_one_plain_call():
    pair = load("g22_outer_state")
    (x,), _ = inputs(pair)
    pair.history[:] = 0.0
    pair.primal(x)
    expected = pair.history.copy()
    g = tl.grad(pair.primal)
    pair.history[:] = 0.0
    first = g(x)
    np.testing.assert_array_equal(pair.history, expected)
    pair.history[:] = 0.0
    np.testing.assert_array_equal(g(x), first)
    np.testing.assert_array_equal(pair.history, expected)
