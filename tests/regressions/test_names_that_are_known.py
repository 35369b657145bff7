"""Attributes that are looked up by a name that is known for the arguments at hand, and is no literal."""

import subprocess
import sys
import types
from dataclasses import dataclass

import numpy as np
import pytest

import tapeless as tl
from tests import laws
from tests.regressions import losses_by_name as losses

X = np.array([0.3, -0.7, 1.1])
NAME = "cos"
CFG = {"loss": "mse", "deep": {"act": ("sin", 2.0)}}


def of_numpy(name, x):
    return np.sum(getattr(np, name)(x) * x)


def by_literals(x):
    return of_numpy("tanh", x) + of_numpy("sin", x)


def by_argument(x, name):
    return np.sum(getattr(np, name)(x) * x)


def by_default(x, name="tanh"):
    return np.sum(getattr(np, name)(x) * x)


def by_keyword(x, *, kind="square"):
    first = getattr(losses, "do_%s" % kind)  # noqa: UP031
    second = getattr(losses, "do_{}".format(kind))  # noqa: UP032
    return np.sum(first(x)) + np.sum(second(x))


def by_constant(x):
    return np.sum(getattr(np, NAME)(x) * x)


def by_config(x):
    return getattr(losses, CFG["loss"])(x, 1.0) + np.sum(getattr(np, CFG["deep"]["act"][0])(x))


def by_config_given(x, cfg):
    loss = getattr(losses, cfg["loss"])
    return loss(x, 1.0)


def by_lower_case(x, name):
    return np.sum(getattr(np, name.lower())(x))


def in_a_local_function(x):
    def pick(kind="square"):
        return getattr(losses, "do_" + kind)

    return np.sum(pick()(x))


def with_a_default(x, kind):
    f = getattr(losses, "do_" + kind, None)
    if f is None:
        return np.sum(x)
    return np.sum(f(x))


def asked_first(x, kind):
    if hasattr(losses, f"do_{kind}"):
        return np.sum(getattr(losses, f"do_{kind}")(x))
    return np.sum(np.sin(x))


class Model:
    kind = "sin"

    def __init__(self, method, scale):
        self.method = method
        self.scale = scale

    def _fast(self, x):
        return np.tanh(x) * self.scale

    def _slow(self, x):
        return np.sin(x) * self.scale

    def __call__(self, x):
        return getattr(self, "_" + self.method)(x)

    def run(self, x):
        return getattr(self, f"_{self.method}")(x) * getattr(np, self.kind)(x)


OUTSIDE = Model("slow", 1.5)


def of_an_object(m, x):
    return np.sum(m(x) * m.run(x))


def of_an_object_outside(x):
    return np.sum(OUTSIDE.run(x) * OUTSIDE(x))


def of_an_object_made_here(x):
    m = Model("fast", np.sum(x))
    return np.sum(m(x) * m.run(x))


def set_by_name(x):
    o = types.SimpleNamespace(name="w")
    setattr(o, o.name, x * 2.0)
    setattr(o, o.name + "_1", np.sin(x))
    return np.sum(getattr(o, "w") * getattr(o, o.name + "_1"))


@dataclass
class Options:
    act: str = "tanh"


def by_field(x):
    return np.sum(getattr(np, Options().act)(x))


@pytest.mark.parametrize(
    ("f", "arguments"),
    [
        (by_literals, (X,)), (by_argument, (X, "tanh")), (by_default, (X,)), (by_keyword, (X,)),
        (by_constant, (X,)), (by_config, (X,)), (by_config_given, (X, {"loss": "mse"})),
        (by_lower_case, (X, "SIN")), (in_a_local_function, (X,)), (with_a_default, (X, "square")),
        (with_a_default, (X, "nothing")), (asked_first, (X, "cube")), (asked_first, (X, "nothing")),
        (of_an_object, (Model("fast", 2.0), X)), (of_an_object, (Model("slow", 2.0), X)),
        (of_an_object_outside, (X,)), (of_an_object_made_here, (X,)), (set_by_name, (X,)),
        (by_field, (X,)),
    ],
)  # fmt: skip
def test_names_that_are_known(f, arguments):
    laws.check_orders(f, *arguments)


NAMES = ("tanh", "sin")


