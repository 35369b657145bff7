"""The programs under `examples/`: their gradients against central differences, and their mains.

Every differentiable argument of an objective is moved along random directions, all leaves of a
list, dict or dataclass together; the slope that central differences see must be the inner product
of the direction with the gradient.
"""

import copy
import dataclasses
import importlib.util
import inspect
import sys
from pathlib import Path

import numpy as np
import pytest

import tapeless as tl

EXAMPLES = Path(__file__).parent.parent / "examples"
DIRECTIONS = 3

# module, objective, the arguments to differentiate
OBJECTIVES = [
    ("iris_logistic", "loss", ("w", "b", "x", "y")),
    ("heat_inversion", "misfit", ("log_k", "radiation", "measured")),
    ("count_filter", "objective", ("params", "design")),
    (
        "arm_trajectory",
        "trajectory_cost",
        ("waypoints", "start", "target", "lengths", "obstacles", "weights"),
    ),
]

# module, settings that make main short
MAINS = [
    ("iris_logistic", {"steps": 20}),
    ("heat_inversion", {"steps": 6}),
    ("count_filter", {"weeks": 30, "steps": 5}),
    ("arm_trajectory", {"steps": 10, "count": 4}),
]


def load(name):
    """Import an example once, as a module of its own name."""
    key = f"examples_{name}"
    if key not in sys.modules:
        spec = importlib.util.spec_from_file_location(key, EXAMPLES / f"{name}.py")
        module = importlib.util.module_from_spec(spec)
        sys.modules[key] = module
        spec.loader.exec_module(module)
    return sys.modules[key]


def leaves(tree):
    """The arrays and numbers of a tree of lists, tuples, dicts and dataclasses, in order."""
    if dataclasses.is_dataclass(tree):
        return [x for f in dataclasses.fields(tree) for x in leaves(getattr(tree, f.name))]
    if isinstance(tree, dict):
        return [x for key in tree for x in leaves(tree[key])]
    if isinstance(tree, (list, tuple)):
        return [x for item in tree for x in leaves(item)]
    return [tree]


def with_leaves(tree, values):
    """A tree of the same structure over other leaves, taken from the iterator `values`."""
    if dataclasses.is_dataclass(tree):
        fields = dataclasses.fields(tree)
        return type(tree)(**{f.name: with_leaves(getattr(tree, f.name), values) for f in fields})
    if isinstance(tree, dict):
        return {key: with_leaves(tree[key], values) for key in tree}
    if isinstance(tree, (list, tuple)):
        return type(tree)([with_leaves(item, values) for item in tree])
    return next(values)


def moved(tree, direction, step):
    pairs = zip(leaves(tree), direction, strict=True)
    return with_leaves(tree, iter([x + step * d for x, d in pairs]))


def random_direction(rng, tree):
    """One random array or float per leaf, in proportion to the size of the leaf's entries."""
    direction = []
    for x in leaves(tree):
        size = 0.1 + np.max(np.abs(x))
        direction.append(size * (rng.normal() if np.ndim(x) == 0 else rng.normal(size=x.shape)))
    return direction


def central_difference(f, args, position, direction, step=1e-5):
    """The slope of f as one argument moves, with the error of order step**2 taken out."""

    def slope(h):
        values = []
        for signed in (h, -h):
            shifted = copy.deepcopy(list(args))
            shifted[position] = moved(shifted[position], direction, signed)
            values.append(f(*shifted))
        return (values[0] - values[1]) / (2 * h)

    return (4 * slope(step) - slope(2 * step)) / 3


def inner_product(gradient, direction):
    return sum(np.sum(g * d) for g, d in zip(leaves(gradient), direction, strict=True))


def assert_identical(before, after):
    """The same structure, and the same bits in every leaf."""
    assert type(before) is type(after)
    for a, b in zip(leaves(before), leaves(after), strict=True):
        assert type(a) is type(b)
        a, b = np.asarray(a), np.asarray(b)
        assert (a.dtype, a.shape, a.tobytes()) == (b.dtype, b.shape, b.tobytes())


def assert_mirrors(gradient, argument):
    """A gradient has the structure of its argument, and the shape and dtype of every leaf."""
    if not isinstance(argument, (float, np.ndarray)):
        assert type(gradient) is type(argument)
    if isinstance(argument, dict):
        assert list(gradient) == list(argument)
    for g, x in zip(leaves(gradient), leaves(argument), strict=True):
        assert np.shape(g) == np.shape(x)
        assert np.asarray(g).dtype == np.asarray(x).dtype


