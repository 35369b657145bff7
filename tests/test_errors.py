"""Errors show the user's file, line and caret, the reason and the way out."""

import copy
import pickle
import traceback

import numpy as np
import pytest

import tapeless as tl
from tapeless.errors import (
    GradientError,
    InternalError,
    NoGradientError,
    Refusal,
    TapelessError,
    UnsupportedSyntaxError,
)

PLACE = {
    "filename": "model.py",
    "lineno": 14,
    "col_offset": 8,
    "source_line": "    y = await f(x)",
}
REASON = "`await` cannot be differentiated"
FIX = "take the value before the function that is differentiated"
SHOWN = f"""\
model.py:14: {REASON}
    y = await f(x)
        ^
  fix: {FIX}"""
KINDS = [TapelessError, UnsupportedSyntaxError, NoGradientError, GradientError, InternalError]


@pytest.mark.parametrize("kind", KINDS)
def test_the_whole_message(kind):
    error = kind(REASON, fix=FIX, **PLACE, function="loss")
    assert str(error) == SHOWN
    assert (error.filename, error.lineno) == ("model.py", 14)
    assert (error.reason, error.fix) == (REASON, FIX)
    assert error.source_line == "    y = await f(x)"
    assert error.function == "loss"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "known, shown",
    [
        ({}, "no"),
        ({"fix": "do"}, "no\n  fix: do"),
        ({"fix": "do", "lineno": 3, "source_line": "x"}, "no\n  fix: do"),
        ({"filename": "m.py"}, "m.py: no"),
        ({"filename": "m.py", "lineno": 3}, "m.py:3: no"),
        ({"filename": "m.py", "lineno": 3, "source_line": "  x"}, "m.py:3: no\n    x"),
        ({"filename": "m.py", "lineno": 3, "source_line": " \n", "col_offset": 0}, "m.py:3: no"),
        ({"filename": "m.py", "lineno": 3, "col_offset": 4}, "m.py:3: no"),
    ],
)
def test_what_is_not_known_is_left_out(kind, known, shown):
    assert str(kind("no", **known)) == shown


@pytest.mark.parametrize(
    "line, col_offset, caret",
    [
        ("y = x", 4, "    y = x\n        ^"),
        ("\ty = x\n", 5, "    y = x\n        ^"),
        ("  y =\tx", 6, "    y =\tx\n       \t^"),
        ("äö = x", len("äö = ".encode()), "    äö = x\n         ^"),
        ("    y", 0, "    y\n    ^"),
    ],
)
def test_the_caret_stands_under_its_column(line, col_offset, caret):
    place = {"filename": "m.py", "lineno": 1, "source_line": line, "col_offset": col_offset}
    assert str(GradientError("no", **place)) == "m.py:1: no\n" + caret


def test_built_in_kinds():
    assert issubclass(UnsupportedSyntaxError, SyntaxError)
    assert issubclass(NoGradientError, LookupError)
    assert issubclass(GradientError, ValueError)
    assert all(issubclass(kind, TapelessError) for kind in KINDS)


def test_python_draws_the_caret_of_a_syntax_error():
    error = UnsupportedSyntaxError(REASON, fix=FIX, **PLACE)
    assert (error.offset, error.text) == (9, "    y = await f(x)\n")
    assert "".join(traceback.format_exception(error)) == (
        '  File "model.py", line 14\n'
        "    y = await f(x)\n"
        "        ^\n"
        f"tapeless.errors.UnsupportedSyntaxError: {REASON}\n"
        f"  fix: {FIX}\n"
    )


def refusals():
    return [
        Refusal(REASON, FIX, "model.py", 14, 8, "    y = await f(x)"),
        Refusal("`del` cannot be differentiated", None, "model.py", 20, 4, "    del y"),
        Refusal("no way", "another way"),
    ]


SEVERAL = f"""\
{SHOWN}
model.py:20: `del` cannot be differentiated
    del y
    ^
no way
  fix: another way"""


@pytest.mark.parametrize("kind", KINDS)
def test_all_refusals_together(kind):
    error = kind.of_all(iter(refusals()))
    assert type(error) is kind
    assert str(error) == SEVERAL
    assert error.refusals == tuple(refusals())
    assert (error.lineno, error.reason, error.fix) == (14, REASON, FIX)


def test_one_refusal_reads_like_one_error():
    error = UnsupportedSyntaxError.of_all(refusals()[:1])
    assert str(error) == SHOWN == str(UnsupportedSyntaxError(REASON, fix=FIX, **PLACE))


def test_python_shows_all_refusals():
    shown = "".join(traceback.format_exception(UnsupportedSyntaxError.of_all(refusals())))
    assert shown.count("^") == 2
    assert "model.py:20: `del` cannot be differentiated" in shown


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "again", [copy.copy, copy.deepcopy, lambda e: pickle.loads(pickle.dumps(e))]
)
def test_errors_can_be_copied(kind, again):
    for error in [kind("no", fix="do", **PLACE, function="f"), kind.of_all(refusals()), kind("no")]:
        error.add_note("a note")
        other = again(error)
        assert type(other) is kind
        assert str(other) == str(error)
        assert other.refusals == error.refusals
        assert other.args == error.args == (error.reason,)
        assert other.__notes__ == ["a note"]
        for name in ("filename", "lineno", "col_offset", "source_line", "function", "fix"):
            assert getattr(other, name) == getattr(error, name)
        assert getattr(other, "offset", 0) == getattr(error, "offset", 0)
        assert traceback.format_exception(other) == traceback.format_exception(error)


def test_refusals_are_values():
    assert refusals()[0] == refusals()[0]
    assert len({*refusals(), *refusals()}) == 3
    with pytest.raises(AttributeError):
        refusals()[0].reason = "other"


def makes_a_variable(x):
    return x * tl.Variable(2.0)


def gives_an_array(x):
    return x * x


@pytest.mark.parametrize(
    "function, x, line, place",
    [
        (makes_a_variable, 1.0, 1, "    return x * tl.Variable(2.0)\n    ^"),
        (gives_an_array, np.ones(2), 0, "    def gives_an_array(x):\n"),
    ],
)
def test_a_refusal_shows_the_line_that_it_is_about(function, x, line, place):
    with pytest.raises(GradientError) as caught:
        tl.grad(function)(x)
    error = caught.value
    assert (error.filename, error.lineno) == (__file__, function.__code__.co_firstlineno + line)
    assert place in str(error)