def each_outside(x):
    for name in NAMES:
        x = getattr(np, name)(x)
    return np.sum(x)


def each_given(x, names):
    for name in names:
        x = getattr(np, name.lower())(x)
    return np.sum(x)


class Stack:
    def __init__(self, names):
        self.names = names

    def layer_a(self, x):
        return np.tanh(x)

    def layer_b(self, x):
        return np.sin(x) * 2.0

    def __call__(self, x):
        for name in self.names:
            x = getattr(self, f"layer_{name}")(x)
        return x


def each_of_an_object(x, stack):
    return np.sum(stack(x))


def each_set(x):
    o = types.SimpleNamespace()
    for name in ("u", "v"):
        setattr(o, "w_" + name, x * len(name))
    return np.sum(o.w_u * np.sin(o.w_v))


@pytest.mark.parametrize(
    ("f", "arguments"),
    [
        (each_outside, (X,)), (each_given, (X, ("SIN", "COS"))),
        (each_of_an_object, (X, Stack(("a", "b")))), (each_set, (X,)),
    ],
)  # fmt: skip
def test_loops_over_names_that_are_known(f, arguments):
    laws.check_orders(f, *arguments)


def test_other_names_in_a_loop_get_another_derivative(monkeypatch):
    g, h, k = tl.grad(each_outside), tl.grad(each_given), tl.grad(each_of_an_object)
    for names in (("sin",), ("cos",), ("sin", "cos"), ("cos", "sin")):
        monkeypatch.setitem(globals(), "NAMES", names)
        slope, y = 1.0, X
        for name in names:
            slope, y = slope * SLOPES[name](y), getattr(np, name)(y)
        np.testing.assert_allclose(g(X), slope)
        np.testing.assert_allclose(h(X, names), slope)
    for letters in ("a", "ab", "ba"):
        stack = Stack(tuple(letters))
        np.testing.assert_allclose(k(X, stack), tl.grad(each_of_an_object)(X, stack))
        slope, y = 1.0, X
        for letter in letters:
            slope = slope * (SLOPES["tanh"](y) if letter == "a" else 2.0 * np.cos(y))
            y = np.tanh(y) if letter == "a" else 2.0 * np.sin(y)
        np.testing.assert_allclose(k(X, stack), slope)


SLOPES = {"sin": np.cos, "cos": lambda x: -np.sin(x), "tanh": lambda x: 1.0 - np.tanh(x) ** 2}


def of_constant(x):
    return np.sum(getattr(np, NAME)(x))


def of_config(x):
    return np.sum(getattr(np, CFG["deep"]["act"][0])(x))


def of_object(x):
    return np.sum(getattr(np, OUTSIDE.method)(x))


def of_class(x):
    return np.sum(getattr(np, OUTSIDE.kind)(x))


def named(f, monkeypatch):
    """Yield the names that are bound one after another to what a function reads."""
    binders = {
        of_constant: lambda name: monkeypatch.setitem(globals(), "NAME", name),
        of_config: lambda name: monkeypatch.setitem(CFG["deep"], "act", (name, 1.0)),
        of_object: lambda name: monkeypatch.setattr(OUTSIDE, "method", name),
        of_class: lambda name: monkeypatch.setattr(Model, "kind", name),
    }
    for name in ("sin", "cos", "sin", "tanh", "cos"):
        binders[f](name)
        yield name


@pytest.mark.parametrize("f", [of_constant, of_config, of_object, of_class])
def test_another_name_outside_gets_another_derivative(f, monkeypatch):
    g = tl.grad(f)
    for name in named(f, monkeypatch):
        for _ in range(2):
            np.testing.assert_allclose(g(X), SLOPES[name](X))


def test_the_way_to_a_name_may_lead_elsewhere(monkeypatch):
    g = tl.grad(of_config)
    monkeypatch.setitem(CFG, "deep", {"act": ("cos", 1.0)})
    np.testing.assert_allclose(g(X), SLOPES["cos"](X))
    monkeypatch.setitem(CFG, "deep", {"act": ("tanh", 1.0)})
    np.testing.assert_allclose(g(X), SLOPES["tanh"](X))


SHARED = {"act": "sin"}
TWICE = {"one": SHARED, "other": SHARED}


