"""What the names of a function hold: numbers, floats, lists, the saves of the forward sweep.

All that a name is ever bound to is collected from the text. A name holds numbers if all that it is bound
to are numbers, given that the other names that are taken to do: the largest such set is right, because
every name in it was bound first to something that needs no other. A name may hold a list as soon as one
thing that it is bound to may: there the least set is on the safe side.

Stacks that the tool made are told apart: nothing but `append`, `pop` and a test ever sees them, so
filling them touches no memory of the user's.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any

import gast
import numpy as np

from tapeless.externals import MISSING, is_one_of
from tapeless.kinds import Array, Dict, Instance, Integer, List, Real, Sequence, Tuple, is_no_array
from tapeless.optimize.context import Context
from tapeless.optimize.purity import Purity
from tapeless.rules.traits import traits_of
from tapeless.runtime import summed
from tapeless.tree.body import Body
from tapeless.tree.classes import DISPLAYS, ORDERING, POLYNOMIAL
from tapeless.tree.names import parameters
from tapeless.tree.trees import Expr, Tree

_LISTS = (List, Tuple, Sequence, Dict, Instance)
_LISTED = DISPLAYS | {gast.Dict, gast.ListComp}


def is_stack_call(call: Expr) -> bool:
    """Whether a call reads `name.append(value)` or `name.pop()`."""
    function = call.func
    if not (type(function) is gast.Attribute and type(function.value) is gast.Name):
        return False
    if call.keywords:
        return False
    if function.attr == "append":
        return len(call.args) == 1 and type(call.args[0]) is not gast.Starred
    return function.attr == "pop" and not call.args


def is_adjoint(key: str, context: Context) -> bool:
    """Whether a name is that of an adjoint: the tool's own, and named after what it is of."""
    base, _, number = key.rpartition("_")
    stem = base if number.isdigit() and base else key
    return stem.endswith("_bar") and context.temporaries(key)


_FLOATS = set("efdgFDG")
# They make arrays of the rank of the first argument; what solves has that of the second at least.
_KEEPING_RANK = (
    np.copy, np.cumsum, np.cumprod, np.flip, np.full_like, np.linalg.solve, np.ones_like, np.roll,
    np.sort, np.tril, np.triu, np.zeros_like,
)  # fmt: skip


@functools.cache
def _keeps_floats(found: np.ufunc) -> bool:
    """Whether a function gives floats where one of its operands holds floats.

    Examples
    --------
    >>> _keeps_floats(np.sign), _keeps_floats(np.arctan2), _keeps_floats(np.isnan)
    (True, True, False)
    """
    loops = [loop.split("->") for loop in found.types]
    return all(
        set(made) <= _FLOATS for given, made in loops if set(given) & _FLOATS and "m" not in given
    )


