"""Where a stack of saved values is made, filled and emptied."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Set
from dataclasses import dataclass, field
from typing import Any

import gast

from tapeless.optimize.drop_unused_state import handed_over
from tapeless.optimize.values import is_stack_call
from tapeless.tree.blocks import all_blocks, bound, is_supported
from tapeless.tree.names import nodes
from tapeless.tree.trees import Expr, Stmt, Tree


@dataclass
class Places:
    """Where a stack is pushed, popped and tested, and how often its name occurs in all."""

    stack: str
    mentions: int
    pushes: list[tuple[list[Any], Any]] = field(default_factory=list)
    pops: list[tuple[list[Any], Any]] = field(default_factory=list)
    bare_pops: list[Any] = field(default_factory=list)
    tests: int = 0

    def all_known(self, handed: int = 0) -> bool:
        """Whether it is made once, and these are all places where it occurs.

        `handed` mentions more are those that hand it from one function to another.
        """
        found = [*self.pushes, *self.pops, *self.bare_pops]
        return self.mentions == 1 + self.tests + len(found) + handed

    def wanted(
        self, live_after: Callable[[Stmt], Set[str]], is_pure: Callable[[Expr], bool]
    ) -> list[bool] | None:
        """Say of each part whether it is read after a `pop`, or does something; None if unlike."""
        pushes, pops = [s for _, s in self.pushes], [s for _, s in self.pops]
        widths = {len(items(s.value.args[0])) for s in pushes}
        widths |= {len(items(s.targets[0])) for s in pops}
        tuples = {type(s.value.args[0]) is gast.Tuple for s in pushes}
        tuples |= {type(s.targets[0]) is gast.Tuple for s in pops}
        if len(widths) != 1 or len(tuples) != 1:
            return None
        [width] = widths
        return [
            any(items(s.targets[0])[i].id in live_after(s) for s in pops)
            or not all(is_pure(items(s.value.args[0])[i]) for s in pushes)
            for i in range(width)
        ]

    def keep(self, wanted: list[bool]) -> None:
        """Push and pop nothing but some of the parts."""
        for _, s in self.pushes:
            s.value.args[0] = _kept_parts(s.value.args[0], wanted, gast.Load())
        for _, s in self.pops:
            s.targets[0] = _kept_parts(s.targets[0], wanted, gast.Store())

    def simple(self, handed: int = 0) -> bool:
        """Whether the stack is made, pushed and popped once and seen nowhere else.

        `handed` mentions more are those that hand it from one function to another.
        """
        if len(self.pushes) != 1 or len(self.pops) != 1 or self.mentions != 3 + handed:
            return False
        pushed, popped = self.pushes[0][1].value.args[0], self.pops[0][1].targets[0]
        alike = (type(pushed) is gast.Tuple) == (type(popped) is gast.Tuple)
        return alike and len(items(pushed)) == len(items(popped))


def places_of(function: Tree) -> dict[str, Places]:
    """Find where each name of a function, or of several in one module, is pushed to and popped."""
    mentions = Counter(p.id for p in nodes(function) if type(p) is gast.Name)
    found = {key: Places(key, count) for key, count in mentions.items()}
    for block in all_blocks(function.body):
        for s in block:
            if isinstance(s, gast.While) and type(s.test) is gast.Name:
                found[s.test.id].tests += 1
            call = getattr(s, "value", None)
            if not isinstance(call, gast.Call) or not is_stack_call(call):
                continue
            places = found[call.func.value.id]
            if isinstance(s, gast.Expr) and call.func.attr == "append":
                places.pushes.append((block, s))
            elif isinstance(s, gast.Expr):
                places.bare_pops.append(s)
            elif isinstance(s, gast.Assign) and len(s.targets) == 1 and call.func.attr == "pop":
                if all(type(p) is gast.Name for p in items(s.targets[0])):
                    places.pops.append((block, s))
    return found


@dataclass
class Handed:
    """The stacks that one half of a split fills and the other empties, and where they are handed over.

    Attributes
    ----------
    unpacking
        The statement by which the reverse sweep takes its state apart.
    states
        The state tuples of the returns of the forward sweep.
    stacks
        Their places in both halves.
    """

    unpacking: Any
    states: list[Any]
    stacks: list[Places]

    @property
    def mentions(self) -> int:
        """How often a stack is mentioned to hand it over."""
        return 1 + len(self.states)


def handed_stacks(forward: gast.FunctionDef, reverse: gast.FunctionDef) -> Handed | None:
    """Find the names that both halves of a split have for one thing; None where that is not known."""
    handed = handed_over(forward, reverse)
    if handed is None or not (is_supported(forward) and is_supported(reverse)):
        return None
    unpacking, states = handed
    found = places_of(gast.Module([*forward.body, *reverse.body], []))
    stacks = [
        found[place.id]
        for i, place in enumerate(unpacking.targets[0].elts)
        if all(getattr(state.elts[i], "id", None) == place.id for state in states)
    ]
    return Handed(unpacking, states, stacks)


def items(tree: Tree) -> list[Any]:
    """List what is pushed or popped at once."""
    return list(tree.elts) if type(tree) is gast.Tuple else [tree]


def makes(s: Stmt, stack: str) -> bool:
    """Whether a statement binds a stack, or a counter, and nothing else."""
    return type(s) is gast.Assign and bound(s) == {stack}


def index(block: list[Any], statement: Stmt) -> int:
    """Return the position of a statement in its block."""
    return next(i for i, s in enumerate(block) if s is statement)


def starts_empty(s: Stmt) -> bool:
    """Whether a binding starts an empty stack, or a counter at 0."""
    if type(s.value) is gast.List:
        return not s.value.elts
    return type(s.value) is gast.Constant and s.value.value == 0


def _kept_parts(tree: Tree, wanted: list[bool], ctx: Any) -> Any:
    parts = [p for p, keep in zip(items(tree), wanted, strict=True) if keep]
    return parts[0] if len(parts) == 1 else gast.Tuple(parts, ctx)
