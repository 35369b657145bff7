"""Which lines the parts of a printed text come from.

A statement of a derivative is written for a line of the user's, and what was folded into it keeps the line
that it was written for: `w_bar = 0.002 * w + x.T @ z_bar` comes from two. A tree knows that, and a
text does not. So what was printed is read again and followed side by side with the tree: each part that has
a place in the text has a line in the tree. The parts of a line that come from the same line of the user's
are one *span*.

What was spliced in says so: its lines are lines with a file, see `Line`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import gast

from tapeless.origins import Line, Part, file_of
from tapeless.tree.comments import Role, is_comment, role_of
from tapeless.tree.names import nodes

_SWEEPS = (Role.FORWARD, Role.REVERSE)
_OUTSIDE = ast.stmt, ast.excepthandler, ast.match_case, ast.arguments
_HELD = gast.stmt, gast.ExceptHandler, gast.match_case, gast.arguments


class Span(NamedTuple):
    """A part of a printed line, and the line that it comes from.

    Attributes
    ----------
    line, start, end
        The line, from 1, and the columns, from 0, between which it stands.
    filename, lineno
        Where it comes from.
    spliced
        Whether that is text that was put in place of a call: the body of a custom gradient or of a rule.
    """

    line: int
    start: int
    end: int
    filename: str
    lineno: int
    spliced: bool = False


class Written(NamedTuple):
    """A function as it was written.

    Attributes
    ----------
    tree, filename
        What it is, and the file of its lines.
    sweep
        The sweep that it is as a whole.
    tangents
        Its names of tangents.
    """

    tree: Any
    filename: str
    sweep: Role | None = None
    tangents: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Provenance:
    """Where the lines of a printed text come from.

    Attributes
    ----------
    spans
        The parts of the lines that come from one line each, in the order of the text.
    lines
        For each line the file and line that its statement was written for.
    sweeps
        For each line the sweep that it belongs to, if it belongs to one.
    tangents
        The lines that compute tangents.
    """

    spans: tuple[Span, ...] = ()
    lines: Mapping[int, tuple[str, int]] = field(default_factory=dict)
    sweeps: Mapping[int, str] = field(default_factory=dict)
    tangents: frozenset[int] = frozenset()

    def parts(self) -> dict[int, list[Part]]:
        """Return the parts of the lines that come from several, by line."""
        found: dict[int, list[Part]] = {}
        for span in self.spans:
            part = Part(span.start, span.end, (span.filename, span.lineno))
            found.setdefault(span.line, []).append(part)
        return {line: parts for line, parts in found.items() if len(parts) > 1}


def provenance_of(text: str, functions: Iterable[Written]) -> Provenance:
    r"""Tell where the parts of a text come from.

    Parameters
    ----------
    text
        A module that was printed.
    functions
        Those that it consists of, in the order of the text.

    Examples
    --------
    >>> text = "def f_grad(x):\n    # Reverse sweep\n    return 2.0 * x + w\n"
    >>> from tapeless.tree.comments import comment
    >>> tree = gast.parse(text).body[0]
    >>> tree.lineno, tree.body[0].lineno, tree.body[0].value.right.lineno = 10, 12, 11
    >>> tree.body[0].value.lineno = 12
    >>> for part in nodes(tree.body[0].value.left):
    ...     part.lineno = 12
    >>> tree.body.insert(0, comment("Reverse sweep", Role.REVERSE))
    >>> found = provenance_of(text, [Written(tree, "model.py")])
    >>> [tuple(span) for span in found.spans][1:]
    [(3, 4, 21, 'model.py', 12, False), (3, 21, 22, 'model.py', 11, False)]
    >>> found.sweeps
    {2: 'reverse sweep', 3: 'reverse sweep'}
    """
    shown = [s for s in ast.parse(text).body if isinstance(s, ast.FunctionDef)]
    canvas = _Canvas(text.splitlines())
    written = list(functions)
    if [f.name for f in shown] != [f.tree.name for f in written]:
        return Provenance()
    for printed, function in zip(shown, written, strict=True):
        canvas.filename, canvas.dots = function.filename, function.tangents
        if function.sweep is not None:
            canvas.paint_sweep(printed.lineno, printed.end_lineno or 0, function.sweep)
        canvas.statement(printed, function.tree)
    tangents = frozenset(canvas.tangents)
    return Provenance(tuple(canvas.spans()), canvas.written_for, canvas.sweeps, tangents)


class _Canvas:
    """The lines of a text, each character with the line that it comes from."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.cells: list[list[Any]] = [[None] * len(line) for line in lines]
        self.written_for: dict[int, tuple[str, int]] = {}
        self.sweeps: dict[int, str] = {}
        self.tangents: set[int] = set()
        self.filename = ""
        self.dots: frozenset[str] = frozenset()

    def spans(self) -> Iterator[Span]:
        """List the parts that come from one line each, in the order of the text."""
        for number, (line, cells) in enumerate(zip(self.lines, self.cells, strict=True), 1):
            start = len(line) - len(line.lstrip())
            while start < len(line):
                origin, end = cells[start], start
                while end < len(line) and cells[end] == origin:
                    end += 1
                if origin is not None:
                    yield Span(number, start, end, *origin)
                start = end

    def block(self, shown: list[ast.stmt], made: list[Any]) -> None:
        """Follow the statements of a block; comments have a place between them."""
        kept = [s for s in made if not is_comment(s)]
        if len(kept) != len(shown):
            return
        self.headings(shown, made)
        for printed, statement in zip(shown, kept, strict=True):
            self.statement(printed, statement)

    def headings(self, shown: list[ast.stmt], made: list[Any]) -> None:
        """Mark what the headings of a block head: all that follows, up to the next one."""
        last = shown[-1].end_lineno or 0
        following = iter(shown)
        above: list[Any] = []
        for s in made:
            if is_comment(s):
                above.append(s)
                continue
            line = next(following).lineno
            for heading in reversed(above):
                line -= str(heading.value.value).count("\n") + 1
                role = role_of(heading)
                if role in _SWEEPS:
                    self.paint_sweep(line, last, role)
            above = []

    def paint_sweep(self, first: int, last: int, role: Role) -> None:
        """Say of lines to which sweep they belong."""
        for line in range(first, last + 1):
            self.sweeps[line] = str(role)

    def statement(self, shown: Any, made: Any) -> None:
        """Follow a statement, or a part of one that holds a block, and the blocks in it."""
        blocks = list(_blocks(shown, made))
        heads = [part for part in _heads(made) if part is not None]
        lines = [part.lineno for head in heads for part in nodes(head) if _has_line(part)]
        own = made.lineno if _has_line(made) else next(iter(lines), None)
        self.paint(shown, self.origin(own))
        if own is not None:
            last = blocks[0][0][0].lineno - 1 if blocks else shown.end_lineno
            place = file_of(own, self.filename), int(own)
            self.written_for |= dict.fromkeys(range(shown.lineno, last + 1), place)
            self.mark_tangents(shown, last)
        if any(line != own or type(line) is not type(own) for line in lines):
            self.parts(shown, made, own)
        if blocks:
            self.clear_comments(shown)
        for inner, statements in blocks:
            self.block(inner, statements)

    def mark_tangents(self, shown: Any, last: int) -> None:
        """Mark the lines of a statement, up to `last`, if it names tangents; of a tuple, such items."""
        if not self.dots:
            return
        whole = getattr(shown, "value", None) if isinstance(shown, ast.Return) else None
        for part in whole.elts if isinstance(whole, ast.Tuple) else [shown]:
            lines = range(part.lineno, min(part.end_lineno or last, last) + 1)
            named = (p.id for p in ast.walk(part) if isinstance(p, ast.Name) and p.lineno in lines)
            if not self.dots.isdisjoint(named):
                self.tangents.update(lines)

    def parts(self, shown: Any, made: Any, around: int | None) -> None:
        """Follow the parts of a statement or expression, blocks left out."""
        if type(shown).__name__ != type(made).__name__:
            return
        for key in shown._fields:
            pairs = [(getattr(shown, key), getattr(made, key, None))]
            if isinstance(pairs[0][0], list):
                printed, written = pairs[0]
                if not isinstance(written, list) or len(printed) != len(written):
                    continue
                pairs = list(zip(printed, written, strict=True))
            for a, b in pairs:
                if isinstance(a, _OUTSIDE) or not isinstance(b, gast.AST) or not b._fields:
                    continue
                line = b.lineno if _has_line(b) else around
                if hasattr(a, "lineno") and (line != around or type(line) is not type(around)):
                    self.paint(a, self.origin(line))
                self.parts(a, b, line)

    def origin(self, line: int | None) -> tuple[str, int, bool] | None:
        """Return the file and line of a part, and whether it was spliced in."""
        if line is None:
            return None
        return file_of(line, self.filename), int(line), type(line) is Line

    def paint(self, shown: Any, origin: tuple[str, int, bool] | None) -> None:
        """Say of the characters of a part where they come from."""
        last = shown.end_lineno
        for number in range(shown.lineno, last + 1):
            line = self.lines[number - 1]
            start = _column(line, shown.col_offset) if number == shown.lineno else 0
            end = _column(line, shown.end_col_offset) if number == last else len(line)
            self.cells[number - 1][start:end] = [origin] * (end - start)

    def clear_comments(self, shown: Any) -> None:
        """Say of comments within a statement that they come from nowhere."""
        for number in range(shown.lineno, shown.end_lineno + 1):
            if self.lines[number - 1].lstrip().startswith("#"):
                self.cells[number - 1] = [None] * len(self.lines[number - 1])


def _has_line(part: Any) -> bool:
    return getattr(part, "lineno", None) is not None


def _column(line: str, in_bytes: int) -> int:
    return in_bytes if line.isascii() else len(line.encode()[:in_bytes].decode())


def _heads(made: Any) -> Iterator[Any]:
    """List the parts of a statement that stand outside of its blocks."""
    for key in made._fields:
        value = getattr(made, key)
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, gast.AST) and not isinstance(part, _HELD):
                yield part


def _blocks(shown: Any, made: Any) -> Iterator[tuple[list[ast.stmt], list[Any]]]:
    """List the blocks of a statement, printed and written."""
    for key in ("body", "orelse", "finalbody"):
        printed = getattr(shown, key, None)
        if isinstance(printed, list) and printed:
            yield printed, getattr(made, key, [])
    for key in ("handlers", "cases"):
        parts = zip(getattr(shown, key, []), getattr(made, key, []), strict=False)
        for printed_part, made_part in parts:
            yield from _blocks(printed_part, made_part)
