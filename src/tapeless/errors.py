"""What tapeless raises, and how it reads.

Whatever cannot be differentiated is refused before anything runs, so an error is above all a place
in the user's own file: the file and line, the text of that line, a caret under the part that is
refused, the reason, and the way out. An error that knows less shows less, but always the reason.

Every error is a `TapelessError` and also the built-in exception that fits, so that code which knows
nothing of tapeless can catch it. A function may hold many things to refuse. They are collected as
`Refusal`s and raised together by `UnsupportedSyntaxError.of_all`, so that a user learns of all of
them at once.
"""

from __future__ import annotations

import linecache
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Protocol, Self, TypeVar

from tapeless.origins import (
    Line,
    callers_of,
    file_of,
    is_generated,
    is_of_the_tool,
    is_users,
    origin_of,
    shown_location,
)

_Error = TypeVar("_Error", bound="TapelessError")
_SHOWN_INDENT = 4


@dataclass(frozen=True)
class Refusal:
    """One thing that is refused: why, the way out, and where it stands in the user's file.

    `col_offset` counts UTF-8 bytes from 0, as the positions of a syntax tree do. What stands in a
    callee also says from where it is called: `callers` are files and lines, the innermost first. What is
    refused where a derivative is differentiated also says whose it is, the `derivative_of`.

    Examples
    --------
    >>> print(Refusal("`await` cannot be differentiated", "take the value before", "m.py", 3))
    m.py:3: `await` cannot be differentiated
      fix: take the value before
    """

    reason: str
    fix: str | None = None
    filename: str | None = None
    lineno: int | None = None
    col_offset: int | None = None
    source_line: str | None = None
    callers: tuple[tuple[str, int], ...] = ()
    derivative_of: str | None = None

    def __str__(self) -> str:
        return self._headline() + self._shown_line() + self.ways_in() + self.way_out()

    def ways_in(self) -> str:
        """The lines of the user's that lead there, each after a line break, the innermost first."""
        return (
            "".join(
                f"\n  called from {shown_location(filename, lineno)}: "
                f"{linecache.getline(filename, lineno).strip()}"
                for filename, lineno in self.callers
            )
            + self._order()
        )

    def _order(self) -> str:
        if self.derivative_of is None:
            return ""
        return f"\n  in a second derivative: that of '{self.derivative_of}' is differentiated"

    def way_out(self) -> str:
        """The line that says how to go on, with the line break before it, or nothing."""
        return "" if self.fix is None else f"\n  fix: {self.fix}"

    def column(self) -> int | None:
        """The column of the caret in characters from 0."""
        if self.source_line is None or self.col_offset is None:
            return None
        return _characters(self.source_line, self.col_offset)

    def _headline(self) -> str:
        if self.filename is None:
            return self.reason
        return f"{shown_location(self.filename, self.lineno)}: {self.reason}"

    def _shown_line(self) -> str:
        if self.filename is None or self.source_line is None or not self.source_line.strip():
            return ""
        text = self.source_line.strip()
        shown = "\n" + " " * _SHOWN_INDENT + text
        column = self.column()
        if column is None:
            return shown
        indent = len(self.source_line) - len(self.source_line.lstrip())
        before = text[: max(column - indent, 0)]
        return shown + "\n" + " " * _SHOWN_INDENT + _blank(before) + "^"


class Text(Protocol):
    """Something that was read from a file: it has the file's name and its lines."""

    @property
    def filename(self) -> str: ...

    @property
    def lines(self) -> tuple[str, ...]: ...


def caret_location(text: Text, part: Any) -> dict[str, Any]:
    """Where a part of a syntax tree stands, as the keyword arguments of a `TapelessError`.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> text = SimpleNamespace(filename="m.py", lines=("y = x",))
    >>> print(TapelessError("no `x`", **caret_location(text, SimpleNamespace(lineno=1, col_offset=4))))
    m.py:1: no `x`
        y = x
            ^
    """
    lineno = getattr(part, "lineno", None)
    if lineno is None:
        return {"filename": text.filename, "lineno": None, "col_offset": None, "source_line": None}
    filename, lines = file_of(lineno, text.filename), text.lines
    if filename != text.filename:
        lines = tuple(line.rstrip("\n") for line in linecache.getlines(filename))
    return {
        "filename": filename,
        "lineno": lineno,
        "col_offset": getattr(part, "col_offset", None),
        "source_line": lines[lineno - 1] if 1 <= lineno <= len(lines) else None,
    }


