"""Which short vectors can be numbers side by side, and which of these gain by it.

A name is a *candidate* if it is an array of rank 1 of 2 to `MOST_ENTRIES` doubles wherever it is bound,
always of the same length, and nothing is stored into memory that it may live in: then it is a value, and
who else sees its memory does not matter. What is computed entry by entry is the same to the last bit
whether NumPy does it or Python, for both follow IEEE 754 in `+`, `-` and `*`. A candidate is bound and
read either *by entries* (`y = a + b`, `y[0]`, `np.sum(y)`) or *whole* (`return y`, `np.sin(y)`); for what
is whole it must be taken apart before, or put together again. Candidates that are bound and read by one
another by entries are one group, which gains or does not gain.

That an argument has three entries in one call says little: the text may be meant for any number. So each
group must have a name whose length the text itself fixes, by a display (`np.array([a, b])`), by unpacking it,
or by naming all its entries (`y[0]`, `y[1:3]`).
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass, field
from typing import Any

import gast

from tapeless.analysis.facts import Facts
from tapeless.kinds import Array, Kind, count_of
from tapeless.sizes import MOST_ENTRIES
from tapeless.specialize.entry_forms import Form, FormOf, head_of
from tapeless.tree.classes import LOOPS
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import binds, captured_names, nodes, reads
from tapeless.tree.trees import Stmt

# in units of an operation on a short array, or thereabouts
OPERATION = 1.0
READ = 0.2
TAKE_APART = 0.3
PUT_TOGETHER = 0.9
LOOP = 8.0  # how much more often what is in a loop runs

_READS = ("copy", "items", "item", "floats", "number")


@dataclass
class Uses:
    """How a name is bound and read.

    Attributes
    ----------
    gain
        What it gains to be numbers side by side, less what it costs.
    apart
        How often it is bound whole.
    bound
        How often it is bound.
    whole
        How often it is read whole, each weighted by the loops around it.
    named
        The entries that the text names.
    with_
        The names that it shares a statement with that goes by entries.
    """

    gain: float = 0.0
    apart: int = 0
    bound: int = 0
    whole: float = 0.0
    named: set[int] = field(default_factory=set)
    with_: set[str] = field(default_factory=set)


def length_of(kind: Kind) -> int | None:
    """Return how many entries a short vector of doubles has; None for anything else."""
    if not isinstance(kind, Array) or kind.dtype != "f8" or len(kind.dims) != 1:
        return None
    count = count_of(kind.dims[0])
    known = count is not None and 1 < count.number <= MOST_ENTRIES
    return count.number if count is not None and known else None


def candidates(function: CoreFunction, facts: Facts) -> dict[str, int]:
    """Return the lengths of the names that are short vectors wherever they are bound."""
    kinds: dict[str, list[Kind]] = {}
    first = facts.before.get(function.tree.body[0], {})
    for key in function.parameters:
        if key in first:
            kinds[key] = [first[key].kind]
    others: set[str] = captured_names(function.tree)
    for s in statements_in(function.tree.body):
        if type(s) is gast.Assign and type(s.targets[0]) is gast.Name:
            if s in facts.results:
                kinds.setdefault(s.targets[0].id, []).append(facts.results[s].kind)
        elif type(s) is gast.For and type(s.target) is gast.Name and s.body[0] in facts.before:
            kind = facts.before[s.body[0]][s.target.id].kind
            kinds.setdefault(s.target.id, []).append(kind)
        elif type(s) not in LOOPS and type(s) not in (gast.If, gast.With, gast.Try):
            others |= binds(s)
        else:
            others |= _bound_by_head(s)
    found: dict[str, int] = {}
    for key, those in kinds.items():
        lengths = {length_of(kind) for kind in those}
        if key in others or len(lengths) != 1 or any(map(facts.is_stored, those)):
            continue
        length = lengths.pop()
        if length is not None:
            found[key] = length
    return found


def _bound_by_head(s: Stmt) -> set[str]:
    if type(s) is gast.For:
        return binds(s.target)
    if type(s) is gast.With:
        return set().union(*(binds(item) for item in s.items))
    if type(s) is gast.Try:
        return {h.name.id for h in s.handlers if h.name is not None}
    return set()


def statements_in(block: Iterable[Stmt]) -> Iterable[Any]:
    """List statements with those inside them, but for nested functions."""
    for s in block:
        yield from (part for part in nodes(s, nested=False) if isinstance(part, gast.stmt))


def chosen(
    function: CoreFunction, lengths: dict[str, int], form_of: FormOf, free: Container[str]
) -> set[str]:
    """Choose the candidates that gain by being numbers side by side.

    Parameters
    ----------
    function, lengths
        The function, and its candidates.
    form_of
        How a statement goes by entries if names are vectors of these lengths; None for one that does not.
    free
        The numbers that may be Python's: what is read into others is made NumPy's again.
    """
    names = set(lengths)
    asked = [s for s in statements_in(function.tree.body) if type(s) is gast.While]
    while names:
        for s in asked:  # again after each trip
            if form_of(s, _those_of(lengths, names)) is None:
                names -= set(reads(s.test))
        uses = _uses(function, _those_of(lengths, names), form_of, free)
        kept: set[str] = set()
        for group in _groups(uses):
            fixed = any(len(uses[key].named) == lengths[key] for key in group)
            if fixed and sum(_balance(uses[key]) for key in sorted(group)) > 0:
                kept |= group
        if kept == names:
            break
        names = kept
    return names


def _those_of(lengths: dict[str, int], names: set[str]) -> dict[str, int]:
    return {key: count for key, count in lengths.items() if key in names}


def _balance(uses: Uses) -> float:
    """Return what a name gains; what is bound whole once is there as an array, too."""
    kept_whole = uses.apart == uses.bound == 1
    return uses.gain - (0.0 if kept_whole else PUT_TOGETHER * uses.whole)


@dataclass
class _Count:
    """Counts how names are bound and read.

    Attributes
    ----------
    lengths
        The names, and how many entries they have.
    form_of
        How a statement goes by entries.
    free
        The numbers that may be Python's.
    uses
        What was found.
    """

    lengths: dict[str, int]
    form_of: FormOf
    free: Container[str]
    uses: dict[str, Uses]

    def block(self, statements: list[Any], weight: float) -> None:
        """Count statements that run so many times, with those inside them."""
        for s in statements:
            if type(s) is not gast.FunctionDef:
                self.statement(s, weight)
            inner = weight * LOOP if type(s) in LOOPS else weight
            for key in ("body", "orelse", "finalbody"):
                self.block(getattr(s, key, None) or [], inner if key == "body" else weight)
            for handler in getattr(s, "handlers", None) or []:
                self.block(handler.body, weight)

    def statement(self, s: Any, weight: float) -> None:
        """Count one statement, without the blocks in it."""
        uses = self.uses
        here = [part for part in head_of(s) if type(part) is gast.Name and part.id in uses]
        if not here:
            return
        bound = [part.id for part in here if type(part.ctx) is gast.Store]
        read = [part.id for part in here if type(part.ctx) is not gast.Store]
        for key in bound:
            uses[key].bound += 1
        form = self.form_of(s, self.lengths)
        if form is not None:
            together = {part.id for part in here}
            for key in together:
                uses[key].with_ |= together
                uses[key].named |= set(form.named.get(key, ()))
            if form.what == "display":
                uses[bound[0]].named |= set(range(self.lengths[bound[0]]))
            uses[here[0].id].gain += self.gain(s, form) * weight
            return
        for key in bound:
            uses[key].apart += 1
            uses[key].gain -= TAKE_APART * weight
        for key in read:
            uses[key].whole += weight

    def gain(self, s: Any, form: Form) -> float:
        """Return what is gained by going by entries; what must be NumPy's is made that again."""
        if form.what == "item" and getattr(s.targets[0], "id", "") not in self.free:
            return -READ
        return READ if form.what in _READS else OPERATION


def _uses(
    function: CoreFunction, lengths: dict[str, int], form_of: FormOf, free: Container[str]
) -> dict[str, Uses]:
    uses = {key: Uses() for key in lengths}
    for key in lengths.keys() & set(function.parameters):
        uses[key].apart, uses[key].bound = 1, 1
        uses[key].gain -= TAKE_APART
    _Count(lengths, form_of, free, uses).block(function.tree.body, 1.0)
    return uses


def _groups(uses: dict[str, Uses]) -> list[set[str]]:
    """Return the sets of names that are bound to each other by statements."""
    seen: set[str] = set()
    found = []
    for first in uses:
        group, todo = set(), [] if first in seen else [first]
        while todo:
            key = todo.pop()
            if key not in group:
                group.add(key)
                todo += uses[key].with_
        seen |= group
        if group:
            found.append(group)
    return found
