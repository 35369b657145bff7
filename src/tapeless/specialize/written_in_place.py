"""A short function that stands for one of a library is written in the place of its call.

    y = stats.norm.cdf(x, m, s)   ->   scale = np.where(s > 0, s, np.nan)
                                       z = (x - m) / scale
                                       y = special.ndtr(z)

So its text reads as if the user had written the formula, and what the call leaves open is decided there.
A function that is no straight line, or a long one, stays a function: its name says more than its text.
"""

from __future__ import annotations

from typing import Any

import gast

from tapeless.analysis.facts import Callee
from tapeless.analysis.interpret.binding import Default
from tapeless.kinds import Function
from tapeless.rules.declare import stands_always
from tapeless.specialize.state import Specializer
from tapeless.tree.build import as_load, assign, const, filled, is_literal, is_same_tree, name
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import binds, nodes, reads
from tapeless.tree.trees import Expr, Stmt

_MOST = 30  # statements in the core language: some ten lines
_NOT_THE_USERS = ("tapeless.rules.", "scipy.")
_SCOPES = (gast.Lambda, gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp)


def written_in_place(specializer: Specializer, s: Stmt, callee: Callee) -> list[Stmt] | None:
    """Write the body of a function that stands for another in the place of a call; None to leave it."""
    if not isinstance(s, gast.Assign) or not isinstance(s.value, gast.Call):
        return None
    core = callee.facts.function
    if not str(getattr(core.primal, "__module__", "")).startswith(_NOT_THE_USERS):
        return None
    body = core.tree.body
    given = [_literal(argument) for argument in callee.arguments]
    whole = any(isinstance(v.kind, Function) for v in callee.values)  # code to hand on stays there
    if whole or not _is_straight(body) or any(argument is None for argument in given):
        return _called_by_name(specializer, s, core)
    holes: dict[str, Any] = {}
    outside = core.externals.keys() - core.local
    for key in dict.fromkeys(key for part in body for key in reads(part) if key in outside):
        holes[key] = specializer.adopted(key, core.externals[key])
    made: list[Any] = []
    for parameter, argument in zip(core.parameters, given, strict=True):
        holes[parameter] = argument
        if not isinstance(argument, (gast.Name, gast.Constant)):
            holes[parameter] = specializer.names.fresh(parameter)
            made.append(assign(holes[parameter], argument))
    return [*made, *_with_names_of(specializer, core, body, holes, s.targets)]


def _called_by_name(specializer: Specializer, s: Any, core: CoreFunction) -> list[Stmt] | None:
    """Call by its own name what also stands for calls of constants: it returns something else."""
    found = specializer.function.resolve(s.value.func)
    if found is core.primal or not stands_always(core.primal):
        return None
    func = name(specializer.external(core.primal))
    return [gast.Assign(s.targets, gast.Call(func, s.value.args, s.value.keywords), None)]


def _with_names_of(
    specializer: Specializer, core: CoreFunction, body: list[Any], holes: dict[str, Any], to: Any
) -> list[Stmt]:
    """Write a body with names of the function that it stands in now."""
    made: list[Any] = []
    fresh: dict[str, str] = {}
    for part in body[:-1]:
        value = filled(part.value, holes | fresh)
        for key in sorted(binds(part) - fresh.keys()):
            fresh[key] = specializer.names.fresh(key)
        made.append(gast.Assign([filled(part.targets[0], fresh)], value, None))
    specializer.brought |= {fresh[key] for key in core.own_names & fresh.keys()}
    last = filled(body[-1].value, holes | fresh)
    if made and is_same_tree(as_load(made[-1].targets[0]), last):
        made[-1].targets = to  # it was computed to be returned
        return made
    return [*made, gast.Assign(to, last, None)]


def _literal(argument: Any) -> Expr | None:
    """Return what is passed for a parameter as an expression; None for what is no single one."""
    if not isinstance(argument, Default):
        return argument if isinstance(argument, gast.AST) else None
    return const(argument.value) if is_literal(argument.value) else None


def _is_straight(body: list[Any]) -> bool:
    """Whether a body is short, binds names one after the other, and returns a value at its end."""
    *before, last = body
    if len(body) > _MOST or not isinstance(last, gast.Return) or last.value is None:
        return False
    if any(isinstance(part, _SCOPES) for s in body for part in nodes(s)):
        return False
    return all(isinstance(s, gast.Assign) and _binds_names(s.targets[0]) for s in before)


def _binds_names(place: Any) -> bool:
    parts = place.elts if isinstance(place, gast.Tuple) else [place]
    return all(isinstance(part, gast.Name) for part in parts)