def check_gradient(f, args, wrt):
    """The gradient in one argument against central differences along random directions."""
    check_against_differences(f, args, wrt, tl.grad(f, wrt=wrt)(*copy.deepcopy(args)))


def check_against_differences(f, args, wrt, gradient):
    position = list(inspect.signature(f).parameters).index(wrt)
    assert_mirrors(gradient, args[position])
    # what round-off in the value leaves in a difference
    noise = 1e-10 * abs(f(*copy.deepcopy(args)))
    rng = np.random.default_rng(7)
    for _ in range(DIRECTIONS):
        direction = random_direction(rng, args[position])
        want = central_difference(f, args, position, direction)
        got = inner_product(gradient, direction)
        np.testing.assert_allclose(got, want, rtol=1e-6, atol=1e-8 + noise)


@pytest.mark.parametrize(("module", "name", "wrt"), OBJECTIVES)
def test_all_gradients_at_once(module, name, wrt):
    example = load(module)
    f, args = getattr(example, name), example.make_inputs()
    before = copy.deepcopy(args)
    both = tl.value_and_grad(f, wrt=wrt)
    value, gradients = both(*args)
    for a, b in zip(before, args, strict=True):
        assert_identical(a, b)
    np.testing.assert_allclose(value, f(*copy.deepcopy(args)), rtol=1e-12)
    assert isinstance(gradients, tuple)
    for one, gradient in zip(wrt, gradients, strict=True):
        check_against_differences(f, args, one, gradient)
    assert_identical(gradients, both(*args)[1])


@pytest.mark.parametrize(("module", "name", "wrt"), OBJECTIVES)
def test_a_gradient_alone_is_the_same(module, name, wrt):
    example = load(module)
    f, args = getattr(example, name), example.make_inputs()
    _, gradients = tl.value_and_grad(f, wrt=wrt)(*args)
    for one, gradient in list(zip(wrt, gradients, strict=True))[::3]:
        alone = tl.grad(f, wrt=one)(*args)
        for a, b in zip(leaves(gradient), leaves(alone), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("wrt", ["log_k", "measured"])
def test_heat_inversion_when_the_rod_melts(wrt, monkeypatch):
    example = load("heat_inversion")
    monkeypatch.setattr(example, "MELTING", 0.8)
    args = example.make_inputs()
    readings = example.simulate(example.Rod(np.exp(args[0]), args[1]), *args[4:])
    assert np.any(readings[0])
    assert not np.any(readings[-1])
    check_gradient(example.misfit, args, wrt)


@pytest.mark.parametrize("wrt", ["params", "design"])
def test_count_filter_with_shortened_newton_steps(wrt, monkeypatch):
    example = load("count_filter")
    monkeypatch.setattr(example, "LARGEST_STEP", 0.05)
    check_gradient(example.objective, example.make_inputs(), wrt)


def test_count_filter_out_of_bounds():
    example = load("count_filter")
    params, counts, design = example.make_inputs()
    explosive = dataclasses.replace(params, phi=1.2)
    check_gradient(example.objective, (explosive, counts, design), "params")
    overflowing = dataclasses.replace(params, beta=np.array([26.0, 0.0, 0.0]))
    check_gradient(example.objective, (overflowing, counts, design), "params")


@pytest.mark.parametrize(("module", "settings"), MAINS)
def test_main_makes_the_objective_fall(module, settings, capsys):
    history = load(module).main(**settings)
    assert np.all(np.isfinite(history))
    assert history[-1] < history[0]
    assert capsys.readouterr().out


def test_iris_reaches_its_accuracy_and_prints_the_generated_source(capsys):
    load("iris_logistic").main(steps=100)
    out = capsys.readouterr().out
    words = out.split("accuracy", 1)[1].split()
    assert float(words[0]) > 0.93
    # the grad of log1pexp is spliced in: its formula stands in the text
    assert "(1 - 1 / (1 + e))" in out


def test_iris_data_are_fishers():
    path = EXAMPLES / "data" / "iris.csv"
    header = path.read_text().splitlines()[0]
    assert header == "sepal_length,sepal_width,petal_length,petal_width,species"
    x = np.loadtxt(path, delimiter=",", skiprows=1, usecols=range(4))
    species = np.loadtxt(path, delimiter=",", skiprows=1, usecols=4, dtype=str)
    assert x.shape == (150, 4)
    np.testing.assert_allclose(np.mean(x, axis=0), [5.843, 3.057, 3.758, 1.199], atol=5e-4)
    names, counts = np.unique(species, return_counts=True)
    assert list(names) == ["setosa", "versicolor", "virginica"]
    assert list(counts) == [50, 50, 50]
