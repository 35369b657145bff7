"""Which numbers are NumPy's, and which of these could as well be Python's.

Both are doubles, and both add, subtract and multiply alike. But Python raises where it divides by zero or a
power overflows, and NumPy does not; and what is returned must have the class that it had. So an entry of a
vector that is read by itself is a Python float only if everything that is done with it, and with what is
computed from it, comes out the same. A name is *free* to be either if all its uses are of this sort:

- `+`, `-`, `*` with another number or array, where the result is free, too, or an array;
- what goes by entries, where a divisor is made a number of NumPy's;
- a few functions of NumPy that have no pole and whose derivatives have none;
- a test that is only asked whether it holds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gast
import numpy as np

from tapeless.analysis.facts import Facts
from tapeless.externals import is_one_of
from tapeless.kinds import Array, Integer, Kind, Real
from tapeless.ranks import dtype_of
from tapeless.specialize.entry_forms import EXACT, FormOf, head_of
from tapeless.tree.classes import DISPLAYS, TESTED
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import captured_names, nodes, reads
from tapeless.tree.trees import Expr, Stmt

_SMOOTH = (np.sin, np.cos, np.exp, np.tanh, np.sqrt, np.absolute, np.negative)
_TRUTHS = (
    gast.Compare, gast.BoolOp, gast.UnaryOp, gast.BinOp, gast.Name, gast.Constant, gast.Subscript,
)  # fmt: skip


@dataclass(frozen=True)
class Numbers:
    """What is known of the names of numbers.

    Attributes
    ----------
    free
        Those that may be Python's floats where they were NumPy's.
    numpys
        Those that are NumPy's, surely.
    """

    free: frozenset[str]
    numpys: frozenset[str]


def numbers_of(
    function: CoreFunction, facts: Facts, lengths: dict[str, int], form_of: FormOf
) -> Numbers:
    """Find which names may be Python's floats, and which are NumPy's numbers."""
    finder = _Finder(function, facts, lengths, form_of)
    free = finder.free()
    return Numbers(frozenset(free), frozenset(finder.numpys(free)))


def _loaded(parts: list[Any]) -> list[str]:
    return [p.id for p in parts if type(p) is gast.Name and type(p.ctx) is gast.Load]


class _Finder:
    def __init__(
        self, function: CoreFunction, facts: Facts, lengths: dict[str, int], form_of: FormOf
    ) -> None:
        self.function, self.facts, self.lengths, self.form_of = function, facts, lengths, form_of
        self.statements = [
            part for part in nodes(function.tree, nested=False) if isinstance(part, gast.stmt)
        ][1:]
        self.bound: dict[str, list[Stmt | None]] = {key: [None] for key in function.parameters}
        for s in self.statements:
            place: Any = s.targets[0] if type(s) is gast.Assign else None
            if type(place) is gast.Name:
                self.bound.setdefault(place.id, []).append(s)
            elif type(s) is gast.AugAssign and type(s.target) is gast.Name:
                self.bound.setdefault(s.target.id, []).append(s)
            else:
                unpacked = s if self.unpacks(s) else None
                for part in head_of(s):
                    if type(part) is gast.Name and type(part.ctx) is gast.Store:
                        self.bound.setdefault(part.id, []).append(unpacked)
        self.uses: dict[str, list[Stmt]] = {}
        for s in self.statements:
            read = reads(s) if type(s) is gast.FunctionDef else _loaded(head_of(s))
            for key in dict.fromkeys(read):
                self.uses.setdefault(key, []).append(s)

    def unpacks(self, s: Stmt) -> bool:
        """Whether a statement gives names to all entries of a vector."""
        form = self.form_of(s, self.lengths) if type(s) is gast.Assign else None
        return form is not None and type(s.targets[0]) in DISPLAYS

    # What may be either

    def free(self) -> set[str]:
        """Return the names of numbers whose every use comes out the same for both."""
        found = {
            key
            for key, bound in self.bound.items()
            if all(type(s) in (gast.Assign, gast.AugAssign) and self.is_double(s) for s in bound)
        }
        found -= captured_names(self.function.tree)
        before: set[str] = set()
        while before != found:
            before = set(found)
            for key in before:
                if not all(self.comes_out_the_same(s, key, found) for s in self.uses.get(key, ())):
                    found.discard(key)
        return found

    def is_double(self, s: Stmt) -> bool:
        if type(s) is gast.AugAssign:
            after = self.kind(s, s.target)
            return after == Real() and self.kind(s, s.value) in (Real(), Integer())
        if self.unpacks(s):
            return True
        return s in self.facts.results and self.facts.results[s].kind == Real()

    def kind(self, s: Stmt, tree: Expr) -> Kind:
        if type(tree) is gast.Name:
            return self.facts.kind(s, tree.id)
        value = getattr(tree, "value", None) if type(tree) is gast.Constant else None
        return Real() if type(value) is float else Integer() if type(value) is int else Kind()

    def comes_out_the_same(self, s: Stmt, key: str, free: set[str]) -> bool:
        """Whether a statement does the same with a Python float, if these names may be floats."""
        if type(s) in TESTED:
            parts = nodes(s.test)
            exact = all(type(p.op) in EXACT for p in parts if type(p) is gast.BinOp)
            return exact and all(type(part) in _TRUTHS for part in parts)
        if type(s) is gast.AugAssign:
            exact = type(s.op) in EXACT and type(s.target) is gast.Name
            return exact and s.target.id in free
        if type(s) is not gast.Assign:
            return False
        if self.form_of(s, self.lengths) is not None:
            return True
        if type(s.targets[0]) is not gast.Name:
            return False
        to, value = s.targets[0].id, s.value
        if type(value) is gast.BinOp:
            others = [x for x in (value.left, value.right) if getattr(x, "id", "") != key]
            kinds = [self.kind(s, x) for x in others]
            if any(isinstance(k, Array) and k.dims for k in kinds):
                plain = type(value.op) in (*EXACT, gast.Div)
                return plain and all(dtype_of(k) == "f8" for k in kinds)
            known = all(k == Real() or isinstance(k, Integer) for k in kinds)
            return type(value.op) in EXACT and known and to in free
        if type(value) is gast.UnaryOp or type(value) is gast.Name:
            sign = type(value) is gast.Name or type(value.op) in (gast.USub, gast.UAdd)
            return sign and to in free
        if type(value) is gast.Call and len(value.args) == 1 and not value.keywords:
            return is_one_of(self.function.resolve(value.func), _SMOOTH)
        return type(value) is gast.Tuple and self.is_made_a_vector(to)

    def is_made_a_vector(self, key: str) -> bool:
        """Whether a tuple is only read to make a vector."""
        forms = [self.form_of(s, self.lengths) for s in self.uses.get(key, ())]
        return all(form is not None and form.what == "display" for form in forms)

    # What is surely NumPy's

    def numpys(self, free: set[str]) -> set[str]:
        """Return the names that are bound to nothing but numbers of NumPy's."""
        found = {
            key
            for key, bound in self.bound.items()
            if all(type(s) is gast.Assign and self.is_double(s) for s in bound)
        }
        before: set[str] = set()
        while before != found:
            before = set(found)
            for key in before:
                if not all(self.gives_numpys(s, key, found, free) for s in self.bound[key]):
                    found.discard(key)
        return found

    def gives_numpys(self, s: Any, to: str, numpys: set[str], free: set[str]) -> bool:
        if self.form_of(s, self.lengths) is not None:
            return to not in free  # it is made one
        value = s.value
        if type(value) is gast.Call:
            found = self.function.resolve(value.func)
            kinds = [self.kind(s, a) for a in value.args]
            plain = all(isinstance(k, (Real, Array, Integer)) for k in kinds)
            return plain and (isinstance(found, np.ufunc) or is_one_of(found, (np.float64,)))
        if type(value) is gast.Subscript:
            kind = self.kind(s, value.value)
            return isinstance(kind, Array) and kind.dtype == "f8"
        if type(value) is gast.BinOp:
            return any(getattr(x, "id", "") in numpys for x in (value.left, value.right))
        operand = value.operand if type(value) is gast.UnaryOp else value
        return type(operand) is gast.Name and operand.id in numpys
