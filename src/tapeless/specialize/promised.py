"""What is known of the parameters where no arguments are given: what is promised, and what follows from it.

Annotations promise kinds. Of the others it is known that they are numbers or arrays; and of a gradient, that
the function returns a scalar, which tells many of their ranks. So a text for nothing but names reads as one
for numbers and vectors where it can only be called with these.
"""

from __future__ import annotations

import gast

from tapeless.analysis.abstract import Heap, Value, annotation_kind
from tapeless.analysis.calls import RuleCall
from tapeless.analysis.derivation import Request
from tapeless.analysis.facts import Facts, facts_within
from tapeless.analysis.needed_ranks import Parts, Rank
from tapeless.analysis.scalar_results import ranks_needed
from tapeless.kinds import (
    UNKNOWN,
    Array,
    Integer,
    Kind,
    Number,
    Real,
    Regions,
    Size,
    differentiable,
    moving,
)
from tapeless.rules.traits import traits_of
from tapeless.source.printer import unparse
from tapeless.specialize.program import AnalysedProgram
from tapeless.tree.function import CoreFunction


def annotated_kinds(function: CoreFunction, heap: Heap, independent: list[bool]) -> list[Kind]:
    """Read the kinds that a function's annotations promise, filling the heap."""
    a = function.tree.args
    by_name = {p.id: p.annotation for p in [*a.posonlyargs, *a.args, *a.kwonlyargs]}
    kinds: list[Kind] = []
    for i, key in enumerate(function.parameters):
        tree = by_name.get(key)
        if tree is None:
            kinds.append(Number(frozenset([("argument", i)])))
            continue
        text = tree.value if type(tree) is gast.Constant else unparse(tree)
        kind = annotation_kind(str(text), ("argument", i), heap, independent[i])
        kinds.append(Number(frozenset([("argument", i)])) if kind == UNKNOWN else kind)
    return kinds


def values_of(core: CoreFunction, kinds: list[Kind], request: Request) -> tuple[Value, ...]:
    """Return what is known of the parameters: their kinds, and which of them vary."""
    pairs = zip(kinds, core.parameters, strict=True)
    return tuple(Value(moving(k), p in request.wrt and differentiable(k)) for k, p in pairs)


def kinds_for_scalar(
    program: AnalysedProgram, core: CoreFunction, kinds: list[Kind], heap: Heap, request: Request
) -> list[Kind]:
    """Add to what annotations promise what follows from the result being a scalar.

    A scalar may be an array of rank 0, which an assignment such as `x += 1` changes: where that can be told
    from the outside all stays open.
    """
    result = Parts((Rank(0), None)) if request.has_aux else Rank(0)
    while any(isinstance(kind, Number) for kind in kinds):
        values = values_of(core, kinds, request)
        facts = program.analyse(core, values, heap)
        if any(map(may_change_scalars, facts_within(facts))):
            break
        needed = ranks_needed(facts, result)
        known = list(kinds)
        for i, (key, kind) in enumerate(zip(core.parameters, kinds, strict=True)):
            wanted = needed.get(key)
            if isinstance(kind, Number) and isinstance(wanted, Rank):
                counts = wanted.counts and key not in request.wrt
                known[i] = Integer() if counts else kind_of_rank(wanted.number, kind.regions, i)
        if known == kinds:
            break
        kinds = known
    return kinds


def may_change_scalars(facts: Facts) -> bool:
    """Whether what may be a scalar is changed in place, or copied by a method, which arrays have."""
    if any(isinstance(v.kind, Number) and facts.is_stored(v.kind) for _, v in facts.met):
        return True
    methods = [c.rule for c in facts.calls.values() if isinstance(c, RuleCall) and c.is_method]
    return any(rule is not None and traits_of(rule.primal).recasts for rule in methods)


def kind_of_rank(number: int, regions: Regions, position: int) -> Kind:
    """Return the kind of an argument, a number or array, of which the rank is all that is known."""
    dims = tuple(Size((("argument", position), axis)) for axis in range(number))
    return Array(dims, "?", regions) if dims else Real("?")
