"""The rows of the tables in `docs/reference/language.md`, each with a program that holds the construct."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """A construct of the language.

    Attributes
    ----------
    section
        The table that it stands in.
    what
        Its name.
    example
        A piece of the text of the program.
    program
        A function of an array of four floats, smooth at the sample.
    note
        What else there is to know.
    """

    section: str
    what: str
    example: str
    program: Callable
    note: str


ROWS: list[Row] = []


def row(section, what, example, note=""):
    """Enter the program below as a row."""

    def entered(program):
        ROWS.append(Row(section, what, example, program, note))
        return program

    return entered
