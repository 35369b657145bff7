"""Custom gradients as statements call them.

The author's `grad` stands where the tool would have written an adjoint. No adjoint is made of `f`'s own
body, so it may call anything. Only arguments carry derivatives out of a custom gradient. What it captures
is constant, whether or not it varies in the function around it.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any

import gast

from tapeless.analysis.abstract import Value
from tapeless.analysis.calls import CustomCall
from tapeless.differentiate.writer import Writer
from tapeless.kinds import Dict, Function, Kind, Tuple, differentiable
from tapeless.protocol.authors import Key, is_method
from tapeless.source.texts import Text, tell_lines, text_of
from tapeless.tree.build import const, filled
from tapeless.tree.function import CoreFunction
from tapeless.tree.trees import Expr, Stmt
from tapeless.variables import is_variable


@dataclass(frozen=True)
class Custom:
    """A custom gradient as a statement calls it.

    Attributes
    ----------
    label
        Its name.
    function
        The undecorated function, or the definition of a local one.
    filename
        The file that it is written in.
    text
        Its source; None where there is none.
    args, keywords
        The operands, an object whose method it is among them.
    skipped
        How many of its parameters are not counted: 1 for the object of a method.
    offset
        How many of `args` do not stand in the call: 1 where the object does not.
    """

    label: str
    function: Any
    filename: str
    text: Text | None
    args: list[Expr]
    keywords: dict[str, Any]
    skipped: int
    offset: int

    @property
    def operands(self) -> list[tuple[Key, Any]]:
        """The operands that carry gradients, each with where it stands in the call."""
        skipped = max(self.skipped, self.offset)
        placed: list[tuple[Key, Any]] = [
            (i - self.offset, a) for i, a in enumerate(self.args) if i >= skipped
        ]
        return [*placed, *self.keywords.items()]


class NotSplicedError(Exception):
    """Why a custom gradient is called and not spliced, and the way out where there is one."""

    def __init__(self, reason: str, fix: str | None = None) -> None:
        super().__init__(reason)
        self.fix = fix


def custom_of(sweep: Writer, s: Stmt) -> Custom | None:
    """Return how a statement calls a custom gradient; None where it calls none."""
    tree = s.value
    if type(tree) is not gast.Call:
        return None
    called = sweep.call(s)
    if not isinstance(called, CustomCall):
        return None
    author, before = called.author, [] if called.owner is None else [called.owner]
    if type(author) is gast.FunctionDef:
        core = sweep.program.cores.get(author, sweep.function)
        text: Text | None = _text_of_local(sweep, s, author, core)
        label, skipped, filename = author.name, 0, core.filename
    else:
        text = text_of(author) if inspect.isfunction(author) else None
        label = getattr(author, "__name__", repr(author))
        skipped = int(is_method(author))
        filename = str(getattr(getattr(author, "__code__", None), "co_filename", "<text>"))
    args = [*before, *_spread(sweep, s, tree.args)]
    keywords = _spread_keywords(sweep, s, tree.keywords)
    return Custom(label, author, filename, text, args, keywords, skipped, len(before))


def _text_of_local(sweep: Writer, s: Stmt, author: Any, core: CoreFunction) -> Text:
    """Return the text of a local custom gradient, with what it captures as it is called here.

    Where it was handed to another function, what it captures came beside it, under other names.
    """
    plain = gast.FunctionDef(author.name, author.args, author.body, [], None, None, [])
    plain.lineno = getattr(author, "lineno", None)
    tell_lines(plain, core.filename)
    kind = sweep.operand_kind(s, s.value.func)
    if isinstance(kind, Function) and kind.value is author:
        present = dict(zip(core.captured, kind.captured, strict=True))
        plain = filled(plain, {key: here for key, here in present.items() if key != here})
    return Text(plain, core.externals)


def _spread(sweep: Writer, s: Stmt, args: list[Expr]) -> list[Any]:
    """Take starred arguments apart where their length is known."""
    found: list[Any] = []
    for arg in args:
        if type(arg) is not gast.Starred:
            found.append(arg)
            continue
        kind = sweep.operand_kind(s, arg.value)
        if not isinstance(kind, Tuple):
            sweep.refuse(
                s,
                "how many arguments this call of a custom gradient passes is not known",
                "pass them one by one, without `*`",
            )
        found += [gast.Subscript(arg.value, const(i), gast.Load()) for i in range(len(kind.items))]
    return found


def _spread_keywords(sweep: Writer, s: Stmt, keywords: list[Expr]) -> dict[str, Any]:
    """Take `**` arguments apart where their keys are known."""
    found: dict[str, Any] = {}
    for keyword in keywords:
        if keyword.arg is not None:
            found[keyword.arg] = keyword.value
            continue
        slots = slots_of(sweep, sweep.operand_kind(s, keyword.value))
        if slots is None:
            sweep.refuse(
                s,
                "which keywords this call of a custom gradient passes is not known",
                "pass them by name, without `**`",
            )
        if any(is_variable(v.kind) for v in (slots or {}).values()):
            sweep.refuse(
                s, "this passes Variables by `**` to a custom gradient", "pass them by name"
            )
        for key in slots or ():
            found[key] = gast.Subscript(keyword.value, const(key), gast.Load())
    return found


def slots_of(sweep: Writer, kind: Kind) -> dict[Any, Value] | None:
    """Return what a dict holds; None where that is not known, or changes."""
    if not isinstance(kind, Dict) or len(kind.regions) != 1 or kind.regions & sweep.facts.stored:
        return None
    [region] = kind.regions
    slots: dict[Any, Value] = sweep.known.heap.get(region, {})
    return slots if all(isinstance(key, str) and key != "?" for key in slots) else None


def is_active(sweep: Writer, s: Stmt, operand: Expr) -> bool:
    """Whether an operand, or an item of a starred one, carries a derivative."""
    if type(operand) is not gast.Subscript:
        return bool(sweep.is_active(s, operand))
    kind = sweep.operand_kind(s, operand.value)
    slots = slots_of(sweep, kind)
    if slots is not None:
        slot = slots[operand.slice.value]
        varied = slot.varied or sweep.is_active(s, operand.value)
        return bool(varied) and differentiable(slot.kind)
    item = kind.items[operand.slice.value] if isinstance(kind, Tuple) else kind
    return bool(sweep.is_active(s, operand.value)) and differentiable(item)
