"""What is known of the statements that a derivative is written from.

The facts of a function are of the statements that the analysis met. A writer makes others that stand for
one of them, or lead up to it: the read of a Variable, the item of a starred argument, a store for an
augmented assignment. What is known of those it says itself, here; the facts stay what they are.
"""

from __future__ import annotations

from dataclasses import replace

from tapeless.analysis.abstract import Heap, Value
from tapeless.analysis.calls import Called
from tapeless.analysis.facts import Bindings, Callee, Facts, Met
from tapeless.kinds import Region
from tapeless.tree.trees import Expr, Stmt


class Known:
    """What one writer knows of statements: those of the function, and its own.

    Attributes
    ----------
    before, met, results, callees, calls, reading, heap, varied
        As of `Facts`.
    facts
        The same as facts, which grow as the writer learns.
    """

    def __init__(self, facts: Facts) -> None:
        self.met: list[Met] = list(facts.met)
        self.before: dict[Stmt, Bindings] = dict(facts.before)
        self.results: dict[Stmt, Value] = dict(facts.results)
        self.callees: dict[Stmt, Callee] = dict(facts.callees)
        self.calls: dict[Expr, Called] = dict(facts.calls)
        self.reading: set[Stmt] = set(facts.reading)
        self.heap: Heap = {region: dict(slots) for region, slots in facts.heap.items()}
        self.varied: set[Region] = set(facts.varied)
        self.facts = replace(
            facts,
            before=self.before,
            met=self.met,
            results=self.results,
            callees=self.callees,
            heap=self.heap,
            varied=self.varied,
        )

    def learn(self, made: Stmt, env: Bindings, value: Value) -> None:
        """Know what the names are before a statement that was made, and what it evaluates to."""
        self.before[made] = dict(env)
        self.met += env.items()
        self.results[made] = value

    def learn_name(self, s: Stmt, key: str, value: Value) -> None:
        """Know what a name that was made is before a statement."""
        self.before[s] = {**self.before.get(s, {}), key: value}
        self.met.append((key, value))

    def learn_as(self, made: Stmt, statement: Stmt, env: Bindings | None = None) -> None:
        """Know of a statement that stands for another what is known of that; with other names, perhaps."""
        if statement in self.before:
            self.before[made] = self.before[statement] if env is None else env
            self.met += () if env is None else env.items()
        if statement in self.results:
            self.results[made] = self.results[statement]
        if statement in self.callees:
            self.callees[made] = self.callees[statement]
        if statement in self.reading:
            self.reading.add(made)
