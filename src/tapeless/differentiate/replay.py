"""The calls that make an observed derivative of a derivative.

    y = np.sin(x)             seen = journal.before(7, locals())
                              y = np.sin(x)
                              journal.after(seen, locals())

    x_bar = y_bar * np.cos(x)     seen = journal.mirror(7, locals())
                                  journal.step(seen, 0, locals())
                                  x_bar = y_bar * np.cos(x)
                                  journal.mirrored(seen, locals())

They are put around the items of a function once everything is recorded, and change nothing of it. What
the mirror of a statement reads is known from its text: what the statement binds must hold what it held
after the statement, all else what it held before.
"""

from __future__ import annotations

import types
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import gast
import numpy as np

from tapeless.differentiate.reverse.mirrored import (
    Branch,
    Compound,
    Continuation,
    Loop,
    Mirrored,
    MirroredTry,
    Step,
    is_idle,
    reverse_sweep,
)
from tapeless.differentiate.reverse.record import is_passed_by
from tapeless.differentiate.reverse.state import Sweep
from tapeless.errors import caret_location
from tapeless.externals import resolve
from tapeless.journal import Journal, Reading, Site
from tapeless.rules.traits import traits_of
from tapeless.runtime import set_slot
from tapeless.tree.blocks import is_whole
from tapeless.tree.build import assign, const, filled, name, quote_expression
from tapeless.tree.classes import LEAVING, SLOTS
from tapeless.tree.names import binds, reads
from tapeless.tree.trees import Expr, Stmt, Tree

_FORM = ("shape", "dtype", "ndim", "size")
_DISPLAYS = (gast.Tuple, gast.Dict)
_STORING = ("append", "pop", "insert", "extend", "clear", "update", "keep", "fill")


def asked_in(items: list[Mirrored]) -> dict[int, set[str]]:
    """Give, for each step, the names that its mirror reads, before any is computed again instead."""
    found: dict[int, set[str]] = {}
    for item in items:
        if isinstance(item, Step):
            found[id(item)] = {key for s in item.reverse for key in reads(s)}
        else:
            for block in _blocks(item):
                found |= asked_in(block)
    return found


def _blocks(item: Compound) -> list[list[Mirrored]]:
    blocks = [item.body]
    if isinstance(item, (Branch, Loop)):
        blocks.append(item.orelse)
    return blocks


def observe(
    sweep: Sweep, items: list[Mirrored], primals: set[str], asked: dict[int, set[str]]
) -> None:
    """Put the calls around the items of a function."""
    journal = sweep.splicer.external(sweep.module.journal, "journal")
    local = sweep.splicer.external(locals, "locals")
    reverse = {split.reverse for split in sweep.module.splits.values() if split is not None}
    forward = {split.forward for split in sweep.module.splits.values() if split is not None}
    primals = primals - (
        {"_"} - set(reads(sweep.function.tree))
    )  # both sweeps throw away by this name
    observer = _Observer(sweep, primals, asked, journal, local, forward, reverse)
    if isinstance(items[0], Step) and items[0].reverse:
        observer.conclusion(items[0])
    observer.block(items[1:])


