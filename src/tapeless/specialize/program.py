"""What every name may be, may share memory with, and whether it varies, at every statement.

One abstract interpretation of a core-language function finds all of it: it runs the statements on
kinds instead of values until nothing changes. Regions say where a mutable value can have been made;
a store marks the regions of what is stored into. A call of a user's function is interpreted through
a summary of that function for the kinds at hand, in which the caller's regions are named by the
parameters they come in by; so stores and aliases are seen across calls, and recursion ends.
"""

from __future__ import annotations

from collections.abc import Hashable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn

from tapeless.analysis.abstract import NOTHING, Heap, Slots, Value
from tapeless.analysis.cancelling_shifts import statements_that_cancel
from tapeless.analysis.facts import MOST_ROUNDS, Callee, Facts, call_key, frozen
from tapeless.analysis.interpret.run import Interpretation
from tapeless.analysis.interpret.written_out import told_by_caller
from tapeless.analysis.program import Program
from tapeless.analysis.settled import settled
from tapeless.errors import TapelessError
from tapeless.joins import is_tuple, join
from tapeless.kinds import NOWHERE, Regions, Sequence, Tuple
from tapeless.regions import is_outside
from tapeless.source.trace import passed_within
from tapeless.specialize.names_apart import with_names_apart
from tapeless.specialize.never_returning import with_calls_that_raise
from tapeless.specialize.records_as_tuples import with_records_as_tuples
from tapeless.specialize.run import looks_up_by_name, spelled_out, with_loops_written_out
from tapeless.specialize.unpacked_results import with_results_unpacked
from tapeless.specialize.vectors_as_floats import with_vectors_as_floats
from tapeless.tree.function import CoreFunction
from tapeless.tree.trees import Stmt

MOST_MADE = 300
MOST_CALLS = 30  # of one function, each inside the other and each with arguments of other kinds


