"""What the reverse sweep needs of the forward sweep, and where it is kept.

In the reverse sweep the user's names are rewound: at each point they hold what they held at that
point of the forward sweep. A name must be saved where it is about to be overwritten and some earlier
statement's adjoint still reads the old value (the *to be recorded* analysis of Hascoet, Naumann and
Pascual, 2005). In a loop, a name that is local to the body is saved by its value at the end of the
body; a loop-carried one by its old value, just before it is overwritten.

    h = np.tanh(w @ x + u @ h)    ->    saved.append(h); h = np.tanh(w @ x + u @ h)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import gast

from tapeless.differentiate.items import Branch, Item, Loop, Rest, Step, Wrap, forward_sweep
from tapeless.tree.build import assign, name, name_tuple, quote, target
from tapeless.tree.names import Names, binds, reads


@dataclass
class Recorder:
    """Puts saves and restores into the items of a function.

    Attributes
    ----------
    primals
        The names of the forward sweep.
    names
        Gives fresh names for stacks and second versions.
    stacks
        The stacks made, to be emptied at the start of the forward sweep.
    """

    primals: set[str]
    names: Names
    stacks: list[str] = field(default_factory=list)
    unset: list[str] = field(default_factory=list)
    inserting: bool = False
    depth: int = 0

    def record(self, items: list[Item]) -> list[Item]:
        """Insert all saves of a function's body."""
        self.inserting = True
        self.block(items, set())
        return items

    def needed(self, statements: Iterable[Any]) -> set[str]:
        """Collect the primal names that reverse statements read."""
        found: set[str] = set()
        bound: set[str] = set()
        for statement in statements:
            found |= set(reads(statement)) - bound
            if isinstance(statement, gast.AugAssign) and isinstance(statement.target, gast.Name):
                found.add(statement.target.id)
            if isinstance(statement, gast.Assign):
                bound |= binds(statement)
        return found & self.primals

    # Blocks

    def block(self, items: list[Item], live: set[str]) -> set[str]:
        """Walk forward; `live` are names whose value some reverse statement before needs."""
        for item in items:
            live = getattr(self, f"do_{type(item).__name__}")(item, live)
        return live

    def do_Step(self, item: Step, live: set[str]) -> set[str]:
        wanted = self.needed(item.reverse)
        bound = set().union(*(binds(s) for s in item.forward)) if item.forward else set()
        operands = wanted - bound
        live = live | operands
        lost = sorted(live & bound)
        if lost and self.inserting:
            saves, restores = self.save(lost)
            item.forward = [*saves, *item.forward]
            item.reverse = [*item.reverse, *restores]
        return (live - bound) | (wanted & bound)

    def do_Branch(self, item: Branch, live: set[str]) -> set[str]:
        after = self.block(item.body, set(live)) | self.block(item.orelse, set(live))
        if _reversed_anything(item):
            after |= self.needed([gast.Expr(item.reverse_test)])
        after |= self.needed(item.lead) | self.needed([*item.ends[0], *item.ends[1]])
        return after

    def do_Rest(self, item: Rest, live: set[str]) -> set[str]:
        after = live | self.block(item.body, set(live))
        return after | self.needed(item.lead) | self.needed([gast.Expr(item.reverse_test)])

    def do_Wrap(self, item: Wrap, live: set[str]) -> set[str]:
        return self.block(item.body, live)

    # Loops

    def do_Loop(self, item: Loop, live: set[str]) -> set[str]:
        forward = forward_sweep([item])
        bound = binds(forward[-1])
        s = item.statement
        carried = bound & _upward_exposed(
            [*forward_sweep(item.body), *item.forward_end],
            binds(s.target) if isinstance(s, gast.For) else set(),
        )
        targets = item.rebinds
        local = bound - carried - targets
        lost = sorted(live & (local | targets))
        if lost and self.inserting:
            saves, restores = self.save(lost)
            item.before = [*saves, *item.before]
            item.reverse = [*item.reverse, *restores]
        live = live - local - targets
        inserting, self.inserting = self.inserting, False
        self.depth += 1
        head = set(live)
        while True:
            end = self.body(item, set(head))
            grown = head | (end - local - targets)
            if grown == head:
                break
            head = grown
        self.inserting = inserting
        end = self.body(item, set(head))
        kept = sorted(end & local)
        if kept and inserting:
            self.keep(item, kept)
        self.depth -= 1
        after = head | (end - local - targets)
        if item.header is not None:
            after |= self.needed([gast.Expr(item.header.iter)])
        after |= self.needed(item.lead)
        return self.block(item.orelse, after)

    def body(self, item: Loop, live: set[str]) -> set[str]:
        live = live | self.needed(item.end)
        end = self.block(item.body, live)
        return end | self.needed(item.start)

    def keep(self, item: Loop, kept: list[str]) -> None:
        """Save names that are local to a loop's body by their value."""
        kept = self.keep_in_branches(item.body, kept)
        if not kept:
            return
        jumps = _first_jump(item.body)
        if jumps is None:
            self.unset += [n for n in kept if not _surely_binds(forward_sweep(item.body), n)]
            saves, restores = self.save(kept)
            item.forward_end = [*item.forward_end, *saves]
            item.start = [*item.start, *restores]
            return
        early = [n for n in kept if _settled(n, item.body[:jumps], item.body[jumps:])]
        if early:
            saves, restores = self.save(early)
            item.body.insert(jumps, Step(None, saves))
            item.start = [*item.start, *restores]
        for key in kept:
            if key not in early:
                self.push_before_binding(item.body, key)
                self.unset.append(key)

    def keep_in_branches(self, items: list[Item], kept: list[str]) -> list[str]:
        """Save at the end of a branch what is bound and needed there only; give the rest."""
        rest = list(kept)
        for item in items:
            if not isinstance(item, Branch):
                continue
            others = [i for i in items if i is not item]
            for arm, other in ((item.body, item.orelse), (item.orelse, item.body)):
                own = [n for n in rest if not _mentions([*others, *other], n) and _mentions(arm, n)]
                own = [n for n in own if n not in reads(item.test)]
                if own and _first_jump(arm) is None:
                    inner = self.keep_in_branches(arm, own)
                    rest = [n for n in rest if n not in own]
                    if inner:
                        saves, restores = self.save(inner)
                        arm.append(Step(None, saves, restores))
        return rest

    def push_before_binding(self, items: list[Item], key: str) -> None:
        """Save a name by its old value before each statement that binds it."""
        for item in items:
            if isinstance(item, Step):
                if any(key in binds(s) for s in item.forward):
                    saves, restores = self.save([key])
                    item.forward = [*saves, *item.forward]
                    item.reverse = [*item.reverse, *restores]
            elif isinstance(item, Branch):
                self.push_before_binding(item.body, key)
                self.push_before_binding(item.orelse, key)
            else:
                self.push_before_binding(item.body, key)

    # Saves

    def save(self, kept: list[str]) -> tuple[list[Any], list[Any]]:
        """Make the statements that save names and those that restore them."""
        if not self.depth:
            saves, restores = [], []
            for key in kept:
                old = self.names.fresh(key)
                saves.append(assign(old, name(key)))
                restores.append(assign(key, name(old)))
            return saves, restores
        stack = self.names.fresh("saved")
        self.stacks.append(stack)
        if len(kept) == 1:
            push = quote("stack.append(x)", stack=stack, x=kept[0])
            return push, [assign(kept[0], quote("stack.pop()", stack=stack)[0].value)]
        push = quote("stack.append(x)", stack=stack, x=name_tuple(kept))
        pop = gast.Assign(
            [gast.Tuple([target(k) for k in kept], gast.Store())],
            quote("stack.pop()", stack=stack)[0].value,
            None,
        )
        return push, [pop]