@dataclass
class _Observer:
    """Observes one function.

    Attributes
    ----------
    primals
        The names of the forward sweep.
    asked
        The names that the mirror of each step read before some were computed again instead.
    journal, local
        The names of the journal and of `locals`.
    forward, reverse
        The names of the two halves of the functions that are called.
    """

    sweep: Sweep
    primals: set[str]
    asked: dict[int, set[str]]
    journal: str
    local: str
    forward: set[str]
    reverse: set[str]

    # Items

    def block(self, items: list[Mirrored]) -> None:
        for item in list(items):
            if isinstance(item, Step):
                self.step(item)
            elif isinstance(item, MirroredTry):
                self.attempt(item)
            else:
                self.compound(item)

    def compound(self, item: Compound) -> None:
        """Observe the blocks of an item, and that the reverse sweep goes through those that ran."""
        if isinstance(item, (Branch, Loop)) and is_idle(item):
            self.only_forward([item.body, item.orelse])
            return
        reversed_anything = bool(reverse_sweep([item]))
        self.block(item.body)
        if isinstance(item, Branch):
            self.block(item.orelse)
        elif isinstance(item, Loop):
            self.only_forward([item.orelse])
        if not reversed_anything or not isinstance(item, (Branch, Continuation, Loop)):
            return
        parts = {Loop: ["a trip"], Continuation: ["what follows"], Branch: ["its body", "its else"]}
        if isinstance(item, Branch) and is_passed_by(item):
            parts[Branch] = ["its else"]  # its other arm stands for all that leads past it, too
        for part, block in zip(parts[type(item)], _blocks(item), strict=False):
            block.insert(0, self.mark(item.statement, part))

    def attempt(self, item: MirroredTry) -> None:
        """Observe the ways through a `try`; a handler forgets what was interrupted."""
        ways = [part for part in item.body if not any(part is own for own in item.segments)]
        choices = [part for part in ways if isinstance(part, Branch)]
        reversed_anything = not all(map(is_idle, choices))
        for segment in item.segments:
            self.compound(segment)
        for way in item.ways:
            self.block(way)
        self.block([part for part in ways if isinstance(part, Step)])
        level = self.sweep.names.fresh("level")
        count = assign(level, quote_expression("j.level()", j=self.journal))
        item.before = [*item.before, count]
        for segment in item.segments:
            again = assign(level, quote_expression("j.level()", j=self.journal))
            segment.body.append(Step(item.statement, [again]))
        for i, way in enumerate(item.ways):
            if reversed_anything and self.is_reversed(item, way):
                way.insert(0, self.mark(item.statement, "a handler" if i else "its body"))
            if i:
                back = quote_expression("j.back_to(n)", j=self.journal, n=level)
                way.insert(0, Step(item.statement, [gast.Expr(back)]))

    def is_reversed(self, item: Compound, way: list[Mirrored]) -> bool:
        """Whether the reverse sweep may come to a way through a `try`."""
        parts = list(item.body)
        for part in parts:
            if isinstance(part, Branch):
                if part.body is way or part.orelse is way:
                    return True
                parts += part.orelse[:1]
        return False

    def mark(self, s: Stmt, part: str) -> Step:
        """Return a step that only says that control was in a part of a statement."""
        entry = self.sweep.names.fresh("seen")
        site = self.site(s)
        site.part = f" ({part})"
        return self.observed(Step(s, [], []), entry, site)

    # Steps

    def step(self, item: Step) -> None:
        """Observe a statement whose mirror reads what the forward sweep computed."""
        if not item.reverse:
            self.only_forward([[item]])
            return
        if not item.forward:
            return  # it restores what was saved elsewhere
        site = self.site(item.statement or item.forward[0])
        site.calls = bool(self.names_in(item.reverse) & self.reverse)
        self.observed(item, self.sweep.names.fresh("seen"), site)

    def only_forward(self, blocks: list[list[Mirrored]]) -> None:
        """Forget what is written down by calls that are not reversed."""
        for item in (item for block in blocks for item in block):
            if not isinstance(item, Step):
                self.only_forward(_blocks(item))
            elif self.names_in(item.forward) & self.forward:
                level = self.sweep.names.fresh("level")
                before = assign(level, quote_expression("j.level()", j=self.journal))
                after = quote_expression("j.back_to(n)", j=self.journal, n=level)
                item.forward = [before, *item.forward, gast.Expr(after)]

    def conclusion(self, item: Step) -> None:
        """Observe what the reverse sweep ends with, which reads what the function was given."""
        site = self.site(self.sweep.function.tree)
        site.part = " (its arguments)"
        self.observed(item, self.sweep.names.fresh("seen"), site)

    @staticmethod
    def names_in(statements: list[Any]) -> set[str]:
        return {key for s in statements for key in reads(s)}

    def site(self, s: Stmt) -> Site:
        function = self.sweep.function
        lineno: Any = getattr(s, "lineno", getattr(getattr(s, "target", None), "lineno", None))
        place = caret_location(function, types.SimpleNamespace(lineno=lineno))
        return Site(place["filename"], place["lineno"], (place["source_line"] or "").strip())

    def observed(self, item: Step, entry: str, site: Site) -> Step:
        """Put the calls around a step."""
        bound = set().union(*(binds(s) for s in item.forward))
        operands = set() if item.statement is None else set(reads(item.statement))
        redone = self.redone(item)
        outside: set[str] = set()
        restored: set[str] = set()
        number = self.sweep.module.journal.add(site)
        for k, s in enumerate(item.reverse):
            found = list(self.readings(s, outside, redone if k == 0 else {}))
            site.again |= set(redone)
            back = restored & operands
            site.steps.append([(r, r.name in bound and r.name not in back) for r in found])
            restored |= binds(s) & self.primals
        site.restored = [Reading(key) for key in sorted(restored)]
        site.shown = self.shown({r.name for step in site.steps for r, _ in step} | restored)
        own = self.sweep.function.local
        kept = {key: name(key) for key in sorted(outside - own)}
        begin = self.call("before", kept, const(number))
        finish = self.call("after", kept, name(entry))
        jump = bool(item.forward) and type(item.forward[-1]) in LEAVING
        body = item.forward[:-1] if jump else item.forward
        ends = item.forward[-1:] if jump else []
        item.forward = [assign(entry, begin), *body, gast.Expr(finish), *ends]
        mirrored = [assign(entry, self.call("mirror", {**kept, **redone}, const(number)))]
        for k, s in enumerate(item.reverse):
            if any(not r.place for r, _ in site.steps[k]):
                more = {**kept, **(redone if k == 0 else {})}
                mirrored.append(gast.Expr(self.call("step", more, name(entry), const(k))))
            mirrored.append(s)
        last = len(mirrored) - (type(mirrored[-1]) is gast.Return)
        mirrored.insert(last, gast.Expr(self.call("mirrored", kept, name(entry))))
        item.reverse = mirrored
        return item

    def call(self, method: str, more: dict[str, Any], *args: Any) -> Any:
        func = gast.Attribute(name(self.journal), method, gast.Load())
        names = gast.Call(name(self.local), [], [])
        keywords = [gast.keyword(key, filled(value, {})) for key, value in more.items()]
        return gast.Call(func, [*args, names], keywords)

    def redone(self, item: Step) -> dict[str, Any]:
        """Return the values that a mirror computes again instead of reading a name."""
        now = self.names_in(item.reverse)
        lost = (self.asked.get(id(item), set()) - now) & self.primals
        found: dict[str, Any] = {}
        for key in sorted(lost):
            value = self.definition(key)
            while value is not None and (more := self.temporaries(value) - now):
                value = filled(value, {other: self.definition(other) for other in more})
            if value is not None:
                found[key] = value
        return found

    def definition(self, key: str) -> Any:
        """Return the value of a name that is bound in one place."""
        defined = self.sweep.definitions.get(key, [])
        single = len(defined) == 1 and type(defined[0]) is gast.Assign
        return defined[0].value if single else None

    def temporaries(self, value: Any) -> set[str]:
        """List what a value reads that the user did not name, and that is bound in one place."""
        keys = set(reads(value)) & self.primals - self.sweep.function.own_names
        return {key for key in keys if self.definition(key) is not None}

    def shown(self, keys: set[str]) -> dict[str, str]:
        """Say, for names that the user did not write, what they stand for."""
        found: dict[str, str] = {}
        for key in keys - self.sweep.function.own_names:
            value = self.definition(key)
            if value is not None:
                found[key] = gast.unparse(value).strip()
        return found

    # Readings

    def readings(self, s: Stmt, outside: set[str], redone: dict[str, Any]) -> Iterator[Reading]:
        """List what a statement reads of primal names, and of what lives outside."""
        memory = self.sweep.memory
        if type(getattr(s, "value", None)) is gast.Name and binds(s) & self.primals:
            return  # what it brings back is compared as a whole, at the end of the mirror
        found = dict.fromkeys([*_Reader(self.resolve, memory).read(s), *map(Reading, redone)])
        for reading in found:
            if reading.name in self.primals:
                yield reading
            elif self.is_state(reading.name):
                outside.add(reading.name)
                yield reading

    def resolve(self, tree: Tree) -> Any:
        return resolve(tree, self.sweep.function.externals, self.primals)

    def is_state(self, key: str) -> bool:
        """Whether a name stands for something outside that may change."""
        external = self.sweep.function.externals.get(key)
        if external is None or key in self.sweep.function.local:
            return False
        value = external.value
        if isinstance(value, (type, types.ModuleType, Journal, np.generic)) or callable(value):
            return False
        return isinstance(value, (list, dict, np.ndarray)) or hasattr(value, "__dict__")


