"""What an expression does besides giving a value, and which names may share memory.

Three questions are answered, each on the safe side:

- Is an expression *pure*: may it be left out, or evaluated elsewhere, if its operands are the same?
- Which memory does a statement read and which does it write? Memory is named by classes of names
  that may share it; the classes do not depend on the place in the text.
- Is a value *fresh*: seen by nothing but the name that it is assigned to?

Stacks that the tool made are told apart: nothing but `append`, `pop` and a test ever sees them, so
filling them touches no memory of the user's.
"""

from __future__ import annotations

import functools
import math
import types
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import gast
import numpy as np

from tapeless.externals import MISSING, is_one_of, is_runtime
from tapeless.kinds import (
    Array,
    Dict,
    Dim,
    Inert,
    Instance,
    Integer,
    Kind,
    List,
    Real,
    Sequence,
    Size,
    Tuple,
)
from tapeless.optimize.context import Context
from tapeless.ranks import dims_of, same_dims
from tapeless.rules.declare import find_rule
from tapeless.rules.traits import traits_of, traits_of_method
from tapeless.runtime import summed
from tapeless.tree.blocks import all_statements
from tapeless.tree.body import Body
from tapeless.tree.names import nodes, parameters, reads

_LISTS = (List, Tuple, Sequence, Dict, Instance)
_DELAYED = (gast.Lambda, gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp)
OUTSIDE = "·outside"


def _read(key: str) -> gast.Name:
    return gast.Name(key, gast.Load(), None, None)


def is_module_function(found: Any) -> bool:
    """Whether an object is a function of NumPy, SciPy, math or operator without effects."""
    if isinstance(found, np.ufunc):
        return True
    owner = getattr(found, "__self__", None)
    if owner is not None and not isinstance(owner, types.ModuleType):
        return False
    module = str(getattr(found, "__module__", None) or "")
    name = str(getattr(found, "__name__", ""))
    if module.startswith("numpy.random"):
        return False
    if module in ("math", "_operator", "operator", "cmath"):
        return module != "_operator" or not name.startswith(("i", "set", "del"))
    if module.split(".")[0] not in ("numpy", "scipy"):
        return False
    return find_rule(found) is not None or isinstance(found, type)


def is_pure_method(label: str) -> bool:
    """Whether a method changes nothing, if the owner is an array or a container."""
    array_method = getattr(np.ndarray, label, None)
    known = traits_of_method(label).pure
    return find_rule(array_method) is not None if known is None else known


@dataclass
class Touch:
    """What a piece of code does to memory: names whose memory it reads and writes."""

    reads: set[str] = field(default_factory=set)
    writes: set[str] = field(default_factory=set)
    unknown: bool = False

    def add(self, other: Touch) -> None:
        """Take in what another piece of code does."""
        self.reads |= other.reads
        self.writes |= other.writes
        self.unknown |= other.unknown