def _reversed_anything(item: Branch) -> bool:
    from tapeless.differentiate.items import reverse_sweep

    return bool(reverse_sweep([item]))


def _upward_exposed(statements: list[Any], bound: set[str]) -> set[str]:
    """Names that a body may read before it binds them."""
    exposed: set[str] = set()
    _expose(statements, set(bound), exposed)
    return exposed


def _expose(statements: list[Any], bound: set[str], exposed: set[str]) -> set[str]:
    for s in statements:
        if isinstance(s, gast.If):
            exposed |= set(reads(s.test)) - bound
            yes = _expose(s.body, set(bound), exposed)
            no = _expose(s.orelse, set(bound), exposed)
            bound = (yes if not _jumps_away(s.body) else no | yes) & (
                no if not _jumps_away(s.orelse) else yes | no
            ) | bound
        elif isinstance(s, gast.For | gast.While):
            head = s.iter if isinstance(s, gast.For) else s.test
            exposed |= set(reads(head)) - bound
            inner = set(bound) | (binds(s.target) if isinstance(s, gast.For) else set())
            _expose(s.body, inner, exposed)
            _expose(s.orelse, set(bound), exposed)
        elif isinstance(s, gast.With):
            bound = _expose(s.body, bound, exposed)
        else:
            exposed |= set(reads(s)) - bound
            if isinstance(s, gast.AugAssign) and isinstance(s.target, gast.Name):
                exposed |= {s.target.id} - bound
            bound = bound | binds(s)
    return bound


def _jumps_away(block: list[Any]) -> bool:
    return bool(block) and isinstance(
        block[-1], gast.Break | gast.Continue | gast.Return | gast.Raise
    )


def _first_jump(items: list[Item]) -> int | None:
    for i, item in enumerate(items):
        if any(_jumps_out(s) for s in forward_sweep([item])):
            return i
    return None


def _jumps_out(statement: Any) -> bool:
    if isinstance(statement, gast.Break | gast.Continue | gast.Return):
        return True
    if isinstance(statement, gast.For | gast.While):
        return any(isinstance(part, gast.Return) for part in gast.walk(statement))
    if isinstance(statement, gast.If | gast.With):
        inner = [*statement.body, *getattr(statement, "orelse", [])]
        return any(_jumps_out(part) for part in inner)
    return False


def _mentions(items: list[Item], key: str) -> bool:
    from tapeless.differentiate.items import reverse_sweep

    statements = [*forward_sweep(items), *reverse_sweep(items)]
    return any(key in reads(s) or key in binds(s) for s in statements)


def _surely_binds(statements: list[Any], key: str) -> bool:
    for s in statements:
        if isinstance(s, gast.Assign | gast.AugAssign) and key in binds(s):
            return True
        if isinstance(s, gast.With) and _surely_binds(s.body, key):
            return True
        if isinstance(s, gast.If):
            yes = _surely_binds(s.body, key) or _jumps_away(s.body)
            no = _surely_binds(s.orelse, key) or _jumps_away(s.orelse)
            if yes and no:
                return True
    return False


def _settled(key: str, before: list[Item], after: list[Item]) -> bool:
    """Say whether a name is surely bound before a place and not bound after it."""
    first = forward_sweep(before)
    sure = any(key in binds(s) for s in first if isinstance(s, gast.Assign | gast.AugAssign))
    return sure and not any(key in binds(s) for s in forward_sweep(after))
