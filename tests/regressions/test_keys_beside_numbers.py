"""Parameters by name: the keys stand in a tuple or a list, and beside them the entries of an array.

Such loops, comprehensions and `dict(zip(...))` are written out: so it is known what `**` passes. The text
serves arrays of the same length and lists that say the same.
"""

import subprocess
import sys
import textwrap
from dataclasses import dataclass, replace

import numpy as np
import pytest

import tapeless as tl
from tests import laws

X = np.array([0.3, 0.5, 0.7])
T = np.linspace(0.0, 1.0, 4)
NAMES = ("a", "b", "c")
LISTED = ["a", "b", "c"]
FREE = ("a", "c")
DEFAULTS = {"a": 1.0, "b": 0.5, "c": 2.0}


def model(t, a, b, c=1.0):
    return a * np.exp(-b * t) + c


@dataclass
class Decay:
    a: float
    b: float
    c: float = 1.0

    def __call__(self, t):
        return model(t, self.a, self.b, self.c)


def zipped(x):
    return np.sum(model(T, **dict(zip(NAMES, x))) ** 2)


def zipped_with_a_list(x):
    p = dict(zip(LISTED, x))
    return np.sum(model(T, **p) ** 2)


def in_a_comprehension(x):
    return np.sum(model(T, **{name: np.exp(value) for name, value in zip(NAMES, x)}) ** 2)


def numbers_first(x):
    return np.sum(model(T, **{name: value for value, name in zip(x, LISTED)}) ** 2)


def in_a_loop_over_numbered_names(x):
    p = {}
    for i, name in enumerate(LISTED):
        p[name] = np.exp(x[i])
    return np.sum(model(T, **p) ** 2)


def numbered_in_a_comprehension(x):
    p = {name: x[i] for i, name in enumerate(NAMES)}
    return np.sum(model(T, **p) ** 2)


def over_defaults(x):
    p = {**DEFAULTS, **dict(zip(FREE, x))}
    return np.sum(model(T, **p) ** 2)


def over_local_defaults(x):
    p = {"a": 1.0, "b": 0.5}
    p.update(dict(zip(FREE, x)))
    return np.sum(model(T, **p) ** 2)


def filled_before_it_is_merged(x):
    p = {}
    for i, name in enumerate(FREE):
        p[name] = x[i]
    q = {**DEFAULTS, **p}
    return np.sum(model(T, **q) ** 2)


def into_an_object(x):
    return np.sum(Decay(**dict(zip(NAMES, x)))(T))


def the_rest_into_an_object(x):
    return np.sum(Decay(x[0], **dict(zip(("b", "c"), x[1:])))(T))


def replaced_in_an_object(x):
    return np.sum(replace(Decay(1.0, 2.0), **dict(zip(FREE, x)))(T) ** 2)


def set_one_by_one(x):
    made = Decay(1.0, 2.0)
    for name, value in zip(NAMES, x):
        setattr(made, name, value)
    return np.sum(made(T) ** 2)


def mapped_again(x):
    p = {name: value for name, value in zip(LISTED, np.exp(x))}
    q = {name: value**2 for name, value in p.items()}
    return np.sum(model(T, **q) ** 2)


PROGRAMS = [
    zipped, zipped_with_a_list, in_a_comprehension, numbers_first, in_a_loop_over_numbered_names,
    numbered_in_a_comprehension, over_defaults, over_local_defaults, filled_before_it_is_merged,
    into_an_object, the_rest_into_an_object, replaced_in_an_object, set_one_by_one, mapped_again,
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS)
def test_gradients_are_right(program):
    laws.check_orders(program, X)


def test_other_lengths_have_texts_of_their_own():
    gradient = tl.grad(zipped)
    for x in (X, X[:2], np.append(X, 0.9), X):
        expected = tl.grad(lambda p: np.sum(model(T, *p[:3]) ** 2))(x) if len(x) > 2 else None
        if expected is None:
            expected = tl.grad(lambda p: np.sum(model(T, p[0], p[1]) ** 2))(x)
        np.testing.assert_allclose(gradient(x), expected)


def test_a_list_that_says_something_else_is_read_again(monkeypatch):
    gradient = tl.grad(zipped_with_a_list)
    first = gradient(X)
    swapped = ["b", "a", "c"]
    monkeypatch.setattr(sys.modules[__name__], "LISTED", swapped)
    np.testing.assert_allclose(
        gradient(X), tl.grad(lambda x: np.sum(model(T, x[1], x[0], x[2]) ** 2))(X)
    )
    swapped[:2] = ["a", "b"]
    np.testing.assert_allclose(gradient(X), first)
    swapped.pop()
    short = tl.grad(lambda x: np.sum(model(T, x[0], x[1]) ** 2))(X)
    np.testing.assert_allclose(gradient(X), short)
    swapped.append("c")
    np.testing.assert_allclose(gradient(X), first)


def test_such_a_list_is_read_again_in_a_later_process(tmp_path):
    text = """
        import sys
        import numpy as np
        import tapeless as tl

        NAMES = sys.argv[1].split()

        def model(a, b, c=1.0):
            return a * np.sin(b) + c

        def loss(x):
            return model(**dict(zip(NAMES, x)))

        print(*np.round(tl.grad(loss)(np.array([0.3, 0.5, 0.7])), 6))
    """
    path = tmp_path / "fit.py"
    path.write_text(textwrap.dedent(text), encoding="utf-8")
    found = []
    for names in ("a b c", "a b c", "b a c", "a b"):
        run = [sys.executable, str(path), names]
        environment = {"TAPELESS_CACHE_DIR": str(tmp_path / "cache"), "PATH": ""}
        environment["PYTHONPATH"] = ":".join(filter(None, sys.path))
        found.append(subprocess.run(run, env=environment, check=True, capture_output=True).stdout)
    a, b, c = 0.3, 0.5, 0.7
    by_name = [np.sin(b), a * np.cos(b), 1.0]
    swapped = [b * np.cos(a), np.sin(a), 1.0]
    without = [*by_name[:2], 0.0]
    for text, expected in zip(found, (by_name, by_name, swapped, without), strict=True):
        np.testing.assert_allclose(np.array(text.split(), float), expected, atol=1e-6)


def weighted_by_names(x):
    total = 0.0
    for name, value in zip(NAMES, x):
        total += value * len(name)
    return total


def test_a_loop_that_looks_up_nothing_serves_all_lengths():
    gradient = tl.grad(weighted_by_names)
    np.testing.assert_array_equal(gradient(X), np.ones(3))
    assert not gradient.details
