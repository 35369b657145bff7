"""A derivative serves the kinds that it was written for, and notices what was bound anew."""

import importlib.util

import numpy as np
import pytest

import tapeless as tl

X = np.array([0.6, -1.4, 2.3, 0.9])

M = np.array([[0.3, -0.6, 1.1], [0.7, 2.2, -0.4], [-0.9, 0.5, 0.8]])


def grow(a, depth):
    if depth == 0:
        return a[0]
    a[depth] = a[depth] * a[depth - 1]
    s = grow(a, depth - 1)
    a[0] = a[0] + s * a[depth]
    return s * a[depth]


def recursion_that_stores(x):
    u = x * 1.0
    return grow(u, 3) + np.sum(u)


def plus(x, y):
    z = x
    x += y
    return np.sum(z * x)


class Box:
    def __init__(self, value):
        self.value = value
        self.count = 0

    def bump(self, c):
        self.value = self.value * c + self.count
        self.count += 1
        return self.value

    def content(self):
        return self.value


def test_plus_equals_on_a_float_then_on_an_aliased_array():
    g = tl.grad(plus, wrt=(0, 1))
    for _ in range(2):
        assert g(1.5, 2.0) == (2 * 1.5 + 2.0, 1.5)
        x = X.copy()
        first, second = g(x, np.ones(4))
        np.testing.assert_allclose(first, 2 * (X + 1.0))
        np.testing.assert_allclose(second, 2 * (X + 1.0))
        np.testing.assert_array_equal(x, X)


def test_one_gradient_for_many_kinds():
    def energy(x):
        y = x
        y = y * y
        y += x
        return np.sum(y)

    g = tl.grad(energy)
    for x in (2.0, np.float64(2.0), np.array(2.0), X, M, np.float32(2.0), X.astype(np.float32)):
        got = g(x)
        np.testing.assert_allclose(got, 2 * x + 1, rtol=1e-6)
        assert np.shape(got) == np.shape(x) and np.asarray(got).dtype == np.asarray(x).dtype


def test_an_integer_counts_as_a_real_number():
    assert tl.grad(lambda x: x**3)(2) == 12.0
    with pytest.raises(tl.TapelessError, match="astype"):
        tl.grad(lambda x: np.sum(x**2))(np.arange(3))


def test_shapes_change_between_calls():
    g = tl.grad(lambda x, y: np.sum(x * y))
    for shape in [(3,), (2, 3), (1, 3), (1,), (5, 2, 3), (3,)]:
        got = g(np.ones(shape), np.arange(3.0))
        assert got.shape == shape
        np.testing.assert_allclose(
            np.sum(got), 3.0 * np.prod(shape) / shape[-1] if shape[-1] > 1 else 3.0 * np.prod(shape)
        )


def apply(f, x):
    return f(x) * x


def test_function_arguments_are_told_apart_by_identity():
    def double(v):
        return 2.0 * v

    def cube(v):
        return v**3

    g = tl.grad(apply, wrt=1)
    assert [g(double, 2.0), g(cube, 2.0), g(double, 2.0)] == [8.0, 32.0, 8.0]


def make_power(n):
    def to_the(x):
        return x**n

    return to_the


def test_closures_of_one_def_are_different_functions():
    square, cube = make_power(2), make_power(3)
    assert tl.grad(square)(2.0) == 4.0
    assert tl.grad(cube)(2.0) == 12.0
    assert tl.grad(square)(2.0) == 4.0


def helper(x):
    return x * x


def uses_helper(x):
    return helper(x) * SCALE


SCALE = 2.0


def other_helper(x):
    return x * x * x


@pytest.mark.usefixtures("noticed")
def test_redefined_callee_and_global(monkeypatch):
    g = tl.grad(uses_helper)
    assert g(3.0) == 12.0
    monkeypatch.setitem(globals(), "helper", other_helper)
    assert g(3.0) == 54.0
    monkeypatch.setitem(globals(), "SCALE", 10.0)
    assert g(3.0) == 270.0
    monkeypatch.undo()
    assert g(3.0) == 12.0


@pytest.mark.usefixtures("noticed")
def test_redefined_callee_of_a_callee(monkeypatch):
    g = tl.grad(lambda x: uses_helper(x) + 0.0)
    assert g(3.0) == 12.0
    monkeypatch.setitem(globals(), "helper", other_helper)
    assert g(3.0) == 54.0


@pytest.mark.usefixtures("noticed")
def test_rebound_closure_cell():
    scale = 2.0

    def f(x):
        return x * scale

    g = tl.grad(f)
    assert g(1.0) == 2.0
    scale = 5.0
    assert g(1.0) == 5.0


@pytest.mark.usefixtures("noticed")
def test_redefined_method(monkeypatch):
    def value_of(x):
        return Box(x * x).content()

    g = tl.grad(value_of)
    assert g(3.0) == 6.0
    monkeypatch.setattr(Box, "content", lambda self: self.value * 10.0)
    assert g(3.0) == 60.0


def module_from(path, name, text):
    path.mkdir(exist_ok=True)
    file = path / f"{name}.py"
    file.write_text(text)
    spec = importlib.util.spec_from_file_location(f"{path.name}_{name}", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_callees_of_one_name_from_two_modules(tmp_path):
    text = "def helper(x):\n    return x ** {0}\n\n\ndef f(x):\n    return helper(x) * {0}\n"
    one = module_from(tmp_path / "one", "tools", text.format(2))
    two = module_from(tmp_path / "two", "tools", text.format(3))
    before = dict(vars(one))

    def combined(x):
        return one.helper(x) * two.helper(x) + one.f(x) + two.f(x)

    got = tl.grad(combined)(1.5)
    assert got == pytest.approx(5 * 1.5**4 + 4 * 1.5 + 9 * 1.5**2)
    assert tl.grad(one.f)(1.5) == pytest.approx(6.0)
    assert tl.grad(two.f)(1.5) == pytest.approx(9 * 1.5**2)
    assert vars(one).keys() == before.keys(), "something was written into the user's module"


def test_nothing_is_written_into_this_module():
    names = set(globals())
    tl.grad(uses_helper)(1.0)
    tl.grad(recursion_that_stores)(X)
    assert set(globals()) == names
