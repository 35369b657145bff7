"""Constants and strings as text.

Strings have double quotes, or those that need fewer backslashes. Before Python 3.12 an f-string could hold
neither its own quotes nor a backslash in its braces: texts that are written run there, so what stands in
the braces is given other quotes.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import astunparse

from tapeless.source.line_breaks import COMMA, flat, unbroken
from tapeless.source.precedence import NAMED, TEST, level_of


class _CannotQuote(Exception):
    """A string cannot be written without a backslash or one of the quotes around it."""


class Literals(astunparse.Unparser):  # type: ignore[misc, unused-ignore]
    """Prints constants; `text` prints any expression at the level of its place."""

    def __init__(self) -> None:
        self._quotes_around: tuple[str, ...] = ()

    def dispatch(self, tree: ast.AST) -> Any:
        """Call the method of this kind of syntax: statements write lines, the rest gives text."""
        return getattr(self, "_" + type(tree).__name__)(tree)

    def text(self, tree: ast.AST, level: int) -> str:
        """An expression at the level of its place, bracketed if its own level is lower."""
        if isinstance(tree, ast.NamedExpr):
            bare = level == NAMED
        else:
            bare = level_of(tree) >= level
        written: str = self.dispatch(tree)
        return written if bare else f"({written})"

    def _listed(self, trees: Iterable[ast.AST], level: int = TEST) -> str:
        return COMMA.join(self.text(tree, level) for tree in trees)

    def _Constant(self, t: ast.Constant) -> str:
        value = t.value
        if value is Ellipsis:
            return "..."
        if isinstance(value, str):
            return self._quoted(value, "")
        if isinstance(value, bytes):
            return self._quoted(value.decode("latin-1"), "b")
        if isinstance(value, (float, complex)):
            return _number(value)
        if isinstance(value, tuple):
            return f"({COMMA.join(map(self._folded, value))}{',' if len(value) == 1 else ''})"
        if isinstance(value, frozenset):
            return f"frozenset({{{COMMA.join(sorted(map(self._folded, value)))}}})"
        return repr(value)

    def _folded(self, value: object) -> str:
        return self.text(ast.Constant(value), TEST)  # type: ignore[arg-type]

    def _quoted(self, content: str, prefix: str) -> str:
        for quote in _quotes_for(content):
            if not self._quotes_around:
                return unbroken(prefix + quote + _escaped(content, quote, prefix) + quote)
            body = content if "\n" in content and len(quote) == 3 else _escaped(content, quote)
            if "\\" not in body and self._may_quote(quote + body):
                return unbroken(prefix + quote + body + quote)
        raise _CannotQuote

    def _may_quote(self, text: str) -> bool:
        """Whether text may stand in the braces of the f-strings around it, before Python 3.12."""
        return not any(
            around[0] in text if len(around) == 1 else around in text or text.endswith(around[0])
            for around in self._quotes_around
        )

    def _JoinedStr(self, t: ast.JoinedStr) -> str:
        literal = "".join(str(part.value) for part in t.values if isinstance(part, ast.Constant))
        for quote in _quotes_for(literal):
            if quote[0] in "".join(self._quotes_around):
                continue
            try:
                with self._inside(quote):
                    text = f"f{quote}{self._pieces(t.values, quote)}{quote}"
            except _CannotQuote:
                continue
            if not self._quotes_around or ("\\" not in text and self._may_quote(text)):
                return unbroken(text)
        if self._quotes_around:
            raise _CannotQuote
        # From Python 3.12 on, any string may stand in braces.
        with self._outside():
            return unbroken(f'f"{self._pieces(t.values, chr(34))}"')

    @contextmanager
    def _inside(self, quote: str) -> Iterator[None]:
        before = self._quotes_around
        self._quotes_around = (*before, quote)
        try:
            yield
        finally:
            self._quotes_around = before

    @contextmanager
    def _outside(self) -> Iterator[None]:
        before = self._quotes_around
        self._quotes_around = ()
        try:
            yield
        finally:
            self._quotes_around = before

    def _pieces(self, values: list[ast.expr], quote: str) -> str:
        return "".join(self._piece(value, quote) for value in values)

    def _piece(self, value: ast.expr, quote: str) -> str:
        if isinstance(value, ast.Constant):
            return _escaped(str(value.value), quote).replace("{", "{{").replace("}", "}}")
        assert isinstance(value, ast.FormattedValue)
        expression = flat(self.text(value.value, TEST))
        if _has_open_colon(value.value) and not expression.startswith("("):
            expression = f"({expression})"
        if expression.startswith("{"):
            expression = " " + expression
        if expression.endswith("}"):
            expression += " "
        conversion = "" if value.conversion == -1 else "!" + chr(value.conversion)
        spec = ""
        if isinstance(value.format_spec, ast.JoinedStr):
            spec = ":" + self._pieces(value.format_spec.values, quote)
        return f"{{{expression}{conversion}{spec}}}"

    def _FormattedValue(self, t: ast.FormattedValue) -> str:
        return self._JoinedStr(ast.JoinedStr([t]))


_SHORT_ESCAPES = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def _has_open_colon(tree: ast.AST) -> bool:
    return any(isinstance(part, (ast.Lambda, ast.NamedExpr)) for part in ast.walk(tree))


def _number(value: float | complex) -> str:
    if value != value and not isinstance(value, complex):
        return "(1e309 - 1e309)"
    return repr(value).replace("inf", "1e309").replace("nan", "(1e309 - 1e309)")


def _quotes_for(content: str) -> list[str]:
    """The quotes to try, those that black prefers first."""
    if content.count('"') > content.count("'"):
        return ["'", '"', '"""', "'''"]
    return ['"', "'", '"""', "'''"]


def _escaped(content: str, quote: str, prefix: str = "") -> str:
    return "".join(
        "\\" + character if character == quote[0] else _escaped_character(character, prefix)
        for character in content
    )


def _escaped_character(character: str, prefix: str = "") -> str:
    if character in _SHORT_ESCAPES:
        return _SHORT_ESCAPES[character]
    code = ord(character)
    if character.isprintable() and (code < 127 or not prefix):
        return character
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def docstring_text(content: str) -> str:
    """Write a docstring: its line breaks are its own, and its quotes three."""
    lines = ("".join(map(_escaped_character, line)) for line in content.split("\n"))
    text = "\n".join(lines).replace('"""', '\\"\\"\\"')
    if text.endswith('"'):
        text = text[:-1] + '\\"'
    return f'"""{text}"""'
