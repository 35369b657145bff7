"""Forward mode: every statement beside the statement that computes its tangent.

The Jacobian of each statement is applied as the primal goes along: for `y = f(x)` the tangent of
`y` is the partial times that of `x` (Griewank and Walther, "Evaluating Derivatives", ch. 3). A
tangent has the structure of its primal and is changed by the same operations: what is a view of an
array, an alias of a list or a slot of an object has a tangent that is the same view, alias or slot.
So nothing is saved, and control flow stays as it is written.

A name that varies anywhere has a tangent wherever it is bound, if need be zero; a mutable thing
that varies at any time has one from the start. Both follow from the regions of `effects`.
"""

from __future__ import annotations

import copy
import dataclasses
import inspect
import types
from typing import Any, cast

import gast
import numpy as np

from tapeless.analysis.abstract import NOTHING, Value, is_adjoint_memory, owner_of_memory
from tapeless.analysis.cuts import masks_of, selects
from tapeless.analysis.facts import Callee, Facts, frozen
from tapeless.analysis.interpret.binding import Default
from tapeless.analysis.interpret.items import item_of
from tapeless.analysis.ranks import dims_of, may_return_view, same_dims
from tapeless.custom import author_of
from tapeless.differentiate import calls, customs, pullbacks, rules, variables
from tapeless.differentiate.accumulate import is_one, product
from tapeless.differentiate.guards import GuardedProducts, unbounded_tangents
from tapeless.differentiate.module import Module, make_function
from tapeless.differentiate.reverse import OPERATORS, Sweep
from tapeless.differentiate.splice import Splicer, text_of
from tapeless.errors import TapelessError
from tapeless.kinds import (
    BOOL,
    NONE,
    Array,
    Dict,
    Function,
    Inert,
    Instance,
    Integer,
    Items,
    Kind,
    List,
    Number,
    Real,
    Region,
    Sequence,
    differentiable,
    is_container,
    is_number,
    regions_of,
)
from tapeless.rules.declare import Rule, find_rule
from tapeless.source.externals import MISSING, External
from tapeless.source.printer import comment
from tapeless.tree.build import (
    as_load,
    as_store,
    assign,
    at_line_of,
    call,
    const,
    name,
    quote_expression,
    target,
)
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import Names, binds, parameters, reads

_MADE_OF_ZEROS = (np.zeros, np.zeros_like)
_FULL_PRODUCTS = ("mul", "truediv", "multiply", "divide", "true_divide")
_SAME_ARRAY = (np.asarray, np.asanyarray, np.ascontiguousarray, np.asfortranarray)
# Whether their result shares memory with their argument depends on its layout or dtype.
_SOMETIMES_VIEWS = {
    "asarray", "asanyarray", "ascontiguousarray", "asfortranarray", "array", "astype", "require",
    "reshape", "ravel", "atleast_1d", "atleast_2d", "atleast_3d", "asarray_chkfinite",
}  # fmt: skip
# They only move the entries of an array, so that the tangent is moved by the same call.
_MOVES = {
    "reshape", "ravel", "flatten", "transpose", "swapaxes", "moveaxis", "rollaxis", "squeeze",
    "expand_dims", "flip", "fliplr", "flipud", "roll", "rot90",
}  # fmt: skip


# By identity: things that are neither arguments nor local, how a function names them
Outside = dict[int, tuple[str, External]]


@dataclasses.dataclass(frozen=True)
class Tangent:
    """The tangent derivative of a function for given kinds.

    Attributes
    ----------
    label
        Its name.
    active
        Positions of the parameters whose tangents it receives.
    result_active
        Whether it returns a tangent; None stands in its place otherwise.
    regions
        The regions of the callee that have tangents.
    outside
        The things outside whose tangents it receives after those of its parameters.
    """

    label: str
    active: tuple[int, ...]
    result_active: bool
    regions: frozenset[Region]
    outside: Outside


# What has a tangent


def deep_regions(kind: Kind) -> set[Region]:
    """Give the regions of a value and of the items of tuples in it."""
    if isinstance(kind, Items):
        return set().union(*(deep_regions(item) for item in kind.items))
    if isinstance(kind, Sequence):
        return deep_regions(kind.item)
    return set(regions_of(kind))


def regions_with_tangent(
    facts: Facts, values: tuple[Value, ...], known: frozenset[Region] = frozenset()
) -> frozenset[Region]:
    """Give the regions of all that varies at any time, what holds it and what it holds.

    Parameters
    ----------
    facts, values
        What is known of a function and of its parameters.
    known
        Regions that have tangents in its caller.
    """
    found = set(facts.varied) | known
    seen = [v for env in facts.before.values() for v in env.values()]
    for value in [*seen, *facts.results.values(), facts.returned, *values]:
        if value.varied and differentiable(value.kind):
            found |= deep_regions(value.kind)
    held = {
        region: [v for v in slots.values() if differentiable(v.kind)]
        for region, slots in facts.heap.items()
    }
    changed = True
    while changed:
        before = len(found)
        for region, slots in held.items():
            if region not in found and any(v.varied or deep_regions(v.kind) & found for v in slots):
                found.add(region)
            if region in found:
                for v in slots:
                    found |= deep_regions(v.kind)
        changed = len(found) != before
    return frozenset(found)


def depends_on_layout(function: CoreFunction, facts: Facts, seen: set[Any] | None = None) -> bool:
    """Say whether the memory layout of an array may decide what shares memory with it."""
    seen = set() if seen is None else seen
    if function in seen:
        return False
    seen.add(function)
    for part in gast.walk(function.tree):
        label = part.attr if isinstance(part, gast.Attribute) else getattr(part, "id", "")
        if label in _SOMETIMES_VIEWS:
            return True
    return any(depends_on_layout(c.function, c.facts, seen) for c in facts.callees.values())


def escaping_regions(facts: Facts, values: tuple[Value, ...]) -> frozenset[Region]:
    """Give the regions that the caller of a function may see."""
    found = deep_regions(facts.returned.kind)
    for value in values:
        found |= deep_regions(value.kind)
    for slots in facts.heap.values():
        for value in slots.values():
            found |= deep_regions(value.kind)
    return frozenset(found)


# Writing


def things_outside(
    function: CoreFunction, facts: Facts, regions: frozenset[Region], seen: set[Any] | None = None
) -> Outside:
    """Find what a function, and what it calls, names outside itself and gives a tangent to."""
    seen = set() if seen is None else seen
    seen.add(function)
    found: Outside = {}
    for key in sorted(set(reads(gast.Module(function.tree.body, []))) - function.local):
        external = function.externals.get(key)
        if external is None:
            continue
        if ("external", id(owner_of_memory(external.value))) in regions:
            found.setdefault(id(external.value), (key, external))
    for callee in facts.callees.values():
        if callee.function not in seen:
            found = things_outside(callee.function, callee.facts, regions, seen) | found
    return found


def write_tangent(
    module: Module, function: CoreFunction, facts: Facts, values: tuple[Value, ...], label: str
) -> None:
    """Write `label(x, c, x_dot, c_dot)`, which returns the value and its tangent.

    The parameters are the primal's, then one tangent for each parameter that varies. Arguments
    and tangents given are left as they are; the tangent returned shares memory with neither.
    """
    module.names.taken |= function.names() | {label}
    _refuse_shared_arguments(function, facts, values)
    writer = _Writer(module, function, facts, values, root=True)
    keys = function.parameters
    wrt = [k for k, v in zip(keys, values, strict=True) if v.varied and differentiable(v.kind)]
    dots = {k: writer.dot(k) for k in wrt}
    start: list[Any] = []
    for key, value in zip(keys, values, strict=True):
        start += writer.entering(key, value.kind, key in dots)
    start += writer.externals_at_start()
    body = [*start, *writer.block(function.tree.body)]
    module.add(make_function(label, [*keys, *dots.values()], body, function), writer)


def _refuse_shared_arguments(
    function: CoreFunction, facts: Facts, values: tuple[Value, ...]
) -> None:
    """An array that is stored into must come in by one argument only."""
    seen: set[Region] = set()
    for value in values:
        regions = deep_regions(value.kind)
        if regions & seen & facts.stored:
            from tapeless.errors import GradientError

            raise GradientError(
                f"'{function.name}' stores into an array that comes in by two of its arguments",
                fix="pass a copy for one of them",
                filename=function.filename,
                lineno=getattr(function.tree, "lineno", None),
            )
        seen |= regions


def seen_regions(facts: Facts) -> set[Region]:
    """Give the regions of all values that a function ever sees."""
    found = deep_regions(facts.returned.kind) | set(facts.heap) | facts.stored
    for env in facts.before.values():
        for value in env.values():
            found |= deep_regions(value.kind)
    for value in facts.results.values():
        found |= deep_regions(value.kind)
    return found