def _characters(line: str, byte_offset: int) -> int:
    return len(line.encode()[:byte_offset].decode(errors="ignore"))


def _blank(text: str) -> str:
    """Spaces as wide as `text`; tabs stay, so that the caret stands right at any tab width."""
    return "".join("\t" if character == "\t" else " " for character in text)


class TapelessWarning(UserWarning):
    """What works, but otherwise than asked for.

    Examples
    --------
    >>> import warnings
    >>> warnings.simplefilter("error", TapelessWarning)  # a derivative that is not compiled raises
    >>> warnings.simplefilter("default", TapelessWarning)
    """


class TapelessError(Exception):
    """The base of everything that tapeless raises.

    Parameters
    ----------
    message : str
        The reason in one line.
    fix : str, optional
        What the user can do about it.
    filename, lineno, col_offset, source_line : optional
        Where it is: the file, the line (from 1), the column (from 0, in UTF-8 bytes as in syntax
        trees) and the text of the line.
    function : str, optional
        The name of the function that was being read or differentiated.

    Attributes
    ----------
    reason : str
        The message alone.
    refusals : tuple of Refusal
        All that is refused; the other attributes are those of the first.

    Examples
    --------
    >>> error = TapelessError("`f` has no rule", fix="register one", filename="m.py", lineno=2)
    >>> print(error)
    m.py:2: `f` has no rule
      fix: register one
    >>> error.reason
    '`f` has no rule'
    """

    filename: str | None
    lineno: int | None

    def __init__(
        self,
        message: str,
        *,
        fix: str | None = None,
        filename: str | None = None,
        lineno: int | None = None,
        col_offset: int | None = None,
        source_line: str | None = None,
        function: str | None = None,
    ) -> None:
        super().__init__(message)
        refusal = Refusal(message, fix, filename, lineno, col_offset, source_line)
        refusal = called_through(refusal, lineno)
        self.function = function
        self._take((refusal,))

    @classmethod
    def of_all(cls, refusals: Iterable[Refusal]) -> Self:
        """One error that lists every refusal; its attributes are those of the first.

        Examples
        --------
        >>> refusals = [Refusal("no `yield`", None, "m.py", 2), Refusal("no `del`")]
        >>> print(UnsupportedSyntaxError.of_all(refusals))
        m.py:2: no `yield`
        no `del`
        """
        collected = tuple(refusals)
        return _rebuild(cls, collected, {})

    def _take(self, refusals: tuple[Refusal, ...]) -> None:
        refusals = tuple(dict.fromkeys(map(_at_origin, refusals)))
        first = refusals[0]
        self.refusals = refusals
        self.reason = first.reason
        self.fix = first.fix
        self.filename = first.filename
        self.lineno = first.lineno
        self.col_offset = first.col_offset
        self.source_line = first.source_line

    def point_to(self, filename: str, lineno: int) -> None:
        """Return where it is, if that is not known yet."""
        if self.filename is not None:
            return
        first, *others = self.refusals
        self._take((_moved(first, filename, lineno), *others))

    def __str__(self) -> str:
        return "\n".join(str(refusal) for refusal in self.refusals)

    def __reduce__(self) -> tuple[Any, ...]:
        # Built anew from the refusals: what SyntaxError keeps in C is not in the instance's
        # dictionary, and the default would call the class with the message alone.
        kept = {name: value for name, value in self.__dict__.items() if name != "refusals"}
        return _rebuild, (type(self), self.refusals, kept)


def _moved(refusal: Refusal, filename: str, lineno: int) -> Refusal:
    line = linecache.getline(filename, lineno).rstrip("\n") or None
    return replace(refusal, filename=filename, lineno=lineno, col_offset=None, source_line=line)


def _at_origin(refusal: Refusal) -> Refusal:
    """Move a refusal from a line of generated text to the user's line that it comes from."""
    if not is_generated(refusal.filename):
        return refusal
    found = origin_of(str(refusal.filename), refusal.lineno)
    if found is not None:
        return _moved(refusal, *found)
    return replace(refusal, filename=None, lineno=None, col_offset=None, source_line=None)


@contextmanager
def refused_at_second_order(label: str) -> Iterator[None]:
    """Let what is refused say that it is in a second derivative, of `label`.

    Examples
    --------
    >>> try:
    ...     with refused_at_second_order("loss"):
    ...         raise GradientError("no")
    ... except GradientError as error:
    ...     print(error)
    no
      in a second derivative: that of 'loss' is differentiated
    """
    try:
        yield
    except TapelessError as error:
        error._take(
            tuple(replace(r, derivative_of=r.derivative_of or label) for r in error.refusals)
        )
        raise


