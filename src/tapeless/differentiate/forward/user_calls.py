"""Calls of the user's functions: `y, y_dot = f_jvp(x, x_dot)`.

The tangent derivative of a function is written once for what is known of its arguments, and for which
of its regions have tangents.
"""

from __future__ import annotations

import dataclasses
from typing import Any, cast

import gast

from tapeless.analysis.abstract import is_adjoint_memory
from tapeless.analysis.calls import UserCall
from tapeless.analysis.facts import Callee, call_key
from tapeless.analysis.function_values import leaves_bound
from tapeless.analysis.interpret.binding import Default
from tapeless.differentiate.forward.binding import with_zero
from tapeless.differentiate.forward.regions import (
    Outside,
    is_container_or_array,
    known_to,
    last_facts,
    regions_with_tangent,
    things_outside,
)
from tapeless.differentiate.forward.writer import TangentWriter
from tapeless.differentiate.plain import argument, is_held_fixed, left_plain, made_class, plain_call
from tapeless.errors import refused_at
from tapeless.kinds import Region, differentiable, regions_within
from tapeless.tree.build import assign, call, const, name, quote_expression, target
from tapeless.tree.function import make_function
from tapeless.tree.trees import Expr, Stmt


@dataclasses.dataclass(frozen=True)
class Tangent:
    """The tangent derivative of a function for given kinds.

    Attributes
    ----------
    label
        Its name.
    active
        Positions of the parameters whose tangents it receives.
    result_active
        Whether it returns a tangent; None stands in its place otherwise.
    regions
        The regions of the callee that have tangents.
    outside
        The things outside whose tangents it receives after those of its parameters.
    """

    label: str
    active: tuple[int, ...]
    result_active: bool
    regions: frozenset[Region]
    outside: Outside


def tangent_of_callee(
    outer: TangentWriter, callee: Callee, known: frozenset[Region]
) -> Tangent | None:
    """Return the tangent derivative of a callee, written on first demand.

    The `known` regions of the callee have tangents in the caller.

    Returns
    -------
    None where nothing that varies reaches it.
    """
    module = outer.module
    key = call_key(callee.function, callee.values, callee.heap)
    facts = last_facts(module.program, callee)
    regions = regions_with_tangent(facts, callee.values, known)
    written = (key, regions)
    if written in module.tangents:
        return cast("Tangent | None", module.tangents[written])
    active = _with_tangents(callee, regions)
    returned = facts.returned
    result_active = differentiable(returned.kind) and bool(
        returned.varied or regions_within(returned.kind) & regions
    )
    bound = leaves_bound(returned.kind, callee.heap, facts.heap)
    if not (active or result_active or bound or regions):
        module.tangents[written] = None
        return None
    function = callee.function
    module.names.taken |= function.names()
    label = module.names.fresh(f"{function.name.strip('_') or 'function'}_jvp")
    outside = things_outside(function, facts, regions, module.program)
    made = Tangent(label, active, result_active, regions, outside)
    module.tangents[written] = made
    writer = type(outer)(module, function, facts, callee.values, root=False, known=known)
    keys = function.parameters
    dots = [writer.dot(keys[i]) for i in active]
    start: list[Any] = []
    for i, k in enumerate(keys):
        if i not in active and k in writer.tracked:
            start.append(assign(writer.dot(k), writer.zero(name(k), callee.values[i].kind)))
    for thing, (seen_as, _) in outside.items():
        writer.external_dots[thing] = writer.dot(seen_as)
    dots += writer.external_dots.values()
    body = [*start, *writer.block(function.tree.body)]
    module.add(make_function(label, [*keys, *dots], body, function), writer)
    return made


def calls_user_function(writer: TangentWriter, s: Stmt) -> bool:
    """Whether a statement is a call of a function of the user."""
    if s not in writer.known.callees or not isinstance(s.value, (gast.Call, gast.Attribute)):
        return False
    return type(s.value) is gast.Attribute or isinstance(writer.call(s), UserCall)


