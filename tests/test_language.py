"""The tables of `docs/reference/language.md`: each row holds what its program shows.

`pytest --update-golden` writes the tables anew; the diff is reviewed like code.
"""

import inspect
import pathlib
import re

import pytest

from tests.constructs.derivatives import MODES, outcome
from tests.language import ROWS, containers, statements

PAGE = pathlib.Path(__file__).parents[1] / "docs" / "reference" / "language.md"
MODULES = (statements, containers)
WIDEST = 60
HEAD = (
    "| construct | example | reverse | forward | second order | note |\n|---|---|---|---|---|---|"
)


def cells(entry):
    said = ["refused" if outcome(entry.program, mode) else "yes" for mode in MODES]
    return [entry.what, f"`{entry.example}`".replace("|", "\\|"), *said, entry.note]


def written(entry):
    return f"| {' | '.join(cells(entry))} |".replace("  ", " ")


def block(section):
    return re.compile(rf"(<!-- rows: {section} -->\n)(.*?)(<!-- end of rows -->)", re.DOTALL)


def kept_rows():
    text = PAGE.read_text(encoding="utf-8")
    sections = dict.fromkeys(entry.section for entry in ROWS)
    found = (block(section).search(text).group(2).splitlines()[2:] for section in sections)
    return [line for lines in found for line in lines]


@pytest.mark.parametrize("entry", ROWS, ids=lambda entry: entry.program.__name__)
def test_row(entry):
    assert entry.example in inspect.getsource(entry.program)
    assert all(len(cell) <= WIDEST for cell in cells(entry))
    assert "refused" not in cells(entry) or entry.note, "a way out"
    assert written(entry) in kept_rows()


def test_the_page_holds_these_rows_and_no_others(update_golden):
    if update_golden:
        text = PAGE.read_text(encoding="utf-8")
        for section in dict.fromkeys(entry.section for entry in ROWS):
            rows = "\n".join(written(entry) for entry in ROWS if entry.section == section)
            text = block(section).sub(lambda m: f"{m[1]}{HEAD}\n{rows}\n{m[3]}", text)  # noqa: B023
        PAGE.write_text(text, encoding="utf-8")
    assert len(kept_rows()) == len(ROWS)