@contextmanager
def refused_at(filename: str, lineno: int | None) -> Iterator[None]:
    """Let what is refused inside a callee also say the line that calls it.

    Inside a function of the tool's own, it points to that line instead.

    Examples
    --------
    >>> try:
    ...     with refused_at("model.py", 3):
    ...         raise GradientError("no", filename=__file__, lineno=9)
    ... except GradientError as error:
    ...     print(error)
    model.py:3: no
    """
    try:
        yield
    except TapelessError as error:
        if lineno is not None and is_of_the_tool(error.filename):
            place = file_of(lineno, filename)
            moved = (_moved(r, place, int(lineno)) for r in error.refusals)
            error._take(tuple(called_through(r, lineno) for r in moved))
        elif lineno is not None and error.filename is not None:
            place = file_of(lineno, filename)
            called = (_called_from(r, place, int(lineno)) for r in error.refusals)
            error._take(tuple(called_through(r, lineno) for r in called))
        raise


def called_through(refusal: Refusal, line: int | None) -> Refusal:
    """Add the lines that call what stands in a line, where it was spliced in their place."""
    for filename, lineno in callers_of(line):
        refusal = _called_from(refusal, filename, lineno)
    return refusal if type(refusal.lineno) is not Line else replace(refusal, lineno=int(line or 0))


def _called_from(refusal: Refusal, filename: str, lineno: int) -> Refusal:
    """Add a line that calls, if it is the user's and not known yet."""
    place = origin_of(filename, lineno) if is_generated(filename) else (filename, lineno)
    if place is None or not is_users(place[0]):
        return refusal
    if place in (*refusal.callers, (refusal.filename, refusal.lineno)):
        return refusal
    return replace(refusal, callers=(*refusal.callers, place))


def _rebuild(kind: type[_Error], refusals: tuple[Refusal, ...], kept: dict[str, Any]) -> _Error:
    error = kind.__new__(kind, refusals[0].reason)
    TapelessError.__init__(error, refusals[0].reason)
    error.__dict__.update(kept)
    error._take(refusals)
    return error


class UnsupportedSyntaxError(TapelessError, SyntaxError):
    """The text of a function holds something that cannot be differentiated.

    It is a `SyntaxError`, so that Python's own display of a traceback shows the user's line with a
    caret.

    Examples
    --------
    >>> import tapeless as tl
    >>> def countdown(x):
    ...     yield x
    >>> try:
    ...     tl.grad(countdown)(1.0)
    ... except tl.UnsupportedSyntaxError as error:
    ...     print(error.source_line.strip())
    yield x
    """

    def _take(self, refusals: tuple[Refusal, ...]) -> None:
        super()._take(refusals)
        first, *others = refusals
        column = first.column()
        self.offset = None if column is None else column + 1
        # One caret: without an end, Python 3.13 underlines the rest of the line.
        self.end_lineno = first.lineno
        self.end_offset = None if column is None else column + 2
        self.text = None if first.source_line is None else first.source_line.rstrip("\n") + "\n"
        # The interpreter shows `msg` below the caret, never `str(error)`.
        told = first.reason + first.ways_in() + first.way_out()
        self.msg = "\n".join([told, *map(str, others)])


class NoGradientError(TapelessError, LookupError):
    """A value that needs a derivative reaches a function for which no rule is known.

    It is a `LookupError`.

    Examples
    --------
    >>> import numpy as np, tapeless as tl
    >>> try:
    ...     tl.grad(lambda x: np.sum(np.random.poisson(x)))(np.ones(3))
    ... except tl.NoGradientError as error:
    ...     print(error.reason)
    no gradient for numpy.random...poisson: a count jumps where its parameters change; ...
    """


class GradientError(TapelessError, ValueError):
    """What was asked of tapeless makes no sense: of a function, an argument or a rule.

    It is a `ValueError`.

    Examples
    --------
    >>> import tapeless as tl
    >>> try:
    ...     tl.grad(lambda x: (x, x))(1.0)
    ... except tl.GradientError as error:
    ...     print("scalar" in str(error))
    True
    """


class UnknownAttributeError(TapelessError, AttributeError):
    """The text of a function asks for an attribute that its owner does not have: a typo."""


PLEASE_REPORT = "this is a bug in tapeless: please report it with the function"


class InternalError(TapelessError, RuntimeError):
    """What was written cannot be right: a bug in tapeless, never in a user's code."""
