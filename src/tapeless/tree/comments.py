"""Comments as statements: a tree has no place for them.

Some of them are headings: what they head is their role, which later stages ask for. A reader of the text
sees the words alone.
"""

from __future__ import annotations

import ast
from enum import StrEnum

import gast


class Role(StrEnum):
    """What a comment heads."""

    NOTE = "comment"
    FORWARD = "forward sweep"
    REVERSE = "reverse sweep"
    INLINED = "inlined body"


def comment(text: str, role: Role = Role.NOTE) -> gast.Expr:
    """A comment that stands in a line of its own among the statements of a tree.

    Examples
    --------
    >>> import gast
    >>> from tapeless.source.printer import unparse
    >>> tree = gast.parse("y = 1")
    >>> tree.body.insert(0, comment("Forward sweep", Role.FORWARD))
    >>> print(unparse(tree), end="")
    # Forward sweep
    y = 1
    """
    return gast.Expr(gast.Constant(value=text, kind=role))


def is_comment(statement: ast.AST) -> bool:
    """Whether a statement is a comment made by `comment`."""
    return role_of(statement) is not None


def role_of(statement: ast.AST) -> Role | None:
    """Return what a comment heads; None for any other statement."""
    if type(statement).__name__ != "Expr":
        return None
    value = getattr(statement, "value", None)
    kind = getattr(value, "kind", None) if type(value).__name__ == "Constant" else None
    return kind if type(kind) is Role else None
