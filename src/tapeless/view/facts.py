"""What a view shows, before it is a page: lines, and which come from which.

The lines of a derivative are those of its text. Where each part of them comes from, and to which sweep it
belongs, is known since it was written (`source.spans`). The lines of the user's are those of the functions
that anything comes from: the functions differentiated, and the custom gradients and rules whose bodies were
put in place of a call.
"""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from tapeless.source.spans import Provenance, Span

Place = tuple[str, int]
_Definition = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Part:
    """A part of a line of the derivative, between two columns, and the line that it comes from."""

    start: int
    end: int
    origin: Place | None = None
    spliced: bool = False


@dataclass(frozen=True)
class DerivedLine:
    """A line of the derivative.

    Attributes
    ----------
    number, text
        Its number and what it says.
    parts
        What it consists of: they follow each other from the first column to the last.
    sweep
        "forward sweep", "reverse sweep", or "" where it belongs to neither.
    heading, note
        Whether it announces a sweep, or what is spliced in below it.
    tangent
        Whether it computes a tangent.
    """

    number: int
    text: str
    parts: tuple[Part, ...]
    sweep: str = ""
    heading: bool = False
    note: bool = False
    tangent: bool = False

    @property
    def origins(self) -> tuple[Place, ...]:
        """The lines that it comes from, in the order in which they are met."""
        return tuple(dict.fromkeys(p.origin for p in self.parts if p.origin is not None))

    @property
    def spliced(self) -> bool:
        """Whether a part of it was put in place of a call."""
        return any(part.spliced for part in self.parts)


@dataclass(frozen=True)
class UsersLine:
    """A line of the user's.

    `gives` are the numbers of the lines of the derivative that come from it. A line that continues a
    statement stands for the line on which it begins, `stands_for`.
    """

    number: int
    text: str
    gives: tuple[int, ...] = ()
    stands_for: int = 0


@dataclass(frozen=True)
class UsersText:
    """A function of the user's; `spliced` if its body was put in place of calls."""

    name: str
    filename: str
    lines: tuple[UsersLine, ...]
    spliced: bool = False


@dataclass(frozen=True)
class Facts:
    """All that a view shows."""

    name: str
    texts: tuple[UsersText, ...]
    lines: tuple[DerivedLine, ...]


def facts_of(name: str, text: str, provenance: Provenance) -> Facts:
    r"""Collect what a view of a derivative shows.

    Parameters
    ----------
    name
        The function of the text that was asked for.
    text
        A module.
    provenance
        Where its parts come from.

    Examples
    --------
    >>> text = "def f_grad(x):\n    # Reverse sweep\n    return 2.0 * x\n"
    >>> spans = (Span(1, 0, 14, "m.py", 1), Span(3, 4, 18, "m.py", 2))
    >>> sweeps = {2: "reverse sweep", 3: "reverse sweep"}
    >>> facts = facts_of("f_grad", text, Provenance(spans, sweeps=sweeps))
    >>> [(line.sweep, line.origins) for line in facts.lines]
    [('', (('m.py', 1),)), ('reverse sweep', ()), ('reverse sweep', (('m.py', 2),))]
    """
    lines = tuple(_told(list(_derived_lines(text, provenance))))
    texts = tuple(_users_texts(name, lines, _definitions(text)))
    return Facts(name, texts, lines)


# The derivative


def _definitions(text: str) -> dict[str, tuple[int, int]]:
    """Map the functions of a module to their first and last line."""
    functions = [s for s in ast.parse(text).body if isinstance(s, ast.FunctionDef)]
    return {f.name: (f.lineno, f.end_lineno or f.lineno) for f in functions}


def _derived_lines(text: str, provenance: Provenance) -> Iterator[DerivedLine]:
    by_line: dict[int, list[Span]] = {}
    for span in provenance.spans:
        by_line.setdefault(span.line, []).append(span)
    outer = _whole_functions(text, by_line)
    for number, line in enumerate(text.splitlines(), 1):
        spans = by_line.get(number, [])
        parts = tuple(_parts(line, spans))
        if not spans and number in outer and not line.lstrip().startswith("#"):
            parts = tuple(replace(part, origin=outer[number]) for part in parts)
        sweep, tangent = provenance.sweeps.get(number, ""), number in provenance.tangents
        yield DerivedLine(number, line, parts, sweep, tangent=tangent)


def _told(lines: list[DerivedLine]) -> Iterator[DerivedLine]:
    """Find the lines that come from nowhere: they announce a sweep, or what is spliced in below."""
    before = ""
    for i, line in enumerate(lines):
        announces = bool(line.text.strip()) and not line.origins
        heading = announces and bool(line.sweep) and line.sweep != before
        spliced = any(other.spliced for other in lines[i + 1 : i + 3])
        note = announces and not heading and spliced
        yield replace(line, heading=heading, note=note)
        before = line.sweep


