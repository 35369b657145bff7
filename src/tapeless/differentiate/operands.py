"""The operands of an operation that is differentiated are atoms: nothing else has a cotangent.

    v = (0.5, a)                         y = np.array((0.5, h[1]))
    y = np.array(v)                      the derivative would not come to `h`

`normalize` and `specialize` see to it. What they left otherwise is not passed over.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gast

from tapeless.differentiate.writer import Writer
from tapeless.errors import PLEASE_REPORT, InternalError
from tapeless.externals import MISSING
from tapeless.rules.declare import find_rule
from tapeless.tree.classes import ARITHMETIC, ATOMS, DISPLAYS
from tapeless.tree.names import nodes
from tapeless.tree.trees import Expr, Stmt, Tree

_WITHOUT_DERIVATIVE = (gast.Compare, gast.BoolOp, gast.JoinedStr, gast.Lambda)


def check_operands(writer: Writer, s: Stmt, tree: Expr) -> None:
    """Refuse an operation that has an operand with a derivative in it, and no name for it.

    Raises
    ------
    InternalError
        If there is one: a pass before has left it.
    """
    for operand in _operands(tree):
        if type(operand) in DISPLAYS:
            check_operands(writer, s, operand)
        elif type(operand) not in ATOMS and _carries(writer, s, operand):
            raise writer.function.error(
                s,
                "a derivative would get lost in what is no name here",
                PLEASE_REPORT,
                InternalError,
            )


def _operands(tree: Expr) -> Iterator[Any]:
    """Go through the operands of an operation; an index is none."""
    if type(tree) in ARITHMETIC:
        yield from [tree.left, tree.right] if type(tree) is gast.BinOp else [tree.operand]
    elif type(tree) in DISPLAYS:
        yield from tree.elts
    elif type(tree) is gast.Dict:
        yield from tree.values
    elif type(tree) is gast.Call:
        yield from [*tree.args, *(k.value for k in tree.keywords)]


def _carries(writer: Writer, s: Stmt, tree: Tree) -> bool:
    """Whether a derivative passes through an expression."""
    if type(tree) in _WITHOUT_DERIVATIVE:
        return False
    if type(tree) is gast.Call:
        found = writer.function.resolve(tree.func)
        rule = None if found is MISSING else find_rule(found)
        if rule is not None and rule.form == "zero":
            return False
    names = [part for part in nodes(tree) if type(part) is gast.Name]
    return any(writer.is_active(s, part) for part in names)
