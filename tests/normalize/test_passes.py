"""What each desugaring makes of a construct: `passes.txt` holds the texts before and after it.

    # expand_assignments
    a = b = x
    ->
    v = x
    a = v
    b = v

`pytest --update-golden` writes what stands after the arrows anew; the diff is reviewed like code.
"""

import pathlib
import textwrap

import pytest

from tapeless import normalize
from tapeless.source.printer import unparse
from tapeless.source.reader import parse_function
from tapeless.tree.function import CoreFunction

PATH = pathlib.Path(__file__).with_name("passes.txt")
ENTRIES = [entry.strip("\n").split("\n", 1) for entry in PATH.read_text().split("\n\n\n")]
CASES = [(head.removeprefix("# "), *body.split("\n->\n")) for head, body in ENTRIES]


def after(name, before):
    text = "def f(x, y, a, b, i, m, f, g, h):\n" + textwrap.indent(before, "    ")
    core = getattr(normalize, name)(CoreFunction(parse_function(text)))
    return textwrap.dedent(unparse(core.tree).strip().split("\n", 1)[1])


@pytest.mark.parametrize(
    ("name", "before", "wanted"), CASES, ids=[c[1].split("\n")[0] for c in CASES]
)
def test_pass(name, before, wanted):
    assert after(name, before) == wanted


def test_written(update_golden):
    text = "\n\n\n".join(
        f"# {name}\n{before}\n->\n{after(name, before)}" for name, before, _ in CASES
    )
    if update_golden:
        PATH.write_text(text + "\n")
    assert PATH.read_text() == text + "\n"
