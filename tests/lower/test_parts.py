"""Functions that are lowered in parts: they do what they did, and so do the texts that are printed."""

import copy
import traceback

import numpy as np
import pytest
from parts_programs import PROGRAMS, X, state_in_a_dict, two_names

import tapeless as tl
from tapeless.lower import NotLowered, lowered
from tapeless.operators.parts import Parts

IDS = [f.__name__ for f, _ in PROGRAMS]


def in_parts(f, arguments):
    """Return a function of which the parts that can be lowered run as loops, and these parts."""
    with pytest.raises(NotLowered) as told:
        lowered(f, arguments)
    parts = Parts(lambda line: None, loops="text")
    return parts, parts.opened(told.value, f)


def outcome(f, arguments, capsys):
    given = copy.deepcopy(arguments)
    try:
        found = f(*given)
    except Exception as error:
        return type(error), str(error), traceback.extract_tb(error.__traceback__)[-1].lineno
    return found, given, capsys.readouterr().out


def same(a, b):
    if isinstance(a, tuple):
        assert isinstance(b, tuple) and len(a) == len(b)
        for p, q in zip(a, b, strict=True):
            same(p, q)
    elif isinstance(a, np.ndarray | float):
        assert type(a) is type(b)
        np.testing.assert_allclose(a, b, rtol=1e-12)
    else:
        assert a == b


@pytest.mark.parametrize(("f", "arguments"), PROGRAMS, ids=IDS)
def test_programs_do_what_they_did(f, arguments, capsys):
    gradient = tl.grad(f).serving(list(copy.deepcopy(arguments))).function
    for plain in (f, gradient):
        try:
            parts, opened = in_parts(plain, arguments)
        except pytest.fail.Exception:
            continue  # it is lowered as a whole
        if opened is None:
            continue
        expected = outcome(plain, arguments, capsys)
        same(outcome(opened.run, arguments, capsys), expected)
        same(outcome(opened.settled().run, arguments, capsys), expected)


@pytest.mark.parametrize(("f", "arguments"), PROGRAMS, ids=IDS)
def test_what_is_printed_runs(f, arguments, capsys):
    if f.__name__ in ("not_bound", "divided_by_zero"):
        with pytest.raises((NameError, ZeroDivisionError)):
            tl.source(f, like=copy.deepcopy(arguments), compile="numba")
        return
    kept = copy.deepcopy(arguments)
    text = tl.source(f, like=kept, compile="numba")
    same(kept, arguments)
    capsys.readouterr()
    module = {}
    exec(text, module)
    expected = outcome(tl.grad(f), arguments, capsys)
    same(outcome(module[f"{f.__name__}_grad"], arguments, capsys), expected)


def test_statements_between_loops_stay_as_they_are():
    text = tl.source(state_in_a_dict, like=(X,), compile="numba")
    assert "for i in range(n)" in text
    assert 'state["p"]' in text.split("def state_in_a_dict_grad(")[1]


def test_a_list_is_no_tuple():
    def both(x):
        return [x * 2.0, x + 1.0]

    with pytest.raises(NotLowered, match="a result that is a list"):
        lowered(both, (X,))


def test_what_is_read_only_is_not_stored_into():
    def diagonal(m):
        d = np.diag(m)
        d[0] = 1.0
        return np.sum(m)

    with pytest.raises(NotLowered, match="read only"):
        lowered(diagonal, (np.eye(3),))


def test_a_part_returns_no_array_twice():
    with pytest.raises(NotLowered, match="something else may stand for"):
        lowered(two_names, (X,), is_part=True)
    assert lowered(two_names, (X,)).result == ("array", "array")


def test_a_function_without_loops_is_not_cut():
    def ordered(x):
        return np.sum(np.sort(x))

    parts, opened = in_parts(ordered, (X,))
    assert opened is None and not parts.has_loops


STEP = 0.5


def deep(x):
    y = np.sort(x)
    return STEP * y * y - np.sin(y) + 0.5 * np.cos(y)


def shallow(x):
    return np.sum(deep(x) * x - 0.1 * x * x + np.exp(-x))


def test_what_changes_outside_of_a_callee_is_followed(monkeypatch):
    _, opened = in_parts(shallow, (X,))
    opened.run(X)
    settled = opened.settled().run
    for step in (0.5, 2.0, 0.5, 3.0):
        monkeypatch.setitem(globals(), "STEP", step)
        same(settled(X), shallow(X))
        same(opened.run(X), shallow(X))