def tangent_of_callee(module: Module, callee: Callee, known: frozenset[Region]) -> Tangent | None:
    """Give the tangent derivative of a callee, written on first demand.

    Parameters
    ----------
    module, callee
        Where it is written, and what is called.
    known
        The callee's regions that have tangents in the caller.

    Returns
    -------
    None where nothing that varies reaches it.
    """
    key = (callee.function, callee.values, frozen(callee.heap))
    facts = module.effects.found.get(key, callee.facts)  # the last round of a recursion
    regions = regions_with_tangent(facts, callee.values, known)
    written = (key, regions)
    if written in module.tangents:
        return cast("Tangent | None", module.tangents[written])
    active = tuple(
        i
        for i, v in enumerate(callee.values)
        if differentiable(v.kind) and (v.varied or deep_regions(v.kind) & regions)
    )
    returned = facts.returned
    result_active = differentiable(returned.kind) and bool(
        returned.varied or deep_regions(returned.kind) & regions
    )
    if not active and not result_active and not regions:
        module.tangents[written] = None
        return None
    function = callee.function
    module.names.taken |= function.names()
    label = module.names.fresh(f"{function.name.strip('_') or 'function'}_jvp")
    outside = things_outside(function, facts, regions)
    made = Tangent(label, active, result_active, regions, outside)
    module.tangents[written] = made
    writer = _Writer(module, function, facts, callee.values, root=False, known=known)
    keys = function.parameters
    dots = [writer.dot(keys[i]) for i in active]
    start: list[Any] = []
    for i, k in enumerate(keys):
        if i not in active and k in writer.tracked:
            start.append(assign(writer.dot(k), writer.zero(name(k), callee.values[i].kind)))
    for thing, (seen_as, _) in outside.items():
        writer.external_dots[thing] = writer.dot(seen_as)
    dots += writer.external_dots.values()
    body = [*start, *writer.block(function.tree.body)]
    module.add(make_function(label, [*keys, *dots], body, function), writer)
    return made


