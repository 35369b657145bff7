"""The statements of random programs: a table of writers, each with its weight.

A writer of a statement is a function of the `Writer`; it gives False where it cannot be written
(there is nothing to store into, no loop to break out of), and another one is drawn.
"""

from __future__ import annotations

from collections.abc import Callable

from tests.random_programs.language import Writer

WriteStatement = Callable[[Writer], bool | None]
TABLE: list[tuple[WriteStatement, int]] = []
DEEPEST = 4


def statement(weight: int) -> Callable[[WriteStatement], WriteStatement]:
    """Enter a writer of a statement into the table."""

    def enter(write: WriteStatement) -> WriteStatement:
        TABLE.append((write, weight))
        return write

    return enter


def write_statement(w: Writer) -> None:
    """Write one statement (with its body, if it has one) that fits here."""
    writers = [write for write, _ in TABLE]
    weights = [weight for _, weight in TABLE]
    for write in w.rng.choices(writers, weights, k=20):
        before = len(w.lines)
        if write(w) is not False:
            return
        assert len(w.lines) == before, f"{write.__name__} wrote and then gave up"


def write_body(w: Writer, most: int) -> None:
    """Write some statements, fewer inside of blocks."""
    for _ in range(w.rng.randrange(1, most + 1)):
        if w.budget > 0:
            write_statement(w)


def deep(w: Writer) -> bool:
    return len(w.scopes) > DEEPEST or w.budget < 3
