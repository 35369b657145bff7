"""What is loaded from disk is what was written: its text, its errors, what it is bound to."""

import dis
import functools
import inspect
import textwrap

import numpy as np
import pytest

import tapeless as tl
from tapeless import pipeline
from tapeless.disk.functions import files_described, names_within
from tapeless.disk.homes import home_in_library
from tapeless.disk.kept import Kept
from tapeless.disk.unstable import UnstableError
from tapeless.operators.gradients import Gradients

scale = 2.0
table = {"w": np.array([1.0, 2.0])}


def inverse(x):
    if x > 1e6:
        return x
    return scale / x


def of_table(x):
    return np.sum(x * table["w"])


@tl.custom_gradient
def watched(x):
    def grad(upstream):
        while True:  # a loop with a return in it is called, not spliced
            return upstream * table["w"]

    return table["w"] * x, grad


@pytest.fixture
def only_loaded(forgetful, monkeypatch):
    """Return a function that asks twice: the second time nothing can be written."""

    def twice(ask):
        first = ask()
        with monkeypatch.context() as patch:
            patch.setattr(pipeline, "write", None)
            second = ask()
        return first, second

    return twice


def test_text(only_loaded):
    for mode in ("grad", "vjp", "jvp", "hvp"):
        first, second = only_loaded(lambda mode=mode: tl.source(inverse, mode, like=(2.0,)))
        assert first == second
        assert "scale" in second


def test_text_by_annotations(only_loaded):
    def square(x: float):
        return x * x

    first, second = only_loaded(lambda: tl.source(square))
    assert first == second


def test_an_exception_tells_the_users_line(only_loaded):
    def ask():
        with pytest.raises(ZeroDivisionError) as caught:
            tl.grad(inverse)(0.0)
        return caught.value.__notes__, [str(t.path) for t in caught.traceback][-1]

    first, second = only_loaded(ask)
    assert first[0] == second[0]
    line = inspect.getsourcelines(inverse)[1] + 3
    assert f"{__file__}:{line}" in second[0][0]


def test_a_global_is_bound_and_followed(forgetful, monkeypatch):
    tl.grad(inverse)(2.0)
    monkeypatch.undo()  # this process remembers again
    with monkeypatch.context() as patch:
        patch.setenv("TAPELESS_CACHE", "1")
        patch.setenv("TAPELESS_CACHE_DIR", str(forgetful.parent))
        patch.setattr(pipeline, "write", None)
        slope = Gradients(inverse, "grad", 0, None)
        assert slope(2.0) == -0.5
        patch.setitem(globals(), "scale", 6.0)
        assert slope(2.0) == -1.5
        patch.setitem(table, "w", np.array([5.0, 5.0]))
    with pytest.raises(TypeError, match="not callable"), monkeypatch.context() as patch:
        patch.setattr(pipeline, "write", None)
        patch.setitem(globals(), "scale", np.ones(2))
        slope(2.0)  # another kind: that has to be written


def test_what_a_container_holds(only_loaded):
    first, second = only_loaded(lambda: tl.grad(of_table)(np.ones(2)))
    np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize("order", [1, 2])
def test_orders_and_operators(order, only_loaded):
    f = functools.reduce(lambda g, _: tl.grad(g), range(order - 1), inverse)
    for operator in (tl.grad, tl.hessian, tl.jacobian):
        if operator is not tl.hessian or order == 1:
            first, second = only_loaded(lambda: operator(f)(2.0))
            assert first == second


def test_a_pullback_that_watches_what_a_rule_reads(only_loaded, monkeypatch):
    def ask():
        _, pullback = tl.vjp(lambda x: watched(x), np.ones(2))
        before = pullback(np.ones(2))[0]
        with monkeypatch.context() as patch:
            patch.setitem(table, "w", 3.0 * table["w"])
            with pytest.raises(tl.GradientError, match="has changed since the forward sweep"):
                pullback(np.ones(2))
        return before

    for found in only_loaded(ask):
        np.testing.assert_array_equal(found, [1.0, 2.0])


def test_bound_methods_partials_and_callables(only_loaded):
    class Model:
        def __init__(self, k):
            self.k = k

        def loss(self, x):
            return self.k * x * x

        __call__ = loss

    for f in (Model(3.0).loss, Model(3.0), functools.partial(Model.loss, Model(3.0)), np.sin):
        first, second = only_loaded(lambda f=f: tl.jvp(f, (2.0,), (1.0,)))
        assert first == second


def test_kinds_of_arguments_tell_entries_apart(forgetful):
    def square(x):
        return np.sum(x * x)

    for x in (2.0, 2, np.float32(2.0), np.ones(3), np.ones(1), np.ones((3, 3)), np.ones(3, "f")):
        found = tl.grad(square)(x)
        np.testing.assert_array_equal(found, 2 * x)
        assert getattr(found, "dtype", "f8") == getattr(x, "dtype", "f8")
    assert len(list(forgetful.iterdir())) == 7


def applied(h, x):
    return h(x)


def test_functions_that_are_arguments(forgetful):
    for h, expected in ((np.sin, np.cos(2.0)), (np.cos, -np.sin(2.0)), (lambda x: scale * x, 2.0)):
        for _ in range(2):
            assert tl.grad(applied, wrt=1)(h, 2.0) == expected
    assert len(list(forgetful.iterdir())) == 3


def test_a_wrapper_in_the_place_of_a_librarys_function_is_not_taken_for_it(forgetful, monkeypatch):
    def summed(x):
        return np.sum(x * x)

    def twice(x):
        return 2.0 * np.add.reduce(x)

    tl.grad(summed)(np.ones(2))
    monkeypatch.setattr(np, "sum", functools.wraps(np.sum)(twice))
    assert home_in_library(np.sum) == ""
    with pytest.raises(tl.NoGradientError):  # and not what is kept for NumPy's own
        tl.grad(summed)(np.ones(2))
    monkeypatch.setattr(np, "sum", functools.lru_cache(np.sum))
    assert home_in_library(np.sum) == ""


unstable = np.frompyfunc(lambda x: x, 1, 1)


def test_what_cannot_be_compared_is_not_kept(forgetful):
    @tl.custom_gradient
    def opaque(x):
        return float(unstable(x)), lambda upstream: upstream

    assert tl.grad(lambda x: opaque(x))(2.0) == 1.0
    assert not forgetful.exists()
    with pytest.raises(UnstableError, match="a ufunc"):
        Kept(tl.grad(opaque), [2.0]).described()


def test_variables_are_not_kept(forgetful):
    w = tl.Variable(2.0)
    tl.grad(lambda x: w * x, wrt=None, variables=[w])(3.0)
    assert not forgetful.exists()


def test_the_names_that_a_code_looks_up_are_those_that_dis_shows():
    for function in (textwrap.dedent, inspect.getsource, tl.grad, functools.wraps, Kept.find):
        code = inspect.unwrap(function).__code__
        looked_up = {
            step.argval for step in dis.get_instructions(code) if step.opname == "LOAD_GLOBAL"
        }
        assert looked_up <= names_within(code)[0]


def test_files_of_loaded_derivatives_count_as_read(only_loaded):
    only_loaded(lambda: tl.source(inverse, like=(2.0,)))
    assert __file__ in files_described()
