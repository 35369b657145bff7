"""The functions of a custom gradient as callees: what they do, had they been called at a statement."""

from __future__ import annotations

import copy
from dataclasses import dataclass, replace
from typing import Any

import gast

from tapeless.analysis.abstract import Value
from tapeless.analysis.facts import Callee
from tapeless.analysis.interpret.call_sites import Argument, CallSite
from tapeless.analysis.interpret.summaries import call_core
from tapeless.differentiate.custom.customs import Custom, NotSplicedError
from tapeless.differentiate.writer import Writer
from tapeless.externals import Externals
from tapeless.kinds import Kind, Tuple, differentiable, is_number
from tapeless.normalize import normalized
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import all_names
from tapeless.tree.trees import Expr, Stmt


@dataclass(frozen=True)
class Written:
    """A pullback that stands in the module.

    Attributes
    ----------
    tree, externals
        Its definition, and what its free names stand for.
    arguments
        What is passed for its parameters after the upstream.
    """

    tree: gast.FunctionDef
    externals: Externals
    arguments: list[Expr]


def forward_callee(sweep: Writer, s: Stmt, custom: Custom) -> Callee:
    """Interpret the forward body of a custom gradient as a call of it at a statement."""
    env = sweep.known.before.get(s, {})

    def argument(tree: Expr) -> Argument:
        return Argument(tree, Value(sweep.splicer.evaluate(tree, env).kind))

    keywords = {key: argument(tree) for key, tree in custom.keywords.items()}
    site = CallSite(s.value, tuple(map(argument, custom.args)), keywords)
    return _interpreted(sweep, s, sweep.program.core(custom.function), site)


def _interpreted(sweep: Writer, s: Stmt, core: CoreFunction, site: CallSite) -> Callee:
    """Interpret a call that a statement might be."""
    interpreter = sweep.splicer.interpreter
    interpreter.statement, interpreter.env = s, dict(sweep.known.before.get(s, {}))
    varied, interpreter.varied = interpreter.varied, set()
    try:
        call_core(interpreter, core, site)
    finally:
        interpreter.varied = varied
    found: Callee | None = interpreter.callees.pop(s, None)
    if found is None:
        raise NotSplicedError("the call does not fit its signature")
    return found


def _core_of(sweep: Writer, written: Written) -> CoreFunction:
    """Return a pullback in the core language."""
    return normalized(
        CoreFunction(
            copy.deepcopy(written.tree), dict(written.externals), sweep.function.filename,
            sweep.function.lines, own_names=frozenset(all_names(written.tree)),
        )
    )  # fmt: skip


def pullback_callee(sweep: Writer, s: Stmt, written: Written) -> Callee:
    """Interpret a pullback as a call of it at the statement that called the custom gradient."""
    env = sweep.known.before.get(s, {})
    kind = sweep.result(s).kind
    if not is_number(kind) and not isinstance(kind, Tuple) or not differentiable(kind):
        raise NotSplicedError("the structure of its value is not known")
    upstream = Argument(gast.Constant(None, None), Value(_new(kind), True))
    others = [Argument(a, Value(sweep.splicer.evaluate(a, env).kind)) for a in written.arguments]
    return _interpreted(sweep, s, _core_of(sweep, written), CallSite(s.value, (upstream, *others)))


def _new(kind: Kind, place: tuple[Any, ...] = ("upstream",)) -> Kind:
    """Return the kind of something alike that shares memory with nothing."""
    if isinstance(kind, Tuple):
        items = tuple(_new(k, (*place, i)) for i, k in enumerate(kind.items))
        return replace(kind, items=items, still=frozenset())
    return replace(kind, regions=frozenset([place])) if hasattr(kind, "regions") else kind  # type: ignore[call-arg]
