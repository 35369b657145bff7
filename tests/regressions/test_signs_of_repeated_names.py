"""A name that is bound to what it held, with the opposite sign: each reader takes in the sign, once."""

import numpy as np
import pytest

import tapeless as tl
from tapeless import optimize
from tests import laws

X = np.array([0.3, 0.5, 0.7])


def one_difference(x):
    a = x * 1.0
    b = np.sin(x)
    b = np.tanh(a) - b
    a = a * b + 0.1
    return np.sum(a * b)


def differences_in_a_row(x):
    a = x * 1.5
    b = np.sin(x)
    b = np.tanh(a) - b
    a = a * b + 0.1
    b = np.cos(a) - b
    b = a - b
    a = b - a * b
    return np.sum(a * b)


def differences_in_a_loop(x):
    b = np.sin(x)
    for i in range(3):
        b = x[i] - b
        b = np.tanh(b) - b * x
    return np.sum(b)


def difference_in_a_branch(x):
    b = np.sin(x)
    b = x - b
    if b[0] > 0.0:
        b = np.exp(x) - b
    return np.sum(b * b)


@pytest.mark.parametrize(
    "program", [one_difference, differences_in_a_row, differences_in_a_loop, difference_in_a_branch]
)
def test_gradients_are_right(program):
    laws.check_orders(program, X)


STEPS = ("b = np.tanh(a) - b", "a = a * b + 0.1", "b = np.cos(a) - b", "b = b + a * 0.5")


def chain(length):
    lines = [f"    {STEPS[k % 4]}" for k in range(length)]
    return "\n".join(["def f(x):", "    a = b = x * 1.0", *lines, "    return np.sum(a * b)"])


def rounds_of(length, monkeypatch, tmp_path):
    """How often the passes are gone through for a chain of differences."""
    path = tmp_path / f"chain_{length}.py"
    path.write_text(f"import numpy as np\n\n\n{chain(length)}\n", encoding="utf-8")
    names = {"__name__": path.stem}
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), names)
    calls = []
    passes = (lambda function, context: bool(calls.append(1)), *optimize.PASSES)
    monkeypatch.setattr(optimize, "PASSES", passes)
    tl.source(names["f"], like=(X,))
    return len(calls)


def test_longer_chains_need_no_more_rounds(monkeypatch, tmp_path):
    with monkeypatch.context() as patch:
        short = rounds_of(10, patch, tmp_path)
    with monkeypatch.context() as patch:
        assert rounds_of(40, patch, tmp_path) <= short + 1