def _with_tangents(callee: Callee, regions: frozenset[Region]) -> tuple[int, ...]:
    """Return the positions of the parameters that have tangents, where these regions have."""
    return tuple(
        i
        for i, v in enumerate(callee.values)
        if is_adjoint_memory(v.kind)
        or (differentiable(v.kind) and (v.varied or regions_within(v.kind) & regions))
    )


def user_call(writer: TangentWriter, s: Stmt, key: str | None) -> list[Any]:
    """Write a call of a function of the user as a call of its tangent derivative."""
    callee = writer.known.callees[s]
    if key is not None and is_held_fixed(writer, key, callee):
        return _held_fixed(writer, s, key, callee)
    made: Tangent | None = None
    if not callee.stays_generator or callee.stores_outside_itself:
        with refused_at(writer.function.filename, getattr(s, "lineno", None)):
            made = tangent_of_callee(writer, callee, known_to(callee, writer.regions))
    if made is None:
        untracked = key is None or key not in writer.tracked
        plainly = left_plain(writer, s, key, callee) or [s]
        bound = [s] if untracked else with_zero(writer, s, str(key))
        return [made for part in bound for made in (plainly if part is s else [part])]
    if key is None and made_class(writer, s) is not None:
        key = writer.names.fresh("made")
    constructed = None if key is None else made_class(writer, s)
    arguments = list(callee.arguments)
    before: list[Any] = []
    if constructed is not None:
        assert key is not None
        before = [
            assign(key, quote_expression("c.__new__(c)", c=s.value.func)),
            assign(writer.dot(key), call(name(writer.runtime("record_of")))),
        ]
        arguments[0] = name(key)
    passed = [argument(writer, a, callee, i) for i, a in enumerate(arguments)]
    for i in made.active:
        if constructed is not None and i == 0:
            passed.append(name(writer.dot(str(key))))
        else:
            passed.append(_argument_tangent(writer, s, arguments[i], callee, i))
    passed += [name(writer.external_dots[thing]) for thing in made.outside]
    if constructed is not None and key not in writer.tracked:
        before = before[:1] if 0 not in made.active else before
    value = None if constructed is not None else key
    tracked = key is not None and key in writer.tracked and constructed is None
    dot = writer.dot(str(key)) if tracked and made.result_active else None
    if value is None and dot is None:
        after: list[Any] = []
        statement: Any = gast.Expr(gast.Call(name(made.label), passed, []))
    else:
        place = gast.Tuple([target(k or writer.unread) for k in (value, dot)], gast.Store())
        statement = gast.Assign([place], gast.Call(name(made.label), passed, []), None)
        after = []
    if tracked and not made.result_active:
        after = [assign(writer.dot(str(key)), writer.zero(name(str(key)), writer.result(s).kind))]
    return [*before, statement, *after]


def _held_fixed(writer: TangentWriter, s: Stmt, key: str, callee: Callee) -> list[Any]:
    """Write a call whose result counts as a constant, and the zero that is its tangent."""
    made_plainly = assign(key, plain_call(writer, callee))
    if key not in writer.tracked:
        return [made_plainly]
    zero = writer.zero(name(key), writer.result(s).kind)
    return [made_plainly, assign(writer.dot(key), zero)]


def _argument_tangent(
    writer: TangentWriter, s: Stmt, arg: Expr, callee: Callee, position: int
) -> Any:
    """Write the tangent of an argument."""
    if isinstance(arg, list):
        return gast.Tuple([writer.tangent_or_zero(s, a) for a in arg], gast.Load())
    if isinstance(arg, dict):
        return gast.Dict(
            [const(k) for k in arg], [writer.tangent_or_zero(s, a) for a in arg.values()]
        )
    if isinstance(arg, Default):
        kind = callee.values[position].kind
        if is_container_or_array(kind) and regions_within(kind) & callee.facts.stored:
            writer.refuse(s, "a default argument is stored into and varies", "pass it")
        return writer.zero(argument(writer, arg, callee, position), kind)
    if arg is None:
        writer.refuse(s, "the object of this method is not known", "call it by its name")
    if is_adjoint_memory(callee.values[position].kind):
        return name(writer.dot(arg.id))
    return writer.tangent_or_zero(s, arg)