def _whole_functions(text: str, by_line: dict[int, list[Span]]) -> dict[int, Place]:
    """Map the lines of functions to where the function as a whole comes from."""
    found: dict[int, Place] = {}
    for first, last in _definitions(text).values():
        for span in by_line.get(first, [])[:1]:
            found |= dict.fromkeys(range(first, last + 1), (span.filename, span.lineno))
    return found


def _parts(line: str, spans: list[Span]) -> Iterator[Part]:
    at = 0
    for span in spans:
        if at < span.start:
            yield Part(at, span.start)
        yield Part(span.start, span.end, (span.filename, span.lineno), span.spliced)
        at = span.end
    if at < len(line):
        yield Part(at, len(line))


# The user's functions


def _users_texts(
    name: str, lines: tuple[DerivedLine, ...], definitions: dict[str, tuple[int, int]]
) -> Iterator[UsersText]:
    """List the functions that lines come from: what is differentiated first, then what was spliced."""
    gives: dict[Place, list[int]] = {}
    spliced: dict[Place, None] = {}
    for line in lines:
        for origin in line.origins:
            gives.setdefault(origin, []).append(line.number)
        spliced |= {p.origin: None for p in line.parts if p.spliced and p.origin is not None}
    heads = [first for key, (first, _) in definitions.items() if key != name]
    heads = [definitions[name][0], *heads] if name in definitions else heads
    primals = [origin for head in heads for origin in lines[head - 1].origins]
    shown: list[tuple[str, range]] = []
    for filename, lineno in dict.fromkeys([*primals, *gives]):
        if any(file == filename and lineno in extent for file, extent in shown):
            continue
        found = _definition_at(filename, lineno, primals)
        if found is not None:
            label, extent = found
            shown.append((filename, extent))
            own = [at for file, at in spliced if file == filename and at in extent]
            whole = bool(own) and (filename, lineno) not in primals
            yield UsersText(label, filename, _lines_of(filename, extent, gives), whole)


def _definition_at(
    filename: str, lineno: int, primals: Iterable[Place]
) -> tuple[str, range] | None:
    """Find the function that a line is of: the one defined there, if it is among those differentiated,
    else the outermost around it that holds none of them. A lambda is shown with its statement.
    """
    tree = _parsed(filename)
    heads = {at for file, at in primals if file == filename}
    around: ast.stmt | None = None
    for label, part in _statements(tree, "") if tree is not None else ():
        extent = _extent(part)
        if lineno not in extent:
            continue
        if isinstance(part, _Definition):
            own = part.lineno == lineno
            if own if lineno in heads else not heads & set(extent):
                return label, extent
        around = part
    if around is None or isinstance(around, (_Definition, ast.ClassDef)):
        return None
    return "lambda", _extent(around)


def _statements(tree: ast.AST, owner: str) -> Iterator[tuple[str, ast.stmt]]:
    """List statements, those around before those inside, functions and methods by their names."""
    for part in ast.iter_child_nodes(tree):
        label = owner
        if isinstance(part, ast.stmt):
            label = getattr(part, "name", "") if isinstance(part, _Definition) else owner
            if isinstance(part, ast.ClassDef):
                label = part.name
            elif isinstance(part, _Definition) and isinstance(tree, ast.ClassDef):
                label = f"{owner}.{part.name}"
            yield label, part
        yield from _statements(part, label)


def _extent(part: ast.stmt) -> range:
    decorators = getattr(part, "decorator_list", [])
    first = min([part.lineno, *(d.lineno for d in decorators)])
    return range(first, (part.end_lineno or part.lineno) + 1)


def _parsed(filename: str) -> ast.Module | None:
    try:
        return ast.parse("".join(linecache.getlines(filename)))
    except SyntaxError:
        return None


def _lines_of(filename: str, extent: range, gives: dict[Place, list[int]]) -> tuple[UsersLine, ...]:
    """Return the lines of a function, with the indentation of the first taken off."""
    texts = [linecache.getline(filename, at).rstrip("\n") for at in extent]
    margin = len(texts[0]) - len(texts[0].lstrip()) if texts else 0
    texts = [text[margin:] if not text[:margin].strip() else text for text in texts]
    begins = _beginnings(filename, extent)
    made: list[UsersLine] = []
    for at, text in zip(extent, texts, strict=True):
        given = tuple(gives.get((filename, at), ()))
        begin = at if given or not text.strip() else begins.get(at, at)
        made.append(UsersLine(at, text, given, begin))
    return tuple(made)


def _beginnings(filename: str, extent: range) -> dict[int, int]:
    """Map lines that continue a statement, or the head of one, to the line on which it begins."""
    tree = _parsed(filename)
    found: dict[int, int] = {}
    for part in ast.walk(tree) if tree is not None else ():
        if not isinstance(part, ast.stmt) or part.lineno not in extent:
            continue
        body = getattr(part, "body", None)
        last = body[0].lineno - 1 if body else part.end_lineno or part.lineno
        if not isinstance(part, ast.Expr):
            found |= {at: part.lineno for at in range(part.lineno, last + 1) if at not in found}
    return found