class Values(Purity):
    """What the names of one function hold, computed from its text as it is."""

    def __init__(self, function: Tree, context: Context, body: Body | None = None) -> None:
        super().__init__(context)
        self.function = function
        self.body = body or Body(function, {})
        self.parameters = set(parameters(function))
        self.scoped = self.body.scoped
        self.stacks = self._find_stacks()
        self.values = self._assigned_values()
        self.lists: set[str] = set()
        self._listlike: dict[Any, bool] = {}  # of names and operations, what was asked already
        self._find_lists()
        self._find_scalars()

    def parts(self, *classes: type) -> Iterator[Any]:
        """Walk the parts of the function that are of some classes, class by class."""
        return chain.from_iterable(map(self.body.parts, classes))

    def _assigned_values(self) -> dict[str, list[Any]]:
        """Collect what each name is bound to; None where the text does not say."""
        found: dict[str, list[Any]] = {}
        bindings = [s.bindings for s in self.body.statements]
        for assigned, _, _ in bindings:
            for key, value in assigned:
                found.setdefault(key, []).append(value)
        for _, updated, _ in bindings:
            for key, value in updated:
                found.setdefault(key, []).append(value)
        for _, _, others in bindings:
            for key in others:
                found.setdefault(key, []).append(None)
        return found

    def _find_stacks(self) -> set[str]:
        """Find the names that only ever hold one list of saves."""
        unpackings = [key for part in self.parts(gast.Assign) for key in self._received(part)]
        made: Counter[str] = Counter(unpackings)
        for part in self.parts(gast.Assign):
            place, value = part.targets[0], part.value
            if len(part.targets) == 1 and type(place) is gast.Name:
                made[place.id] += type(value) is gast.List and not value.elts
        calls = [part for part in self.parts(gast.Call) if is_stack_call(part)]
        allowed = Counter(part.func.value.id for part in calls)
        lengthened = {part.func.value.id for part in calls if part.args}
        tests = [part.test for part in self.parts(gast.While)]
        allowed.update(test.id for test in tests if type(test) is gast.Name)
        allowed.update(key for part in self.parts(gast.Return) for key in self._handed_over(part))
        occurrences = self.body.mentions
        found = {
            key
            for key, count in made.items()
            if count == 1 and occurrences[key] == count + allowed[key]
            if self.context.temporaries(key) and key not in self.parameters | self.scoped
        }
        return found - (
            lengthened & {*unpackings}
        )  # a list of the user's, which gets back its items

    @staticmethod
    def _handed_over(part: Tree) -> list[str]:
        """List the names that a split forward sweep returns as its state."""
        if type(part) is not gast.Return or type(part.value) is not gast.Tuple:
            return []
        state = part.value.elts[-1] if part.value.elts else None
        if len(part.value.elts) != 2 or not isinstance(state, gast.Tuple):
            return []
        return [item.id for item in state.elts if isinstance(item, gast.Name)]

    def _received(self, part: Tree) -> list[str]:
        """List the names that a split reverse sweep unpacks its state into."""
        if type(part) is not gast.Assign or type(part.value) is not gast.Name:
            return []
        place = part.targets[0]
        if part.value.id not in self.parameters or type(place) is not gast.Tuple:
            return []
        return [item.id for item in place.elts if type(item) is gast.Name]

    def is_scalar_name(self, key: str) -> bool:
        """Whether a name only ever holds numbers, booleans, strings or None."""
        return key in self._scalars

    def _find_scalars(self) -> None:
        found = {k for k in {*self.values, *self.parameters} if self.says_scalar(k)}
        own = [k for k in self.values if k not in self.parameters and k not in found]
        self._scalars = found | {k for k in own if all(v is not None for v in self.values[k])}
        self._keep(self._scalars, [k for k in own if k in self._scalars], self.is_scalar)

    def _keep(self, names: set[str], asked: list[str], holds: Callable[[Any], bool]) -> None:
        """Drop from a set the names that are not bound to what holds as long as all of it does.

        What is left is the largest set of names each of which is as it should be if all others are.
        """
        dropped = True
        while dropped:
            kept = []
            for key in asked:
                if all(holds(v) for v in self.values[key]):
                    kept.append(key)
                else:
                    names.discard(key)
            dropped, asked = len(kept) < len(asked), kept

    def says_scalar(self, key: str) -> bool:
        return is_no_array(self.kind(key))

    def is_scalar(self, tree: Tree) -> bool:
        """Whether an expression gives a number, boolean, string or None: nothing mutable."""
        if isinstance(tree, (gast.Constant, gast.JoinedStr)):
            return True
        if type(tree) is gast.Name:
            return tree.id in self._scalars
        if type(tree) is gast.BinOp:
            return self.is_scalar(tree.left) and self.is_scalar(tree.right)
        if type(tree) is gast.UnaryOp:
            return type(tree.op) is gast.Not or self.is_scalar(tree.operand)
        if type(tree) is gast.BoolOp:
            return all(self.is_scalar(v) for v in tree.values)
        if type(tree) is gast.Compare:
            return all(self.is_scalar(v) for v in [tree.left, *tree.comparators])
        if type(tree) is gast.IfExp:
            return self.is_scalar(tree.body) and self.is_scalar(tree.orelse)
        if type(tree) is gast.Subscript:
            return self.is_item(tree)
        if type(tree) is gast.Call:
            return self._is_scalar_call(tree)
        return False

    def is_item(self, tree: Tree) -> bool:
        """Whether a read takes one item out of an array of known rank."""
        if type(tree.value) is not gast.Name:
            return False
        kind = self.kind(tree.value.id)
        if not isinstance(kind, Array) or kind.dtype == "O":
            return False
        index = tree.slice
        parts = index.elts if type(index) is gast.Tuple else [index]
        return len(parts) == len(kind.dims) and all(self.is_integer(p) for p in parts)

    def is_gathered(self, tree: Tree) -> bool:
        """Whether a read gathers items of an array by an array of places: that copies."""
        if type(tree.value) is not gast.Name or not isinstance(self.kind(tree.value.id), Array):
            return False
        parts = tree.slice.elts if type(tree.slice) is gast.Tuple else [tree.slice]
        kinds = [self.kind(part.id) for part in parts if type(part) is gast.Name]
        return any(isinstance(places, Array) and bool(places.dims) for places in kinds)

    def is_integer(self, tree: Tree) -> bool:
        if type(tree) is gast.Constant:
            return isinstance(tree.value, int)
        if type(tree) is gast.Name:
            return isinstance(self.kind(tree.id), Integer)
        if type(tree) is gast.UnaryOp:
            return self.is_integer(tree.operand)
        if type(tree) is gast.BinOp and type(tree.op) in POLYNOMIAL:
            return self.is_integer(tree.left) and self.is_integer(tree.right)
        if type(tree) is gast.Call and self.context.resolve(tree.func) is len:
            return len(tree.args) == 1 and self.is_finite_sequence(tree.args[0])
        if type(tree) is gast.Subscript:
            return self._is_shape(tree.value) and self.is_integer(tree.slice)
        return False

    def _is_shape(self, tree: Tree) -> bool:
        """Whether an expression gives the shape of an array: whole numbers."""
        if type(tree) is gast.Call:
            return self.context.resolve(tree.func) is np.shape
        owner: Any = tree.value if type(tree) is gast.Attribute and tree.attr == "shape" else None
        return type(owner) is gast.Name and isinstance(self.kind(owner.id), Array)

    def _is_scalar_call(self, tree: Tree) -> bool:
        found = self.context.resolve(tree.func)
        if found is MISSING:
            return False
        if is_one_of(found, (len, float, int, bool, isinstance)):
            return True
        if getattr(found, "__module__", "") == "math":
            return True
        if isinstance(found, np.ufunc):
            return not tree.keywords and all(self.is_scalar(a) for a in tree.args)
        if is_one_of(found, (np.sum, summed)) and len(tree.args) == 1 and not tree.keywords:
            return True
        if is_one_of(found, (abs, min, max, round, np.float64)):
            return all(self.is_scalar(a) for a in tree.args)
        return False

    @functools.cached_property
    def _floats(self) -> set[str]:
        """The names that only ever hold floats."""
        floats = {
            k
            for k, values in self.values.items()
            if k not in self.parameters | self.lists and all(v is not None for v in values)
        }
        self.__dict__["_floats"] = floats  # while it is looked for, all are taken to
        self._keep(floats, [k for k in self.values if k in floats], self.is_float)
        return floats

    def is_float(self, tree: Tree) -> bool:
        """Whether an expression gives floating-point numbers, so that `1.0 * x` is `x`."""
        if type(tree) is gast.Constant:
            return isinstance(tree.value, float)
        if type(tree) is gast.Name:
            kind = self.kind(tree.id)
            if isinstance(kind, Real):
                return kind.dtype[0] in "fc?" and not kind.may_be_integer
            if isinstance(kind, Array):
                return kind.dtype[0] in "fc"
            return tree.id in self._floats or is_adjoint(tree.id, self.context)
        if type(tree) is gast.UnaryOp:
            return type(tree.op) is not gast.Not and self.is_float(tree.operand)
        if type(tree) is gast.BinOp:
            if self.is_float(tree.left) or self.is_float(tree.right):
                return True
            # true division of objects may be anything; of numbers it is a float
            divides = type(tree.op) is gast.Div
            return divides and self._holds_numbers(tree.left) and self._holds_numbers(tree.right)
        if type(tree) is gast.Subscript:
            return self.is_float(tree.value)
        if type(tree) is gast.Call:
            found = self.context.resolve(tree.func)
            if traits_of(found).floating:
                return True
            kept = isinstance(found, np.ufunc) and _keeps_floats(found)
            return kept and any(map(self.is_float, tree.args))
        return False

    def _holds_numbers(self, tree: Tree) -> bool:
        """Whether an expression is a literal, a length or a name of numbers or of an array of them."""
        if type(tree) is gast.Name:
            kind = self.kind(tree.id)
            return (
                isinstance(kind, (Integer, Real)) or isinstance(kind, Array) and kind.dtype != "O"
            )
        return self.is_integer(tree)

    def is_listlike(self, tree: Tree) -> bool:
        """Whether adding two values may join lists instead of adding numbers."""
        cls = type(tree)
        if cls is gast.Name:
            known = self._listlike.get(tree.id)
            return self._is_named_listlike(tree.id) if known is None else known
        if cls is gast.BinOp:
            known = self._listlike.get(tree)
            if known is None:
                known = self.is_listlike(tree.left) or self.is_listlike(tree.right)
                self._listlike[tree] = known
            return known
        if cls is gast.Call:
            found = self.context.resolve(tree.func)
            return is_one_of(found, (list, tuple, dict, zip, reversed, enumerate))
        return cls in _LISTED

    def _is_named_listlike(self, key: str) -> bool:
        kind = self.kind(key)
        found = isinstance(kind, _LISTS) or key in self.lists and not isinstance(kind, Array)
        self._listlike[key] = found
        return found

    def _find_lists(self) -> None:
        while True:
            found = {
                key
                for key, values in self.values.items()
                if key not in self.lists
                if any(v is not None and self.is_listlike(v) for v in values)
            }
            if not found:
                return
            self.lists |= found
            self._listlike = {}

    @functools.cached_property
    def _arrays(self) -> set[str]:
        """The names that only ever hold arrays of rank 1 or more."""
        arrays = {
            k
            for k, values in self.values.items()
            if k not in self.parameters and all(v is not None for v in values)
        }
        self.__dict__["_arrays"] = arrays  # while it is looked for, all are taken to
        self._keep(arrays, [k for k in self.values if k in arrays], self.is_array)
        return arrays

    def is_array(self, tree: Tree) -> bool:
        """Whether an expression gives an array of rank 1 or more for sure."""
        if type(tree) is gast.Name:
            kind = self.kind(tree.id)
            return isinstance(kind, Array) and bool(kind.dims) or tree.id in self._arrays
        if type(tree) is gast.BinOp:
            operands = self.is_array(tree.left) or self.is_array(tree.right)
            return operands and type(tree.op) is not gast.MatMult
        if type(tree) is gast.UnaryOp:
            return type(tree.op) is not gast.Not and self.is_array(tree.operand)
        if type(tree) is gast.Compare:
            ordered = len(tree.ops) == 1 and type(tree.ops[0]) in ORDERING
            return ordered and (self.is_array(tree.left) or self.is_array(tree.comparators[0]))
        return type(tree) is gast.Call and self._is_array_call(tree)

    def _is_array_call(self, tree: Tree) -> bool:
        """Whether a call computes an array of rank 1 or more from one, entry by entry or row by row."""
        found = self.context.resolve(tree.func)
        if found is MISSING:
            method = tree.func.attr if type(tree.func) is gast.Attribute else ""
            return method == "copy" and self.is_array(tree.func.value)
        if tree.keywords:
            return False
        if isinstance(found, np.ufunc):
            by_entry = found.nout == 1 and found.signature is None
            return by_entry and len(tree.args) == found.nin and any(map(self.is_array, tree.args))
        if found is np.where and len(tree.args) == 3:
            return any(map(self.is_array, tree.args))
        place = 1 if found is np.linalg.solve else 0
        keeps = is_one_of(found, _KEEPING_RANK) and len(tree.args) > place
        return keeps and self.is_array(tree.args[place])

    def is_finite_sequence(self, tree: Tree) -> bool:
        """Whether a name holds an array, list or tuple, which has a length for sure."""
        kind = self.kind(tree.id) if type(tree) is gast.Name else None
        if isinstance(kind, Array):
            return bool(kind.dims)
        return isinstance(kind, (List, Tuple, Sequence))
