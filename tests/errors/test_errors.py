"""What is said of each program that is refused, word for word, with the line and the caret.

`texts/NAME.txt` holds the message of `programs.NAME` in reverse mode, and in forward mode where that is
another. `pytest --update-golden` writes them anew; the diff is reviewed like code.
"""

import copy
import pathlib
import re

import pytest

import tapeless as tl
from tests.errors.programs import ARGUMENTS

HERE = pathlib.Path(__file__).parent
# names that no user wrote: temporaries, generated functions, passes, marks of the tool
UNWRITTEN = (
    r"\b(v|saved|chosen|pair|it)_\d+\b|\w+_(fwd|rev)\b|split_tuples|Missing|MISSING|\bIndex\b"
)


def said(ask):
    try:
        ask()
    except tl.TapelessError as error:
        return str(error).replace(f"{HERE}/", "")
    return "not refused"


def messages(function):
    args = ARGUMENTS[function]
    reverse = said(lambda: tl.grad(function)(*copy.deepcopy(args)))
    forward = said(lambda: tl.jvp(function, copy.deepcopy(args), copy.deepcopy(args)))
    return reverse if forward == reverse else f"{reverse}\n\nForward:\n{forward}"


@pytest.mark.parametrize("function", ARGUMENTS, ids=lambda f: f.__name__)
def test_message(function, update_golden):
    text = messages(function) + "\n"
    path = HERE / "texts" / f"{function.__name__}.txt"
    if update_golden:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    assert path.exists(), "pytest --update-golden writes it"
    assert text == path.read_text()
    assert not text.startswith("not refused")


@pytest.mark.parametrize("function", ARGUMENTS, ids=lambda f: f.__name__)
def test_rules_of_messages(function):
    text = messages(function)
    assert re.match(r"programs\.py:\d+: ", text), "the user's file and line"
    assert "fix: " in text, "a way out"
    assert not re.search(UNWRITTEN, text), "a name that the user did not write"
    if "stop_gradient" in text:
        assert "its derivative is dropped" in text
