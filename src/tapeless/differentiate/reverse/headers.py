"""Headers of reversed loops: how the items are visited again, and where their adjoints go.

A range and items that carry no derivative are visited in a reversed iteration, what was iterated from its
end from its start, a dict by its reversed keys or items. Everything else is indexed from the last index
down. Where items cannot be visited again there are as many trips as were made forward, and the items that
the reverse body reads were kept.
"""

from __future__ import annotations

import functools
from typing import Any

import gast

from tapeless.analysis.lengths import same_length
from tapeless.differentiate.reverse.parts import add_to_item
from tapeless.differentiate.reverse.state import Sweep
from tapeless.differentiate.reverse.stored import stored_regions
from tapeless.differentiate.reverse.taking import buffer_of, forget_adjoint, take_cotangent
from tapeless.kinds import (
    RANGE,
    Array,
    Dict,
    Inert,
    Kind,
    List,
    Number,
    Sequence,
    Tuple,
    is_container,
    regions_of,
)
from tapeless.tree.build import assign, filled, name, quote_expression, target
from tapeless.tree.classes import DOTTED
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import binds, binds_in_block, reads
from tapeless.tree.trees import Expr, Stmt


@functools.lru_cache(maxsize=8)  # each loop of a function asks
def _names_read(function: CoreFunction) -> frozenset[str]:
    return frozenset(reads(function.tree))


