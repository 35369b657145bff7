"""Names of modules that functions bind anew by `global`: counters, flags, settings, what is made once."""

import importlib
import sys
import types

import numpy as np
import pytest

import tapeless as tl
from tapeless.testing import check_grads

X = np.array([0.3, 0.7, 1.1])
COUNT, SCALE, FLAG, MODE, LAST, TOTAL = 0, 1.0, False, "a", None, 0.0
FIRST, SECOND, NODES, ROWS = 1, 2, None, []


def count():
    global COUNT
    COUNT += 1


def set_scale(value):
    global SCALE
    SCALE = value


def scaled(x):
    return x * SCALE


class Scaled:
    def __init__(self, value):
        self.value = value

    def __enter__(self):
        self.before = SCALE
        set_scale(self.value)
        return self

    def __exit__(self, *error):
        set_scale(self.before)


class Numbered:
    def __init__(self, w):
        global COUNT
        COUNT += 1
        self.w, self.number = w, COUNT

    def __call__(self, x):
        global COUNT
        COUNT += 1
        return self.w * x * COUNT


def counted_and_read(x):
    before = COUNT
    count()
    count()
    return np.sum(x**2) * (COUNT - before)


def set_by_one_and_read_by_another(x):
    set_scale(2.0)
    y = scaled(x)
    set_scale(3.0)
    return np.sum(scaled(y * y)) * SCALE


def set_by_a_context(x):
    set_scale(1.5)
    with Scaled(2.0):
        y = scaled(x) ** 2
    return np.sum(y * scaled(x))


def flipped_in_a_loop(x):
    global FLAG
    FLAG, t = False, 0.0
    for v in x:
        t = t + v * v if FLAG else t + np.sin(v)
        FLAG = not FLAG
    return t


def put_back_at_last(x):
    set_scale(4.0)
    before = SCALE
    try:
        set_scale(2.0)
        y = scaled(x) ** 3
        if SCALE > 1.0:
            raise ValueError
    except ValueError:
        set_scale(3.0)
        y = scaled(x) ** 2
    finally:
        set_scale(before)
    return np.sum(y) * SCALE


def made_once(x):
    global NODES
    NODES = None
    t = 0.0
    for v in x:
        if NODES is None:
            NODES = np.linspace(0.0, 1.0, 3)
        t = t + np.sum(NODES * v**2)
    return t


def deep(x, n):
    global COUNT
    COUNT += 1
    return x * COUNT if n == 0 else deep(x * x, n - 1) * COUNT


def counts_a_recursion(x):
    global COUNT
    COUNT = 0
    return np.sum(deep(x, 2)) * COUNT


def bound_inside_a_nested_function(x):
    global COUNT
    COUNT = 0

    def g(v):
        global COUNT
        COUNT += 1
        return v * COUNT

    def hides(v):
        COUNT = v * 2.0

        def h(u):
            return u * COUNT

        return h(v)

    rest = hides(x[1]) + (lambda COUNT: COUNT * x[2])(2.0)
    return g(x[0]) + g(x[1]) * COUNT + rest + sum([COUNT * v for COUNT in range(3) for v in x])


def bound_in_methods(x):
    global COUNT
    COUNT = 0
    return sum(m(x[0]) * m.number for m in [Numbered(v) for v in x])


def bound_by_a_loop(x):
    global COUNT
    t = 0.0
    for COUNT in range(3):  # noqa: PLW0603
        t = t + x[COUNT] ** (COUNT + 1)
    return t * COUNT


def bound_together(x):
    global FIRST, SECOND
    FIRST, SECOND = 2, 3
    y = x**FIRST
    FIRST, SECOND = SECOND, FIRST
    return np.sum(y**FIRST) * SECOND


def ends_a_loop(x):
    global COUNT
    COUNT, t = 0, 1.0
    while COUNT < 4:
        COUNT += 1
        if COUNT == 2:
            continue
        t = t * np.sum(x) * COUNT
    return t


def says_which_way(x):
    global MODE
    MODE = "b"
    y = x**2 if MODE == "a" else x**3
    MODE = "a"
    return np.sum(y) + np.sum(np.sin(x) if MODE == "a" else x)


def kept_for_others(x):
    global LAST
    y = np.sum(x**2)
    LAST = y
    return y * x[0]


@tl.recompute_grad
def run_again(x):
    return np.sin(x) * SCALE


def read_by_what_runs_again(x):
    set_scale(2.0)
    y = run_again(x)
    set_scale(3.0)
    return np.sum(y * SCALE)


@tl.custom_gradient
def squared_and_scaled(x):
    scale = SCALE

    def grad(upstream):
        return upstream * 2.0 * x * scale

    return x**2 * scale, grad


def read_by_a_custom_gradient(x):
    set_scale(2.0)
    y = squared_and_scaled(x)
    set_scale(3.0)
    return np.sum(y) * SCALE


def fixed_where_nobody_binds_it(x):
    ROWS.clear()
    for v in x:
        ROWS.append(v * v)
    return sum(ROWS)


PROGRAMS = (
    counted_and_read, set_by_one_and_read_by_another, set_by_a_context, flipped_in_a_loop,
    put_back_at_last, made_once, bound_inside_a_nested_function, bound_in_methods, bound_by_a_loop,
    bound_together, ends_a_loop, says_which_way, read_by_what_runs_again, read_by_a_custom_gradient,
)  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_bound_and_read(f):
    check_grads(f, X, order=2, replay=True)


def counted(x):
    count()
    y = scaled(x) * COUNT
    set_scale(SCALE + 1.0)
    return np.sum(y * y) * SCALE


