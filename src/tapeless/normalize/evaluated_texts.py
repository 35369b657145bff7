"""`eval` of a text that is written out is the expression in the text.

options = eval("dict(a=2.0)")   ->   options = dict(a=2.0)

What the text names is looked up where the call stands. A text that binds names, or names what a function
around binds, is left to `refuse_unsupported`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import gast

from tapeless.externals import externals_of
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import free_names, nodes
from tapeless.tree.transform import Transformer
from tapeless.tree.trees import Expr

_SCOPES = (
    gast.Lambda,
    gast.NamedExpr,
    gast.ListComp,
    gast.SetComp,
    gast.DictComp,
    gast.GeneratorExp,
)


class _Reader(Transformer):
    def __init__(self, function: CoreFunction) -> None:
        self.function = function
        self.found: set[str] = set()

    def visit_Call(self, tree: Expr) -> Any:
        self.generic_visit(tree)
        text = _text_of(self.function, tree)
        made = None if text is None else _parsed(text)
        if made is None:
            return tree
        for part in nodes(made):
            part.lineno = getattr(tree, "lineno", None)
        self.found |= free_names(made)
        return made


def _text_of(function: CoreFunction, tree: Expr) -> str | None:
    """Return the text that a call of `eval` evaluates where it stands; None for another call."""
    if len(tree.args) != 1 or tree.keywords or function.resolve(tree.func) is not eval:
        return None
    text = getattr(tree.args[0], "value", None) if type(tree.args[0]) is gast.Constant else None
    return text.strip() if isinstance(text, str) else None


def _parsed(text: str) -> Expr | None:
    """Read an expression; None for one that opens a scope of its own, in which Python hides locals."""
    try:
        [statement] = gast.parse(text).body
    except (SyntaxError, ValueError):
        return None
    made: Expr | None = getattr(statement, "value", None) if type(statement) is gast.Expr else None
    opens = made is None or any(type(part) in _SCOPES for part in nodes(made))
    return None if opens else made


def evaluated_texts(function: CoreFunction) -> CoreFunction:
    """Write the expressions in place of the texts.

    Examples
    --------
    >>> from tapeless.source.reader import parse_function
    >>> from tapeless.source.printer import unparse
    >>> f = CoreFunction(parse_function('def f(x):\\n    return eval("x * 2.0")'))
    >>> print(unparse(evaluated_texts(f).tree).strip())
    def f(x):
        return x * 2.0
    """
    called = [p for p in nodes(function.tree) if type(p) is gast.Call]
    if not any(_text_of(function, p) is not None for p in called):
        return function
    reader = _Reader(function)
    reader.generic_visit(function.tree)
    new = reader.found - function.local - set(function.externals)
    if function.primal is None or not new:
        return function
    return replace(function, externals={**function.externals, **externals_of(function.primal, new)})
