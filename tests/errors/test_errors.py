"""What is said of each program that is refused, word for word, with the line and the caret.

`texts/TOPIC.txt` holds the messages of `programs/TOPIC.py`: in reverse mode, and in forward mode where
that is another. `pytest --update-golden` writes them anew; the diff is reviewed like code.
"""

import copy
import importlib
import pathlib
import pkgutil
import re

import pytest

import tapeless as tl
from tests import laws
from tests.errors import programs

HERE = pathlib.Path(__file__).parent
TOPICS = [module.name for module in pkgutil.iter_modules(programs.__path__)]
for topic in TOPICS:
    importlib.import_module(f"tests.errors.programs.{topic}")
ALL = [
    program
    for topic in TOPICS
    for key, program in programs.PROGRAMS[topic].items()
    if key not in programs.LATER
]
LEAST = 120
# names that no user wrote: temporaries, generated functions, passes, marks of the tool
UNWRITTEN = (
    r"\b(v|saved|chosen|pair|it)_\d+\b|\w+_(fwd|rev)\b|split_tuples|Missing|MISSING|\bIndex\b"
    r"|\b__\d+\b|AdjointRecord|lambda_"
)
NO_WAYS_OUT = ("rewrite it", "use an array", "call it without", "spell it out", "call a function")


def said(ask):
    try:
        ask()
    except (tl.TapelessError, NameError) as error:
        return re.sub(r"\S*/tests/errors/(programs/)?", "", str(error))
    return "not refused"


def messages(function, args, ask):
    def given():
        return copy.deepcopy(args)

    if ask is not None:
        return said(lambda: ask(function, *given()))
    reverse = said(lambda: tl.grad(function)(*given()))
    forward = said(lambda: tl.jvp(function, given(), given()))
    return reverse if forward == reverse else f"{reverse}\n\nForward:\n{forward}"


def kept_messages(path):
    """Return what a file of messages says of each program."""
    parts = re.split(r"(?m)^# (?=\w+$)", path.read_text())[1:]
    return {part.partition("\n")[0]: f"# {part.rstrip()}\n" for part in parts}


@pytest.mark.parametrize("topic", TOPICS)
def test_messages(topic, update_golden):
    path = HERE / "texts" / f"{topic}.txt"
    kept = kept_messages(path) if programs.LATER else {}
    found = [
        kept[key] if key in programs.LATER else f"# {key}\n{messages(*program)}\n"
        for key, program in programs.PROGRAMS[topic].items()
    ]
    text = "\n".join(found)
    if update_golden:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    assert path.exists(), "pytest --update-golden writes it"
    assert text == path.read_text()


@pytest.mark.parametrize("way", programs.WAYS_OUT, ids=lambda way: way.__name__)
def test_ways_out(way):
    laws.check_function(way, programs.WAYS_OUT[way])


def test_that_there_are_enough():
    assert len(ALL) >= LEAST


@pytest.mark.parametrize("program", ALL, ids=lambda program: program[0].__name__)
def test_rules_of_messages(program):
    text = messages(*program)
    assert not text.startswith("not refused")
    assert "fix: " in text or program[2] is not None, "a way out"
    assert program[2] is not None or re.match(r"\w+\.py:\d+: ", text), "the user's file and line"
    assert not re.search(UNWRITTEN, text), "a name that the user did not write"
    assert not any(f"fix: {way}\n" in f"{text}\n" for way in NO_WAYS_OUT), "a way out that is one"
    if "stop_gradient" in text:
        assert "its derivative is dropped" in text or "stop_gradient returned" in text
