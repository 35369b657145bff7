"""Where a function begins, and the program that it becomes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tapeless.analysis.abstract import Value as Known
from tapeless.analysis.facts import Facts
from tapeless.kinds import Kind
from tapeless.lower.affine import symbol
from tapeless.lower.expressions import Scope
from tapeless.lower.given import check_given, parameter
from tapeless.lower.leaving import ends
from tapeless.lower.loops import (
    Alloc,
    Assign,
    Cell,
    Expr,
    If,
    Product,
    Program,
    Returned,
    Stmt,
    Var,
    Window,
    blocks,
    change_expressions,
    renamed,
    walk,
)
from tapeless.lower.refused import NotLowered
from tapeless.lower.run import Runner
from tapeless.lower.state import State
from tapeless.lower.triangular import NAME as TRIANGULAR
from tapeless.lower.values import Number, Sort, Value
from tapeless.normalize import core_function
from tapeless.normalize.structure_returns import structure_returns
from tapeless.pipeline import argument_kinds
from tapeless.specialize.program import AnalysedProgram
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import Names

MOST_RETURNS = 32
MOST_ROUNDS = 16  # of finding what sorts of numbers variables hold


class _Program(AnalysedProgram):
    """A program whose functions have one exit, however many returns these have."""

    def core(self, function: Any) -> CoreFunction:
        """Return a Python function in the core language."""
        if function not in self.cores and not isinstance(function, CoreFunction):
            self.cores[function] = structure_returns(core_function(function), MOST_RETURNS)
        return super().core(function)


def run_once(
    function: Any, arguments: Sequence[Any], is_part: bool = False
) -> tuple[Program, State]:
    """Run a function on values, and return the loops that it needs, one for each statement.

    Raises
    ------
    NotLowered
        If something in it has no loops that are known to mean the same.
    """
    program = _Program(scalarize=False, rests_on_texts=False)
    core = program.core(function)
    try:
        _check_given(core, arguments)
        heap: dict[Any, Any] = {}
        kinds = argument_kinds(list(arguments), heap, [False] * len(arguments), False)
        facts = program.analyse(core, tuple(Known(k, False) for k in kinds), heap)
        made, state = _rounds(facts, kinds, arguments, is_part)
    except NotLowered as refusal:
        refusal.function = core
        raise
    state.cores = tuple(program.cores.values())
    return made, state


def _check_given(core: CoreFunction, arguments: Sequence[Any]) -> None:
    """Refuse arguments of which no loops are written, all of them at once."""
    refusals = {}
    for key, x in zip(core.parameters, arguments, strict=True):
        try:
            check_given(x)
        except NotLowered as refusal:
            refusals[key] = refusal
    if refusals:
        first = next(iter(refusals.values()))
        raise NotLowered(first.reason, unread=frozenset(refusals))


def _rounds(
    facts: Facts, kinds: Sequence[Kind], arguments: Sequence[Any], is_part: bool
) -> tuple[Program, State]:
    """Run it until it is known what sorts of numbers its variables hold."""
    sorts: dict[str, Sort] = {}
    found: dict[str, Any] = {
        "counted": set(),
        "shapes": {},
        "late": {},
        "unrolled": set(),
        "listed": set(),
    }
    for _ in range(MOST_ROUNDS):
        state = _state(facts, sorts, found)
        state.is_part = is_part
        try:
            _round(state, facts, kinds, arguments)
        except NotLowered:
            if not state.is_resorted:
                raise
            continue
        if not state.is_resorted:
            return state.program, state
    raise NotLowered("numbers of which it is not found what sorts they are of")


def _state(facts: Facts, sorts: dict[str, Sort], found: dict[str, Any]) -> State:
    function = facts.function
    program = Program(function.name, list(function.parameters), [], {}, {})
    taken = {k for k, e in function.externals.items() if not isinstance(e.value, np.ndarray)}
    names = Names({*function.parameters, *taken, "np", "math", TRIANGULAR})
    return State(program, names, sorts, out=program.body, **found)


def _round(state: State, facts: Facts, kinds: Sequence[Kind], arguments: Sequence[Any]) -> None:
    function = facts.function
    scope = Scope(facts, is_outer=True)
    runner = Runner(state, scope)
    for key, kind, x in zip(function.parameters, kinds, arguments, strict=True):
        scope.env[key] = parameter(state, key, kind, x)
        scope.residual[key] = key
        if scope.counts[key] > 1:
            _rebound(state, key, scope.env[key])
        state.named.add(key)
        state.lasting.add(key)
    runner.run(function.tree.body)
    if not ends(function.tree.body) and state.program.returned is not None:
        runner.leave(Returned(None))
    state.program.body[:] = _opened(state.program.body, state.beginnings)
    rename(state.program, state)


def _opened(body: list[Stmt], beginnings: list[list[Stmt]]) -> list[Stmt]:
    """Put the blocks where lists begin in the places that were kept for them."""
    made: list[Stmt] = []
    for s in body:
        for block in blocks(s):
            block[:] = _opened(block, beginnings)
        is_beginning = isinstance(s, If) and any(s.body is block for block in beginnings)
        made += s.body if is_beginning and isinstance(s, If) else [s]
    return made


def rename(program: Program, state: State) -> None:
    """Give what the author of the text named later the name that it got."""
    names = state.renamed
    put = {old: symbol(new) for old, new in names.items()}

    def change(e: Expr) -> Expr:
        if isinstance(e, Var):
            return Var(names.get(e.name, e.name))
        return replace(e, array=names.get(e.array, e.array)) if isinstance(e, (Cell, Window)) else e

    for s in walk(program.body):
        renamed(s, put, deep=False)
        change_expressions(s, change)
        if isinstance(s, Assign):
            s.name = names.get(s.name, s.name)
        elif isinstance(s, (Alloc, Product)):
            s.array = names.get(s.array, s.array)
    program.arrays = {names.get(key, key): dims for key, dims in program.arrays.items()}
    program.dtypes = {names.get(key, key): dtype for key, dtype in program.dtypes.items()}
    state.named = {names.get(key, key) for key in state.named}


def _rebound(state: State, key: str, value: Value) -> None:
    if isinstance(value, Number):
        if value.sort == "int":
            raise NotLowered(
                f"the integer `{key}`, which is given and bound again", unbound=frozenset((key,))
            )
        state.mutable.add(key)
        state.sorts.setdefault(key, value.sort)