class Effects:
    """The effects of the statements of one function, computed from its text as it is."""

    def __init__(self, function: Any, context: Context, body: Body | None = None) -> None:
        self.function = function
        self.context = context
        self.body = body or Body(function, {})
        self.parameters = set(parameters(function))
        self._of_class: dict[type, list[Any]] = {}
        for statement in self.body.statements:
            for part in statement.nodes:
                self._of_class.setdefault(type(part), []).append(part)
        self.scoped = self.body.scoped
        self.stacks = self._find_stacks()
        self.values = self._assigned_values()
        self.lists: set[str] = set()
        self._find_lists()
        self._parent: dict[str, str] = {}
        self._scalars = self._find_scalars()
        self._share()

    # Names

    def parts(self, *classes: type) -> Iterator[Any]:
        """Walk the parts of the function that are of some classes, class by class."""
        return chain.from_iterable(self._of_class.get(cls, ()) for cls in classes)

    def _assigned_values(self) -> dict[str, list[Any]]:
        """Collect what each name is bound to; None where the text does not say."""
        found: dict[str, list[Any]] = {}
        known: set[int] = set()
        for part in self.parts(gast.Assign):
            for place in part.targets:
                known.add(id(place))
                self._note(place, part.value, found)
        for part in self.parts(gast.AugAssign):
            known.add(id(part.target))
            self._note(part.target, gast.BinOp(part.target, part.op, part.value), found)
        for part in self.parts(gast.Name):
            if type(part.ctx) is gast.Store and id(part) not in known:
                found.setdefault(part.id, []).append(None)
        return found

    @staticmethod
    def _note(place: Any, value: Any, found: dict[str, list[Any]]) -> None:
        if isinstance(place, gast.Name):
            found.setdefault(place.id, []).append(value)

    def _find_stacks(self) -> set[str]:
        """Find the names that only ever hold one list of saves."""
        unpackings = [key for part in self.parts(gast.Assign) for key in self._received(part)]
        made: Counter[str] = Counter(unpackings)
        for part in self.parts(gast.Assign):
            place, value = part.targets[0], part.value
            if len(part.targets) == 1 and isinstance(place, gast.Name):
                made[place.id] += isinstance(value, gast.List) and not value.elts
        calls = [part for part in self.parts(gast.Call) if is_stack_call(part)]
        allowed = Counter(part.func.value.id for part in calls)
        lengthened = {part.func.value.id for part in calls if part.args}
        tests = [part.test for part in self.parts(gast.While)]
        allowed.update(test.id for test in tests if isinstance(test, gast.Name))
        allowed.update(key for part in self.parts(gast.Return) for key in self._handed_over(part))
        occurrences = Counter(part.id for part in self.parts(gast.Name))
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
    def _handed_over(part: Any) -> list[str]:
        """List the names that a split forward sweep returns as its state."""
        if not isinstance(part, gast.Return) or not isinstance(part.value, gast.Tuple):
            return []
        state = part.value.elts[-1] if part.value.elts else None
        if len(part.value.elts) != 2 or not isinstance(state, gast.Tuple):
            return []
        return [item.id for item in state.elts if isinstance(item, gast.Name)]

    def _received(self, part: Any) -> list[str]:
        """List the names that a split reverse sweep unpacks its state into."""
        if not isinstance(part, gast.Assign) or not isinstance(part.value, gast.Name):
            return []
        place = part.targets[0]
        if part.value.id not in self.parameters or not isinstance(place, gast.Tuple):
            return []
        return [item.id for item in place.elts if isinstance(item, gast.Name)]

    # Kinds

    def kind(self, key: str) -> Kind:
        """Return what is known of a name."""
        return self.context.kind_of(key)

    def is_scalar_name(self, key: str) -> bool:
        """Whether a name only ever holds numbers, booleans, strings or None."""
        return key in self._scalars

    def _find_scalars(self) -> set[str]:
        found = {k for k in {*self.values, *self.parameters} if self._says_scalar(k)}
        own = [k for k in self.values if k not in self.parameters and k not in found]
        self._scalars = found | {k for k in own if all(v is not None for v in self.values[k])}
        self._keep(self._scalars, [k for k in own if k in self._scalars], self.is_scalar)
        return self._scalars

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

    def _says_scalar(self, key: str) -> bool:
        kind = self.kind(key)
        return isinstance(kind, Real | Integer | Inert)

    def is_scalar(self, tree: Any) -> bool:
        """Whether an expression gives a number, boolean, string or None: nothing mutable."""
        if isinstance(tree, gast.Constant | gast.JoinedStr):
            return True
        if isinstance(tree, gast.Name):
            return tree.id in self._scalars
        if isinstance(tree, gast.BinOp):
            return self.is_scalar(tree.left) and self.is_scalar(tree.right)
        if isinstance(tree, gast.UnaryOp):
            return isinstance(tree.op, gast.Not) or self.is_scalar(tree.operand)
        if isinstance(tree, gast.BoolOp):
            return all(self.is_scalar(v) for v in tree.values)
        if isinstance(tree, gast.Compare):
            return all(self.is_scalar(v) for v in [tree.left, *tree.comparators])
        if isinstance(tree, gast.IfExp):
            return self.is_scalar(tree.body) and self.is_scalar(tree.orelse)
        if isinstance(tree, gast.Subscript):
            return self._is_item(tree)
        if isinstance(tree, gast.Call):
            return self._is_scalar_call(tree)
        return False

    def _is_item(self, tree: Any) -> bool:
        """Whether a read takes one item out of an array of known rank."""
        if not isinstance(tree.value, gast.Name):
            return False
        kind = self.kind(tree.value.id)
        if not isinstance(kind, Array) or kind.dtype == "O":
            return False
        index = tree.slice
        parts = index.elts if isinstance(index, gast.Tuple) else [index]
        return len(parts) == len(kind.dims) and all(self._is_integer(p) for p in parts)

    def _is_gathered(self, tree: Any) -> bool:
        """Whether a read gathers items of an array by an array of places: that copies."""
        if not isinstance(tree.value, gast.Name) or not isinstance(tree.slice, gast.Name):
            return False
        owner, places = self.kind(tree.value.id), self.kind(tree.slice.id)
        return isinstance(owner, Array) and isinstance(places, Array) and bool(places.dims)

    def _is_integer(self, tree: Any) -> bool:
        if isinstance(tree, gast.Constant):
            return isinstance(tree.value, int)
        if isinstance(tree, gast.Name):
            return isinstance(self.kind(tree.id), Integer)
        if isinstance(tree, gast.UnaryOp):
            return self._is_integer(tree.operand)
        if isinstance(tree, gast.BinOp) and isinstance(tree.op, gast.Add | gast.Sub | gast.Mult):
            return self._is_integer(tree.left) and self._is_integer(tree.right)
        if isinstance(tree, gast.Call) and self.context.resolve(tree.func) is len:
            return len(tree.args) == 1 and self._is_finite_sequence(tree.args[0])
        return False

    def _is_scalar_call(self, tree: Any) -> bool:
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
        if is_one_of(found, (abs, min, max, round)):
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

    def is_float(self, tree: Any) -> bool:
        """Whether an expression gives floating-point numbers, so that `1.0 * x` is `x`."""
        if isinstance(tree, gast.Constant):
            return isinstance(tree.value, float)
        if isinstance(tree, gast.Name):
            kind = self.kind(tree.id)
            if isinstance(kind, Real | Array):
                return kind.dtype[0] in "fc"
            return tree.id in self._floats or is_adjoint(tree.id, self.context)
        if isinstance(tree, gast.UnaryOp):
            return not isinstance(tree.op, gast.Not) and self.is_float(tree.operand)
        if isinstance(tree, gast.BinOp):
            if isinstance(tree.op, gast.Div):
                return False  # true division of objects may be anything; of numbers it is a float
            return self.is_float(tree.left) or self.is_float(tree.right)
        if isinstance(tree, gast.Subscript):
            return self.is_float(tree.value)
        if isinstance(tree, gast.Call):
            found = self.context.resolve(tree.func)
            return traits_of(found).floating
        return False

    def is_listlike(self, tree: Any) -> bool:
        """Whether adding two values may join lists instead of adding numbers."""
        if isinstance(tree, gast.List | gast.Tuple | gast.Dict | gast.ListComp):
            return True
        if isinstance(tree, gast.Name):
            return tree.id in self.lists or isinstance(self.kind(tree.id), _LISTS)
        if isinstance(tree, gast.BinOp):
            return self.is_listlike(tree.left) or self.is_listlike(tree.right)
        if isinstance(tree, gast.Call):
            found = self.context.resolve(tree.func)
            return is_one_of(found, (list, tuple, dict, zip, reversed, enumerate))
        return False

    def _find_lists(self) -> None:
        while True:
            found = {
                key
                for key, values in self.values.items()
                if any(v is not None and self.is_listlike(v) for v in values)
            }
            if found <= self.lists:
                return
            self.lists |= found

    # Sharing of memory

    def root(self, key: str) -> str:
        """Return the representative of the names that may share memory with a name."""
        while key in self._parent:
            key = self._parent[key]
        return key

    def _join(self, a: str, b: str) -> None:
        a, b = self.root(a), self.root(b)
        if a != b:
            self._parent[max(a, b)] = min(a, b)

    def alone(self, key: str) -> bool:
        """Whether nothing else may share memory with what a name holds."""
        if key in self.parameters or key in self.scoped or key not in self.values:
            return False
        root = self.root(key)
        return not any(self.root(k) == root for k in [*self._all_names, OUTSIDE] if k != key)

    def _share(self) -> None:
        self._all_names = {part.id for part in self.parts(gast.Name)}
        for key in self._all_names:
            if key in self.parameters or key not in self.values or key in self.scoped:
                self._enter(key)
        for part in self.parts(gast.Assign):
            for place in part.targets:
                self._bind(place, part.value)
        for part in self.parts(gast.For, gast.comprehension):
            self._bind(part.target, part.iter)
        for part in self.parts(gast.AugAssign):
            if self.is_listlike(part.target) or self.is_listlike(part.value):
                self._bind(part.target, part.value)
        for part in self.parts(gast.With):
            for item in part.items:
                if item.optional_vars is not None:
                    self._bind(item.optional_vars, item.context_expr)
        for part in self.parts(gast.Call):
            self._bind_call(part)

    def _enter(self, key: str) -> None:
        """Let a name that comes from outside share memory with all others that do."""
        if is_adjoint(key, self.context) and key in self.parameters:
            self._join(key, OUTSIDE + " adjoint")
        elif not self._says_scalar(key):
            self._join(key, OUTSIDE)

    def _bind(self, place: Any, value: Any) -> None:
        pairs = isinstance(place, gast.Tuple) and isinstance(value, gast.Tuple)
        if pairs and len(place.elts) == len(value.elts):
            for p, v in zip(place.elts, value.elts, strict=True):
                self._bind(p, v)
            return
        owners = {p.id for p in nodes(place) if isinstance(p, gast.Name)}
        if isinstance(place, gast.Subscript | gast.Attribute):
            owners = self.seen_through(place.value)
            base = place.value
            if isinstance(base, gast.Name) and isinstance(self.kind(base.id), Array):
                return  # a store into an array copies
            if isinstance(place, gast.Subscript) and _is_slice(place.slice):
                if not any(self.is_listlike(gast.Name(o, gast.Load(), None, None)) for o in owners):
                    return
        self._join_all(owners, self.seen_through(value))

    def _bind_call(self, call: Any) -> None:
        if is_stack_call(call) and call.func.value.id in self.stacks:
            return
        if self.is_pure_call(call) or self.is_added_at(call):
            return
        arguments = [*call.args, *(k.value for k in call.keywords)]
        seen = set().union(*(self.seen_through(a) for a in arguments))
        if isinstance(call.func, gast.Attribute):
            seen |= self.seen_through(call.func.value)
        self._join_all(seen, set())

    def _join_all(self, owners: set[str], seen: set[str]) -> None:
        together = sorted(k for k in owners | seen if k not in self._scalars)
        for key in together[1:]:
            self._join(together[0], key)

    def seen_through(self, tree: Any) -> set[str]:
        """Collect the names whose memory the value of an expression may show."""
        if tree is None or isinstance(tree, gast.Constant | gast.Compare | gast.JoinedStr):
            return set()
        if isinstance(tree, gast.Name):
            return set() if tree.id in self._scalars else {tree.id}
        if isinstance(tree, gast.Subscript):
            copied = self._is_item(tree) or self._is_gathered(tree)
            return set() if copied else self.seen_through(tree.value)
        if isinstance(tree, gast.Attribute | gast.Starred):
            found = self.context.resolve(tree) if isinstance(tree, gast.Attribute) else MISSING
            return self.seen_through(tree.value) if found is MISSING else {OUTSIDE}
        if isinstance(tree, gast.BinOp):
            if self.is_listlike(tree.left) or self.is_listlike(tree.right):
                return self.seen_through(tree.left) | self.seen_through(tree.right)
            return set()
        if isinstance(tree, gast.UnaryOp):
            return set()
        if isinstance(tree, gast.IfExp):
            return self.seen_through(tree.body) | self.seen_through(tree.orelse)
        if isinstance(tree, gast.Call):
            return self._seen_through_call(tree)
        return set().union(*(self.seen_through(p) for p in gast.iter_child_nodes(tree)))

    def _seen_through_call(self, call: Any) -> set[str]:
        if is_stack_call(call) and call.func.value.id in self.stacks:
            return self._pushed(call.func.value.id)
        arguments = [*call.args, *(k.value for k in call.keywords)]
        seen = set().union(*(self.seen_through(a) for a in arguments))
        found = self.context.resolve(call.func)
        if found is MISSING:
            if not isinstance(call.func, gast.Attribute):
                return seen | {OUTSIDE}
            owner = self.seen_through(call.func.value)
            method = call.func.attr
            pure = is_pure_method(method)
            if pure and not traits_of_method(method).may_be_view:
                listlike = self.is_listlike(call.func.value)
                known = all(isinstance(self.kind(o), Array | Real) for o in owner)
                return owner if listlike or (method == "copy" and not known) else set()
            return seen | owner | (set() if pure else {OUTSIDE})
        if is_one_of(found, (len, float, int, bool, range, abs, isinstance)):
            return set()
        if is_runtime(found):
            shown = traits_of(found).shows
            if shown is not None and call.args:
                return set().union(*(self.seen_through(call.args[i]) for i in shown))
            return seen
        if is_module_function(found):
            return seen if traits_of(found).may_be_view or found is np.where else set()
        if self.is_pure_call(call):
            return seen
        return seen | {OUTSIDE}

    def _pushed(self, stack: str) -> set[str]:
        found: set[str] = set() if stack in self._made_as_lists else {OUTSIDE}
        for value in self._values_pushed.get(stack, ()):
            found |= self.seen_through(value)
        return found

    @functools.cached_property
    def _made_as_lists(self) -> set[str]:
        """The names that are bound to a list display."""
        made = [
            part.targets for part in self.parts(gast.Assign) if isinstance(part.value, gast.List)
        ]
        return {place.id for places in made for place in places if isinstance(place, gast.Name)}

    @functools.cached_property
    def _values_pushed(self) -> dict[str, list[Any]]:
        """What is appended to each name."""
        found: dict[str, list[Any]] = {}
        for part in self.parts(gast.Call):
            if is_stack_call(part) and part.args:
                found.setdefault(part.func.value.id, []).append(part.args[0])
        return found

    def is_fresh(self, tree: Any) -> bool:
        """Whether nothing else sees the value of an expression."""
        if isinstance(tree, gast.Constant | gast.BinOp | gast.UnaryOp | gast.Compare | gast.Call):
            return self.is_scalar(tree) or not self.seen_through(tree)
        if isinstance(tree, gast.Subscript) and self._is_gathered(tree):
            return True
        return self.is_scalar(tree)

    # Purity

    def is_pure(self, tree: Any) -> bool:
        """Whether evaluating an expression has no effect but its value."""
        for part in nodes(tree):
            if isinstance(part, gast.Call) and not self.is_pure_call(part):
                return False
            if isinstance(part, gast.Lambda | gast.FunctionDef):
                return False
        return True

    def is_pure_call(self, call: Any) -> bool:
        """Whether a call has no effect but its value, given that its arguments have none."""
        if any(k.arg in ("out", "key", None) for k in call.keywords):
            return False  # a key is a function of the user's, which may do anything
        if self.is_read_only(call):
            return True
        found = self.context.resolve(call.func)
        if found is MISSING:
            method = call.func
            if not isinstance(method, gast.Attribute) or not is_pure_method(method.attr):
                return False
            base = method.value
            return not (isinstance(base, gast.Name) and isinstance(self.kind(base.id), Instance))
        known = traits_of(found).pure
        if known is not None:
            return known
        module = str(getattr(found, "__module__", None) or "")
        of_rules = module.startswith("tapeless.rules.")
        return of_rules or is_runtime(found) or is_module_function(found)

    def is_added_at(self, call: Any) -> bool:
        """Whether a call adds to items of its first argument, and does nothing else."""
        return self.context.resolve(call.func) is np.add.at and len(call.args) == 3

    def is_read_only(self, call: Any) -> bool:
        """Whether a call is one of a function of the module that writes to nothing."""
        return isinstance(call.func, gast.Name) and call.func.id in self.context.reads_only

    def may_raise(self, tree: Any) -> bool:
        """Whether evaluating a pure expression of the user's may raise."""
        if isinstance(tree, gast.Constant | gast.Name):
            return False
        if isinstance(tree, gast.UnaryOp):
            return self.may_raise(tree.operand)
        if isinstance(tree, gast.Tuple | gast.List):
            return any(self.may_raise(item) for item in tree.elts)
        if isinstance(tree, gast.Compare | gast.BinOp):
            return self._operation_may_raise(tree)
        if isinstance(tree, gast.Call):
            return self._call_may_raise(tree)
        return True

    def _operation_may_raise(self, tree: Any) -> bool:
        if isinstance(tree, gast.Compare):
            operands = [tree.left, *tree.comparators]
            if any(isinstance(o, gast.In | gast.NotIn) for o in tree.ops):
                return True
        else:
            operands = [tree.left, tree.right]
            if isinstance(tree.op, gast.Div | gast.Mod | gast.FloorDiv):
                if not (self.is_array(tree.left) or self.is_array(tree.right)):
                    right = tree.right
                    if not (isinstance(right, gast.Constant) and right.value):
                        return True
            elif not isinstance(tree.op, gast.Add | gast.Sub | gast.Mult | gast.Pow):
                return True
        return any(self.may_raise(o) for o in operands) or not self._agree(operands)

    def _agree(self, operands: list[Any]) -> bool:
        """Whether operands broadcast together for sure."""
        arrays = [o for o in operands if not self.is_scalar(o)]
        if any(self.is_listlike(a) for a in arrays):
            return False
        if len(arrays) < 2:
            return True
        if all(isinstance(a, gast.Name) for a in arrays) and len({a.id for a in arrays}) == 1:
            return True
        dims = [self._dims(a) for a in arrays]
        return all(d == () or _fits(dims[0], d) for d in dims[1:])

    def _dims(self, tree: Any) -> tuple[Dim, ...] | None:
        """Return the dimensions of an expression whose operands agree, None where not known."""
        if isinstance(tree, gast.Name):
            return dims_of(self.kind(tree.id))
        if isinstance(tree, gast.BinOp):
            operands = [tree.left, tree.right]
        elif isinstance(tree, gast.Call):
            operands = list(tree.args)
            if not isinstance(self.context.resolve(tree.func), np.ufunc):
                return None
        else:
            return None
        arrays = [o for o in operands if not self.is_scalar(o)]
        return self._dims(arrays[0]) if arrays else ()

    def is_array(self, tree: Any) -> bool:
        """Whether an expression gives an array for sure."""
        if isinstance(tree, gast.Name):
            return isinstance(self.kind(tree.id), Array)
        if isinstance(tree, gast.BinOp):
            return self.is_array(tree.left) or self.is_array(tree.right)
        return False

    def _call_may_raise(self, call: Any) -> bool:
        found = self.context.resolve(call.func)
        if any(self.may_raise(a) for a in call.args) or call.keywords:
            return True
        if isinstance(found, np.ufunc):
            if found.signature is not None:
                return True
            return len(call.args) != found.nin or not self._agree(call.args)
        if traits_of(found).total:
            return len(call.args) != 1
        if found is np.where:
            return len(call.args) != 3 or not self._agree(call.args)
        if found is math.sin or found is math.cos:
            return False
        return True

    def unpacks(self, iterable: Any, place: Any) -> bool:
        """Whether a loop over an expression binds its names for sure: nothing can raise."""
        if isinstance(place, gast.Name):
            return self._iterates(iterable)
        if not isinstance(place, gast.Tuple) or not isinstance(iterable, gast.Call):
            return False
        if not all(isinstance(part, gast.Name) for part in place.elts):
            return False
        found = self.context.resolve(iterable.func)
        width = 2 if found is enumerate else len(iterable.args) if found is zip else None
        return len(place.elts) == width and self._iterates(iterable)

    def _iterates(self, tree: Any) -> bool:
        """Whether iterating over an expression can neither raise nor go on for ever."""
        if not isinstance(tree, gast.Call):
            return self._is_finite_sequence(tree)
        found = self.context.resolve(tree.func)
        if tree.keywords or not tree.args:
            return False
        if found is range:
            step = tree.args[2] if len(tree.args) > 2 else None
            moves = step is None or isinstance(step, gast.Constant) and bool(step.value)
            return moves and all(self._is_integer(a) for a in tree.args)
        if found is zip or found is enumerate and len(tree.args) == 1:
            return all(self._iterates(a) for a in tree.args)
        if found is reversed:
            return len(tree.args) == 1 and self._is_finite_sequence(tree.args[0])
        return False

    def _is_finite_sequence(self, tree: Any) -> bool:
        """Whether a name holds an array, list or tuple, which has a length for sure."""
        kind = self.kind(tree.id) if isinstance(tree, gast.Name) else None
        if isinstance(kind, Array):
            return bool(kind.dims)
        return isinstance(kind, List | Tuple | Sequence)

    # Memory

    def touch(self, tree: Any) -> Touch:
        """Find what an expression or a statement, with its blocks, does to memory."""
        made = Touch()
        for part in nodes(tree):
            self._touch_part(part, made)
        return made

    def is_outer(self, key: str) -> bool:
        """Whether a name is looked up outside the function and may be bound anew there."""
        if key in self.values or key in self.parameters or key in self.scoped:
            return False
        found = self.context.resolve(gast.Name(key, gast.Load(), None, None))
        return not (callable(found) or isinstance(found, types.ModuleType))

    def _touch_part(self, part: Any, made: Touch) -> None:
        if isinstance(part, gast.Name):
            if isinstance(part.ctx, gast.Load) and self.is_outer(part.id):
                made.reads.add(OUTSIDE)
        elif isinstance(part, gast.Call):
            self._touch_call(part, made)
        elif isinstance(part, gast.Subscript | gast.Attribute):
            seen = self.seen_through(part.value)
            if isinstance(part, gast.Subscript):  # an array used as an index is read as well
                made.reads |= {k for n in reads(part.slice) for k in self.seen_through(_read(n))}
            if isinstance(part.ctx, gast.Load):
                if self.context.resolve(part) is MISSING:
                    made.reads |= seen
            else:
                made.writes |= seen or {OUTSIDE}
        elif isinstance(part, gast.AugAssign):
            if isinstance(part.target, gast.Name):
                made.writes |= self.seen_through(gast.Name(part.target.id, gast.Load(), None, None))
            made.reads |= self._direct(part.value)
        elif isinstance(part, gast.BinOp | gast.UnaryOp | gast.Compare | gast.BoolOp):
            for child in gast.iter_child_nodes(part):
                made.reads |= self._direct(child)
        elif isinstance(part, gast.For | gast.comprehension):
            made.reads |= self._direct(part.iter)
        elif isinstance(part, gast.If | gast.While | gast.IfExp | gast.Assert):
            made.reads |= self._direct(part.test)
        elif isinstance(part, gast.Starred | gast.FormattedValue):
            made.reads |= self._direct(part.value)
        elif isinstance(part, gast.Assign):
            if any(not isinstance(place, gast.Name) for place in part.targets):
                made.reads |= self._direct(part.value)
        elif isinstance(part, gast.Lambda | gast.FunctionDef | gast.With | gast.Try):
            made.unknown = True

    def _direct(self, tree: Any) -> set[str]:
        return self.seen_through(tree) if isinstance(tree, gast.expr) else set()

    def _touch_call(self, call: Any, made: Touch) -> None:
        if is_stack_call(call) and call.func.value.id in self.stacks:
            made.reads.add(call.func.value.id)
            made.writes.add(call.func.value.id)
            return
        for argument in [*call.args, *(k.value for k in call.keywords)]:
            made.reads |= self._direct(argument)
        if isinstance(call.func, gast.Attribute):
            made.reads |= self._direct(call.func.value)
        if self.is_added_at(call):
            made.writes |= self.seen_through(call.args[0])
        elif not self.is_pure_call(call):
            made.unknown = True

    def collide(self, reads: set[str], touch: Touch) -> bool:
        """Whether code that touches memory may change what is read."""
        if not reads:
            return False
        if touch.unknown and any(r not in self.stacks for r in reads):
            return True
        written = {self.root(w) for w in touch.writes}
        return any(self.root(r) in written for r in reads)

    # Evaluation order

    def effects_before(self, parts: list[Any], use: Any) -> Touch | None:
        """Find what is done to memory by what is evaluated before a use; None if it is not there.

        A use where it may be evaluated never or more than once is not there.
        """
        made = Touch()
        for part in parts:
            for piece in _evaluated(part, use):
                if piece is use:
                    return made
                if piece is None:
                    return None
                if isinstance(piece, gast.Call):
                    self._touch_call(piece, made)
                elif isinstance(piece, gast.Lambda):
                    made.unknown = True
        return None

    def statements(self) -> Iterator[Any]:
        """Walk the statements of the function that are not inside opaque ones."""
        return all_statements(self.function.body)


