"""Which Variables the forward body of a custom gradient reads, where its text tells.

A call knows it at run time: who reads is watched. A pullback that is written as text (for the orders
that come after) runs without a call of `f`, so the list must be in the text too:

    def f(x):
        y = w * x + b            ->        grad(upstream, variables=[w, b])

The text tells if every read is a plain use of a named Variable that no branch can skip. A Variable is
read where its value is used, not where it is named: in `a * np.sin(b)` the read of `b` is the first.
"""

from __future__ import annotations

import dataclasses
import types
from typing import Any

import gast

from tapeless.analysis.abstract import Heap, reachable
from tapeless.analysis.reached import variables_reached
from tapeless.externals import MISSING, package_around, resolve
from tapeless.kinds import UNKNOWN, Instance, Kind, is_number
from tapeless.source.texts import Text
from tapeless.tree.classes import COMPOUND, DELAYED, PLACES, SLOTS
from tapeless.tree.names import binds_in_block, parameters, reads
from tapeless.tree.trees import Stmt, Tree
from tapeless.variables import Variable, is_variable

_NOT_READ = ("shape", "dtype", "ndim", "size", "name", "trainable")
_SKIPPABLE = frozenset({*COMPOUND, *DELAYED, gast.Match, gast.IfExp, gast.BoolOp, gast.FunctionDef})


class UnknownReadsError(Exception):
    """The text does not tell which Variables are read."""


def variables_read(text: Text, kinds: dict[str, Kind], heap: Heap) -> list[Any]:
    """List the expressions of the Variables that a function's body reads, in the order of reads.

    Parameters
    ----------
    text
        The function.
    kinds, heap
        What is known of its parameters, and of what they hold.

    Raises
    ------
    UnknownReadsError
        If a branch, a helper or a container stands between the text and a read.
    """
    reader = _Reader(text, kinds, heap)
    for statement in text.tree.body:
        reader.statement(statement)
    return reader.found


class _Reader:
    def __init__(self, text: Text, kinds: dict[str, Kind], heap: Heap) -> None:
        self.text = text
        self.kinds = kinds
        self.heap = heap
        self.local = set(parameters(text.tree)) | binds_in_block(text.tree.body)
        self.found: list[Any] = []
        self.known: set[str] = set()

    def statement(self, s: Stmt) -> None:
        if type(s) is gast.FunctionDef and reads(self.text.tree).count(s.name) == 1:
            return  # returned as the grad: what it reads is not read in the forward run
        if type(s) is gast.Return and type(s.value) is gast.Tuple:
            for item in s.value.elts:
                if type(item) is not gast.Lambda:
                    self.visit(item)
            return
        self.visit(s)

    def visit(self, tree: Tree) -> None:
        """Collect the reads of an expression or statement, parts before the whole."""
        if self.is_out_of_sight(tree):
            raise UnknownReadsError
        if self.is_seen_through(tree):
            return
        if type(tree) in _SKIPPABLE:
            self.check_known(tree)
            return
        named = [part for part in gast.iter_child_nodes(tree) if self.is_named(part)]
        for part in gast.iter_child_nodes(tree):
            if part not in named:
                self.visit(part)
        if type(tree) is gast.Attribute and tree.attr in _NOT_READ:
            return
        if named and not self.uses_values(tree):
            raise UnknownReadsError
        for part in named:
            self.read(part)

    def check_known(self, tree: Tree) -> None:
        """Make sure that what a branch or loop may read was read before."""
        if self.is_out_of_sight(tree):
            raise UnknownReadsError
        if self.is_named(tree):
            if gast.dump(tree) not in self.known:
                raise UnknownReadsError
        elif not self.is_seen_through(tree):
            for part in gast.iter_child_nodes(tree):
                self.check_known(part)

    def uses_values(self, tree: Tree) -> bool:
        """Whether an expression uses the values of the Variables in it, in their order."""
        if type(tree) is gast.Attribute:
            return tree.attr in ("value", "T")
        if type(tree) is gast.Call:
            found = resolve(tree.func, self.text.externals, self.local)
            return package_around(found) == "numpy" or found is float
        return isinstance(tree, (gast.BinOp, gast.UnaryOp, gast.Compare, gast.Subscript))

    def read(self, part: Tree) -> None:
        key = gast.dump(part)
        if key not in self.known and getattr(self.object_of(part), "trainable", True):
            self.found.append(part)
        self.known.add(key)

    # What an expression names

    def is_named(self, tree: Tree) -> bool:
        """Whether an expression names a Variable: `w`, `layers.w`, `ws[1]`, `self.w`."""
        if isinstance(self.object_of(tree), Variable):
            return True
        return type(tree) is gast.Attribute and is_variable(self.kind_of(tree))

    def is_seen_through(self, tree: Tree) -> bool:
        """Whether an expression names something else, whose owner does not matter."""
        if type(tree) not in SLOTS:
            return False
        found, kind = self.object_of(tree), self.kind_of(tree)
        return found is not MISSING or (kind is not None and is_number(kind))

    def is_out_of_sight(self, tree: Tree) -> bool:
        """Whether an expression names what may read, or holds, Variables."""
        if type(tree) not in PLACES or self.is_named(tree):
            return False
        found, kind = self.object_of(tree), self.kind_of(tree)
        if found is not MISSING:
            return bool(variables_reached(found))
        return kind is not None and not is_variable(kind) and self.holds_variables(kind)

    def object_of(self, tree: Tree) -> Any:
        """Return the object outside the function that an expression names; `MISSING` for others."""
        if type(tree) is gast.Name:
            return resolve(tree, self.text.externals, self.local)
        if type(tree) is gast.Attribute:
            owner = self.object_of(tree.value)
            if owner is MISSING or isinstance(owner, (types.ModuleType, type)):
                return resolve(tree, self.text.externals, self.local)
            return getattr(owner, "__dict__", {}).get(tree.attr, MISSING)
        if type(tree) is gast.Subscript and type(tree.slice) is gast.Constant:
            owner = self.object_of(tree.value)
            if type(owner) in (list, tuple, dict):
                try:
                    return owner[tree.slice.value]
                except (KeyError, IndexError, TypeError):
                    return MISSING
        return MISSING

    def kind_of(self, tree: Tree) -> Kind | None:
        """Return the kind of a parameter, or of an attribute of an object that is one."""
        if type(tree) is gast.Name:
            return self.kinds.get(tree.id)
        if type(tree) is not gast.Attribute:
            return None
        owner = self.kind_of(tree.value)
        if not isinstance(owner, Instance) or dataclasses.is_dataclass(owner.cls):
            return None
        slots = [self.heap.get(region, {}) for region in owner.regions]
        kinds = {s[tree.attr].kind for s in slots if tree.attr in s}
        return kinds.pop() if len(kinds) == 1 else None

    def holds_variables(self, kind: Kind) -> bool:
        """Whether a Variable may be reached from a value."""
        if kind == UNKNOWN:
            return True
        slots = (self.heap.get(region, {}) for region in reachable([kind], self.heap))
        kinds = (value.kind for held in slots for value in held.values())
        return any(is_variable(k) or k == UNKNOWN for k in kinds)
