"""Long chains of swaps and differences: the passes look at a function as often as at one of few lines."""

import importlib
import inspect

import numpy as np
import pytest

import tapeless as tl
from tapeless.optimize import analyses
from tests import laws

X = np.array([0.3, 0.5, 0.7])


def swaps(x):
    a, b = np.sin(x), np.cos(x)
    # repeated
    a, b = b, a
    a, b = b - a, a
    a, b = b, np.tanh(a * b)
    # once
    return np.sum(a * b)


def opposites(x):
    a, b = np.sin(x), np.cos(x)
    # repeated
    a = -a
    b = 1.0 - b
    a = np.tanh(b) - a
    b = -(b - a)
    # once
    return np.sum(a * b)


def differences_of_quotients(x):
    a, b = np.sin(x), np.cos(x)
    # repeated
    a = -a * (b / (1.0 + a * a)) - np.sin(b) * (1.0 - b * a) ** 2
    b = 0.5 * b - (a - b) / (2.0 + b * b)
    # once
    return np.sum(a * b)


def products_by_matrices(x):
    m, a = np.outer(x, np.cos(x)), np.sin(x)
    # repeated
    m = np.sin(m) - np.outer(a, x)
    a = m.T @ a - a
    m = 0.3 * m @ m.T - m
    # once
    return np.sum(a) + np.sum(m)


def opposites_that_change_in_place(x):
    a, b = np.sin(x), np.cos(x)
    # repeated
    b = -a
    a = -b
    a += b * x
    a *= 0.5
    b = a - b
    # once
    return np.sum(a * b)


PROGRAMS = [
    swaps,
    opposites,
    differences_of_quotients,
    products_by_matrices,
    opposites_that_change_in_place,
]


@pytest.fixture
def at_length(tmp_path, monkeypatch):
    """Write a program with its lines so many times over, one after the other."""
    monkeypatch.syspath_prepend(tmp_path)

    def written(program, times):
        head, rest = inspect.getsource(program).split("    # repeated\n")
        repeated, end = rest.split("    # once\n")
        name = f"{program.__name__}_{times}"
        text = f"import numpy as np\n\n\n{head}{repeated * times}{end}"
        (tmp_path / f"{name}.py").write_text(text)
        return getattr(importlib.import_module(name), program.__name__)

    return written


@pytest.mark.parametrize("program", PROGRAMS)
def test_derivatives(program, at_length):
    laws.check_orders(at_length(program, 2), X)


@pytest.mark.parametrize("program", PROGRAMS)
def test_analyses_are_not_made_once_per_line(program, at_length, monkeypatch):
    """Names are united, and signs carried, all along a chain at once."""
    made = []
    entry = analyses.Liveness.__init__
    monkeypatch.setattr(
        analyses.Liveness, "__init__", lambda *a, **k: (made.append(a), entry(*a, **k))[1]
    )
    counts = []
    for times in (4, 16):
        made.clear()
        tl.grad(at_length(program, times))(X)
        counts.append(len(made))
    short, long = counts
    assert long <= short + 10