def test_left_as_by_one_call():
    global COUNT, SCALE
    COUNT, SCALE = 1, 2.0
    value, pullback = tl.vjp(counted, X)
    assert (COUNT, SCALE) == (2, 3.0)
    COUNT, SCALE = 100, 50.0
    [gradient] = pullback(1.0)
    assert np.allclose(value, 48.0 * np.sum(X**2))
    assert np.allclose(gradient, 96.0 * X)
    assert (COUNT, SCALE) == (100, 50.0)


def test_pullback_of_what_runs_again():
    value, pullback = tl.vjp(read_by_what_runs_again, X)
    set_scale(50.0)
    assert np.allclose(value, 6.0 * np.sum(np.sin(X)))
    assert np.allclose(pullback(1.0)[0], 6.0 * np.cos(X))


def test_of_another_kind_at_the_next_call():
    def read(x):
        count()
        return np.sum(x**2 if SCALE is None else x * SCALE)

    gradient = tl.grad(read)
    for value, expected in (
        (2.0, 2.0),
        (None, 2.0 * X),
        (np.arange(3.0), np.arange(3.0)),
        (5, 5.0),
    ):
        set_scale(value)
        assert np.allclose(gradient(X), expected)
    set_scale(1.0)


class Box:
    scale = 1.0


@tl.recompute_grad
def run_again_with_a_class(x):
    return np.sin(x) * Box.scale


def read_of_a_class_by_what_runs_again(x):
    Box.scale = 2.0
    y = run_again_with_a_class(x)
    Box.scale = 3.0
    return np.sum(y * Box.scale)


def test_class_read_by_what_runs_again():
    check_grads(read_of_a_class_by_what_runs_again, X, order=2, replay=True)


SETTINGS = """
scale = 1.0

def set_scale(value):
    global scale
    scale = value

def current():
    return scale
"""


@pytest.fixture
def settings(tmp_path, monkeypatch):
    (tmp_path / "settings_elsewhere.py").write_text(SETTINGS)
    monkeypatch.syspath_prepend(tmp_path)
    yield importlib.import_module("settings_elsewhere")
    del sys.modules["settings_elsewhere"]


def test_of_another_module(settings):
    other = settings

    def f(x):
        settings.set_scale(2.0)
        from settings_elsewhere import scale

        y = x * settings.scale
        other.scale = 3.0
        settings.scale *= 2.0
        return np.sum(y * y * scale) * settings.current() * other.scale

    check_grads(f, X, order=2, replay=True)
    assert settings.scale == 6.0


def varies(x):
    global TOTAL
    TOTAL = 0.0
    for v in x:
        TOTAL += v
    return TOTAL**2


def changes(x):
    global NODES
    NODES = []
    for _ in x:
        NODES.append(2.0)
    return np.sum(x) * len(NODES)


def deletes(x):
    global GONE
    GONE = 2.0
    y = np.sum(x) * GONE
    del GONE
    return y


def binds_in_passing(x):
    global PASSING
    return np.sum(x) if (PASSING := 2.0) > 1.0 else x[0]


@tl.recompute_grad
def sets_again(x):
    count()
    return np.sin(x) * COUNT


def runs_twice(x):
    return np.sum(sets_again(x))


def varies_in_an_item(x):
    global ROWS
    ROWS = np.zeros(3)
    ROWS[0] = x[1]
    return np.sum(ROWS * x)


def current():
    return TOTAL


def read_by_a_callee(x):
    global TOTAL
    TOTAL = np.sum(x)
    return current() * x[0]


@tl.custom_gradient
def read_in_the_gradient(x):
    def grad(upstream):
        return upstream * 2.0 * x * SCALE

    return x**2 * SCALE, grad


def read_at_last(x):
    set_scale(2.0)
    y = read_in_the_gradient(x)
    set_scale(3.0)
    return np.sum(y) * SCALE


class Kept:
    rows, scale = [], 1.0

    @classmethod
    def clear(cls):
        cls.rows = []


def varies_in_a_list_of_a_class(x):
    Kept.rows.clear()
    for v in x:
        Kept.rows.append(v * v)
    return sum(Kept.rows)


@tl.custom_gradient
def read_of_a_class_in_the_gradient(x):
    def grad(upstream):
        return upstream * 2.0 * x * Kept.scale

    return x**2 * Kept.scale, grad


def read_of_a_class_at_last(x):
    Kept.scale = 2.0
    y = read_of_a_class_in_the_gradient(x)
    Kept.scale = 3.0
    return np.sum(y) * Kept.scale


IN_ONE_ORDER = (
    counts_a_recursion, fixed_where_nobody_binds_it, kept_for_others, varies, read_by_a_callee,
    varies_in_a_list_of_a_class,
)  # fmt: skip


@pytest.mark.parametrize("f", IN_ONE_ORDER, ids=lambda f: f.__name__)
def test_first_order(f):
    check_grads(f, X, order=1, replay=True)


IN_BOTH_MODES = (varies_in_an_item, deletes, binds_in_passing)
REASONS = r"stored into|that it changes|not followed|holds here varies|find it as it is at the end|be undone"


@pytest.mark.parametrize(
    "f", [*IN_BOTH_MODES, changes, runs_twice, read_at_last, read_of_a_class_at_last]
)
def test_refused(f):
    with pytest.raises(tl.TapelessError, match=REASONS):
        tl.grad(f)(X)


@pytest.mark.parametrize("f", IN_BOTH_MODES)
def test_refused_forward(f):
    with pytest.raises(tl.TapelessError, match=REASONS):
        tl.jvp(f, (X,), (X,))


def test_names_of_no_module_are_refused():
    f = types.FunctionType(kept_for_others.__code__, dict(globals()))
    with pytest.raises(tl.TapelessError, match="not followed"):
        tl.grad(f)(X)