def by_the_other_way(x):
    return np.sum(getattr(np, TWICE["one"]["act"])(x)) + np.sum(
        getattr(np, TWICE["other"]["act"])(x)
    )


def test_a_name_that_is_reached_by_two_ways_is_not_known():
    with pytest.raises(tl.GradientError, match="not looked into"):
        tl.grad(by_the_other_way)(X)


def plain(x, name):
    return np.sum(getattr(np, name)(x))


def of_given_config(x, cfg):
    return np.sum(getattr(np, cfg["act"])(x))


def test_another_name_given_gets_another_derivative():
    g, h, second = tl.grad(plain), tl.grad(of_given_config), tl.hessian(plain)
    for name in ("sin", "cos", "sin", "tanh", "cos"):
        np.testing.assert_allclose(g(X, name), SLOPES[name](X))
        np.testing.assert_allclose(g(X, name=name), SLOPES[name](X))
        np.testing.assert_allclose(h(X, {"act": name, "label": name * 2}), SLOPES[name](X))
        slope = tl.jacobian(SLOPES[name])(X)
        np.testing.assert_allclose(second(X, name), slope, atol=1e-12)


def labelled(x, label):
    print(label)
    return np.sum(x * x)


def test_a_text_that_names_nothing_serves_with_all_others(capsys):
    g = tl.grad(labelled)
    for i in range(3):
        g(X, f"run {i}")
    assert len(g.built) == 1


def set_on_the_way(x):
    o = types.SimpleNamespace(act="sin")
    setattr(o, "act", "tanh")
    return np.sum(getattr(np, o.act)(x))


def set_under_another_name(x, holder, name):
    other = getattr(holder, name)
    other["act"] = "tanh"
    return np.sum(getattr(np, holder.cfg["act"])(x))


def put(d):
    d["act"] = "tanh"


def set_by_a_callee(x, holder, name):
    put(getattr(holder, name))
    return np.sum(getattr(np, holder.cfg["act"])(x))


@pytest.mark.parametrize("f", [set_on_the_way, set_under_another_name, set_by_a_callee])
def test_a_name_that_is_changed_on_the_way_is_not_known(f):
    holder = types.SimpleNamespace(cfg={"act": "sin"})
    arguments = (X,) if f is set_on_the_way else (X, holder, "cfg")
    with pytest.raises(tl.GradientError, match="not looked into"):
        tl.grad(f)(*arguments)


def decided_after_setting(x):
    o = types.SimpleNamespace(act="sin")
    setattr(o, "act", "tanh")
    if o.act == "sin":
        return np.sum(np.sin(x))
    return np.sum(np.tanh(x))


def test_a_test_of_what_is_set_by_name_is_not_decided_before():
    laws.check_orders(decided_after_setting, X)


def test_what_is_sent_along_serves_all_texts():
    with pytest.raises(tl.GradientError, match="not looked into"):
        tl.standalone(tl.grad(plain), like=(X, "sin"))


PROGRAM = """
import sys
import numpy as np, tapeless as tl
X = np.array([0.3, -0.7, 1.1])
def of_constant(x): return np.sum(getattr(np, NAME)(x))
def of_config(x): return np.sum(getattr(np, CFG["act"][1])(x))
def of_argument(x, name): return np.sum(getattr(np, name)(x))
for name in sys.argv[1:]:
    NAME, CFG = name, {"act": (1.0, name)}
    print(*tl.grad(of_constant)(X), *tl.grad(of_config)(X), *tl.grad(of_argument)(X, name))
"""


def test_what_is_kept_on_disk_is_told_apart_by_names(tmp_path, monkeypatch):
    monkeypatch.setenv("TAPELESS_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("TAPELESS_CACHE", "1")
    script = tmp_path / "program.py"
    script.write_text(PROGRAM)
    for names in (["sin"], ["cos", "sin"], ["sin", "cos"]):
        done = subprocess.run(
            [sys.executable, script, *names], capture_output=True, text=True, check=True
        )
        found = np.array(list(map(float, done.stdout.split()))).reshape(-1, 3, 3)
        for name, slopes in zip(names, found, strict=True):
            np.testing.assert_allclose(slopes, [SLOPES[name](X)] * 3)
    kept = list((tmp_path / "derivatives").iterdir())
    assert len(kept) == 3 * (1 + 2)  # a pointer, and a text for each name
