"""Comments as statements: a tree has no place for them."""

from __future__ import annotations

import ast

import gast

COMMENT = "comment"


def comment(text: str) -> gast.Expr:
    """A comment that stands in a line of its own among the statements of a tree.

    Examples
    --------
    >>> import gast
    >>> from tapeless.source.printer import unparse
    >>> tree = gast.parse("y = 1")
    >>> tree.body.insert(0, comment("Forward sweep"))
    >>> print(unparse(tree), end="")
    # Forward sweep
    y = 1
    """
    return gast.Expr(gast.Constant(value=text, kind=COMMENT))


def is_comment(statement: ast.AST) -> bool:
    """Whether a statement is a comment made by `comment`."""
    value = getattr(statement, "value", None)
    return (
        type(statement).__name__ == "Expr"
        and type(value).__name__ == "Constant"
        and getattr(value, "kind", None) == COMMENT
    )