def _fits(a: tuple[Dim, ...] | None, b: tuple[Dim, ...] | None) -> bool:
    """Whether shapes of one rank are taken to broadcast: a length that is written out may not."""
    if a is None or b is None or not same_dims(a, b):
        return False
    return all(
        p == q or isinstance(p, Size) and isinstance(q, Size) for p, q in zip(a, b, strict=True)
    )


def _evaluated(tree: Any, use: Any) -> Iterator[Any]:
    """Walk an expression in order of evaluation, parts before wholes; None: the use is hidden."""
    if isinstance(tree, gast.IfExp):
        yield from _evaluated(tree.test, use)
        hidden = [tree.body, tree.orelse]
    elif isinstance(tree, gast.BoolOp):
        yield from _evaluated(tree.values[0], use)
        hidden = tree.values[1:]
    elif isinstance(tree, gast.Compare) and len(tree.ops) > 1:
        yield from _evaluated(tree.left, use)
        yield from _evaluated(tree.comparators[0], use)
        hidden = tree.comparators[1:]
    elif isinstance(tree, _DELAYED):
        hidden = [tree]
    else:
        for child in gast.iter_child_nodes(tree):
            yield from _evaluated(child, use)
        yield tree
        return
    for part in hidden:
        for piece in nodes(part):
            if piece is use:
                yield None
            if isinstance(piece, gast.Call | gast.Lambda):
                yield piece
    yield tree


def is_stack_call(call: Any) -> bool:
    """Whether a call reads `name.append(value)` or `name.pop()`."""
    function = call.func
    if not (isinstance(function, gast.Attribute) and isinstance(function.value, gast.Name)):
        return False
    if call.keywords:
        return False
    if function.attr == "append":
        return len(call.args) == 1 and not isinstance(call.args[0], gast.Starred)
    return function.attr == "pop" and not call.args


def is_adjoint(key: str, context: Context) -> bool:
    """Whether a name is that of an adjoint: the tool's own, and named after what it is of."""
    base, _, number = key.rpartition("_")
    stem = base if number.isdigit() and base else key
    return stem.endswith("_bar") and context.temporaries(key)


def _is_slice(index: Any) -> bool:
    parts = index.elts if isinstance(index, gast.Tuple) else [index]
    return any(
        isinstance(p, gast.Slice) or (isinstance(p, gast.Constant) and p.value is Ellipsis)
        for p in parts
    )
