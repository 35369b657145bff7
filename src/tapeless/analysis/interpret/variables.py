"""Variables, which stand for arrays in arithmetic and are objects everywhere else.

Where its value is used, a Variable counts as what its one slot holds. `w.assign(v)` stores into that
slot. A name that is a Variable on one way through the program and an array on another is used by
value; where that does not say enough, or where a Variable may come out of hiding, it is refused.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import gast

from tapeless.analysis.abstract import NOTHING, Value, join_values, variable_region
from tapeless.analysis.facts import Environment
from tapeless.analysis.interpret.state import Interpreter
from tapeless.analysis.reached import variables_reached
from tapeless.externals import MISSING, is_one_of, package_of
from tapeless.kinds import (
    UNKNOWN,
    Function,
    Kind,
    List,
    Sequence,
    Tuple,
    Unreached,
    is_number,
    regions_of,
)
from tapeless.protocol.authors import author_of
from tapeless.rules.declare import find_rule, is_built_in
from tapeless.tree.classes import SLOTS
from tapeless.tree.names import nodes
from tapeless.tree.trees import Tree
from tapeless.variables import is_variable


def as_value(interpreter: Interpreter, value: Value) -> Value:
    """Return what stands for a Variable where its value is used, and anything else as it is."""
    kind = value.kind
    if isinstance(kind, Tuple):
        return replace(
            value, kind=replace(kind, items=tuple(as_kind(interpreter, k) for k in kind.items))
        )
    if isinstance(kind, Sequence):
        return replace(value, kind=replace(kind, item=as_kind(interpreter, kind.item)))
    if not is_variable(kind):
        return value
    found = NOTHING
    for region in sorted(regions_of(kind), key=repr):
        slot = interpreter.heap.get(region, {}).get("value", NOTHING)
        found = join_values(found, slot, ("value", region))
    return Value(found.kind, found.varied or interpreter.is_varied(value))


def as_kind(interpreter: Interpreter, kind: Kind) -> Kind:
    """Return the kind of what stands for a Variable where its value is used."""
    return as_value(interpreter, Value(kind)).kind


def values_read(interpreter: Interpreter, value: Value, tree: Tree) -> Value:
    """Interpret `values_of(xs)`: a list or tuple with its Variables replaced by their values."""
    kind = value.kind
    if isinstance(kind, Tuple):
        parts = [as_value(interpreter, Value(k)) for k in kind.items]
        made = replace(kind, items=tuple(p.kind for p in parts))
        return Value(made, value.varied or any(p.varied for p in parts))
    if not isinstance(kind, List):
        return as_value(interpreter, value)
    held = NOTHING
    for region in sorted(kind.regions, key=repr):
        for slot in interpreter.heap.get(region, {}).values():
            held = join_values(held, as_value(interpreter, slot), interpreter.point(tree))
    made_list = List(frozenset([("made", "values", *sorted(kind.regions, key=repr))]))
    interpreter.put(made_list.regions, "*", held)
    return Value(made_list, held.varied or interpreter.is_varied(value))


def variables_listed(interpreter: Interpreter, values: list[Value], tree: Tree) -> Value:
    """Interpret `variables_read_by(f, x)`: a list of any Variables that `f` or `x` reaches."""
    made = List(interpreter.fresh(tree))
    interpreter.heap.setdefault(next(iter(made.regions)), {})
    author = values[0].kind.value if isinstance(values[0].kind, Function) else None
    kinds = [interpreter.abstract(v, ("external", id(v))) for v in variables_reached(author)]
    held = interpreter.held_by([value.kind for value in values])
    kinds += [v.kind for r in sorted(held, key=repr) for v in interpreter.heap.get(r, {}).values()]
    for kind in filter(is_variable, kinds):
        interpreter.put(made.regions, "*", Value(kind))
    return Value(made)


def assigned(interpreter: Interpreter, owner: Value, values: list[Value]) -> Value:
    """Interpret `w.assign(v)`: a store into the one slot of a Variable."""
    new = as_value(interpreter, values[0])
    held = as_value(interpreter, owner)
    varied = new.varied or held.varied
    for region in regions_of(owner.kind):
        interpreter.put(frozenset([region]), "value", Value(held.kind, varied))
    interpreter.stored |= regions_of(owner.kind)
    if new.varied:
        interpreter.varied |= regions_of(owner.kind)
    return Value(held.kind, varied)


def refuse_hidden_variables(
    interpreter: Interpreter, tree: Tree, kind: Kind, env: Environment
) -> None:
    """Refuse a statement that may give a Variable out of what holds it, by ways not seen."""
    value = tree.value
    if tree in interpreter.callees or tree in interpreter.reading:
        return
    found = interpreter.function.resolve(value.func) if type(value) is gast.Call else MISSING
    if type(value) is gast.Call:
        _refuse_hidden_reads(interpreter, value, found, env)
    by_name = is_one_of(found, (getattr, vars))
    if not by_name and kind != UNKNOWN and not isinstance(kind, Unreached):
        return
    if type(value) is gast.Call:
        if found is not MISSING and find_rule(found) is not None and not by_name:
            return
    elif type(value) not in SLOTS:
        return
    names = {part.id: part for part in nodes(value) if type(part) is gast.Name}
    holders = [interpreter.eval(part, env).kind for part in names.values()]
    asked = {variable_region(v) for v in interpreter.program.wrt_variables}
    if interpreter.held_by([k for k in holders if not is_variable(k)]) & asked:
        interpreter.refuse_here(
            "whether this gives a Variable whose gradient is asked for is not known here",
            "read the Variable by its name, by an attribute or by a key",
        )


def _refuse_hidden_reads(
    interpreter: Interpreter, tree: Tree, found: Any, env: Environment
) -> None:
    """Refuse a call of code that is not looked into and may read a Variable asked for."""
    if found is MISSING and type(tree.func) is gast.Name:
        kind = env.get(tree.func.id, NOTHING).kind
        found = kind.value if isinstance(kind, Function) else MISSING
    rule = None if found is MISSING else find_rule(found)
    if is_built_in(rule) or package_of(found) == "tapeless":
        return
    if getattr(author_of(found), "__passes_through__", False):
        return  # the Variables inside have no gradient
    kinds = [interpreter.eval(a, env).kind for a in tree.args if type(a) is not gast.Starred]
    callables = [k.value for k in kinds if isinstance(k, Function)]
    cores = [interpreter.program.cores[c] for c in callables if type(c) is gast.FunctionDef]
    captured = [e.value for core in cores for e in core.externals.values()]
    known = [] if rule is None else [rule.function]
    reached = variables_reached([found, *known, *callables, *captured])
    asked = [v for v in interpreter.program.wrt_variables if any(v is r for r in reached)]
    if found is globals or asked:
        which = f" {asked[0].name or 'unnamed'}" if asked else "s"
        interpreter.refuse_here(
            f"`{gast.unparse(tree.func)}` may read the Variable{which}, and no gradient of it is "
            "known",
            "pass the Variable as an argument, or write a custom gradient with variables=",
        )


def refuse_mixture(interpreter: Interpreter, does: str) -> None:
    """Refuse what is used as a Variable and as an array both."""
    interpreter.refuse_here(
        f"this {does} a Variable or an array, and which one is not known here",
        "use the `.value` of the Variable, or keep the two apart",
    )


def is_mixture(a: Kind, b: Kind) -> bool:
    """Whether one is a Variable and the other something that is used by value."""
    if is_variable(a) == is_variable(b):
        return False
    other = b if is_variable(a) else a
    return is_number(other) or other == UNKNOWN
