"""Python in colours: each token is a `span` whose class says what it is.

Pygments reads the text; it comes with `rich`, and is imported where it is first used. Of its many sorts of
tokens a handful is told apart: a page with fewer colours is easier to read.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from html import escape

# What the classes of Pygments' short names are here: the first that a name begins with.
_CLASSES = {
    "kc": "b", "k": "k", "ow": "k", "nf": "f", "nc": "f", "fm": "f", "nb": "b", "bp": "b", "nd": "d",
    "s": "s", "m": "m", "c": "c", "o": "o", "p": "o",
}  # fmt: skip

Token = tuple[str, str]
Tokens = tuple[Token, ...]


@lru_cache(maxsize=64)
def tokens_by_line(text: str) -> tuple[Tokens, ...]:
    r"""Split a text into lines of tokens, each with its class ("" for plain names).

    Examples
    --------
    >>> tokens_by_line("x = 1  # one\n")
    ((('', 'x'), ('', ' '), ('o', '='), ('', ' '), ('m', '1'), ('', '  '), ('c', '# one')),)
    """
    from pygments.lexers.python import PythonLexer
    from pygments.token import STANDARD_TYPES

    lines: list[list[Token]] = [[]]
    for sort, value in PythonLexer(stripnl=False, ensurenl=False).get_tokens(text):
        short = STANDARD_TYPES.get(sort, "")
        shown = next((c for key, c in _CLASSES.items() if short.startswith(key)), "")
        first, *others = value.split("\n")
        for i, piece in enumerate([first, *others]):
            if i:
                lines.append([])
            if piece:
                lines[-1].append((shown, piece))
    if not lines[-1]:
        lines.pop()
    return tuple(map(tuple, lines))


def between(tokens: Tokens, start: int, end: int) -> str:
    """Write the tokens of a line that stand between two columns."""
    return "".join(_written(shown, piece) for shown, piece in _cut(tokens, start, end))


def whole(tokens: Tokens) -> str:
    """Write all tokens of a line."""
    return "".join(_written(shown, piece) for shown, piece in tokens)


_COLOURS = {  # in the light and in the dark
    "k": ("#8a2a7a", "#e09ad4"), "f": ("#1c5fb8", "#8ebcff"), "b": ("#0d6b6b", "#74cfcb"),
    "s": ("#3d7416", "#a5d37b"), "m": ("#a3450c", "#f0ac7d"), "c": ("#6f7480", "#8b93a1"),
}  # fmt: skip


def _style() -> str:
    colours = "".join(
        f".tapeless-source .{key} {{ color: {light}; }}"
        f"[data-jp-theme-light=false] .tapeless-source .{key} {{ color: {dark}; }}"
        f"@media (prefers-color-scheme: dark) {{"
        f":root:not([data-jp-theme-light=true]) .tapeless-source .{key} {{ color: {dark}; }} }}"
        for key, (light, dark) in _COLOURS.items()
    )
    return f"<style>.tapeless-source {{ line-height: 1.5; overflow-x: auto; }}{colours}</style>"


class SourceText(str):
    """The text of a derivative: a `str` that a notebook shows in colours.

    Examples
    --------
    >>> text = SourceText("x = 1")
    >>> text == "x = 1", '<span class="m">1</span>' in text._repr_html_()
    (True, True)
    """

    def _repr_html_(self) -> str:
        """Write the text in colours, as a notebook asks for it."""
        lines = "\n".join(map(whole, tokens_by_line(str(self))))
        return f'{_style()}<pre class="tapeless-source"><code>{lines}</code></pre>'


def _cut(tokens: Tokens, start: int, end: int) -> Iterator[Token]:
    at = 0
    for shown, piece in tokens:
        first, last = max(start - at, 0), min(end - at, len(piece))
        if first < last:
            yield shown, piece[first:last]
        at += len(piece)


def _written(shown: str, piece: str) -> str:
    text = escape(piece)
    return f'<span class="{shown}">{text}</span>' if shown else text
