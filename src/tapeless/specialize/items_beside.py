"""What a loop goes through beside a generator, item by item, where it is written in the generator's steps.

    for i, v in enumerate(g(x)): ...       i = count; count = count + 1         in each step
    for a, v in zip(x, g(y)): ...          a = x[count]; count = count + 1      in each step
                                           if count >= len(x): break            before the next one

`zip` asks what stands before the generator first, and ends before the generator goes on; what stands behind
it is asked when the generator has yielded.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import gast

from tapeless.externals import is_one_of
from tapeless.kinds import Array, Inert, List, Sequence, Tuple
from tapeless.specialize.state import Specializer
from tapeless.tree.build import assign, call, const, name, quote, quote_expression, unshared
from tapeless.tree.classes import ATOMS
from tapeless.tree.names import binds_in_block, reads
from tapeless.tree.trees import Expr, Stmt


@dataclass
class Beside:
    """What is bound in each step of a generator.

    Attributes
    ----------
    item
        The target for what the generator yields.
    number
        The target for the number of the step, or None.
    start
        The first of these numbers.
    asked_first, asked_then
        The sequences that are gone through with it, each with its target: those asked before the generator
        and those asked after it.
    kept
        Statements that keep what the loop binds anew, as `zip` does.
    count
        The name of the number of the next step; not read where nothing is beside the generator.
    fresh
        What gives names that are free.
    """

    item: Expr
    count: str
    fresh: Callable[[str], str]
    number: Expr | None = None
    start: Expr = field(default_factory=lambda: const(0))
    asked_first: list[tuple[Expr, Expr]] = field(default_factory=list)
    asked_then: list[tuple[Expr, Expr]] = field(default_factory=list)
    kept: list[Stmt] = field(default_factory=list)

    @property
    def is_counted(self) -> bool:
        """Whether anything is beside the generator."""
        return self.number is not None or self.may_end_first

    @property
    def may_end_first(self) -> bool:
        """Whether something beside the generator may come to its end before it."""
        return bool(self.asked_first or self.asked_then)

    def around(self, statements: list[Any]) -> list[Stmt]:
        """Write the steps with what comes before the first one."""
        if not self.is_counted:
            return statements
        body = statements
        for sequence, _ in self.asked_first:
            body = [gast.If(self._goes_on(sequence), body, [])]
        return [*self.kept, assign(self.count, unshared(self.start)), *body]

    def bound(self, item: Expr, leaving: list[Any]) -> list[Stmt]:
        """Write what is bound when the generator has yielded an item, unless `zip` ends there."""
        made: list[Any] = []
        if self.asked_then and type(item) is not gast.Name:
            yielded = self.fresh("v")
            made.append(assign(yielded, item))
            item = name(yielded)
        for sequence, _ in self.asked_then:
            ended = quote_expression("n >= m", n=self.count, m=_length(sequence))
            made.append(gast.If(ended, [unshared(s) for s in leaving], []))
        made.append(gast.Assign([unshared(self.item)], item, None))
        if self.number is not None:
            made.append(gast.Assign([unshared(self.number)], name(self.count), None))
        for sequence, place in (*self.asked_first, *self.asked_then):
            made += self._bound_to(sequence, place)
        return [*made, *(quote("n = n + 1", n=self.count) if self.is_counted else [])]

    def goes_on(self, leaving: list[Any]) -> list[Stmt]:
        """Write what comes before the generator goes on."""
        made = []
        for sequence, _ in self.asked_first:
            ended = quote_expression("n >= m", n=self.count, m=_length(sequence))
            made.append(gast.If(ended, [unshared(s) for s in leaving], []))
        return made

    def _goes_on(self, sequence: Expr) -> Any:
        return quote_expression("n < m", n=self.count, m=_length(sequence))

    def _bound_to(self, sequence: Any, place: Expr) -> list[Any]:
        """Write that a target is bound to the next item of a sequence."""
        if type(sequence) is gast.Call:
            return [gast.Assign([unshared(place)], name(self.count), None)]
        item = quote_expression("x[n]", x=unshared(sequence), n=self.count)
        if type(place) is gast.Name:
            return [gast.Assign([unshared(place)], item, None)]
        key = self.fresh("v")
        return [assign(key, item), gast.Assign([unshared(place)], name(key), None)]


def _length(sequence: Any) -> Any:
    """Write how many items a sequence has, a list that grows too; of `range(n)` there are `n`."""
    return (
        unshared(sequence.args[0])
        if type(sequence) is gast.Call
        else call("len", unshared(sequence))
    )


def items_beside(specializer: Specializer, loop: Any, key: str) -> Beside | None:
    """Tell what a loop goes through beside what a name stands for; None where it is not known how.

    Parameters
    ----------
    loop
        A `for` loop, over the name itself or over `enumerate` or `zip` of it.
    key
        The name of what a generator gives.
    """
    header, fresh = loop.iter, specializer.names.fresh
    if getattr(header, "id", None) == key:
        return Beside(loop.target, "", fresh)
    places = loop.target.elts if type(loop.target) is gast.Tuple else []
    function = specializer.function.resolve(header.func) if type(header) is gast.Call else None
    if function is None or not places or any(type(part) is gast.Starred for part in header.args):
        return None
    if is_one_of(function, (enumerate,)) and len(places) == 2:
        starts = [*header.args[1:], *(k.value for k in header.keywords if k.arg == "start")]
        if getattr(header.args[0], "id", None) != key or len(starts) > 1:
            return None
        return Beside(places[1], fresh("count"), fresh, places[0], *starts)
    strict = any(getattr(k.value, "value", True) is not False for k in header.keywords)
    if not is_one_of(function, (zip,)) or strict or loop.orelse:
        return None
    at = next((i for i, arg in enumerate(header.args) if getattr(arg, "id", None) == key), None)
    others = [arg for i, arg in enumerate(header.args) if i != at]
    known = all(_is_asked_by_place(specializer, arg, loop) for arg in others)
    if at is None or not known or len(places) != len(header.args):
        return None
    made = Beside(places[at], fresh("count"), fresh)
    pairs = [
        (made.item if i == at else _kept(made, arg, loop), place)
        for i, (arg, place) in enumerate(zip(header.args, places, strict=True))
    ]
    made.asked_first, made.asked_then = pairs[:at], pairs[at + 1 :]
    return made


def _kept(beside: Beside, tree: Any, loop: Any) -> Any:
    """Return what `zip` is given as it stays, whatever the loop binds anew."""
    if type(tree) is gast.Call:
        [count] = tree.args
        return gast.Call(tree.func, [_kept(beside, count, loop)], [])
    if type(tree) in ATOMS and binds_in_block([loop]).isdisjoint(reads(tree)):
        return tree
    key = beside.fresh("v")
    beside.kept.append(assign(key, unshared(tree)))
    return name(key)


def _is_asked_by_place(specializer: Specializer, tree: Any, loop: Any) -> bool:
    """Whether the items of something are found by their places, or are these places themselves."""
    before = specializer.after[: specializer.after.index(loop)]
    if not binds_in_block(before).isdisjoint(reads(tree)):
        return False
    if type(tree) is gast.Call:
        function = specializer.function.resolve(tree.func)
        return is_one_of(function, (range,)) and len(tree.args) == 1
    kind = specializer.kind(tree)
    is_text = isinstance(kind, Inert) and isinstance(kind.value, str)
    return is_text or isinstance(kind, (List, Tuple, Sequence, Array))