class _Writer(Sweep):
    """Writes the tangent statements of one function.

    Attributes
    ----------
    regions
        The regions that have tangents.
    tracked
        The names that have tangents.
    dots
        The names of the tangents.
    """

    def __init__(
        self, module: Module, function: CoreFunction, facts: Facts, values: tuple[Value, ...],
        root: bool, known: frozenset[Region] = frozenset(),
    ) -> None:  # fmt: skip
        self.function = function
        self.facts = facts
        self.effects = module.effects
        self.module = module
        self.names = Names(function.names() | module.names.taken)
        self.splicer = Splicer(function, module.effects, self.names)
        self.splicer.interpreter.heap = facts.heap
        self.splicer.interpreter.varied = facts.varied
        self.out = []
        self.root = root
        self.unbounded = unbounded_tangents(function, facts, root)
        self.masks = masks_of(function, facts)
        self.regions = regions_with_tangent(facts, values, known)
        self.escaping = escaping_regions(facts, values)
        self.dots: dict[str, str] = {}
        self.external_dots: dict[int, str] = {}
        self.result_active = differentiable(facts.returned.kind) and self.varies(facts.returned)
        self.tracked = self.names_with_tangent(values)
        for key in dict.fromkeys([*function.parameters, *sorted(self.tracked)]):
            if key in self.tracked:
                self.dot(key)

    # What has a tangent

    def varies(self, value: Value) -> bool:
        """Say whether a value has a tangent."""
        return differentiable(value.kind) and bool(
            value.varied or deep_regions(value.kind) & self.regions
        )

    def names_with_tangent(self, values: tuple[Value, ...]) -> set[str]:
        found = {k for k, v in zip(self.function.parameters, values, strict=True) if self.varies(v)}
        for env in self.facts.before.values():
            found |= {key for key, value in env.items() if self.varies(value)}
        for s, value in self.facts.results.items():
            if isinstance(s, gast.Assign) and isinstance(s.targets[0], gast.Name):
                if self.varies(value):
                    found.add(s.targets[0].id)
            elif isinstance(s, gast.AugAssign) and isinstance(s.target, gast.Name):
                if self.varies(value):
                    found.add(s.target.id)
        return found

    def value(self, statement: Any, key: str) -> Value:
        """Give what is known of a name as control comes to a statement."""
        found = self.facts.before.get(statement, {}).get(key, NOTHING)
        if found is NOTHING and key not in self.function.local:
            found = self.splicer.evaluate(name(key), {})
        return Value(found.kind, self.varies(found))

    def result(self, statement: Any) -> Value:
        """Give what is known of the result of a statement."""
        found = self.facts.results.get(statement, NOTHING)
        return Value(found.kind, self.varies(found))

    def is_active(self, statement: Any, tree: Any) -> bool:
        """Say whether an operand has a tangent that may not be zero."""
        if isinstance(tree, gast.Starred):
            return self.is_active(statement, tree.value)
        if isinstance(tree, gast.Subscript):  # an item of a starred argument
            return self.is_active(statement, tree.value)
        if isinstance(tree, gast.Attribute):
            if self.function.resolve(tree) is MISSING:
                return False
            value = self.splicer.evaluate(tree, {})
            if self.varies(value) and is_container_or_array(value.kind):
                self.refuse(
                    statement,
                    f"what `{gast.unparse(tree)}` holds is stored into and varies",
                    "pass it as an argument",
                )
            return False
        return isinstance(tree, gast.Name) and self.value(statement, tree.id).varied

    # Expressions of tangents

    def dot(self, key: str) -> str:
        """Give the name of the tangent of a name."""
        if key not in self.dots:
            self.dots[key] = self.names.fresh(f"{key}_dot")
        return self.dots[key]

    def tangent(self, s: Any, tree: Any) -> Any:
        """Write the tangent of an operand; None where it has none."""
        if not self.is_active(s, tree):
            return None
        if isinstance(tree, gast.Starred):
            return gast.Starred(self.tangent(s, tree.value), gast.Load())
        if isinstance(tree, gast.Subscript):
            return gast.Subscript(self.tangent(s, tree.value), tree.slice, gast.Load())
        if tree.id not in self.function.local:
            return name(self.external_dot(s, tree.id))
        return name(self.dot(tree.id))

    def tangent_or_zero(self, s: Any, tree: Any) -> Any:
        """Write the tangent of an operand, zero where it has none."""
        found = self.tangent(s, tree)
        return self.zero(tree, self.operand_kind(s, tree)) if found is None else found

    def zero(self, tree: Any, kind: Kind) -> Any:
        """Write the zero tangent of a value."""
        if isinstance(kind, Real | Integer) or kind == BOOL:
            return const(0.0)
        if isinstance(kind, Array) and kind.dtype[0] in "fc":
            return quote_expression("np.zeros_like(x)", np=self.numpy, x=tree)
        if isinstance(kind, Function) or (isinstance(kind, Inert) and kind.what in ("None", "str")):
            return const(None)
        if isinstance(tree, gast.Constant):
            return const(0.0 if isinstance(tree.value, int | float | complex) else None)
        return call(name(self.runtime("zero_tangent")), tree)

    def external_dot(self, s: Any, key: str) -> str:
        """Give the tangent of a thing outside the function, which one call of the root owns."""
        thing = self.function.externals[key].value
        if id(thing) not in self.external_dots:
            self.refuse(
                s,
                f"'{key}', which is neither an argument nor local, is stored into and varies",
                "pass it as an argument",
            )
        return self.external_dots[id(thing)]

    def externals_at_start(self) -> list[Any]:
        """Bind the tangents of things outside that are stored into, here or in what is called."""
        made: list[Any] = []
        outside = things_outside(self.function, self.facts, self.regions)
        self.refuse_shared_memory([e.value for _, e in outside.values()])
        for thing, (key, external) in outside.items():
            key = self.splicer.adopt(key, {key: external})
            self.external_dots[thing] = self.dot(key)
            kind = self.splicer.evaluate(name(key), {}).kind
            made.append(assign(self.dot(key), self.zero(name(key), kind)))
        return made

    def refuse_shared_memory(self, things: list[Any]) -> None:
        """Two arrays outside the function have a tangent each, so they must be apart."""
        arrays = [thing for thing in things if isinstance(thing, np.ndarray)]
        for i, a in enumerate(arrays):
            if any(np.may_share_memory(a, b) for b in arrays[:i]):
                self.refuse(
                    self.function.tree,
                    "two arrays that are neither arguments nor local, and are stored into, share "
                    "memory",
                    "use one of them, and slices of it where it is stored into",
                )

    def entering(self, key: str, kind: Kind, given: bool) -> list[Any]:
        """Make what a function may change of its arguments, and their tangents, its own."""
        made: list[Any] = []
        inside = deep_regions(kind)
        for region in list(inside):
            inside |= self.held_in(region, set())
        stored = bool(inside & self.facts.stored) or isinstance(kind, Sequence)
        plain = isinstance(kind, Real | Array)
        by_layout = bool(self.facts.stored) and depends_on_layout(self.function, self.facts)
        simple = isinstance(kind, Array) and not by_layout
        plain = plain and not (by_layout and isinstance(kind, Array) and len(kind.dims) > 1)
        if stored and simple:
            made.append(assign(key, quote_expression("x.copy()", x=key)))
        elif stored:
            made.append(assign(key, call(name(self.runtime("private")), name(key))))
        if given and stored and simple:
            made.append(assign(self.dot(key), quote_expression("x.copy()", x=self.dot(key))))
        elif given and (stored or not plain):
            own = call(name(self.runtime("private_tangent")), name(self.dot(key)), name(key))
            made.append(assign(self.dot(key), own))
        elif not given and key in self.tracked:
            made.append(assign(self.dot(key), self.zero(name(key), kind)))
        return made

    def held_in(self, region: Region, seen: set[Region]) -> set[Region]:
        if region in seen:
            return set()
        seen.add(region)
        found: set[Region] = set()
        for value in self.facts.heap.get(region, {}).values():
            inner = deep_regions(value.kind)
            found |= inner
            for r in inner:
                found |= self.held_in(r, seen)
        return found

    # Blocks

    def block(self, statements: list[Any]) -> list[Any]:
        """Write a block with its tangent statements."""
        made: list[Any] = []
        for s in statements:
            if s not in self.facts.before:  # control never comes here
                made.append(s)
                continue
            s = customs.unmarked(self, s)
            reads, s = variables.with_values_read(self, s)
            for read in reads:
                if self.varies(self.facts.results[read]):
                    self.tracked.add(read.targets[0].id)
                made += self.tangent_Assign(read)
            for part in getattr(self, f"tangent_{type(s).__name__}", self.unchanged)(s):
                made.append(at_line_of(part, s) if not hasattr(part, "_comment") else part)
        return made or [gast.Pass()]

    def unchanged(self, s: Any) -> list[Any]:
        return [s]

    def tangent_If(self, s: Any) -> list[Any]:
        orelse = self.block(s.orelse) if s.orelse else []
        return [gast.If(s.test, self.block(s.body), orelse)]

    def tangent_While(self, s: Any) -> list[Any]:
        orelse = self.block(s.orelse) if s.orelse else []
        return [gast.While(s.test, self.block(s.body), orelse)]

    def tangent_With(self, s: Any) -> list[Any]:
        return [gast.With(s.items, self.block(s.body), None)]

    def tangent_Return(self, s: Any) -> list[Any]:
        tangent: Any = const(None)
        if self.result_active or self.root:
            tangent = self.tangent_or_zero(s, s.value)
        if self.root:
            tangent = self.handed_out(s, tangent)
        return [gast.Return(gast.Tuple([s.value, tangent], gast.Load()))]

    def handed_out(self, s: Any, tangent: Any) -> Any:
        """Give the tangent of the result its structure, and memory of its own."""
        kind = self.operand_kind(s, s.value)
        if isinstance(tangent, gast.Constant) or (isinstance(kind, Real) and kind.dtype == "f8"):
            return tangent
        if isinstance(kind, Array) and kind.dtype in ("f8", "c16"):
            entering = {
                r for r in regions_of(kind) if r[0] in ("argument", "external", "parameter")
            }
            if not entering:
                return tangent
        finisher = self.runtime("as_gradient")
        return quote_expression("f(g, x)", f=finisher, g=tangent, x=s.value)

    # Loops

    def tangent_For(self, s: Any) -> list[Any]:
        made = self.iteration(s)
        orelse = self.block(s.orelse) if s.orelse else []
        place, iterable, start = made
        body = [*(at_line_of(part, s) for part in start), *self.block(s.body)]
        return [gast.For(place, iterable, body, orelse, None)]

    def iteration(self, s: Any) -> tuple[Any, Any, list[Any]]:
        """Write the header of a loop, and what its body starts with."""
        tracked = sorted(binds(s.target) & self.tracked)
        pairs = self.iterated(s, s.target, s.iter)
        covered = set() if pairs is None else binds(pairs[0])
        start = [
            assign(self.dot(k), self.zero(name(k), self.kind_in_body(s, k)))
            for k in tracked
            if self.dot(k) not in covered
        ]
        if pairs is None:
            by_key = self.dict_items(s)
            if by_key is not None:
                lookup, key = by_key
                start = [p for p in start if not (binds(p) & {key})]
                return s.target, s.iter, [lookup, *start]
            if any(self.facts.before.get(s.body[0], {}).get(k, NOTHING).varied for k in tracked):
                self.refuse(
                    s, "items that carry a derivative come from an unknown iterable",
                    "iterate over a list, tuple, dict or array",
                )  # fmt: skip
            return s.target, s.iter, start
        place, iterable = pairs
        if isinstance(s.iter, gast.Name):
            both = gast.Tuple([s.target, place], gast.Store())
            return both, call("zip", s.iter, iterable), start
        if self.calls_built_in(s.iter, "enumerate") and isinstance(s.iter.args[0], gast.Name):
            if isinstance(s.target, gast.Tuple) and isinstance(place, gast.Tuple):
                both = gast.Tuple([s.target.elts[1], place.elts[1]], gast.Store())
                zipped = call("zip", s.iter.args[0], iterable.args[0])
                counted = gast.Call(s.iter.func, [zipped, *s.iter.args[1:]], s.iter.keywords)
                return gast.Tuple([s.target.elts[0], both], gast.Store()), counted, start
        both = gast.Tuple([s.target, place], gast.Store())
        return both, call("zip", s.iter, iterable), start

    def kind_in_body(self, s: Any, key: str) -> Kind:
        return self.facts.before.get(s.body[0], {}).get(key, NOTHING).kind

    def calls_built_in(self, tree: Any, called: str) -> bool:
        return (
            isinstance(tree, gast.Call)
            and isinstance(tree.func, gast.Name)
            and tree.func.id == called
            and called not in self.function.local
        )

    def dict_items(self, s: Any) -> tuple[Any, str] | None:
        """For `d.items()` the tangents are looked up by key."""
        tree = s.iter
        if not isinstance(tree, gast.Call) or not isinstance(tree.func, gast.Attribute):
            return None
        if tree.func.attr != "items" or not self.is_active(s, tree.func.value):
            return None
        if not isinstance(s.target, gast.Tuple) or not all(
            isinstance(e, gast.Name) for e in s.target.elts
        ):
            self.refuse(s, "`.items()` is unpacked into a key and a value only", "unpack later")
        key, item = s.target.elts
        if item.id not in self.tracked:
            return None
        slot = gast.Subscript(self.tangent(s, tree.func.value), name(key.id), gast.Load())
        return assign(self.dot(item.id), slot), self.dot(item.id)

    def iterated(self, s: Any, place: Any, tree: Any) -> tuple[Any, Any] | None:
        """Write where the tangents of the items go and what they come from."""
        if not binds(place) & self.tracked:
            return None
        if isinstance(tree, gast.Name):
            found = self.tangent(s, tree)
            if found is None:
                return None
            if isinstance(self.operand_kind(s, tree), Dict):
                return None
            return self.place_of_tangents(s, place), found
        if not isinstance(tree, gast.Call):
            return None
        if isinstance(tree.func, gast.Attribute):
            found = self.tangent(s, tree.func.value)
            if found is None or tree.func.attr != "values":
                return None
            made = gast.Call(gast.Attribute(found, "values", gast.Load()), [], [])
            return self.place_of_tangents(s, place), made
        if self.calls_built_in(tree, "reversed"):
            inner = self.iterated(s, place, tree.args[0])
            return None if inner is None else (inner[0], call(tree.func, inner[1]))
        if self.calls_built_in(tree, "enumerate"):
            if not isinstance(place, gast.Tuple):
                self.whole_item(s, place, tree)
                return None
            inner = self.iterated(s, place.elts[1], tree.args[0])
            if inner is None:
                return None
            return gast.Tuple([target("_"), inner[0]], gast.Store()), call(tree.func, inner[1])
        if self.calls_built_in(tree, "zip"):
            return self.iterated_together(s, place, tree)
        return None

    def iterated_together(self, s: Any, place: Any, tree: Any) -> tuple[Any, Any] | None:
        if not isinstance(place, gast.Tuple):
            self.whole_item(s, place, tree)
            return None
        found = [
            self.iterated(s, item, part) for item, part in zip(place.elts, tree.args, strict=True)
        ]
        present = [pair for pair in found if pair is not None]
        if not present:
            return None
        if len(present) == 1:
            return present[0]
        places = gast.Tuple([p for p, _ in present], gast.Store())
        return places, gast.Call(tree.func, [i for _, i in present], [])

    def whole_item(self, s: Any, place: Any, tree: Any) -> None:
        if any(self.is_active(s, part) for part in gast.walk(tree) if isinstance(part, gast.Name)):
            self.refuse(
                s,
                f"the items of `{gast.unparse(tree)}` are taken apart in the `for` only",
                "name each of them: `for a, b in ...`",
            )

    def place_of_tangents(self, s: Any, place: Any) -> Any:
        if isinstance(place, gast.Name):
            return target(self.dot(place.id) if place.id in self.tracked else "_")
        return gast.Tuple([self.place_of_tangents(s, p) for p in place.elts], gast.Store())

    # Simple statements

    def tangent_Expr(self, s: Any) -> list[Any]:
        if not isinstance(s.value, gast.Call):
            return [s]
        if self.calls_user_function(s):
            return self.user_call(s, None)
        if customs.custom_of(self, s) is not None:
            return [s]
        func = s.value.func
        if isinstance(func, gast.Attribute) and self.function.resolve(func) is MISSING:
            owner = self.operand_kind(s, func.value)
            if isinstance(owner, List | Dict):
                return self.container_method(s, owner, None)
            if isinstance(owner, Array | Number):
                return self.array_method(s, owner)
        operands = [*s.value.args, *(k.value for k in s.value.keywords)]
        found = self.function.resolve(func)
        if isinstance(func, gast.Name) and found is MISSING:
            kind = self.operand_kind(s, func)
            found = kind.value if isinstance(kind, Function) else MISSING
        if isinstance(func, gast.Attribute) and found is MISSING:
            operands.append(func.value)
        if found == np.add.at:
            return self.add_at_tangent(s)
        rule = None if found is MISSING else find_rule(found)
        if rule is None and any(self.is_active(s, a) for a in operands):
            self.no_gradient(s, func)
        self.check_known(s, s.value)
        self.check_out(s, s.value)
        return [s]

    def add_at_tangent(self, s: Any) -> list[Any]:
        """Write `np.add.at(a, i, v)` after the same of the tangents."""
        owner, index, value = s.value.args
        to, added = self.tangent(s, owner), self.tangent(s, value)
        if to is None and added is not None:
            self.refuse(s, "what is stored into here is not known", "give like=, or a copy")
        if to is None or added is None:
            return [s]
        call_ = quote_expression("np.add.at(a, i, v)", np=self.numpy, a=to, i=index, v=added)
        return [gast.Expr(call_), s]

    def check_known(self, s: Any, tree: Any) -> None:
        """Refuse a call of the user's code into which the analysis could not look."""
        if isinstance(self.result(s).kind, Function):
            return
        found = self.function.resolve(tree.func)
        if found is MISSING and isinstance(tree.func, gast.Attribute):
            owner = self.operand_kind(s, tree.func.value)
            descriptor = getattr(np.ndarray, tree.func.attr, None)
            if not isinstance(owner, Instance) and type(owner) is not Kind:
                return
            if type(owner) is Kind and descriptor is not None and find_rule(descriptor) is not None:
                return
        elif found is MISSING:
            kind = self.operand_kind(s, tree.func)
            found = kind.value if isinstance(kind, Function) else MISSING
        if isinstance(s, gast.Assign) and isinstance(self.facts.results[s].kind, Function):
            return  # a derivative operator: the function that it makes is known
        if found is not MISSING:
            custom = author_of(found) is not None
            user = isinstance(found, types.FunctionType | types.MethodType | gast.FunctionDef)
            if not user or custom or find_rule(found) is not None:
                return
        if self.tracked or self.regions:
            self.refuse(
                s,
                f"what `{gast.unparse(tree.func)}` calls is not known",
                "call the function by its name, or the method on its object",
            )

    def array_method(self, s: Any, owner: Kind) -> list[Any]:
        """A method of an array called for its effect."""
        func = s.value.func
        tangent = self.tangent(s, func.value)
        if tangent is None:
            if any(self.is_active(s, a) for a in s.value.args):
                self.no_gradient(s, func)
            return [s]
        if func.attr == "fill":
            value = self.tangent_or_zero(s, s.value.args[0])
            return [gast.Expr(quote_expression("x.fill(v)", x=tangent, v=value)), s]
        descriptor = getattr(np.ndarray, func.attr, None)
        if descriptor is None or find_rule(descriptor) is None:
            self.refuse(
                s, f"the array method `{func.attr}` is not supported yet", "use a NumPy function"
            )
        return [s]

    def check_out(self, s: Any, tree: Any) -> None:
        """Refuse `out=` where anything varies."""
        operands = [*tree.args, *(k.value for k in tree.keywords)]
        if any(k.arg == "out" for k in tree.keywords) and any(
            self.is_active(s, a) for a in operands
        ):
            self.refuse(s, "`out=` is not supported yet", "assign the result")

    def tangent_Assign(self, s: Any) -> list[Any]:
        place = s.targets[0]
        if isinstance(place, gast.Tuple):
            return self.unpacking(s, place)
        if isinstance(place, gast.Subscript | gast.Attribute):
            return self.storing(s, place)
        if self.calls_user_function(s):
            return self.user_call(s, place.id)
        key = place.id
        if isinstance(s.value, gast.Call) and isinstance(s.value.func, gast.Attribute):
            if self.function.resolve(s.value.func) is MISSING:
                owner = self.operand_kind(s, s.value.func.value)
                if isinstance(owner, List | Dict):
                    return self.container_method(s, owner, key)
        custom = customs.custom_of(self, s)
        if custom is not None:
            return self.custom(s, key, custom)
        if isinstance(s.value, gast.Call):
            self.check_known(s, s.value)
            self.check_out(s, s.value)
        return self.assigning(s, key)

    def assigning(self, s: Any, key: str) -> list[Any]:
        """Write `key = value` and its tangent."""
        result = self.result(s)
        if is_adjoint_memory(result.kind):
            return [s, assign(self.dot(key), copy.deepcopy(s.value))]
        made = None
        if result.varied:
            made = self.of_expression(s, s.value, key)
        if key not in self.tracked:
            return [s]
        if made is None:
            return self.with_zero(s, key)
        statements, tangent = made
        return self.beside(s, key, statements, tangent)

    def beside(self, s: Any, key: str, statements: list[Any], tangent: Any) -> list[Any]:
        """Put a tangent before its statement, or after it where it needs the result."""
        made = [*statements, assign(self.dot(key), tangent)]
        late = any(key in reads(part) for part in made)
        return [s, *made] if late else [*made, s]

    def with_zero(self, s: Any, key: str) -> list[Any]:
        """Bind a zero tangent beside a statement that binds something without derivative."""
        value, kind = s.value, self.result(s).kind
        if isinstance(value, gast.Call) and self.function.resolve(value.func) in _MADE_OF_ZEROS:
            if isinstance(kind, Array) and kind.dtype[0] in "fc":
                return [assign(self.dot(key), copy.deepcopy(value)), s]
        zero = self.zero(name(key), kind)
        if key in reads(zero):
            return [s, assign(self.dot(key), zero)]
        return [assign(self.dot(key), zero), s]

    def unpacking(self, s: Any, place: Any) -> list[Any]:
        """Write `a, b = v` and its tangents."""
        names = [item.id for item in place.elts]
        tracked = [k for k in names if k in self.tracked]
        tangent = self.tangent(s, s.value)
        if not tracked:
            return [s]
        if tangent is None:
            value = self.facts.results[s]
            interpreter = self.splicer.interpreter
            zeros = [
                assign(
                    self.dot(k),
                    self.zero(name(k), item_of(interpreter, value, Integer(i), None).kind),
                )
                for i, k in enumerate(names)
                if k in self.tracked
            ]
            return [s, *zeros]
        dots = [target(self.dot(k) if k in self.tracked else "_") for k in names]
        return [gast.Assign([gast.Tuple(dots, gast.Store())], tangent, None), s]

    def storing(self, s: Any, place: Any) -> list[Any]:
        """Write a store, after the same store of the tangent."""
        owner = self.operand_kind(s, place.value)
        tangent = self.tangent(s, place.value)
        if tangent is None:
            if self.is_active(s, s.value):
                self.refuse(s, "what is stored into here is not known", "give like=, or a copy")
            return [s]
        if isinstance(owner, Instance) and isinstance(place, gast.Subscript):
            self.refuse(s, "`__setitem__` of a user class is not supported yet", "call a method")
        value = self.tangent_or_zero(s, s.value)
        if isinstance(place, gast.Subscript):
            to: Any = gast.Subscript(tangent, place.slice, gast.Store())
        else:
            static = inspect.getattr_static(getattr(owner, "cls", object), place.attr, None)
            if isinstance(static, property):
                self.refuse(s, "a property cannot be stored into yet", "store the attribute")
            to = gast.Attribute(tangent, place.attr, gast.Store())
        return [assign(to, value), s]

    # Augmented assignment

    def tangent_AugAssign(self, s: Any) -> list[Any]:
        """Write `place op= value` after the change of its tangent, in place where it is."""
        place = as_load(s.target)
        is_name = isinstance(place, gast.Name)
        old = self.operand_kind(s, place)
        if is_name and place.id not in self.tracked:
            return [s]
        owner = place if is_name else place.value
        if not is_name and self.tangent(s, owner) is None:
            if self.is_active(s, s.value):
                self.refuse(s, "what is stored into here is not known", "give like=, or a copy")
            return [s]
        if isinstance(old, Instance):
            self.refuse(s, "operators of user classes are not supported yet", "call the method")
        if is_name:
            old_dot = self.tangent(s, place)
        else:
            old_dot = type(place)(
                self.tangent(s, owner),
                place.slice if isinstance(place, gast.Subscript) else place.attr,
                gast.Load(),
            )
        if isinstance(old, List | Items | Sequence | Dict):
            return self.extending(s, place, old, old_dot)
        made = self.changed(s, place, old, old_dot)
        if made is None:
            return [s]
        return [*made, s]

    def extending(self, s: Any, place: Any, old: Kind, old_dot: Any) -> list[Any]:
        if not isinstance(s.op, gast.Add) or not isinstance(old, List) or old_dot is None:
            if isinstance(place, gast.Name) and isinstance(s.op, gast.Add) and old_dot is not None:
                more = self.tangent_or_zero(s, s.value)
                both = quote_expression("(*a, *b)", a=old_dot, b=more)
                return [assign(self.dot(place.id), both), s]
            self.refuse(s, "this operator on a list cannot be differentiated", "use an array")
        more = self.tangent_or_zero(s, s.value)
        return [gast.AugAssign(as_store(old_dot), gast.Add(), more), s]

    def changed(self, s: Any, place: Any, old: Kind, old_dot: Any) -> list[Any] | None:
        """Give the statements that change a tangent as `op=` changes its primal."""
        value_dot = self.tangent(s, s.value)
        to = name(self.dot(place.id)) if isinstance(place, gast.Name) else old_dot
        rebinds = isinstance(old, Real | Integer) or old == BOOL
        if isinstance(place, gast.Subscript) and isinstance(
            self.operand_kind(s, place.value), Array | Number
        ):
            rebinds = True  # a store into the array that is indexed
        if isinstance(s.op, gast.Add | gast.Sub) and old_dot is not None and value_dot is None:
            if not rebinds or isinstance(self.operand_kind(s, s.value), Real | Integer):
                return None
        simple = isinstance(s.op, gast.Add | gast.Sub) and old_dot is not None
        same_shape = not isinstance(old, Real | Integer) or isinstance(
            self.operand_kind(s, s.value), Real | Integer
        )
        if simple and value_dot is not None and same_shape:
            return [gast.AugAssign(as_store(to), s.op, value_dot)]
        key = self.names.fresh("v")
        env = dict(self.facts.before.get(s, {}))
        env[key] = self.facts.results.get(s, NOTHING)
        if is_number(old) and isinstance(self.operand_kind(s, s.value), Array):
            env[key] = self.splicer.evaluate(gast.BinOp(place, s.op, s.value), env)
        function = OPERATORS[type(s.op).__name__]
        made = self.by_rule(s, function, [place, s.value], [old_dot, value_dot], {}, {}, key, env)
        if made is None:
            zero = call(name(self.runtime("zero_tangent")), gast.BinOp(place, s.op, s.value))
            made = [], zero
        statements, tangent = made
        if any(key in reads(part) for part in [*statements, gast.Expr(tangent)]):
            statements = [assign(key, gast.BinOp(place, s.op, s.value)), *statements]
        inside = assign(gast.Subscript(to, const(...), gast.Store()), tangent)
        if rebinds:
            return [*statements, assign(to, tangent)]
        if isinstance(old, Array):
            return [*statements, inside]
        test = quote_expression("isinstance(x, np.ndarray)", np=self.numpy, x=place)
        return [*statements, gast.If(test, [inside], [assign(to, tangent)])]

    # Expressions

    def of_expression(self, s: Any, tree: Any, key: str) -> tuple[list[Any], Any] | None:
        """Write the tangent of `key = tree`: statements and an expression, None for zero."""
        if isinstance(tree, gast.Name):
            found = self.tangent(s, tree)
            return None if found is None else ([], found)
        if isinstance(tree, gast.BinOp | gast.UnaryOp):
            return self.operator_tangent(s, tree, key)
        if isinstance(tree, gast.Subscript):
            if self.looks_up_adjoint(s):
                memory = name(self.dot(tree.value.id))
                return [], gast.Subscript(memory, tree.slice, gast.Load())
            if isinstance(self.operand_kind(s, tree.value), Instance):
                self.refuse(
                    s, "`__getitem__` of a user class is not supported yet", "call a method"
                )
            found = self.tangent(s, tree.value)
            return None if found is None else ([], gast.Subscript(found, tree.slice, gast.Load()))
        if isinstance(tree, gast.Attribute):
            return self.attribute(s, tree, key)
        if isinstance(tree, gast.Tuple | gast.List):
            items = [self.tangent_or_zero(s, item) for item in tree.elts]
            return [], type(tree)(items, gast.Load())
        if isinstance(tree, gast.Dict):
            items = [self.tangent_or_zero(s, item) for item in tree.values]
            return [], gast.Dict(tree.keys, items)
        if isinstance(tree, gast.Call):
            return self.known_call(s, tree, key)
        if not isinstance(tree, gast.Constant | gast.Compare | gast.JoinedStr | gast.BoolOp):
            self.refuse(s, f"`{gast.unparse(tree)}` cannot be differentiated yet", "rewrite it")
        return None

    def operator_tangent(self, s: Any, tree: Any, key: str) -> tuple[list[Any], Any] | None:
        if isinstance(tree, gast.UnaryOp) and isinstance(tree.op, gast.Not):
            return None
        operands = [tree.left, tree.right] if isinstance(tree, gast.BinOp) else [tree.operand]
        kinds = [self.operand_kind(s, o) for o in operands]
        dots = [self.tangent(s, o) for o in operands]
        if any(isinstance(k, Instance) for k in kinds):
            self.refuse(s, "operators of user classes are not supported yet", "call the method")
        if any(isinstance(k, List | Items | Sequence) for k in kinds) and isinstance(
            tree, gast.BinOp
        ):
            return self.of_joined(s, tree, kinds, dots)
        function = OPERATORS[type(tree.op).__name__]
        return self.by_rule(
            s, function, operands, dots, {}, {}, key, rules.environment(self, s, key)
        )

    def of_joined(
        self, s: Any, tree: Any, kinds: list[Kind], dots: list[Any]
    ) -> tuple[list[Any], Any] | None:
        """The tangent of `a + b` and `a * n` of lists and tuples."""
        if all(d is None for d in dots):
            return None
        if isinstance(tree.op, gast.Mult) and any(isinstance(k, Integer) for k in kinds):
            parts = [
                o if d is None else d for o, d in zip((tree.left, tree.right), dots, strict=True)
            ]
            return [], gast.BinOp(parts[0], gast.Mult(), parts[1])
        if not isinstance(tree.op, gast.Add):
            self.refuse(s, "this operator on a list cannot be differentiated", "use an array")
        a, b = self.tangent_or_zero(s, tree.left), self.tangent_or_zero(s, tree.right)
        text = "[*a, *b]" if isinstance(kinds[0], List) else "(*a, *b)"
        return [], quote_expression(text, a=a, b=b)

    def attribute(self, s: Any, tree: Any, key: str) -> tuple[list[Any], Any] | None:
        if self.function.resolve(tree) is not MISSING:
            self.is_active(s, tree)
            return None
        found = self.tangent(s, tree.value)
        if found is None:
            return None
        kind = self.operand_kind(s, tree.value)
        if isinstance(kind, Instance):
            return [], gast.Attribute(found, tree.attr, gast.Load())
        if isinstance(kind, Items):
            index = kind.cls._fields.index(tree.attr)  # type: ignore[attr-defined]
            return [], gast.Subscript(found, const(index), gast.Load())
        descriptor = getattr(np.ndarray, tree.attr, None)
        if descriptor is None or find_rule(descriptor) is None:
            self.refuse(s, f"no gradient for .{tree.attr}", "use a NumPy function")
        env = rules.environment(self, s, key)
        return self.by_rule(s, descriptor, [tree.value], [found], {}, {}, key, env)

    def known_call(self, s: Any, tree: Any, key: str) -> tuple[list[Any], Any] | None:
        """The tangent of a call of something that is not the user's own function."""
        keywords = {k.arg: k.value for k in tree.keywords}
        if None in keywords:
            self.refuse(s, "`**` in this call cannot be differentiated", "spell the arguments out")
        operands = [*tree.args, *keywords.values()]
        found = self.function.resolve(tree.func)
        if found is MISSING and isinstance(tree.func, gast.Name):
            kind = self.operand_kind(s, tree.func)
            found = kind.value if isinstance(kind, Function) else MISSING
        args = list(tree.args)
        if found is MISSING and isinstance(tree.func, gast.Attribute):
            owner = self.operand_kind(s, tree.func.value)
            operands.append(tree.func.value)
            descriptor = getattr(np.ndarray, tree.func.attr, None)
            number = isinstance(owner, Array | Number | Real) or type(owner) is Kind
            if number and descriptor is not None and find_rule(descriptor) is not None:
                found, args = descriptor, [tree.func.value, *args]
        active = any(self.is_active(s, a) for a in operands)
        if isinstance(found, type) and find_rule(found) is None:
            if found in (list, tuple) and tree.args:
                inner = self.tangent(s, tree.args[0])
                return None if inner is None else ([], call(tree.func, inner))
            return self.construction(s, found, tree, key)
        if self.facts.results[s].varied:
            calls.refuse_active_closures(self, s, tree)
        if not active:
            return None
        if found is MISSING:
            self.no_gradient(s, tree.func)
        if found in _SAME_ARRAY and len(operands) == 1:
            if isinstance(self.operand_kind(s, args[0]), Array | Number):
                return [], call(tree.func, self.tangent(s, args[0]))
        dots = [self.tangent(s, a) for a in args]
        if getattr(found, "__name__", "") in _MOVES and found is not MISSING:
            moved = self.moved(tree, found, args, dots, keywords, s)
            if moved is not None:
                by_layout = self.as_shared(
                    s, moved, key, args[0], dots[0], rules.environment(self, s, key)
                )
                return [], by_layout if found.__name__ in _SOMETIMES_VIEWS else moved
        return self.by_rule(
            s, found, args, dots,
            keywords, {k: self.tangent(s, v) for k, v in keywords.items()},
            key, rules.environment(self, s, key),
        )  # fmt: skip

    def moved(
        self, tree: Any, found: Any, args: list[Any], dots: list[Any], keywords: dict[str, Any],
        s: Any,
    ) -> Any:  # fmt: skip
        """Write the same call for the tangent, where a call only moves the entries of an array."""
        known = found is getattr(np, found.__name__, None) or found is getattr(
            np.ndarray, found.__name__, None
        )
        if not known or find_rule(found) is None or not dots or dots[0] is None:
            return None
        if any(d is not None for d in dots[1:]) or not isinstance(
            self.operand_kind(s, args[0]), Array | Number
        ):
            return None
        keys = [gast.keyword(k, v) for k, v in keywords.items()]
        if found is getattr(np, found.__name__, None):
            return gast.Call(tree.func, [dots[0], *args[1:]], keys)
        return gast.Call(gast.Attribute(dots[0], tree.func.attr, gast.Load()), args[1:], keys)

    def construction(self, s: Any, cls: type, tree: Any, key: str) -> tuple[list[Any], Any] | None:
        """The tangent of a named tuple, a dataclass or an object without initial attributes."""
        given = {k.arg: k.value for k in tree.keywords}
        if issubclass(cls, tuple) and hasattr(cls, "_fields"):
            bound = dict(zip(cls._fields, tree.args, strict=False)) | given
            items = [
                self.tangent_or_zero(s, bound[f])
                if f in bound
                else self.zero(quote_expression(f"x.{f}", x=key), Kind())
                for f in cls._fields
            ]
            return [], gast.Tuple(items, gast.Load())
        record = self.runtime("record_of")
        if dataclasses.is_dataclass(cls):
            if hasattr(cls, "__post_init__"):
                self.refuse(s, "`__post_init__` is not supported yet", "compute it outside")
            fields = dataclasses.fields(cls)
            names = [f.name for f in fields if f.init]
            bound = dict(zip(names, tree.args, strict=False)) | given
            slots = {
                f.name: self.tangent_or_zero(s, bound[f.name])
                if f.name in bound
                else self.zero(quote_expression(f"x.{f.name}", x=key), Kind())
                for f in fields
            }
            return [], call(name(record), **slots)
        if cls in (list, tuple, dict) and not tree.args and not given:
            return [], copy.deepcopy(tree)
        if (
            not tree.args
            and not given
            and inspect.getattr_static(cls, "__init__") is object.__init__
        ):
            return [], call(name(record))
        return cast(
            None,
            self.refuse(
                s, f"the construction of {cls.__name__} cannot be differentiated", "call it outside"
            ),
        )

    # Rules

    def by_rule(
        self, s: Any, function: Any, args: list[Any], dots: list[Any], keywords: dict[str, Any],
        keyword_dots: dict[str, Any], key: str, env: dict[str, Value],
    ) -> tuple[list[Any], Any] | None:  # fmt: skip
        """The tangent of `key = function(*args, **keywords)` by the rule of the function."""
        everything = [*dots, *keyword_dots.values()]
        if all(d is None for d in everything):
            return None
        rule = find_rule(function)
        if rule is None:
            label = s.value.func if isinstance(s.value, gast.Call) else s.value
            self.no_gradient(s, label)
        assert rule is not None
        if rule.form == "zero":
            return None
        operands = [*args, *keywords.values()]
        for tree, dot in zip(operands, everything, strict=True):
            if isinstance(dot, gast.Name) and isinstance(tree, gast.Name):
                env.setdefault(dot.id, Value(env[tree.id].kind) if tree.id in env else NOTHING)
        if rule.form == "elementwise":
            made = self.elementwise(s, rule, operands, everything, keywords, key, env)
        else:
            made = self.general(s, rule, args, keywords, operands, everything, key, env)
        if made is None:
            return None
        statements, tangent = made
        label = getattr(rule.primal, "__name__", "")
        if label in _SOMETIMES_VIEWS and everything[0] is not None:
            return statements, self.as_shared(s, tangent, key, operands[0], everything[0], env)
        return statements, self.own(
            s, rule.primal, tangent, operands, env.get(key, NOTHING).kind, env
        )

    def as_shared(
        self, s: Any, tangent: Any, key: str, tree: Any, dot: Any, env: dict[str, Value]
    ) -> Any:
        """See to it that a tangent shares memory exactly if its primal does, where it matters."""
        kind = env.get(key, NOTHING).kind
        touched = deep_regions(kind) | deep_regions(self.operand_kind(s, tree))
        escapes = not self.root and deep_regions(kind) & self.escaping
        if not touched & self.facts.stored and not escapes:
            return tangent
        if not isinstance(self.operand_kind(s, tree), Array | Number):
            return tangent
        helper = self.runtime("shared_alike")
        return quote_expression("f(g, y, x_dot, x)", f=helper, g=tangent, y=key, x_dot=dot, x=tree)

    def own(
        self, s: Any, primal: Any, tangent: Any, operands: list[Any], kind: Kind, env: Any
    ) -> Any:
        """Copy a tangent that is an operand's own, where the primal is not the operand's own."""
        if not isinstance(tangent, gast.Name | gast.Subscript | gast.Attribute):
            return tangent
        if isinstance(kind, Real | Integer) or kind == BOOL:
            return tangent
        label = getattr(primal, "__name__", "")
        if may_return_view(label) and label != "copy":
            return tangent
        touched = set(regions_of(kind))
        for tree in operands:
            touched |= deep_regions(self.operand_kind(s, tree))
        known = isinstance(kind, Array)
        if known and not touched & self.facts.stored and not regions_of(kind) & self.escaping:
            return tangent
        if known and len(kind.dims) == 1:  # type: ignore[attr-defined]
            return quote_expression("x.copy()", x=tangent)
        return gast.UnaryOp(gast.UAdd(), tangent)  # in the same memory order as the primal

    def elementwise(
        self, s: Any, rule: Rule, operands: list[Any], dots: list[Any], keywords: dict[str, Any],
        key: str, env: dict[str, Value],
    ) -> tuple[list[Any], Any] | None:  # fmt: skip
        """Sum the partials times the tangents, at the full shape of the result."""
        text = text_of(rule.function)
        names = parameters(text.tree) if text else []
        extra = sorted(set(keywords) - set(names))
        if extra or any(isinstance(a, gast.Starred) for a in operands):
            label = getattr(rule.primal, "__name__", rule.primal)
            self.refuse(
                s,
                f"`{extra[0] if extra else '*'}` of {label} cannot be differentiated",
                "call it without",
            )
        statements: list[Any] = []
        total: Any = None
        label = getattr(rule.primal, "__name__", "")
        for i, dot in enumerate(dots):
            if dot is None:
                continue
            made = rules.partial_of(self, text, rule, key, operands, i, env)
            if made is None:
                continue
            statements += made[0]
            if self.is_cut_here(s, operands[i]):
                helper = self.runtime("times_partial")
                term: Any = gast.Call(name(helper), [made[1], dot], [])
            else:
                term = _term(made[1], dot, first=i == 0 and len(operands) > 1)
            total = term if total is None else _sum(total, term)
        if total is None:
            return None
        return statements, self.at_full_shape(total, label, operands, dots, key, env)

    def is_cut_here(self, s: Any, tree: Any) -> bool:
        """Say whether a statement may cut a tangent that may be infinite."""
        if not isinstance(tree, gast.Name) or tree.id not in self.unbounded:
            return False
        value = s.value if isinstance(s, gast.Assign) else None
        if isinstance(s, gast.AugAssign):
            value = gast.BinOp(s.target, s.op, s.value)
        return value is not None and selects(self.function, self.masks, value, tree.id)

    def at_full_shape(
        self, tangent: Any, label: str, operands: list[Any], dots: list[Any], key: str, env: Any
    ) -> Any:
        """Bring a tangent that may be smaller than its primal to the shape of the primal."""
        kind = env.get(key, NOTHING).kind
        dims = dims_of(kind)
        if dims == () or label in _FULL_PRODUCTS:
            return tangent
        found = dims_of(self.splicer.evaluate(tangent, env).kind)
        if dims is not None and (found == dims or same_dims(found, dims)):
            return tangent
        for tree, dot in zip(operands, dots, strict=True):
            inner = dims_of(self.splicer.evaluate(tree, env).kind)
            if dot is None and inner != ():
                break
        else:
            return tangent
        helper = self.runtime("broadcast_like")
        return quote_expression("f(g, y)", f=helper, g=tangent, y=key)

    def general(
        self, s: Any, rule: Rule, args: list[Any], keywords: dict[str, Any], operands: list[Any],
        dots: list[Any], key: str, env: dict[str, Value],
    ) -> tuple[list[Any], Any] | None:  # fmt: skip
        """Splice the `jvp` of a rule, call it, or transpose its `grad`."""
        label = getattr(rule.primal, "__name__", str(rule.primal))
        text = text_of(rule.function)
        bound = None if text is None else rules.bind(text.tree, args, keywords)
        if bound is None or text is None:
            self.refuse(
                s, f"the rule of {label} does not accept these arguments", "leave out what it lacks"
            )
        assert bound is not None and text is not None
        if any(isinstance(v, gast.Starred) for v in rules._flat(bound.values())):
            self.refuse(s, "a starred argument of a rule cannot be differentiated", "spell it out")
        by_tree = {id(t): d for t, d in zip(operands, dots, strict=True)}
        opened = rules.open_rule(self, text, bound, key, env)
        jvp = None if opened is None else opened[2]
        if opened is None or jvp is None:
            if opened is None and self.has_jvp(rule):
                return self.called_jvp(s, rule, args, keywords, bound, by_tree, env)
            return self.transposed_rule(s, rule, args, keywords, bound, by_tree, key, env)
        captures = opened[0]
        given = self.jvp_arguments(s, jvp.tree, bound, by_tree, env)
        for value in given.values():
            if isinstance(value, gast.Name) and value.id not in env:
                env[value.id] = NOTHING
        inlined = self.splicer.inline(jvp, given, env)
        if inlined is None:
            return self.called_jvp(s, rule, args, keywords, bound, by_tree, env)
        statements, result = inlined
        for statement in statements:
            self.splicer.learn(statement.targets[0], statement.value, env)
        folded: list[Any] = []
        result = self.splicer.fold_helpers(result, env, folded)
        everything = [*captures, *statements, *folded]
        loose = {d.id for t, d in zip(operands, dots, strict=True)
                 if isinstance(d, gast.Name) and self.is_cut_here(s, t)}  # fmt: skip
        if loose:
            guard = GuardedProducts(loose, self.runtime("times_partial"))
            everything = [guard.visit(statement) for statement in everything]
            result = guard.visit(result)
        result = self.without_defaults(result)
        result = self.without_zeros(result, dims_of(env.get(key, NOTHING).kind), env)
        return rules.needed_for(result, everything), result

    def without_defaults(self, tree: Any) -> Any:
        """Leave out `axis=None` and `keepdims=False` where they are the defaults."""
        if not isinstance(tree, gast.Call):
            return tree
        found = self.splicer.resolve(tree.func)
        if getattr(found, "__module__", "") != "numpy" or not callable(found):
            return tree
        try:
            accepted = inspect.signature(found).parameters
        except ValueError:
            return tree

        def is_default(keyword: Any) -> bool:
            value = keyword.value
            if not isinstance(value, gast.Constant) or keyword.arg not in accepted:
                return False
            if keyword.arg == "keepdims":
                return value.value is False
            return value.value is None and accepted[keyword.arg].default is None

        keywords = [k for k in tree.keywords if not is_default(k)]
        return gast.Call(tree.func, tree.args, keywords)

    def without_zeros(self, tree: Any, dims: Any, env: Any) -> Any:
        """Leave out the terms of a sum that are products with zeros of `np.zeros_like`."""
        if not isinstance(tree, gast.BinOp) or not isinstance(tree.op, gast.Add | gast.Sub):
            return tree
        left = self.without_zeros(tree.left, dims, env)
        right = self.without_zeros(tree.right, dims, env)
        for term, other, sign in ((left, right, tree.op), (right, left, gast.Add())):
            if dims is None or not self.is_zero_product(term):
                continue
            if dims_of(self.splicer.evaluate(other, env).kind) == dims:
                return other if isinstance(sign, gast.Add) else _minus(other)
        return gast.BinOp(left, tree.op, right)

    def is_zero_product(self, tree: Any) -> bool:
        """Say whether an expression is linear in zeros made by `np.zeros_like`."""
        if isinstance(tree, gast.BinOp) and isinstance(tree.op, gast.Mult | gast.MatMult):
            return self.is_zero_product(tree.left) or self.is_zero_product(tree.right)
        if isinstance(tree, gast.UnaryOp):
            return self.is_zero_product(tree.operand)
        if not isinstance(tree, gast.Call):
            return isinstance(tree, gast.Constant) and tree.value == 0.0
        found = self.splicer.resolve(tree.func)
        if found in (np.outer, np.dot, np.matmul, np.inner, np.vdot):
            return any(self.is_zero_product(a) for a in tree.args)
        return found is np.zeros_like

    def has_jvp(self, rule: Rule) -> bool:
        text = text_of(rule.function)
        return text is not None and any(
            isinstance(part, gast.FunctionDef) and part.name == "jvp"
            for part in gast.walk(text.tree)
        )

    def jvp_arguments(
        self, s: Any, tree: Any, bound: dict[str, Any], by_tree: dict[int, Any], env: Any
    ) -> dict[str, Any]:
        """Give the tangents that a `jvp` takes: by the names of its parameters, else in order."""
        wanted = parameters(tree)
        available = {f"{p}_dot": v for p, v in bound.items()}
        if not all(p in available for p in wanted):
            moving = [
                v
                for v in bound.values()
                if any(differentiable(self.splicer.evaluate(t, env).kind) for t in rules._flat([v]))
            ]
            available = dict(zip(wanted, moving, strict=False))
            if len(moving) < len(wanted):
                self.refuse(s, "the parameters of this rule's jvp are not known", "name them x_dot")

        def one(value: Any) -> Any:
            dot = by_tree.get(id(value))
            if dot is not None:
                return dot
            kind = self.splicer.evaluate(value, env).kind
            if kind == NONE:
                return const(0.0)
            return self.zero(value, kind)

        return {
            p: gast.Tuple([one(v) for v in available[p]], gast.Load())
            if isinstance(available[p], list)
            else one(available[p])
            for p in wanted
        }

    def called_jvp(
        self, s: Any, rule: Rule, args: list[Any], keywords: dict[str, Any], bound: Any,
        by_tree: dict[int, Any], env: Any,
    ) -> tuple[list[Any], Any]:  # fmt: skip
        """Call the rule and its `jvp` where they cannot be spliced."""
        text = text_of(rule.function)
        assert text is not None
        found = [
            part
            for part in gast.walk(text.tree)
            if isinstance(part, gast.FunctionDef) and part.name == "jvp"
        ]
        if not found or any(parameters(f) != parameters(found[0]) for f in found):
            label = getattr(rule.primal, "__name__", str(rule.primal))
            self.refuse(s, f"the jvp of the rule of {label} is not known", "write one jvp")
        given = self.jvp_arguments(s, found[0], bound, by_tree, env)
        vararg = found[0].args.vararg
        passed: list[Any] = []
        for p, value in given.items():
            if vararg is not None and p == vararg.id:
                passed += value.elts
            else:
                passed.append(value)
        function = self.splicer.external(rule.function, rule.function.__name__)
        opened = gast.Call(
            name(function), copy.deepcopy(args), [gast.keyword(k, v) for k, v in keywords.items()]
        )
        jvp = gast.Subscript(opened, const(-1), gast.Load())
        return [], gast.Call(jvp, passed, [])

    # Rules that have a `grad` only

    def transposed_rule(
        self, s: Any, rule: Rule, args: list[Any], keywords: dict[str, Any], bound: Any,
        by_tree: dict[int, Any], key: str, env: Any,
    ) -> tuple[list[Any], Any]:  # fmt: skip
        """Transpose the `grad` of a rule: it is linear in its upstream."""
        text = text_of(rule.function)
        assert text is not None
        operands = rules._flat(bound.values())
        dots = [by_tree.get(id(v)) for v in operands]
        opened = rules.open_rule(self, text, bound, key, env)
        if opened is not None:
            captures, grad, _ = opened
            made = self.diagonal(grad, operands, dots, key, env)
            if made is not None:
                statements, tangent = made
                return rules.needed_for(tangent, [*captures, *statements]), tangent
        function = self.splicer.external(rule.function, rule.function.__name__)
        grad_name = self.names.fresh(f"{key}_grad")
        opener = self.runtime("value_and_pullback")
        opened_call = gast.Call(
            name(opener),
            [name(function), *copy.deepcopy(args)],
            [gast.keyword(k, v) for k, v in keywords.items()],
        )
        first = assign(grad_name, gast.Subscript(opened_call, const(1), gast.Load()))
        return [first], self.transposed(grad_name, key, dots)

    def transposed(self, grad: str, key: str, dots: list[Any]) -> Any:
        helper = self.runtime("transpose_grad")
        tangents = gast.Tuple([const(None) if d is None else d for d in dots], gast.Load())
        return call(name(helper), name(grad), name(key), tangents)

    def diagonal(
        self, grad: Any, operands: list[Any], dots: list[Any], key: str, env: Any
    ) -> tuple[list[Any], Any] | None:
        """Transpose a `grad` that multiplies its upstream entry by entry: by the same text.

        Returns
        -------
        None where the text, or the shapes, do not show it.
        """
        upstream = parameters(grad.tree)
        dims = dims_of(env[key].kind)
        if len(upstream) != 1 or dims is None or grad.tree.args.kwonlyargs:
            return None
        statements: list[Any] = []
        total: Any = None
        for i, (tree, dot) in enumerate(zip(operands, dots, strict=True)):
            if dot is None:
                continue
            inner = dims_of(self.splicer.evaluate(tree, env).kind)
            if not isinstance(dot, gast.Name) or inner is None:
                return None
            if inner != dims and not same_dims(inner, dims):
                return None
            known = dict(env)
            known[dot.id] = env[key]
            inlined = self.splicer.inline(grad, {upstream[0]: dot}, known)
            if inlined is None:
                return None
            body, result = inlined
            if isinstance(result, gast.Tuple | gast.List):
                if i >= len(result.elts):
                    return None
                result = result.elts[i]
            elif len(operands) > 1:
                return None
            if isinstance(result, gast.Constant) and result.value is None:
                continue
            body = rules.needed_for(result, body)
            linear = {dot.id}
            for statement in body:
                if not isinstance(statement.targets[0], gast.Name):
                    return None
                self.splicer.learn(statement.targets[0], statement.value, known)
                if not set(reads(statement.value)) & linear:
                    continue
                if not _multiplies(statement.value, linear):
                    return None
                linear.add(statement.targets[0].id)
            if not _multiplies(result, linear):
                return None
            found = dims_of(self.splicer.evaluate(result, known).kind)
            if found is None or (found != dims and not same_dims(found, dims)):
                return None
            statements += body
            total = result if total is None else _sum(total, result)
        return None if total is None else (statements, total)

    def custom(self, s: Any, key: str, custom: customs.Custom) -> list[Any]:
        """Write a call of a custom gradient: its tangent is the transpose of its `grad`."""
        result = self.result(s)
        wanted = tuple(k for k, a in custom.operands if customs.is_active(self, s, a))
        if not wanted or not differentiable(result.kind):
            return self.with_zero(s, key) if key in self.tracked else [s]
        if key not in self.tracked:
            return [s]
        made = self.spliced_custom(s, key, custom)
        if made is not None:
            return made
        operands = dict(custom.operands)
        dots = [self.tangent_or_zero(s, operands[k]) for k in wanted]
        note = comment(f"{custom.label} is called; its tangent is its grad, transposed")
        try:
            statements = pullbacks.transposed(self, s, key, custom, wanted, dots)
            value = assign(key, s.value)
            if self.module.units:
                value = customs.marked(self, s, value)
            return [note, value, *statements]
        except (TapelessError, customs.NotSplicedError) as error:
            if self.module.units:
                reason = getattr(error, "reason", str(error))
                self.refuse(
                    s,
                    f"the tangent of '{custom.label}' cannot be differentiated again: {reason}",
                    "differentiate its gradient: jvp of grad instead of grad of jvp",
                )
        pull = self.names.fresh(f"{key}_pull")
        push = gast.Call(gast.Attribute(name(pull), "push", gast.Load()), dots, [])
        opened = customs.opened_call(self, s, key, pull, wanted)
        return [note, opened, assign(self.dot(key), push)]

    def spliced_custom(self, s: Any, key: str, custom: customs.Custom) -> list[Any] | None:
        """Splice a custom gradient whose `grad` multiplies entry by entry; None for others."""
        try:
            opened = customs.open_text(self, s, key, custom)
        except customs.NotSplicedError:
            return None
        entries = opened.bound
        env = opened.env
        if opened.jvp is not None:
            return self.spliced_jvp(s, key, custom, opened)
        dots = [self.tangent(s, e.tree) for e in entries]
        for entry, dot in zip(entries, dots, strict=True):
            if isinstance(dot, gast.Name):
                env[dot.id] = env.get(entry.tree.id, NOTHING)
        made = self.diagonal(opened.grad, [e.tree for e in entries], dots, key, env)
        if made is None:
            return None
        statements, tangent = made
        title = f"{custom.label}.grad, transposed ({customs.place_of(custom, opened.grad)})"
        return self.beside_custom(s, key, custom, opened, title, statements, tangent)

    def spliced_jvp(
        self, s: Any, key: str, custom: customs.Custom, opened: customs.Opened
    ) -> list[Any] | None:
        """Splice the `jvp` that a custom gradient returns beside its `grad`."""
        assert opened.jvp is not None
        moving = [
            e for e in opened.bound
            if differentiable(self.splicer.evaluate(e.tree, self.facts.before[s]).kind)
        ]  # fmt: skip
        wanted = parameters(opened.jvp.tree)
        if opened.jvp.tree.args.vararg or len(wanted) != len(moving):
            return None
        dots = [self.tangent_or_zero(s, e.tree) for e in moving]
        given = dict(zip(wanted, dots, strict=True))
        made = self.splicer.inline(opened.jvp, given, opened.env, blocks=True)
        if made is None:
            return None
        title = f"{custom.label}.jvp, as written by its author"
        title += f" ({customs.place_of(custom, opened.jvp)})"
        return self.beside_custom(s, key, custom, opened, title, *made)

    def beside_custom(
        self, s: Any, key: str, custom: customs.Custom, opened: customs.Opened, title: str,
        statements: list[Any], tangent: Any,
    ) -> list[Any]:  # fmt: skip
        """Put the tangent of a custom gradient after its forward body."""
        forward = [*opened.forward, assign(key, opened.value)]
        if self.module.units:
            forward[-1] = customs.marked(self, s, forward[-1])
        return [
            comment(f"{custom.label}, inlined"),
            *forward,
            comment(title),
            *statements,
            assign(self.dot(key), tangent),
        ]

    # Calls of the user's functions

    def calls_user_function(self, s: Any) -> bool:
        """Say whether a statement is a call of a function of the user."""
        if s not in self.facts.callees or not isinstance(s.value, gast.Call | gast.Attribute):
            return False
        if isinstance(s.value, gast.Attribute):
            return True
        found = self.function.resolve(s.value.func)
        if found in (sorted, max, min):  # interpreted as the function that stands for them
            return True
        return found is MISSING or find_rule(found) is None

    def user_call(self, s: Any, key: str | None) -> list[Any]:
        callee = self.facts.callees[s]
        made = tangent_of_callee(self.module, callee, self.known_to(callee))
        if made is None:
            calls.refuse_own_name(self, s, callee)
            if key is None or key not in self.tracked:
                return [s]
            return self.with_zero(s, key)
        constructed = calls._constructed(self, s, key)
        arguments = list(callee.arguments)
        before: list[Any] = []
        if constructed is not None:
            assert key is not None
            before = [
                assign(key, quote_expression("c.__new__(c)", c=s.value.func)),
                assign(self.dot(key), call(name(self.runtime("record_of")))),
            ]
            arguments[0] = name(key)
        passed = [calls._argument(self, a, callee, i) for i, a in enumerate(arguments)]
        for i in made.active:
            if constructed is not None and i == 0:
                passed.append(name(self.dot(str(key))))
            else:
                passed.append(self.argument_tangent(s, arguments[i], callee, i))
        passed += [name(self.external_dots[thing]) for thing in made.outside]
        if constructed is not None and key not in self.tracked:
            before = before[:1] if 0 not in made.active else before
        value = "_" if key is None or constructed is not None else key
        tracked = key is not None and key in self.tracked and constructed is None
        dot = self.dot(str(key)) if tracked and made.result_active else "_"
        if value == dot == "_":
            after: list[Any] = []
            statement: Any = gast.Expr(gast.Call(name(made.label), passed, []))
        else:
            place = gast.Tuple([target(value), target(dot)], gast.Store())
            statement = gast.Assign([place], gast.Call(name(made.label), passed, []), None)
            after = []
        if tracked and not made.result_active:
            after = [assign(self.dot(str(key)), self.zero(name(str(key)), self.result(s).kind))]
        return [*before, statement, *after]

    def known_to(self, callee: Callee) -> frozenset[Region]:
        """Give the callee's regions that have tangents here."""
        inside = {r for r, outer in callee.regions.items() if outer & self.regions}
        outside = {r for r in self.regions if r[0] == "external"} - inside
        if outside:
            inside |= outside & seen_regions(callee.facts)
        return frozenset(inside)

    def argument_tangent(self, s: Any, arg: Any, callee: Callee, position: int) -> Any:
        """Write the tangent of an argument."""
        if isinstance(arg, list):
            return gast.Tuple([self.tangent_or_zero(s, a) for a in arg], gast.Load())
        if isinstance(arg, dict):
            return gast.Dict(
                [const(k) for k in arg], [self.tangent_or_zero(s, a) for a in arg.values()]
            )
        if isinstance(arg, Default):
            kind = callee.values[position].kind
            if is_container_or_array(kind) and deep_regions(kind) & callee.facts.stored:
                self.refuse(s, "a default argument is stored into and varies", "pass it")
            return self.zero(calls._argument(self, arg, callee, position), kind)
        if arg is None:
            self.refuse(s, "the object of this method is not known", "call it by its name")
        return self.tangent_or_zero(s, arg)

    # Methods of lists and dicts

    def container_method(self, s: Any, owner: Kind, key: str | None) -> list[Any]:
        """Write a method of a list or dict, after the same of its tangent."""
        tree = s.value
        method, place = tree.func.attr, tree.func.value
        tangent = self.tangent(s, place)
        tracked = key is not None and key in self.tracked
        args = list(tree.args)
        active = [a for a in args if self.is_active(s, a)]
        if method in ("keys", "index", "count", "__len__", "__contains__"):
            return self.with_zero(s, str(key)) if tracked else [s]
        if tangent is None:
            if method == "get" and active and tracked:
                return self.default_of_get(s, str(key), place, args)
            if active:
                self.refuse(s, "what is stored into here is not known", "give like=, or a copy")
            return self.with_zero(s, str(key)) if tracked else [s]
        if tree.keywords or any(isinstance(a, gast.Starred) for a in args):
            self.refuse(s, f"these arguments of `{method}` are not supported yet", "use a loop")
        counts = {"append": 0, "extend": 0, "insert": 1, "setdefault": 1, "update": 0, "get": 1}
        if method in counts:
            start = counts[method]
            passed = [*args[:start], *(self.tangent_or_zero(s, a) for a in args[start:])]
        elif method in ("pop", "popitem", "clear", "reverse", "copy"):
            passed = [*args[:1], *(self.tangent_or_zero(s, a) for a in args[1:])]
        else:
            if method in ("values", "items") and not tracked:
                return [s]
            label = type(owner).__name__.lower()
            self.refuse(
                s, f"the method `{method}` of a {label} is not supported yet",
                "use append, item stores and reads",
            )  # fmt: skip
        made = gast.Call(gast.Attribute(tangent, method, gast.Load()), passed, [])
        if tracked:
            return [assign(self.dot(str(key)), made), s]
        if method in ("get", "copy"):
            return [s]
        return [gast.Expr(made), s]

    def default_of_get(self, s: Any, key: str, place: Any, args: list[Any]) -> list[Any]:
        """`d.get(k, default)` where only the default varies."""
        found = gast.Compare(args[0], [gast.In()], [place])
        zero = call(name(self.runtime("zero_tangent")), name(key))
        chosen = gast.IfExp(found, zero, self.tangent_or_zero(s, args[1]))
        return [s, assign(self.dot(key), chosen)]


