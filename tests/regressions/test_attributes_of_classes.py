"""Attributes of classes that are stored into and read: counters, settings, what is made once."""

import importlib

import numpy as np
import pytest

import tapeless as tl
from tapeless.testing import check_grads

X = np.array([0.3, 0.7, 1.1])


class Settings:
    n = 0
    scale = 1.0
    mode = None
    table = None


class Model:
    calls = 0

    def __init__(self, w):
        self.w = w

    def predict(self, x):
        type(self).calls += 1
        return self.w * x


class Part:
    made = 0

    def __init__(self, v):
        self.__class__.made += 1
        self.v = v


class Spring(Part):
    pass


class Rule:
    _nodes = None
    _next = 0

    def __init__(self):
        self.id = Rule._next
        Rule._next += 1

    @classmethod
    def nodes(cls):
        if cls._nodes is None:
            cls._nodes = np.linspace(0.0, 1.0, 3)
        return cls._nodes


class Root:
    tol = 1e-3
    most = 20

    def solve(self, a):
        y = a
        for _ in range(self.most):
            new = 0.5 * (y + a / y)
            if abs(new - y) < self.tol:
                break
            y = new
        return y


def counted_and_read(x):
    model, before = Model(x[0]), Model.calls
    y = model.predict(x) + model.predict(x * x)
    return np.sum(y) * (Model.calls - before)


def counted_in_a_subclass(x):
    Spring.made = 0
    parts = [Spring(v) for v in x]
    return sum(p.v**2 for p in parts) * Spring.made + Part(x[0]).v


def set_again_before_the_sweep_comes_back(x):
    Settings.scale = 2.0
    y = x * Settings.scale
    Settings.scale = 3.0
    z = y * y * Settings.scale
    Settings.scale *= 2.0
    return np.sum(z * Settings.scale)


def powered(x):
    return x**Settings.n


def read_by_a_callee(x):
    t = 0.0
    for k in range(3):
        Settings.n = k + 1
        t = t + np.sum(powered(x))
    return t


def ends_a_loop(x):
    Settings.n, t = 0, 0.0
    for v in x:
        Settings.n += 1
        if Settings.n == 2:
            continue
        t = t + v**Settings.n
    while Settings.n < 6:
        Settings.n += 2
        t = t * Settings.n
    return t


def no_longer_what_it_was(x):
    Settings.mode = "cubed"
    y = x**2 if Settings.mode is not None else x
    return np.sum(y * x if Settings.mode == "cubed" else y)


def made_once(x):
    return np.sum(Rule.nodes() * x**2) + np.sum(x * Rule.nodes())


def numbered(x):
    first = Rule._next
    rules = [Rule() for _ in x]
    out = np.zeros(3)
    for rule, v in zip(rules, x):  # noqa: B905
        out[rule.id - first] = v**2
    return np.sum(out * x)


def read_by_objects(x):
    Root.tol, Root.most = 1e-8, 5
    root = Root()
    first = root.solve(x[0])
    Root.most = 2
    return first + root.solve(x[1]) * root.most


PROGRAMS = (
    counted_and_read, counted_in_a_subclass, set_again_before_the_sweep_comes_back, read_by_a_callee,
    ends_a_loop, no_longer_what_it_was, made_once, numbered, read_by_objects,
)  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_set_and_read(f):
    Settings.mode = Rule._nodes = None
    check_grads(f, X, order=2, replay=True)


def test_no_longer_none():
    for derive in (tl.grad, lambda f: lambda x: tl.jvp(f, (x,), (np.ones(3),))[1]):
        Settings.mode = None
        assert np.allclose(np.sum(derive(no_longer_what_it_was)(X)), np.sum(3.0 * X**2))


def counted(x):
    Settings.n += 1
    y = x * Settings.n
    Settings.scale = Settings.scale + 1.0
    return np.sum(y * y) * Settings.scale


def test_left_as_by_one_call():
    Settings.n, Settings.scale = 0, 2.0
    value, pullback = tl.vjp(counted, X)
    assert (Settings.n, Settings.scale) == (1, 3.0)
    Settings.n, Settings.scale = 100, 50.0
    [gradient] = pullback(1.0)
    assert np.allclose(value, 3.0 * np.sum(X**2))
    assert np.allclose(gradient, 6.0 * X)
    assert (Settings.n, Settings.scale) == (100, 50.0)


def holds_what_changes(x):
    Settings.table = {}
    Settings.table["a"] = 2.0
    return np.sum(x) * Settings.table["a"]


@tl.recompute_grad
def runs_again(x):
    Settings.n += 1
    return np.sin(x) * Settings.n


def runs_twice(x):
    return np.sum(runs_again(x))


@pytest.mark.parametrize("f", [holds_what_changes, runs_twice])
def test_refused(f):
    with pytest.raises(tl.TapelessError, match=r"stored into|that it changes"):
        tl.grad(f)(X)


def test_stored_from_elsewhere_is_refused(tmp_path, monkeypatch):
    """No text of the class says that it is stored into, so what reads it takes it for fixed."""
    (tmp_path / "elsewhere.py").write_text("class Plain:\n    size = None\n")
    monkeypatch.syspath_prepend(tmp_path)
    plain = importlib.import_module("elsewhere").Plain

    def sized(x):
        plain.size = 2.0
        return np.sum(x * x if plain.size is not None else x)

    for derive in (tl.grad, lambda f: lambda x: tl.jvp(f, (x,), (np.ones(3),))):
        plain.size = None
        with pytest.raises(tl.TapelessError, match="plain.size` is stored into"):
            derive(sized)(X)
