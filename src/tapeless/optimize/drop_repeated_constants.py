"""A name that holds a constant is not bound to it again.

    x_bar = 0.0                    x_bar = 0.0
    if end != 1:                   if end != 1:
        x_bar = 0.0        ->          if end != 2:
        if end != 2:                       x_bar = y
            x_bar = y

Where several statements of a loop may be jumped over, each starts the adjoints that it may leave
untouched; what an outer one has started is as good.
"""

from __future__ import annotations

import gast

from tapeless.optimize.context import Context
from tapeless.tree.blocks import (
    Block,
    bound,
    generated_statements,
    inner_blocks,
    is_opaque,
    may_bind,
    scoped_names,
)
from tapeless.tree.trees import Stmt

Known = dict[str, str]


def drop_repeated_constants(function: gast.FunctionDef, context: Context) -> bool:
    """Remove generated assignments of a constant to a name that holds it already.

    Examples
    --------
    >>> import gast
    >>> from tapeless.source.printer import unparse
    >>> function = gast.parse('''
    ... def f_rev(x, x_bar):
    ...     v_bar = 0.0
    ...     if x > 1:
    ...         v_bar = 0.0
    ...         if x > 2:
    ...             v_bar = x_bar
    ...     return v_bar
    ... ''').body[0]
    >>> drop_repeated_constants(function, Context(reverse=True))
    True
    >>> print(unparse(function), end="")
    def f_rev(x, x_bar):
        v_bar = 0.0
        if x > 1:
            if x > 2:
                v_bar = x_bar
        return v_bar
    """
    generated = generated_statements(function, context.reverse)
    scoped = scoped_names(function)
    dropped = []

    def visit(block: Block, known: Known) -> None:
        kept: Block = []
        for s in block:
            constant = _constant(s)
            if constant is not None and id(s) in generated:
                if known.get(constant[0]) == constant[1]:
                    dropped.append(s)
                    continue
            kept.append(s)
            inside = dict(known)
            if isinstance(s, gast.For | gast.While) or is_opaque(s):
                _forget(inside, may_bind(s))
            _forget(inside, bound(s))
            for inner in inner_blocks(s):
                visit(inner, dict(inside))
            if inner_blocks(s) and not s.body:
                s.body.append(gast.Pass())
            _forget(known, may_bind(s))
            if constant is not None and constant[0] not in scoped:
                known[constant[0]] = constant[1]
        block[:] = kept

    visit(function.body, {})
    return bool(dropped)


def _constant(s: Stmt) -> tuple[str, str] | None:
    """Return the name and the text of the constant that a statement binds it to."""
    if not isinstance(s, gast.Assign) or not isinstance(s.value, gast.Constant):
        return None
    if len(s.targets) != 1 or not isinstance(s.targets[0], gast.Name):
        return None
    return s.targets[0].id, repr(s.value.value)


def _forget(known: Known, names: set[str]) -> None:
    for key in names:
        known.pop(key, None)
