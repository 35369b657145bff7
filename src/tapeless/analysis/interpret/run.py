"""The interpreter of one function: the run until nothing changes.

Which function of the state stands for a statement or an expression is looked up here.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import compress
from operator import is_not
from types import MappingProxyType
from typing import Any

from tapeless.analysis.abstract import NOTHING, Heap, Value, join_values, variable_region
from tapeless.analysis.calls import Called
from tapeless.analysis.facts import (
    MOST_ROUNDS,
    Environment,
    Facts,
    Met,
    binds_nothing,
    regions_together,
    stored_together,
    values_met,
)
from tapeless.analysis.interpret.cached import refuse_stores_into_kept
from tapeless.analysis.interpret.call_sites import CallSite
from tapeless.analysis.interpret.calls import call_method
from tapeless.analysis.interpret.closures import sealed
from tapeless.analysis.interpret.construction import still_uninitialized
from tapeless.analysis.interpret.expressions import EXPRESSIONS
from tapeless.analysis.interpret.resolution import entered, meaning_of
from tapeless.analysis.interpret.state import Interpreter
from tapeless.analysis.interpret.statements import STATEMENTS
from tapeless.analysis.interpret.stopping import refuse_stores_into_stopped
from tapeless.analysis.interpret.summaries import NeverReturnsError
from tapeless.analysis.interpret.variables import is_mixture
from tapeless.analysis.interpret.written_out import told_by_caller, without_what_is_told
from tapeless.errors import InternalError, TapelessError
from tapeless.kinds import UNKNOWN, Memory, Region, differentiable, regions_of
from tapeless.regions import is_outside
from tapeless.tree.classes import COMPOUND
from tapeless.tree.names import binds_in_block, nodes, reads
from tapeless.tree.trees import Expr, Tree


class Interpretation(Interpreter):
    """One run of a function on kinds."""

    def run(self, values: tuple[Value, ...], heap: Heap) -> Facts:
        """Interpret the body until nothing changes; return the facts."""
        self.heap = without_what_is_told(heap)
        self.displays |= told_by_caller(heap)
        self.given = set(self.heap)
        for value in [*values, *(v for slots in heap.values() for v in slots.values())]:
            if value.varied:
                self.varied |= regions_of(value.kind)
            if isinstance(value.kind, Memory):
                self.varied |= value.kind.varied
        asked = {variable_region(v) for v in self.program.wrt_variables}
        self.varied |= asked
        self.settle(values)
        named = list(values_met(self.before))
        met = self.met_regions(named)
        self.varied -= asked - met
        self.heap = {
            region: {slot: sealed(self, value) for slot, value in slots.items()}
            for region, slots in self.heap.items()
        }
        return self.facts(named, met)

    def settle(self, values: tuple[Value, ...]) -> None:
        """Interpret the body again until nothing changes."""
        names = self.function.parameters
        for _ in range(MOST_ROUNDS):
            state = self.state()
            self.uninitialized = names[0] if self.function.initializes else None
            environment = {**self.itself(), **dict(zip(names, values, strict=True))}
            self.block(self.function.tree.body, environment)
            if state == self.state():
                return
        name = self.function.name
        reason = f"what '{name}' makes grows with every trip of its loops, as far as its text tells"
        raise self.function.error(self.function.tree, reason, "write it with arrays")

    def facts(self, named: list[Met], met: set[Region]) -> Facts:
        """Return what was found, which changes no more."""
        together = regions_together(named, self.results, self.heap, self.callees)
        return Facts(
            before=MappingProxyType(self.before),
            results=MappingProxyType(self.results),
            callees=MappingProxyType(self.callees),
            calls=MappingProxyType(dict(self.calls())),
            heap=MappingProxyType(
                {region: MappingProxyType(slots) for region, slots in self.heap.items()}
            ),
            stored=stored_together(self.stored, together),
            stored_at_keys=frozenset(self.stored)
            - stored_together(self.stored.otherwise, together).union(*self.unseen.values()),
            returned=self.returned,
            varied=frozenset(self.varied),
            by_value=frozenset(self.by_value),
            reading=frozenset(self.reading),
            function=self.function,
            raises_varied=self.raises_varied(),
            displays=MappingProxyType(self.unchanged_displays()),
            unseen=MappingProxyType({s: frozenset(r) for s, r in self.unseen.items()}),
            changes_unknown=self.changes_unknown,
            custom_calls=MappingProxyType(self.custom_calls),
            callbacks=MappingProxyType(self.callbacks),
            outside=self.outside(met),
            together=together,
            met=named,
        )

    def calls(self) -> Iterator[tuple[Expr, Called]]:
        """Yield each call with what it means."""
        for tree, (s, found, kind) in self.called.items():
            enters = s in self.callees and getattr(s, "value", None) is tree
            if enters:
                yield tree, entered(tree.func, found, kind)
            else:
                yield tree, meaning_of(tree, found, kind)

    def block(self, statements: list[Any], env: Environment | None) -> Environment | None:
        """Run statements in order; None is the environment of what is not reached."""
        for statement in statements:
            if env is None:
                break
            self.before[statement] = dict(env)
            for states in self.attempts:
                states.append(env)
            self.statement = statement
            self.callees.pop(statement, None)  # what it called with less known may not be called
            self.custom_calls.pop(statement, None)
            self.callbacks.pop(statement, None)
            self.env = env
            try:
                env = STATEMENTS[type(statement)](self, statement, dict(env))
                self.refused.pop(statement, None)
                env = None if binds_nothing(self.results, statement) else env
            except NeverReturnsError:
                env = None
            except TapelessError as error:
                if not self.may_be_refused_later(statement, error):
                    raise
                self.refused[statement] = error
                env = self.after_refused(statement, self.before[statement])
            self.statement = statement
            self.uninitialized = still_uninitialized(self, statement)
            refuse_stores_into_stopped(self)
            refuse_stores_into_kept(self)
        return env

    def may_be_refused_later(self, statement: Any, error: TapelessError) -> bool:
        """Whether what is refused may be another thing once loops are written out, each item by itself."""
        return (
            self.has_loops
            and type(statement) not in COMPOUND
            and not isinstance(error, InternalError)
        )

    def after_refused(self, statement: Any, env: Environment) -> Environment:
        """Return what names may be after a statement that is refused as it stands.

        It may do anything to what it reads. What was there before the call is taken to stay as it is:
        whoever writes loops out by that looks whether it does, afterwards.
        """
        met = [env[key] for part in nodes(statement) for key in reads(part) if key in env]
        regions = self.held_by([value.kind for value in met])
        self.stored |= {r for r in regions if r not in self.given and not is_outside(r)}
        return {**env, **{key: Value(UNKNOWN, True) for key in binds_in_block([statement])}}

    def merge(self, a: Environment | None, b: Environment | None, at: Any) -> Environment | None:
        """Return what the names may be where two ways meet."""
        if a is None or b is None:
            return b if a is None else a
        point = self.points[at]
        merged = {**a, **b}
        for key in list(compress(merged, map(is_not, map(a.get, merged), map(b.get, merged)))):
            one, other = a.get(key, NOTHING), b.get(key, NOTHING)
            if is_mixture(one.kind, other.kind):
                self.by_value.add(key)
            merged[key] = join_values(one, other, (point, key))
        return merged

    def eval(self, tree: Tree, env: Environment) -> Value:
        """Interpret an expression; one that the core language does not say is unknown."""
        evaluate = EXPRESSIONS.get(type(tree))
        if evaluate is None:
            met = [env[key] for key in reads(tree) if key in env]
            return Value(UNKNOWN, any(map(self.holds_varied, met)))
        found = evaluate(self, tree, env)
        varied = differentiable(found.kind) and self.is_varied(found)
        return found if varied is found.varied else Value(found.kind, varied)

    def call_method(self, owner: Value, site: CallSite) -> Value:
        """Interpret a call of a method of a value, which the site spells out."""
        return call_method(self, owner, site)
