"""A function that makes a custom gradient is written in the place of its call.

    f = scaled_by(2.0)         ->   k = 2.0
                                    @tl.custom_gradient
                                    def f(x):
                                        ...
    y = f(x)                        y = f(x)

The `grad` of what it made then stands where what it captures can be read, and is spliced as that of any
local one. In a loop the names are bound anew while what was made before still reads them: there it must be
called in the same trip and no more. A handler may be left with some of them unbound: there the call
stays, as where the function does more than that, or calls itself.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import gast

from tapeless.analysis.facts import Callee
from tapeless.custom import is_local_custom
from tapeless.specialize.spliced_calls import Sites, Splice, given_as, recurs
from tapeless.specialize.state import Specializer
from tapeless.tree.build import assign, name, unshared
from tapeless.tree.classes import COMPOUND
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import binds_in_block, functions_within, nodes, parameters
from tapeless.tree.trees import Stmt

_INNER = "·"  # marks the names of a local function that the function around it has as well


def made_custom(
    specializer: Specializer, s: Stmt, callee: Callee, sites: Sites
) -> list[Stmt] | None:
    """Write what makes a custom gradient in the place of a call; None to leave the call."""
    place: Any = s.targets[0] if type(s) is gast.Assign else None
    core = callee.facts.function
    given = [given_as(argument) for argument in callee.arguments]
    if type(place) is not gast.Name or not _makes_custom(core) or None in given:
        return None
    if s in sites.attempted or recurs(specializer, callee):
        return None
    parts = nodes(specializer.function.tree)
    uses = [part for part in parts if type(part) is gast.Name and part.id == place.id]
    if s in sites.repeated and not _is_called_at_once(specializer, uses):
        return None
    core = replace(core, tree=_with_inner_names_marked(core))
    inner = functions_within(core.tree)
    specializer.names.taken |= {key for function in inner for key in _bound_by(function)}
    splice = Splice(specializer, core, s, sites)
    made = [_with_inner_names(each) for each in splice.written(given, None)]
    [defined] = [part for part in made if type(part) is gast.FunctionDef]
    if sum(type(use.ctx) is not gast.Load for use in uses) > 1:
        return [*made, assign(place.id, name(defined.name))]
    defined.name = place.id
    return made


def _is_called_at_once(specializer: Specializer, uses: list[Any]) -> bool:
    """Whether what a name is bound to here is only called, in what follows in the same block."""
    after = [part for s in specializer.after for part in nodes(s)]
    called = {id(part.func) for part in after if type(part) is gast.Call}
    return sum(id(use) not in called for use in uses) == 1


def _makes_custom(core: CoreFunction) -> bool:
    """Whether a function defines one local function, a custom gradient, and returns it."""
    *before, last = core.tree.body
    defined = [s for s in before if type(s) is gast.FunctionDef]
    if len(defined) != 1 or any(type(s) in COMPOUND for s in before if s not in defined):
        return False
    [made] = defined
    parts = [part for s in before for part in nodes(s)]
    if any(type(part) in (gast.Nonlocal, gast.Global) for part in parts) or core.yields:
        return False
    returned = type(last) is gast.Return and getattr(last.value, "id", None) == made.name
    return returned and bool(made.decorator_list) and is_local_custom(made, core.resolve)


def _with_inner_names_marked(core: CoreFunction) -> gast.FunctionDef:
    """Return a function in which no local function binds a name that the function has as well."""
    tree = unshared(core.tree)
    own = {*core.parameters, *binds_in_block(tree.body)}
    for inner in functions_within(tree):
        bound = own & _bound_by(inner)
        body = inner.body if type(inner) is gast.FunctionDef else [inner.body]
        for part in [part for s in [*_parameters_of(inner), *body] for part in nodes(s)]:
            if getattr(part, "id", None) in bound:
                part.id = _INNER + part.id
    return tree


def _with_inner_names(s: Stmt) -> Any:
    """Return a statement with the names of its local functions as they were."""
    for part in nodes(s):
        if type(part) is gast.Name:
            part.id = part.id.removeprefix(_INNER)
    return s


def _bound_by(inner: Any) -> set[str]:
    """Collect the names that a local function binds."""
    bound = binds_in_block(inner.body) if type(inner) is gast.FunctionDef else set()
    return {*parameters(inner), *bound}


def _parameters_of(inner: Any) -> list[Any]:
    """List the parameters of a local function, without their defaults."""
    a = inner.args
    return [p for p in [*a.posonlyargs, *a.args, a.vararg, *a.kwonlyargs, a.kwarg] if p is not None]