def is_container_or_array(kind: Kind) -> bool:
    """Say whether a value can be changed in place."""
    return is_container(kind) or isinstance(kind, Array | Number)


def _term(partial: Any, dot: Any, first: bool) -> Any:
    """Write a partial times a tangent as one would by hand."""
    if is_one(partial):
        return dot
    if isinstance(partial, gast.UnaryOp) and isinstance(partial.op, gast.USub):
        return _minus(_term(partial.operand, dot, first))
    if isinstance(partial, gast.Constant) and partial.value == -1.0:
        return _minus(dot)
    if first or (isinstance(partial, gast.BinOp) and isinstance(partial.op, gast.Div)):
        return product(dot, partial)
    return gast.BinOp(partial, gast.Mult(), dot)


def _minus(tree: Any) -> Any:
    """Write the negative of a term; a minus stands in front of a product."""
    positive = _without_minus(tree)
    return gast.UnaryOp(gast.USub(), tree) if positive is None else positive


def _without_minus(tree: Any) -> Any:
    """Give the term without the minus in front of it; None where there is none."""
    if isinstance(tree, gast.UnaryOp) and isinstance(tree.op, gast.USub):
        return tree.operand
    if isinstance(tree, gast.BinOp) and isinstance(tree.op, gast.Mult | gast.Div):
        left = _without_minus(tree.left)
        return None if left is None else gast.BinOp(left, tree.op, tree.right)
    return None


def _sum(a: Any, b: Any) -> Any:
    """Write `a + b`, or `a - c` where b is -c."""
    positive = _without_minus(b)
    if positive is None:
        return gast.BinOp(a, gast.Add(), b)
    return gast.BinOp(a, gast.Sub(), positive)


def _multiplies(tree: Any, linear: set[str]) -> bool:
    """Say whether an expression only multiplies what it is linear in, entry by entry."""
    if isinstance(tree, gast.Name):
        return tree.id in linear
    if isinstance(tree, gast.UnaryOp):
        return isinstance(tree.op, gast.USub | gast.UAdd) and _multiplies(tree.operand, linear)
    if not isinstance(tree, gast.BinOp):
        return False
    left, right = (bool(set(reads(side)) & linear) for side in (tree.left, tree.right))
    if isinstance(tree.op, gast.Add | gast.Sub):
        return left and right and _multiplies(tree.left, linear) and _multiplies(tree.right, linear)
    if isinstance(tree.op, gast.Mult):
        if left and right:
            return False
        return _multiplies(tree.left if left else tree.right, linear)
    return isinstance(tree.op, gast.Div) and not right and _multiplies(tree.left, linear)
