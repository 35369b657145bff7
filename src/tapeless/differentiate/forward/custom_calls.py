"""Calls of custom gradients: their `jvp`, or their `grad` transposed.

What the author wrote is what is printed: a `jvp` that is returned beside `grad` is spliced, and a `grad`
that works entry by entry serves as its own transpose. For any other a pullback is differentiated, or, at
last, asked when the program runs.
"""

from __future__ import annotations

from typing import Any

import gast

from tapeless.analysis.abstract import NOTHING
from tapeless.differentiate.custom.calls import opened_call, value_drawn
from tapeless.differentiate.custom.customs import Custom, NotSplicedError, is_active
from tapeless.differentiate.custom.marks import as_it_was, marked, with_value
from tapeless.differentiate.custom.open_text import Opened, location_of, open_text
from tapeless.differentiate.custom.transposed import transposed
from tapeless.differentiate.forward.binding import with_zero
from tapeless.differentiate.forward.transposition import diagonal
from tapeless.differentiate.forward.writer import TangentWriter
from tapeless.errors import TapelessError
from tapeless.kinds import Instance, differentiable
from tapeless.tree.build import assign, name
from tapeless.tree.comments import Role, comment
from tapeless.tree.names import parameters
from tapeless.tree.trees import Expr, Stmt


def custom_call(writer: TangentWriter, s: Stmt, key: str, custom: Custom) -> list[Any]:
    """Write a call of a custom gradient: its tangent is the transpose of its `grad`."""
    result = writer.result(s)
    wanted = tuple(k for k, a in custom.operands if is_active(writer, s, a))
    if not wanted or not differentiable(result.kind):
        plain = as_it_was(writer, s)
        beside = with_zero(writer, s, key) if key in writer.tracked else [s]
        return [plain if part is s else part for part in beside]
    if key not in writer.tracked:
        return [as_it_was(writer, s)]
    drawn = value_drawn(writer, s, custom)
    made = None if drawn is not None else _spliced_custom(writer, s, key, custom)
    if made is not None:
        return made
    if isinstance(result.kind, Instance):
        writer.refuse(
            s,
            f"'{custom.label}' returns an object, and says no tangent of it",
            "let it return a tuple or an array, or a jvp beside its grad",
        )
    operands = dict(custom.operands)
    dots = [writer.tangent_or_zero(s, operands[k]) for k in wanted]
    note = comment(f"{custom.label} is called; its tangent is its grad, transposed")
    try:
        statements = transposed(writer, s, key, custom, wanted, dots)
        forward = assign(key, s.value)
        if drawn is not None:
            forward = with_value(writer, s, drawn)
        return [note, forward, *statements]
    except (TapelessError, NotSplicedError) as error:
        reason = getattr(error, "reason", str(error))
        if drawn is not None:
            writer.refuse(
                s,
                f"the gradient of '{custom.label}' cannot be differentiated again: {reason}",
                getattr(error, "fix", None) or "let its grad read arguments only",
            )
        if writer.module.for_higher_order:
            writer.refuse(
                s,
                f"the tangent of '{custom.label}' cannot be differentiated again: {reason}",
                "differentiate its gradient: jvp of grad instead of grad of jvp",
            )
    pull = writer.names.fresh(f"{key}_pull")
    push = gast.Call(gast.Attribute(name(pull), "push", gast.Load()), dots, [])
    opened = opened_call(writer, s, key, pull, wanted)
    return [note, opened, assign(writer.dot(key), push)]


def _spliced_custom(writer: TangentWriter, s: Stmt, key: str, custom: Custom) -> list[Any] | None:
    """Splice a custom gradient whose `grad` multiplies entry by entry; None for others."""
    try:
        opened = open_text(writer, s, key, custom)
    except NotSplicedError:
        return None
    entries = opened.bound
    env = opened.env
    if opened.jvp is not None:
        return _spliced_jvp(writer, s, key, custom, opened)
    dots = [writer.tangent(s, e.tree) for e in entries]
    for entry, dot in zip(entries, dots, strict=True):
        if type(dot) is gast.Name:
            env[dot.id] = env.get(entry.tree.id, NOTHING)
    made = diagonal(writer, opened.grad, [e.tree for e in entries], dots, key, env)
    if made is None:
        return None
    statements, tangent = made
    title = f"{custom.label}.grad, transposed ({location_of(custom, opened.grad)})"
    return _beside_custom(writer, s, key, custom, opened, title, statements, tangent)


def _spliced_jvp(
    writer: TangentWriter, s: Stmt, key: str, custom: Custom, opened: Opened
) -> list[Any] | None:
    """Splice the `jvp` that a custom gradient returns beside its `grad`."""
    assert opened.jvp is not None
    moving = [
        e for e in opened.bound
        if differentiable(writer.splicer.evaluate(e.tree, writer.known.before[s]).kind)
    ]  # fmt: skip
    wanted = parameters(opened.jvp.tree)
    if opened.jvp.tree.args.vararg or len(wanted) != len(moving):
        return None
    dots = [writer.tangent_or_zero(s, e.tree) for e in moving]
    given = dict(zip(wanted, dots, strict=True))
    made = writer.splicer.inline(opened.jvp, given, opened.env, blocks=True)
    if made is None:
        return None
    title = f"{custom.label}.jvp, as written by its author"
    title += f" ({location_of(custom, opened.jvp)})"
    return _beside_custom(writer, s, key, custom, opened, title, *made)


def _beside_custom(
    writer: TangentWriter, s: Stmt, key: str, custom: Custom, opened: Opened, title: str,
    statements: list[Any], tangent: Expr,
) -> list[Any]:  # fmt: skip
    """Put the tangent of a custom gradient after its forward body."""
    forward = [*opened.forward, assign(key, opened.value)]
    if writer.module.for_higher_order:
        forward[-1] = marked(writer, s, forward[-1])
    return [
        comment(f"{custom.label}, inlined", Role.INLINED),
        *forward,
        comment(title),
        *statements,
        assign(writer.dot(key), tangent),
    ]