@dataclass
class AnalysedProgram(Program):
    """A program that is analysed by abstract interpretation, a summary for each call.

    Attributes
    ----------
    found
        The facts of each function for what is known of its parameters.
    running, recursive
        The summaries that are being made, and those that were asked for meanwhile.
    earlier
        What was found with an incomplete view of a recursive function, from which the next round goes on.
    spelled
        The functions as they are written once the kinds are known.
    callees
        The calls in the facts of each, which are bound to the summaries found in the end.
    refused
        Why a function is refused as it stands.
    rests
        What must stay as it is in a function whose loops were written out, and why it is refused if not.
    """

    found: dict[Hashable, Facts] = field(default_factory=dict)
    running: dict[Hashable, None] = field(default_factory=dict)  # the outermost first
    recursive: set[Hashable] = field(default_factory=set)
    earlier: dict[Hashable, Facts] = field(default_factory=dict)
    spelled: dict[Hashable, CoreFunction] = field(default_factory=dict)
    callees: dict[Hashable, dict[Stmt, Callee]] = field(default_factory=dict)
    refused: dict[Hashable, TapelessError] = field(default_factory=dict)
    rests: dict[CoreFunction, tuple[Regions, TapelessError]] = field(default_factory=dict)

    def analyse(self, function: CoreFunction, values: tuple[Value, ...], heap: Heap) -> Facts:
        """Interpret a function for what is known of its parameters.

        A recursive call sees what was found so far; the outermost call repeats until that no
        longer changes. Calls inside of it go on from what they found in the round before: facts only
        grow, and to find them anew each time costs a power of the depth.
        """
        key = call_key(function, values, heap)
        if key in self.spelled:
            return self.analyse(self.spelled[key], values, heap)
        if key in self.running:
            self.recursive.add(key)
            return self.found[key]
        if key in self.found:
            return self.found[key]
        body = function.tree.body  # the same, whatever the local functions that it is given capture
        if sum(running[0].tree.body is body for running in self.running) > MOST_CALLS:  # type: ignore[index]
            self.refuse_growing(function)
        start = Facts({}, {}, {}, heap, frozenset(), NOTHING, function=function)
        self.found[key] = self.earlier.pop(key, start)
        known = set(self.found)
        for _ in range(MOST_ROUNDS):
            before = self.found[key]
            self.earlier |= self.forget_since(known)
            facts = self.interpret_once(key, function, values, heap, known)
            if key not in self.recursive:
                break
            self.refuse_endless(function, heap, facts.heap)
            if _seen_by_callers(before) == _seen_by_callers(facts):
                break
        else:
            self.refuse_growing(function)
        if not self.running:
            self.earlier.clear()
        by_name = self.with_names_told(function, self.found[key], heap)
        if by_name is not None:
            with suppress(TapelessError):  # then it stands as it is
                facts = self.analyse(by_name, values, heap)
                self.spelled[key] = by_name
                self.refused.pop(key, None)
                return facts
        try:
            spelled = self.written_anew(key, function, heap)
        except TapelessError:  # what is refused may be asked for again
            self.forget_since(known - {key})
            raise
        if spelled is not None:
            passed_within("specialize", spelled.tree, "core")
            self.spelled[key] = spelled
            return self.analyse(spelled, values, heap)
        if key in self.recursive:
            self.settle(known - {key})
        return self.found[key]

    def interpret_once(
        self, key: Hashable, function: CoreFunction, values: tuple[Value, ...], heap: Heap,
        known: set[Hashable],
    ) -> Facts:  # fmt: skip
        """Interpret a function, and keep what is found; what is not `known` is forgotten if it is refused."""
        self.running[key] = None
        interpretation = Interpretation(function, self)
        try:
            facts = interpretation.run(values, heap)
        except BaseException:  # what is refused may be asked for again: nothing is known of it
            self.forget_since(known - {key})
            self.earlier.clear()
            raise
        finally:
            self.running.pop(key, None)
        self.found[key], self.callees[key] = facts, interpretation.callees
        self.refused.pop(key, None)
        if interpretation.refused:
            self.refused[key] = next(iter(interpretation.refused.values()))
        return facts

    def written_anew(
        self, key: Hashable, function: CoreFunction, heap: Heap
    ) -> CoreFunction | None:
        """Write a function by what was found of it; None where it stays as it is.

        One that is refused as it stands may be another once its loops are written out. That rests on what
        they go through, which must not change in what is found of the function in the end.
        """
        facts, (rests, error) = self.found[key], self.rests.get(function, (NOWHERE, None))
        refused = self.refused.pop(key, None)
        if refused is None:
            spelled = self.rewritten(function, facts)
        else:
            spelled, found = with_loops_written_out(function, at_entry(facts, heap), self)
            rests, error = rests | found, refused
        changed = frozenset(facts.stored - facts.stored_at_keys).union(*facts.unseen.values())
        if error is not None and spelled is None and (refused is not None or rests & changed):
            raise error
        if error is not None and spelled is not None:
            self.rests[spelled] = rests, error
        return spelled

    def with_names_told(
        self, function: CoreFunction, facts: Facts, heap: Heap
    ) -> CoreFunction | None:
        """Write out the loops of a function that sets or gets attributes by names that are not known.

        While they are not known such a call may change anything of its object: also the list of names.
        """
        if function in self.rests or not looks_up_by_name(function):
            return None
        spelled, rests = with_loops_written_out(function, at_entry(facts, heap), self)
        if spelled is not None:
            changes = "this changes while attributes are named by it"
            self.rests[spelled] = rests, function.error(function.tree, changes, "use a tuple")
        return spelled

    def widened(self, function: CoreFunction, values: list[Value]) -> list[Value]:
        """Take a tuple that a recursion makes longer for one of unknown length: it may grow further."""
        for running in self.running:
            outer: Any = running
            same = outer[0].written_as is function.written_as is not None
            if same and len(outer[1]) == len(values):
                pairs = zip(values, outer[1], strict=True)
                values = [_as_grown(v, w, ("grown", function.name)) for v, w in pairs]
        return values

    def rewritten(self, function: CoreFunction, found: Facts) -> CoreFunction | None:
        """Write a function by what was found of it; None where it stays as it is."""
        spelled = spelled_out(function, found, self) or with_results_unpacked(function, found)
        spelled = spelled or with_records_as_tuples(function)
        spelled = spelled or with_names_apart(function, found)
        spelled = spelled or with_calls_that_raise(function, found)
        spelled = spelled or _without_what_cancels(function, found)
        spelled = spelled or _with_settled_arrays(function, found)
        arrays = self.in_arrays.get(function)
        if spelled is None and self.scalarize and arrays is None:
            spelled, arrays = with_vectors_as_floats(function, found, self), function
        if spelled is not None and arrays is not None:
            self.in_arrays[spelled] = arrays
        return spelled

    @staticmethod
    def refuse_endless(function: CoreFunction, heap: Heap, found: Slots) -> None:
        """Refuse a recursion that makes more containers in every round: there is no end to it."""
        if len(found) > MOST_MADE + 2 * len(heap):
            AnalysedProgram.refuse_growing(function)

    @staticmethod
    def refuse_growing(function: CoreFunction) -> NoReturn:
        """Refuse a recursion of which more is found in every round."""
        raise function.error(
            function.tree,
            f"'{function.name}' calls itself and makes containers without end, as far as its "
            "text tells",
            "write a loop over the containers, or pass arrays",
        )

    def settle(self, known: set[Hashable]) -> None:
        """Let recursive calls see what was found in the end, not an incomplete view of it."""
        for key in [k for k in self.found if k not in known]:
            callees = self.callees.get(key, {})
            for statement, callee in callees.items():
                inner = call_key(callee.function, callee.values, callee.heap)
                if inner in self.found and inner not in self.running:
                    callees[statement] = replace(callee, facts=self.found[inner])

    def forget_since(self, known: set[Hashable]) -> dict[Hashable, Facts]:
        """Forget what was found with an earlier, incomplete view of a recursive function, and return it."""
        return {key: self.found.pop(key) for key in [k for k in self.found if k not in known]}


