"""What goes into `grad` and comes out of it, where the text shows it.

How upstreams and gradients are matched (`tapeless.protocol`) is settled while the text is written, then.
"""

from __future__ import annotations

import copy
from typing import Any

import gast

from tapeless.differentiate.custom.customs import Custom
from tapeless.differentiate.custom.open_text import Entry, in_custom
from tapeless.differentiate.writer import Writer
from tapeless.kinds import GRAD, Inert, Integer, Kind, Tuple, differentiable, is_number, is_truth
from tapeless.protocol.authors import Key
from tapeless.protocol.gradients import count_error
from tapeless.tree.build import const
from tapeless.tree.trees import Expr, Stmt, Tree


def outputs_of(kind: Kind) -> list[Kind] | None:
    """Return the kinds of the outputs, each a leaf; None where that is not known."""
    if isinstance(kind, Tuple):
        items = [k for k in kind.items if k != GRAD]
        if kind.cls is not tuple or not items:
            return None
        known = (is_leaf(k) or is_plain(k) for k in items)
        return items if all(known) and any(map(is_leaf, items)) else None
    return [kind] if is_number(kind) else None


def is_leaf(kind: Kind) -> bool:
    """Whether a value is a number or an array with a derivative."""
    return is_number(kind) and differentiable(kind)


def is_plain(kind: Kind) -> bool:
    """Whether an output is a number without derivative, or no number at all."""
    return isinstance(kind, (Integer, Inert))


def upstream_of(whole: Expr, i: int, kind: Kind) -> Any:
    """Write the upstream of one output of several: zero or None for one without derivative."""
    if is_truth(kind):
        return const(False)
    if is_plain(kind):
        return const(0 if isinstance(kind, Integer) else None)
    return gast.Subscript(copy.deepcopy(whole), const(i), gast.Load())


def counted(
    sweep: Writer, s: Stmt, custom: Custom, bound: list[Entry], wanted: tuple[Key, ...],
    elements: list[Expr], grad: Expr,
) -> list[Any]:  # fmt: skip
    """Return the gradients that `grad` shows, without what is surplus and None.

    Raises
    ------
    GradientError
        If there are too many of them, or one that is needed is not there.
    """
    elements = list(elements)
    while len(elements) > len(bound) and is_none(elements[-1]):
        elements.pop()
    missing = bound[len(elements) :]
    if (
        len(elements) > len(bound)
        or any(e.key is not None and e.key in wanted for e in missing)
        or not all(e.optional or not differentiable(sweep.operand_kind(s, e.tree)) for e in missing)
    ):
        error = count_error(custom.label, len(elements), [e.name for e in bound])
        raise in_custom(error, custom, grad)
    return elements


def is_none(tree: Tree) -> bool:
    """Whether an expression is the literal None."""
    return type(tree) is gast.Constant and tree.value is None