def _is_everything(index: Expr) -> bool:
    """Whether an index is `...` or `:`."""
    return is_whole(index) or getattr(index, "value", None) is Ellipsis


def _puts_a_name(s: Stmt) -> bool:
    """Whether a statement does no more than to put what a name holds into a slot."""
    return type(s.value) is gast.Name and type(s.targets[0]) in SLOTS


@dataclass(frozen=True)
class _Reader:
    """Lists what a tree reads of names, and how.

    Attributes
    ----------
    resolved
        Returns the object that a function's name stands for.
    memory
        The name of the adjoint memory, which asks of a thing which one it is.
    """

    resolved: Any
    memory: str | None

    def read(
        self, tree: Tree, path: tuple[Any, ...] = (), how: str = "contents"
    ) -> Iterator[Reading]:
        """List the readings in a tree, of which the part at a path is read."""
        if type(tree) is gast.Name:
            if type(tree.ctx) is gast.Load:
                yield Reading(
                    tree.id, path, how != "form", how == "place", how in ("form", "which")
                )
        elif type(tree) in SLOTS:
            yield from self.part(tree, path, how)
        elif type(tree) is gast.Call:
            yield from self.called(tree)
        elif type(tree) is gast.Assign and _puts_a_name(tree):
            yield Reading(tree.value.id, put=True)
            yield from self.read(tree.targets[0], path, how)
        elif type(tree) is gast.AugAssign:
            yield from self.read(tree.value)
            place = tree.target
            if type(place) is gast.Name:
                yield Reading(place.id)
            else:
                yield from self.part(place, (), how)
        else:
            inner = how if type(tree) in _DISPLAYS and how == "which" else "contents"
            for part in gast.iter_child_nodes(tree):
                yield from self.read(part, (), inner)

    def part(self, tree: Tree, path: tuple[Any, ...], how: str) -> Iterator[Reading]:
        """List the readings in an attribute or item, which may be stored into."""
        stored = isinstance(tree.ctx, (gast.Store, gast.Del))
        if type(tree) is gast.Attribute:
            if tree.attr in _FORM:
                yield from self.read(tree.value, (), "form")
            elif stored:
                yield from self.read(tree.value, (), "place")
            else:
                yield from self.read(tree.value, ((True, tree.attr), *path), how)
        elif type(tree.value) is gast.Name and tree.value.id == self.memory:
            yield from self.read(tree.slice, (), "which")
        elif stored and type(tree.value) is gast.Name and _is_everything(tree.slice):
            yield Reading(tree.value.id, place=True, whole=True)
        elif stored:
            yield from self.read(tree.value, (), "place")
            yield from self.read(tree.slice)
        elif type(tree.slice) is gast.Constant:
            yield from self.read(tree.value, ((False, tree.slice.value), *path), how)
        else:
            yield from self.read(tree.value, (), how)
            yield from self.read(tree.slice)

    def called(self, tree: Tree) -> Iterator[Reading]:
        """List the readings in a call, by what is asked of each argument."""
        func = tree.func
        found = self.resolved(func)
        known = traits_of(found)
        how = dict.fromkeys(known.asks_form, "form") | dict.fromkeys(known.stores, "place")
        if type(func) is gast.Attribute:
            storing = func.attr in _STORING
            yield from self.read(func.value, (), "place" if storing else "contents")
        of_memory = getattr(getattr(func, "value", None), "id", None) == self.memory
        for i, arg in enumerate(tree.args):
            if found is set_slot and i == 2 and type(arg) is gast.Name:
                yield Reading(arg.id, put=True)
                continue
            yield from self.read(arg, (), how.get(i, "which" if of_memory else "contents"))
        for keyword in tree.keywords:
            yield from self.read(keyword.value)