def at_entry(facts: Facts, heap: Heap) -> Facts:
    """Take what there was before a call for as it was then."""
    told = {region: values for region, values in told_by_caller(heap).items() if values}
    given = {region for region in facts.heap if region in heap or is_outside(region)}
    return replace(
        facts,
        displays={**facts.displays, **told},
        stored=facts.stored - given,
        unseen={s: regions - given for s, regions in facts.unseen.items()},
    )


def _as_grown(value: Value, before: Value, point: Hashable) -> Value:
    """Return what a parameter gets, given what an outer call of the same function got."""
    one, other = value.kind, before.kind
    if not isinstance(one, Tuple) or one.cls is not tuple or not is_tuple(other):
        return value
    items = other.items if isinstance(other, Tuple) else ()
    grown = isinstance(other, Sequence) or len(items) < len(one.items)
    return replace(value, kind=join(other, one, point)) if grown else value


def _without_what_cancels(function: CoreFunction, facts: Facts) -> CoreFunction | None:
    """Hold fixed what has no influence on the result; None where there is no such thing."""
    cancelling = statements_that_cancel(function, facts)
    return replace(function, cancelling=cancelling | function.cancelling) if cancelling else None


def _with_settled_arrays(function: CoreFunction, facts: Facts) -> CoreFunction | None:
    """Tell arrays apart that nobody changes any more; None where there are none."""
    found = settled(function, facts)
    return replace(function, settled=found | function.settled) if found else None


def _seen_by_callers(facts: Facts) -> Hashable:
    """Return what a recursive call sees of what was found so far."""
    growing = facts.stored, facts.varied, facts.by_value, facts.outside
    return (facts.returned, frozen(facts.heap), facts.raises_varied, *map(frozenset, growing))