class Header:
    """The header of a reversed loop: how its items are visited again."""

    def __init__(self, sweep: Sweep, s: Stmt, leaves: bool) -> None:
        self.sweep = sweep
        self.s = s
        self.trips = sweep.names.fresh("trips") if leaves or type(s) is gast.While else None
        self.start: list[Any] = []
        self.before: list[Any] = []
        self.frozen: dict[str, str] = {}
        self.lead: list[Any] = []
        self.rebinds: set[str] = set()
        self.elements: list[tuple[str, Any, Any]] = []
        self.index: str | None = None
        self.tree: Any = None
        self.kept: list[Any] = []
        self.iter: Any = getattr(s, "iter", None)

    def enter(self) -> None:
        """Work out the header and how the targets are bound in the reverse body."""
        s = self.s
        if type(s) is gast.While:
            self.count()
            return
        self.freeze()
        self.kept = self.passive_parts(s.target, self.iter)
        if self.kept and self.trips is None and self.can_be_indexed(self.iter):
            self.trips = self.sweep.names.fresh("trips")
        if not self.can_be_indexed(self.iter) or self.items_change(s.target, self.iter):
            if self.keyed(s):
                return
            if self.trips is None:
                self.trips = self.sweep.names.fresh("trips")
            self.count()
            return
        if self.plain_range() or self.backwards():
            return
        self.index = self.sweep.names.fresh("k")
        self.sweep.counters.add(self.index)
        self.bind(s.target, self.iter, name(self.index))
        length = self.length(self.iter)
        count = name(self.trips) if self.trips else length
        last = quote_expression("n - 1", n=count)
        self.tree = gast.For(
            target(self.index), quote_expression("range(a, -1, -1)", a=last), [], [], None
        )
        self.rebinds |= binds(s.target) - self.bound_by_kept(s.target, self.iter)

    def freeze(self) -> None:
        """Name what the header iterates over, if the body rebinds the name that it has."""
        changed = binds_in_block(self.s.body) | binds(self.s.target)
        lost = dict.fromkeys(
            n for n in reads(self.iter) if n in changed and n in self.sweep.function.local
        )
        env = self.sweep.known.before.get(self.s, {})
        holes = {old: self.sweep.names.fresh(old) for old in lost}
        for old, fresh in holes.items():
            self.before.append(assign(fresh, name(old)))
            self.frozen[fresh] = old
            if old in env:
                self.sweep.known.learn_name(self.s, fresh, env[old])
            self.sweep.shadows.paths[fresh] = name(old)
            self.sweep.definitions[fresh] = [self.s]
        self.iter = filled(self.iter, holes)

    def count(self) -> None:
        """Make as many trips as were made forward; the items were kept."""
        self.tree = gast.For(
            target(self.sweep.names.fresh("_")),
            quote_expression("range(n)", n=self.trips or "trips"),
            [],
            [],
            None,
        )
        if type(self.s) is gast.For and self.carries(self.s.target, self.iter):
            self.sweep.refuse(
                self.s,
                "items that carry a derivative come from an iterable that cannot be visited again",
                "iterate over a list, tuple, dict or array",
            )

    def carries(self, place: Expr, tree: Expr) -> bool:
        """Whether items of an iterable carry a derivative."""
        return any(self.is_active(t) for t in binds(place))

    def is_active(self, key: str) -> bool:
        first = self.s.body[0] if self.s.body else None
        varied = bool(self.sweep.value(first, key).varied)
        return varied and key in _names_read(self.sweep.function)  # else there is no adjoint

    def kind(self, tree: Expr) -> Kind:
        return self.sweep.operand_kind(self.s, tree)

    def passive_parts(self, place: Expr, tree: Expr) -> list[Any]:
        """List what stands beside active items in `zip` or `enumerate` and cannot be visited again.

        Its items carry no derivative: those that the reverse body reads are kept.
        """
        called = getattr(getattr(tree, "func", None), "id", None)
        if type(place) is not gast.Tuple or called not in ("zip", "enumerate"):
            return []
        places = place.elts[1:] if called == "enumerate" else place.elts
        found = []
        for part, inner in zip(tree.args, places, strict=False):
            deeper = self.passive_parts(inner, part)
            visited = self.can_be_indexed(part) and not self.items_change(inner, part)
            if deeper:
                found += deeper
            elif not visited and not self.carries(inner, part):
                found.append(part)
        return found

    def bound_by_kept(self, place: Expr, tree: Expr) -> set[str]:
        """Return the names that are bound to items of what cannot be visited again."""
        if any(tree is part for part in self.kept):
            return set(binds(place))
        if type(place) is not gast.Tuple or type(tree) is not gast.Call:
            return set()
        places = place.elts[1:] if getattr(tree.func, "id", "") == "enumerate" else place.elts
        pairs = zip(places, tree.args, strict=False)
        return set().union(*(self.bound_by_kept(inner, part) for inner, part in pairs))

    def plain_range(self) -> bool:
        """A range is reversed as a range, and passive items in a reversed iteration."""
        place, iterable = self.s.target, self.iter
        if getattr(getattr(iterable, "func", None), "id", None) != "range":
            listed = type(iterable) is gast.Name and isinstance(
                self.kind(iterable), (Array, List, Sequence)
            )
            if not listed or type(place) is not gast.Name or self.is_active(place.id):
                return False
        if self.trips:
            iterable = quote_expression("r[:n]", r=iterable, n=self.trips)
        self.tree = gast.For(place, quote_expression("reversed(r)", r=iterable), [], [], None)
        self.rebinds |= binds(place)
        return True

    def backwards(self) -> bool:
        """What is iterated from its end is visited again from its start."""
        if self.trips is not None:
            return False
        parts = _reversed_parts(self.iter)
        if not parts or not all(map(self.is_visited_alike, parts)):
            return False
        if len(parts) > 1 and not same_length(self.sweep.function.tree, parts):
            return False
        places = self.s.target.elts if type(self.s.target) is gast.Tuple else [self.s.target]
        if len(places) != len(parts) or not all(type(p) is gast.Name for p in places):
            return False
        whole = parts[0] if len(parts) == 1 else gast.Call(name("zip"), parts, [])
        active = [
            (p.id, part) for p, part in zip(places, parts, strict=True) if self.is_active(p.id)
        ]
        self.tree = gast.For(self.s.target, whole, [], [], None)
        if active:
            self.index = index = self.sweep.names.fresh("k")
            self.sweep.counters.add(index)
            place = gast.Tuple([target(index), self.s.target], gast.Store())
            self.tree = gast.For(place, gast.Call(name("enumerate"), [whole], []), [], [], None)
            for key, part in active:
                self.element(key, part, name(index))
        self.rebinds |= binds(self.s.target)
        return True

    def from_the_end(self, entries: Expr, owner: Expr) -> Any:
        """Write the keys or items of a dict from the last one that was visited to the first."""
        if self.trips is not None:
            return quote_expression("reversed(list(d)[:n])", d=entries, n=self.trips)
        kind = self.kind(owner)
        if not isinstance(kind, Dict) or not kind.fills_gaps:
            return quote_expression("reversed(d)", d=entries)
        count = self.sweep.names.fresh("entries")
        self.before.append(assign(count, quote_expression("len(d)", d=owner)))
        return quote_expression("reversed(list(d)[:n])", d=entries, n=count)

    def is_visited_alike(self, tree: Expr) -> bool:
        """Whether iterating over something gives the items that its indices give."""
        if type(tree) is gast.Call:
            return True
        return type(tree) is gast.Name and isinstance(self.kind(tree), (Array, List, Sequence))

    def keyed(self, s: Stmt) -> bool:
        """A dict is visited again by its reversed items, or keys where the body stores into it.

        A default dict may have gained entries by being read: they come last, and are left out.
        """
        tree = self.iter
        method = None
        if type(tree) is gast.Call and type(tree.func) is gast.Attribute:
            method, owner = tree.func.attr, tree.func.value
        else:
            owner = tree
        if not isinstance(self.kind(owner), Dict):
            return False
        if method == "items" and type(s.target) is gast.Tuple:
            key, value = s.target.elts[0].id, s.target.elts[1].id
        elif method == "values" and type(s.target) is gast.Name:
            key, value = self.sweep.names.fresh("key"), s.target.id
        elif method in (None, "keys"):
            iterable = self.from_the_end(owner, owner)
            self.tree = gast.For(s.target, iterable, [], [], None)
            self.rebinds |= binds(s.target)
            return True
        else:
            return False
        place: Any = gast.Tuple([target(key), target(value)], gast.Store())
        entries = quote_expression("d.items()", d=owner)
        if self.stored_in_body(self.kind(owner)):
            place, entries = target(key), owner
        iterable = self.from_the_end(entries, owner)
        self.tree = gast.For(place, iterable, [], [], None)
        self.rebinds |= binds(place)
        self.element(value, owner, name(key))
        return True

    def can_be_indexed(self, tree: Expr) -> bool:
        """Whether the items can be visited again by an index."""
        if any(tree is part for part in self.kept):
            return True
        if type(tree) is gast.Call and type(tree.func) is gast.Name:
            called = tree.func.id
            if called in ("enumerate", "reversed"):
                return self.can_be_indexed(tree.args[0])
            if called == "zip":
                return all(self.can_be_indexed(part) for part in tree.args)
            return called == "range"
        if type(tree) is gast.Constant:
            return isinstance(tree.value, str)
        if type(tree) not in DOTTED:
            return False
        kind = self.kind(tree)
        if kind == RANGE or isinstance(kind, Inert) and kind.what == "str":
            return True
        return isinstance(kind, (Array, List, Sequence, Number, Tuple))

    def items_change(self, place: Expr, tree: Expr) -> bool:
        """Whether items may be overwritten in the iterated thing while it is iterated."""
        if any(tree is part for part in self.kept):
            return False
        if type(tree) is gast.Call and type(tree.func) is gast.Name:
            return tree.func.id != "range" and any(
                self.items_change(place, part) for part in tree.args
            )
        kind = self.kind(tree)
        rows = isinstance(kind, Array) and len(kind.dims) > 1
        return not rows and self.stored_in_body(kind)

    def stored_in_body(self, kind: Kind) -> bool:
        """Whether the body stores into what a value may live in."""
        return bool(regions_of(kind) & stored_regions(self.sweep, self.s.body))

    def length(self, tree: Expr) -> Any:
        """Write the number of items of an iterable."""
        if type(tree) is gast.Call:
            called = tree.func.id
            if called in ("enumerate", "reversed"):
                return self.length(tree.args[0])
            if called == "zip":
                lengths = [self.length(part) for part in tree.args]
                if len(lengths) == 1:
                    return lengths[0]
                return gast.Call(name("min"), lengths, [])
        return quote_expression("len(x)", x=tree)

    def bind(self, place: Expr, tree: Expr, index: Expr) -> None:
        """Bind the targets to the item at an index."""
        if any(tree is part for part in self.kept):
            return
        called = getattr(tree.func, "id", None) if type(tree) is gast.Call else None
        if called == "enumerate" and type(place) is gast.Tuple:
            start = tree.args[1] if len(tree.args) > 1 else None
            start = next((k.value for k in tree.keywords if k.arg == "start"), start)
            counted = index if start is None else gast.BinOp(index, gast.Add(), start)
            self.start.append(assign(place.elts[0].id, counted))
            self.bind(place.elts[1], tree.args[0], index)
            return
        if called == "zip" and type(place) is gast.Tuple:
            for item, part in zip(place.elts, tree.args, strict=True):
                self.bind(item, part, index)
            return
        if called == "reversed":
            length = self.length(tree.args[0])
            back = quote_expression("n - 1 - k", n=length, k=index)
            self.bind(place, tree.args[0], back)
            return
        if called == "range":
            simple = len(tree.args) == 1
            value = index if simple else gast.Subscript(tree, index, gast.Load())
            self.start.append(assign(place.id, value))
            return
        if called is not None or type(place) is gast.Tuple:
            self.sweep.refuse(
                self.s,
                "what this loop unpacks cannot be reversed",
                "write `for item in ...` and unpack `item` in the body",
            )
        self.element(place.id, tree, index)
        self.start.append(assign(place.id, gast.Subscript(tree, index, gast.Load())))

    def element(self, key: str, owner: Expr, index: Expr) -> None:
        """Remember that a target is an item of a sequence, at an index."""
        if not self.is_active(key) or type(owner) is not gast.Name:
            return
        self.elements.append((key, owner, index))
        first = self.s.body[0]
        kind = self.sweep.value(first, key).kind
        owner_kind = self.kind(owner)
        nested = is_container(kind) and is_container(owner_kind)
        if nested and not self.sweep.in_memory(kind):
            shadow = buffer_of(self.sweep, self.s, owner.id)
            self.lead += self.sweep.out
            self.sweep.out = []
            self.sweep.item_places[key] = gast.Subscript(shadow, index, gast.Load())

    def give_back(self) -> None:
        """At the end of the reverse body the adjoints of the targets go to the items."""
        sweep = self.sweep
        for key, owner, index in self.elements:
            first = self.s.body[0]
            kind = sweep.value(first, key).kind
            if key in sweep.item_places or (sweep.has_shadow_in_memory(kind)):
                continue
            if sweep.has_shadow(kind):
                sweep.refuse(
                    self.s, "rows that are stored into come from an array of unknown origin",
                    "index the array in the body",
                )  # fmt: skip
            y = take_cotangent(sweep, self.s, key, kind)
            if y is None:
                continue
            add_to_item(sweep, self.s, owner.id, index, y, key)
        for key in binds(self.s.target) if type(self.s) is gast.For else ():
            forget_adjoint(sweep, key)


def _reversed_parts(tree: Expr) -> list[Any]:
    """Return `[x, y]` for `zip(reversed(x), reversed(y))`, of names and ranges; else nothing."""
    called = getattr(getattr(tree, "func", None), "id", None)
    if called == "zip" and not tree.keywords:
        found = [_reversed_parts(part) for part in tree.args]
        single = all(len(part) == 1 for part in found)
        return [part for [part] in found] if single and len(found) > 1 else []
    if called != "reversed" or len(tree.args) != 1:
        return []
    inner = tree.args[0]
    is_range = getattr(getattr(inner, "func", None), "id", None) == "range"
    return [inner] if is_range or type(inner) is gast.Name else []
