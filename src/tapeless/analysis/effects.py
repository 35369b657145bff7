"""What every name may be, may share memory with, and whether it varies, at every statement.

One abstract interpretation of a core-language function finds all of it: it runs the statements on
kinds instead of values until nothing changes. Regions say where a mutable value can have been made;
a store marks the regions of what is stored into. A call of a user's function is interpreted through
a summary of that function for the kinds at hand, in which the caller's regions are named by the
parameters they come in by; so stores and aliases are seen across calls, and recursion ends.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import sys
import types
from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn

import gast
import numpy as np

from tapeless.analysis.abstract import (
    NOTHING,
    Abstraction,
    Asked,
    Heap,
    Value,
    any_slot,
    as_items,
    is_adjoint_memory,
    join_values,
    literal_kind,
    slot_of,
    variable_region,
)
from tapeless.analysis.by_kind import spelled_out
from tapeless.analysis.derived import Derived, call_of_derived, call_of_operator
from tapeless.analysis.indexing import indexed_kind
from tapeless.analysis.ranks import Call, elementwise_kind, kind_of_call, literal
from tapeless.analysis.repeatable import logs_of
from tapeless.cache import Watched
from tapeless.custom import author_of, is_local_custom, stop_gradient
from tapeless.errors import GradientError, TapelessError
from tapeless.kinds import (
    BOOL,
    GRAD,
    NONE,
    STR,
    UNKNOWN,
    UNREACHED,
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
    Regions,
    Sequence,
    Size,
    Unreached,
    differentiable,
    is_number,
    is_outside,
    join,
    regions_of,
    regions_within,
)
from tapeless.protocol import fit_gradient
from tapeless.recompute import recomputed_function
from tapeless.rules.declare import Rule, find_rule
from tapeless.runtime import (
    AdjointMemory,
    AdjointRecord,
    as_gradient,
    flat_index,
    full,
    largest,
    private_tangent,
    reduced,
    smallest,
    sorted_items,
    unbroadcast,
    unit,
    values_of,
    zero_tangent,
    zeros,
)
from tapeless.source.externals import MISSING
from tapeless.tree.function import CoreFunction
from tapeless.variables import ASSIGNING, is_variable

Environment = dict[str, Value]
_ROUNDS = 12


@dataclass(frozen=True, eq=False)
class Callee:
    """A user's function as it is called at one place.

    Attributes
    ----------
    function
        The function in the core language.
    values
        What is known of its parameters, captured names included, in terms of its own regions.
    heap
        What the regions of its parameters hold.
    arguments
        The expressions passed for the parameters, one each.
    facts
        What was found about it for these values.
    again
        Whether its forward sweep runs again in the reverse sweep, with nothing kept.
    """

    function: CoreFunction
    values: tuple[Value, ...]
    heap: Heap
    arguments: tuple[Any, ...]
    facts: Facts
    regions: dict[Region, Regions]
    place: Hashable = None
    again: bool = False

    def seen_by_caller(self, region: Region) -> Regions:
        """Give the caller's regions for a region of the callee."""
        if region in self.regions:
            return self.regions[region]
        if is_outside(region):
            return frozenset([region])
        return frozenset([("made", self.place, region[:3])])


@dataclass(frozen=True, eq=False)
class Facts:
    """What is known about a function for given kinds of its parameters.

    Attributes
    ----------
    before
        For each statement, what each name may be when control comes to it.
    results
        For each statement that evaluates something, what it may be.
    callees
        For each statement that calls a user's function, which and how.
    heap
        What the slots of each region may hold.
    stored
        Regions that are stored into.
    returned
        What the function returns.
    by_value
        Names that stand for a Variable here and for an array there: they get its value.
    reading
        Statements that call a custom gradient which may read Variables that are asked for.
    varied
        Regions that hold what varies.
    function
        The function, as it is spelled for these kinds.
    """

    before: dict[Any, Environment]
    results: dict[Any, Value]
    callees: dict[Any, Callee]
    heap: Heap
    stored: set[Region]
    returned: Value
    varied: set[Region] = field(default_factory=set)
    by_value: frozenset[str] = frozenset()
    reading: frozenset[Any] = frozenset()
    function: Any = None

    def kind(self, statement: Any, name: str) -> Kind:
        """Give the kind of a name as control comes to a statement."""
        return self.before.get(statement, {}).get(name, NOTHING).kind

    def is_stored(self, kind: Kind) -> bool:
        """Say whether memory that a value may live in is stored into."""
        return bool(regions_of(kind) & self.stored)


@dataclass
class Effects:
    """All functions that are interpreted together, and what is known of them.

    With `one_exit` functions are read with their early returns structured, where that can be done.

    Attributes
    ----------
    watched
        What the derivatives that were made on the way depend on.
    again
        The derivatives of local functions that were made on the way.
    """

    cores: dict[Any, CoreFunction] = field(default_factory=dict)
    found: dict[Hashable, Facts] = field(default_factory=dict)
    running: set[Hashable] = field(default_factory=set)
    methods: set[tuple[type, str]] = field(default_factory=set)
    watched: list[Watched] = field(default_factory=list)
    again: dict[Hashable, Any] = field(default_factory=dict)
    recursive: set[Hashable] = field(default_factory=set)
    spelled: dict[Hashable, CoreFunction] = field(default_factory=dict)
    constructors: dict[type, CoreFunction | None] = field(default_factory=dict)
    one_exit: bool = False
    asked: Asked = ()

    def core(self, function: Any) -> CoreFunction:
        """Give a Python function in the core language."""
        if isinstance(function, CoreFunction):
            return function
        if function not in self.cores:
            from tapeless.normalize import core_function
            from tapeless.normalize.structure_returns import structure_returns

            core = core_function(function)
            self.cores[function] = structure_returns(core) if self.one_exit else core
        return self.cores[function]

    def constructor(self, cls: Any) -> CoreFunction | None:
        """Give the `__init__` of a dataclass whose construction runs code of the user's."""
        if cls not in self.constructors:
            from tapeless.normalize import dataclass_constructor

            self.constructors[cls] = dataclass_constructor(cls)
        return self.constructors[cls]

    def opened(self, core: CoreFunction, extra: tuple[str, ...]) -> CoreFunction:
        """Give a function with further captured parameters."""
        key = (core, extra)
        if key not in self.cores:
            a = core.tree.args
            added = [gast.Name(c, gast.Param(), None, None) for c in extra]
            arguments = gast.arguments(
                [*a.args, *added], a.posonlyargs, a.vararg, a.kwonlyargs, a.kw_defaults, a.kwarg,
                a.defaults,
            )  # fmt: skip
            tree = gast.FunctionDef(core.tree.name, arguments, core.tree.body, [], None, None, [])
            tree.lineno = getattr(core.tree, "lineno", 1)
            self.cores[key] = replace(core, tree=tree, captured=(*core.captured, *extra))
        return self.cores[key]

    def analyse(self, function: CoreFunction, values: tuple[Value, ...], heap: Heap) -> Facts:
        """Interpret a function for what is known of its parameters.

        A recursive call sees what was found so far; the outermost call repeats until that no
        longer changes.
        """
        key = (function, values, _frozen(heap))
        if key in self.spelled:
            return self.analyse(self.spelled[key], values, heap)
        if key in self.running:
            self.recursive.add(key)
            return self.found[key]
        if key in self.found:
            return self.found[key]
        start = Facts({}, {}, {}, heap, set(), NOTHING, function=function)
        self.found[key] = start
        known = set(self.found)
        for _ in range(_ROUNDS):
            before = self.found[key]
            self.forget_since(known)
            self.running.add(key)
            facts = _Interpreter(function, self).run(values, heap)
            self.running.discard(key)
            self.found[key] = facts
            if key not in self.recursive:
                break
            same = before.returned == facts.returned and before.stored == facts.stored
            if same and _frozen(before.heap) == _frozen(facts.heap):
                break
        spelled = spelled_out(function, self.found[key], self)
        if spelled is not None:
            self.spelled[key] = spelled
            return self.analyse(spelled, values, heap)
        if key in self.recursive:
            self.settle(known - {key})
        return self.found[key]

    def settle(self, known: set[Hashable]) -> None:
        """Let recursive calls see what was found in the end, not an incomplete view of it."""
        for key in [k for k in self.found if k not in known]:
            callees = self.found[key].callees
            for statement, callee in callees.items():
                inner = (callee.function, callee.values, _frozen(callee.heap))
                if inner in self.found and inner not in self.running:
                    callees[statement] = replace(callee, facts=self.found[inner])

    def forget_since(self, known: set[Hashable]) -> None:
        """Forget what was found with an earlier, incomplete view of a recursive function."""
        for key in [k for k in self.found if k not in known]:
            del self.found[key]


def _frozen(heap: Heap) -> frozenset[Any]:
    return frozenset((r, frozenset(slots.items())) for r, slots in heap.items())


class _NeverReturnsError(Exception):
    """A recursive call of which no way back is known yet: what follows it is not reached yet."""


class _Interpreter:
    def __init__(self, function: CoreFunction, effects: Effects) -> None:
        self.function = function
        self.effects = effects
        self.local = function.local
        self.heap: Heap = {}
        self.stored: set[Region] = set()
        self.varied: set[Region] = set()
        self.before: dict[Any, Environment] = {}
        self.results: dict[Any, Value] = {}
        self.callees: dict[Any, Callee] = {}
        self.returned = NOTHING
        self.externals: dict[str, Value] = {}
        self.places: dict[Any, int] = {part: i for i, part in enumerate(gast.walk(function.tree))}
        self.loops: list[tuple[list[Environment], list[Environment]]] = []
        self.statement: Any = None
        self.env: Environment = {}
        self.by_value: set[str] = set()
        self.reading: set[Any] = set()
        self.read_by_customs: set[Region] = set()

    def run(self, values: tuple[Value, ...], heap: Heap) -> Facts:
        names = self.function.parameters
        self.heap = {r: dict(slots) for r, slots in heap.items()}
        for value in [*values, *(v for slots in heap.values() for v in slots.values())]:
            if value.varied:
                self.varied |= regions_of(value.kind)
        asked = {variable_region(v) for v in self.effects.asked}
        self.varied |= asked
        for _ in range(_ROUNDS):
            state = self.state()
            environment = {**self.itself(), **dict(zip(names, values, strict=True))}
            self.block(self.function.tree.body, environment)
            if state == self.state():
                break
        self.varied -= asked - self.met_regions()
        self.heap = {
            region: {slot: self.sealed(value) for slot, value in slots.items()}
            for region, slots in self.heap.items()
        }
        return Facts(
            self.before, self.results, self.callees, self.heap, self.stored_together(),
            self.returned, self.varied, frozenset(self.by_value),
            frozenset(self.reading), self.function,
        )  # fmt: skip

    def state(self) -> Hashable:
        """Give what grows until the facts no longer change."""
        stored, varied = frozenset(self.stored), frozenset(self.varied)
        return _frozen(self.heap), stored, varied, frozenset(self.by_value)

    def met_regions(self) -> set[Region]:
        """Give the regions of all names, results, slots and callees."""
        kinds = {v.kind for slots in self.heap.values() for v in slots.values()}
        kinds |= {v.kind for env in self.before.values() for v in env.values()}
        kinds |= {v.kind for v in self.results.values()}
        found = {r for kind in kinds for r in regions_within(kind)} | self.read_by_customs
        found |= set(self.heap)
        return found.union(*(callee.facts.varied for callee in self.callees.values()))

    def itself(self) -> Environment:
        """Bind the name of a local function, which its body may call."""
        definition = self.function.definition
        if definition is None:
            return {}
        return {definition.name: Value(Function(definition, self.function.captured))}

    def stored_together(self) -> set[Region]:
        """Add the regions that some name may live in beside one that is stored into."""
        kinds = {v.kind for env in self.before.values() for v in env.values()}
        kinds |= {v.kind for v in self.results.values()}
        kinds |= {v.kind for slots in self.heap.values() for v in slots.values()}
        groups = [regions_of(k) for k in kinds if len(regions_of(k)) > 1]
        stored = set(self.stored)
        grown = True
        while grown:
            grown = False
            for group in groups:
                if group & stored and not group <= stored:
                    stored |= group
                    grown = True
        return stored

    # Statements

    def block(self, statements: list[Any], env: Environment | None) -> Environment | None:
        for statement in statements:
            if env is None:
                break
            self.before[statement] = dict(env)
            self.statement = statement
            self.env = env
            try:
                env = getattr(self, f"do_{type(statement).__name__}")(statement, dict(env))
            except _NeverReturnsError:
                env = None
            self.statement = statement
            self.refuse_stores_into_stopped()
        return env

    def merge(self, a: Environment | None, b: Environment | None, at: Any) -> Environment | None:
        if a is None or b is None:
            return b if a is None else a
        place = self.places[at]
        merged = {}
        for key in {**a, **b}:
            if _mixed(a.get(key, NOTHING).kind, b.get(key, NOTHING).kind):
                self.by_value.add(key)
            merged[key] = join_values(a.get(key, NOTHING), b.get(key, NOTHING), (place, key))
        return merged

    def do_Assign(self, tree: Any, env: Environment) -> Environment:
        value = self.eval(tree.value, env)
        if isinstance(tree.targets[0], gast.Name) and tree.targets[0].id in self.by_value:
            value = self.as_value(value) if is_variable(value.kind) else value
        if self.effects.asked:
            self.refuse_hidden_variables(tree, value.kind, env)
        self.results[tree] = value
        self.bind(tree.targets[0], value, env)
        return env

    def bind(self, place: Any, value: Value, env: Environment) -> None:
        if isinstance(place, gast.Name):
            env[place.id] = value
        elif isinstance(place, gast.Tuple):
            for i, item in enumerate(place.elts):
                self.bind(item, self.item(value, Integer(i), place), env)
        elif isinstance(place, gast.Subscript):
            self.store_item(self.eval(place.value, env), place, value, env)
        else:
            self.store_attribute(self.eval(place.value, env), place.attr, value)

    def store_item(self, owner: Value, place: Any, value: Value, env: Environment) -> None:
        kind = owner.kind
        regions = regions_of(kind)
        if value.varied and not regions and (kind == UNKNOWN or isinstance(kind, Inert)):
            self.refuse_unseen_store(place)
        if value.varied:
            self.varied |= regions
        self.stored |= regions
        if isinstance(kind, List | Dict):
            index = self.eval(place.slice, env).kind
            slot: Hashable = "*"
            key = literal(index)
            if isinstance(kind, Dict):
                slot = "?" if key is ... or key is None else key
            elif self.has_place(regions, key):
                slot = key
            self.put(regions, slot, value)

    def refuse_unseen_store(self, place: Any) -> None:
        """Refuse a store of what varies into what is not known: nothing would remember it."""
        raise GradientError(
            f"what `{gast.unparse(place.value).strip()}` is, which is stored into here, is not known",
            fix="annotate the parameters, or give like=",
            filename=self.function.filename,
            lineno=getattr(self.statement, "lineno", None),
        )

    def has_place(self, regions: Regions, index: Any) -> bool:
        """Say whether lists are adjoints of tuples, which keep apart what their places hold."""
        slots = [self.heap.get(region, {}) for region in regions]
        return isinstance(index, int) and all(index in s and "*" not in s for s in slots)

    def put(self, regions: Regions, slot: Hashable, value: Value) -> None:
        slot = slot_of(slot, value.kind)
        for region in regions:
            slots = self.heap.setdefault(region, {})
            slots[slot] = join_values(slots.get(slot, NOTHING), value, (region, slot))

    def store_attribute(self, owner: Value, attribute: str, value: Value) -> None:
        if isinstance(owner.kind, Instance):
            hook = storing_hook(owner.kind.cls, attribute)
            self.refuse_hidden_code(owner, hook, attribute, value.varied)
        regions = regions_of(owner.kind)
        self.stored |= regions
        if value.varied:
            self.varied |= regions
        self.put(regions, attribute, value)

    def do_AugAssign(self, tree: Any, env: Environment) -> Environment:
        place = tree.target
        read = (
            gast.Name(place.id, gast.Load(), None, None) if isinstance(place, gast.Name) else None
        )
        if read is None:
            kind = type(place)
            last = place.slice if kind is gast.Subscript else place.attr
            read = kind(place.value, last, gast.Load())
        self.places.setdefault(read, self.places[tree])
        old = self.eval(read, env)
        if is_variable(old.kind):
            raise GradientError(
                "a Variable is not written to in place",
                fix="use assign_add, or take its `.value` first",
                filename=self.function.filename,
                lineno=getattr(tree, "lineno", None),
            )
        operand = self.as_value(self.eval(tree.value, env))
        new = self.operate(type(tree.op).__name__, old, operand, tree)
        self.results[tree] = new
        if isinstance(old.kind, (Array | Number, List)):
            self.stored |= regions_of(old.kind)
            if operand.varied:
                self.varied |= regions_of(old.kind)
            if isinstance(old.kind, List):
                self.put(old.kind.regions, "*", any_slot(self.heap, regions_of(operand.kind), tree))
            if isinstance(old.kind, Array | List):
                new = Value(old.kind, old.varied or operand.varied)
            else:
                new = Value(
                    join(old.kind, new.kind, self.places[tree]), old.varied or operand.varied
                )
        self.bind(place, new, env)
        return env

    def do_Expr(self, tree: Any, env: Environment) -> Environment:
        self.results[tree] = self.eval(tree.value, env)
        return env

    def do_Return(self, tree: Any, env: Environment) -> None:
        value = self.eval(tree.value, env)
        self.results[tree] = value
        if _mixed(self.returned.kind, value.kind):
            self.refuse_mixture("returns")
        self.returned = join_values(self.returned, self.sealed(value), "return")

    def do_Raise(self, tree: Any, env: Environment) -> None:
        return None

    def do_Pass(self, tree: Any, env: Environment) -> Environment:
        return env

    def do_Assert(self, tree: Any, env: Environment) -> Environment:
        self.eval(tree.test, env)
        return env

    def do_FunctionDef(self, tree: Any, env: Environment) -> Environment:
        from tapeless.normalize import local_custom, local_function
        from tapeless.normalize.structure_returns import structure_returns

        if tree.decorator_list and not is_local_custom(tree, self.function.resolve):
            env[tree.name] = Value(UNKNOWN)
            return env
        made = local_custom if tree.decorator_list else local_function
        inner = made(tree, self.function)
        if self.effects.one_exit:
            inner = structure_returns(inner)
        self.effects.cores.setdefault(tree, inner)
        varied = any(self.is_varied(env.get(c, NOTHING)) for c in inner.captured)
        env[tree.name] = Value(Function(tree, inner.captured), varied)
        return env

    def do_With(self, tree: Any, env: Environment) -> Environment | None:
        return self.block(tree.body, env)

    def do_If(self, tree: Any, env: Environment) -> Environment | None:
        test = self.eval(tree.test, env).kind
        truth = test.value if isinstance(test, Inert) and test.what == "bool" else None
        yes = self.block(tree.body, dict(env)) if truth is not False else None
        no = self.block(tree.orelse, dict(env)) if truth is not True else None
        return self.merge(yes, no, tree)

    def do_Break(self, tree: Any, env: Environment) -> None:
        self.loops[-1][0].append(env)

    def do_Continue(self, tree: Any, env: Environment) -> None:
        self.loops[-1][1].append(env)

    def do_While(self, tree: Any, env: Environment) -> Environment | None:
        forever = isinstance(tree.test, gast.Constant) and bool(tree.test.value)

        def trip(state: Environment) -> Environment | None:
            self.eval(tree.test, state)
            return self.block(tree.body, dict(state))

        return self.loop(tree, env, trip, forever)

    def do_For(self, tree: Any, env: Environment) -> Environment | None:
        def trip(state: Environment) -> Environment | None:
            self.statement = tree
            self.bind(tree.target, self.iterated(tree.iter, state), state)
            return self.block(tree.body, state)

        return self.loop(tree, env, trip, False)

    def loop(self, tree: Any, env: Environment, trip: Any, forever: bool) -> Environment | None:
        for _ in range(_ROUNDS):
            self.loops.append(([], []))
            after = trip(dict(env))
            breaks, continues = self.loops.pop()
            head: Environment | None = dict(env)
            for state in [after, *continues]:
                head = self.merge(head, state, tree)
            self.before[tree] = dict(head or {})
            if head == env:
                break
            env = head or env
        out: Environment | None = None if forever else self.block(tree.orelse, dict(env))
        for state in breaks:
            out = self.merge(out, state, tree)
        return out

    def iterated(self, tree: Any, env: Environment) -> Value:
        """Give what one item of an iterable may be."""
        if isinstance(tree, gast.Call) and isinstance(tree.func, gast.Name):
            made = self.iterated_call(tree, env)
            if made is not None:
                return made
        if isinstance(tree, gast.Call) and isinstance(tree.func, gast.Attribute):
            owner = self.eval(tree.func.value, env)
            if isinstance(owner.kind, Dict):
                slot = any_slot(self.heap, owner.kind.regions, self.places[tree])
                slot = Value(slot.kind, slot.varied or self.is_varied(owner))
                key = Value(Inert("key"))
                if tree.func.attr == "items":
                    return Value(Items((key.kind, slot.kind)), slot.varied)
                return slot if tree.func.attr == "values" else key
        value = self.eval(tree, env)
        if isinstance(value.kind, Dict):
            return Value(Inert("key"))
        return self.item(value, Integer(), tree)

    def iterated_call(self, tree: Any, env: Environment) -> Value | None:
        called = tree.func.id
        if called in self.local:
            return None
        if called == "range":
            return Value(Integer())
        if called == "reversed":
            return self.iterated(tree.args[0], env)
        if called == "enumerate":
            item = self.iterated(tree.args[0], env)
            return Value(Items((Integer(), item.kind)), item.varied)
        if called == "zip":
            items = [self.iterated(part, env) for part in tree.args]
            return Value(Items(tuple(i.kind for i in items)), any(i.varied for i in items))
        return None

    # Expressions

    def place(self, tree: Any) -> Hashable:
        return self.places.get(tree, self.places.get(self.statement, -1))

    def fresh(self, tree: Any) -> Regions:
        return frozenset([("made", self.function.name, self.place(tree))])

    def is_varied(self, value: Value) -> bool:
        return value.varied or bool(regions_of(value.kind) & self.varied)

    def eval(self, tree: Any, env: Environment) -> Value:
        evaluate = getattr(self, f"eval_{type(tree).__name__}", None)
        if evaluate is None:
            return Value(UNKNOWN)
        found: Value = evaluate(tree, env)
        if not differentiable(found.kind):
            return Value(found.kind)
        return Value(found.kind, self.is_varied(found))

    def eval_Name(self, tree: Any, env: Environment) -> Value:
        if tree.id in env:
            return env[tree.id]
        if tree.id in self.local:
            return NOTHING
        value = self.external(tree, tree.id)
        if self.statement in self.before and not isinstance(value.kind, Function | Inert):
            self.before[self.statement].setdefault(tree.id, value)
        return value

    def external(self, tree: Any, key: str) -> Value:
        if key not in self.externals:
            found = self.function.resolve(tree)
            region = ("external", id(found))
            if found is MISSING:
                self.externals[key] = Value(UNKNOWN)
            else:
                self.externals[key] = Value(self.abstract(found, region))
        return self.externals[key]

    def abstract(self, value: Any, region: Region) -> Kind:
        """Give the kind of something outside the arguments."""
        return Abstraction(self.heap, asked=self.effects.asked)(value, region)

    def as_value(self, value: Value) -> Value:
        """Give what stands for a Variable where its value is used, and anything else as it is."""
        kind = value.kind
        if isinstance(kind, Items):
            return replace(value, kind=replace(kind, items=tuple(map(self.as_kind, kind.items))))
        if isinstance(kind, Sequence):
            return replace(value, kind=Sequence(self.as_kind(kind.item)))
        if not is_variable(kind):
            return value
        found = NOTHING
        for region in sorted(regions_of(kind), key=repr):
            slot = self.heap.get(region, {}).get("value", NOTHING)
            found = join_values(found, slot, ("value", region))
        return Value(found.kind, found.varied or self.is_varied(value))

    def values_read(self, value: Value, tree: Any) -> Value:
        """Interpret `values_of(xs)`: a list or tuple with its Variables replaced by their values."""
        kind = value.kind
        if isinstance(kind, Items):
            parts = [self.as_value(Value(k)) for k in kind.items]
            made = replace(kind, items=tuple(p.kind for p in parts))
            return Value(made, value.varied or any(p.varied for p in parts))
        if not isinstance(kind, List):
            return self.as_value(value)
        held = NOTHING
        for region in sorted(kind.regions, key=repr):
            for slot in self.heap.get(region, {}).values():
                held = join_values(held, self.as_value(slot), self.place(tree))
        made_list = List(frozenset([("made", "values", *sorted(kind.regions, key=repr))]))
        self.put(made_list.regions, "*", held)
        return Value(made_list, held.varied or self.is_varied(value))

    def is_used_varied(self, value: Value) -> bool:
        """Say whether an argument of a function of arrays varies, or holds Variables that do."""
        kind = value.kind
        if value.varied:
            return True
        if isinstance(kind, Items):
            return any(self.is_varied(Value(k)) for k in kind.items)
        slots = [v for r in regions_of(kind) for v in self.heap.get(r, {}).values()]
        return isinstance(kind, List) and any(map(self.is_varied, slots))

    def as_kind(self, kind: Kind) -> Kind:
        return self.as_value(Value(kind)).kind

    def eval_Constant(self, tree: Any, env: Environment) -> Value:
        return Value(literal_kind(tree.value))

    def eval_JoinedStr(self, tree: Any, env: Environment) -> Value:
        parts = [part.value for part in tree.values if isinstance(part, gast.FormattedValue)]
        varied = any(self.is_varied(self.eval(part, env)) for part in parts)
        return Value(_TEXT_OF_VARIED if varied else STR)

    def eval_Slice(self, tree: Any, env: Environment) -> Value:
        return Value(Inert("slice"))

    def eval_Starred(self, tree: Any, env: Environment) -> Value:
        return self.eval(tree.value, env)

    def eval_BinOp(self, tree: Any, env: Environment) -> Value:
        left, right = self.eval(tree.left, env), self.eval(tree.right, env)
        return self.operate(type(tree.op).__name__, left, right, tree)

    def operate(self, operator: str, left: Value, right: Value, tree: Any) -> Value:
        left, right = self.as_value(left), self.as_value(right)
        a, b = left.kind, right.kind
        varied = left.varied or right.varied
        if isinstance(a, Unreached) or isinstance(b, Unreached):
            return NOTHING
        if operator == "FloorDiv":
            varied = False
        if isinstance(a, List) and isinstance(b, List) and operator == "Add":
            made = List(self.fresh(tree))
            self.put(
                made.regions, "*", any_slot(self.heap, a.regions | b.regions, self.place(tree))
            )
            return Value(made, varied)
        if isinstance(a, List) and isinstance(b, Integer):
            made = List(self.fresh(tree))
            self.put(made.regions, "*", any_slot(self.heap, a.regions, self.place(tree)))
            return Value(made, varied)
        if isinstance(a, Items) and isinstance(b, Integer) and operator == "Mult":
            if isinstance(b.value, int):
                return Value(Items(a.items * b.value), varied)
            return self.item(left, Inert("slice"), tree)
        if isinstance(a, Items) and isinstance(b, Items) and operator == "Add":
            return Value(Items(a.items + b.items), varied)
        if isinstance(a, Inert) and isinstance(b, Inert) and a != BOOL:
            return Value(Inert(a.what))
        if isinstance(a, Integer) and isinstance(b, Integer):
            return Value(_integer(operator, a, b))
        call = Call([a, b], {}, self.place(tree), self.fresh(tree))
        if not is_number(a) or not is_number(b):
            known = all(is_number(k) or k == UNKNOWN for k in (a, b))
            return Value(call.unknown if known else UNKNOWN, varied)
        if operator == "MatMult":
            return Value(kind_of_call(None, "matmul", "general", call), varied)
        return Value(elementwise_kind(call, operator == "Div"), varied)

    def eval_UnaryOp(self, tree: Any, env: Environment) -> Value:
        value = self.as_value(self.eval(tree.operand, env))
        if isinstance(tree.op, gast.Not):
            return Value(BOOL)
        if isinstance(value.kind, Integer):
            known = value.kind.value
            if isinstance(tree.op, gast.USub) and isinstance(known, int):
                return Value(Integer(-known))
            return Value(Integer())
        if isinstance(value.kind, Array | Number):
            return Value(replace(value.kind, regions=self.fresh(tree)), value.varied)
        return value

    def eval_Compare(self, tree: Any, env: Environment) -> Value:
        parts = [tree.left, *tree.comparators]
        kinds = [self.as_value(self.eval(part, env)).kind for part in parts]
        identity = any(
            isinstance(op, gast.Is | gast.IsNot | gast.In | gast.NotIn) for op in tree.ops
        )
        if identity:
            return Value(_identity(tree, kinds))
        if any(isinstance(kind, Array | Number) for kind in kinds):
            call = Call(kinds, {}, self.place(tree), self.fresh(tree))
            made = elementwise_kind(call)
            return Value(replace(made, dtype="b") if isinstance(made, Array) else Inert())
        if len(kinds) == 2 and isinstance(tree.ops[0], gast.Eq | gast.NotEq):
            equal = _equal_shapes(kinds[0], kinds[1])
            if equal is not None:
                return Value(Inert("bool", equal == isinstance(tree.ops[0], gast.Eq)))
        values = [literal(kind) for kind in kinds]
        if ... not in values and None not in values:
            pairs = zip(tree.ops, values, values[1:], strict=False)
            answers = [_compared(op, a, b) for op, a, b in pairs]
            if all(isinstance(answer, bool) for answer in answers):
                return Value(Inert("bool", all(answers)))
        return Value(BOOL)

    def eval_BoolOp(self, tree: Any, env: Environment) -> Value:
        found = NOTHING
        decides = isinstance(tree.op, gast.Or)
        kinds = [self.eval(part, env).kind for part in tree.values]
        truths = [k.value if isinstance(k, Inert) and k.what == "bool" else ... for k in kinds]
        if decides in truths and all(isinstance(k, Inert) for k in kinds):
            return Value(Inert("bool", decides))
        for part in tree.values:
            found = join_values(found, self.eval(part, env), self.place(tree))
        return found

    def eval_IfExp(self, tree: Any, env: Environment) -> Value:
        self.eval(tree.test, env)
        yes, no = self.eval(tree.body, env), self.eval(tree.orelse, env)
        return join_values(yes, no, self.place(tree))

    def eval_Tuple(self, tree: Any, env: Environment) -> Value:
        values = [self.eval(item, env) for item in tree.elts]
        return Value(Items(tuple(v.kind for v in values)), any(v.varied for v in values))

    def eval_List(self, tree: Any, env: Environment) -> Value:
        made = List(self.fresh(tree))
        self.heap.setdefault(next(iter(made.regions)), {})
        varied = False
        generated = self.function.filename.startswith("<tapeless")  # perhaps a tuple's adjoint
        for i, item in enumerate(tree.elts):
            value = self.eval(item, env)
            varied |= value.varied
            self.put(made.regions, i if generated else "*", value)
        return Value(made, varied)

    def eval_Dict(self, tree: Any, env: Environment) -> Value:
        made = Dict(self.fresh(tree))
        self.heap.setdefault(next(iter(made.regions)), {})
        varied = False
        for key, item in zip(tree.keys, tree.values, strict=True):
            value = self.eval(item, env)
            varied |= value.varied
            if key is None:
                self.put(made.regions, "?", any_slot(self.heap, regions_of(value.kind), tree))
                continue
            slot = literal(self.eval(key, env).kind)
            self.put(made.regions, "?" if slot is ... or slot is None else slot, value)
        return Value(made, varied)

    def eval_Subscript(self, tree: Any, env: Environment) -> Value:
        owner = self.eval(tree.value, env)
        if is_variable(owner.kind):
            owner = self.as_value(owner)
        if isinstance(owner.kind, Array | Number):
            kind = indexed_kind(owner.kind, tree.slice, self, env, tree)
            return Value(kind, self.is_varied(owner))
        if isinstance(owner.kind, Items) and isinstance(tree.slice, gast.Slice):
            parts = [tree.slice.lower, tree.slice.upper, tree.slice.step]
            ends = [None if p is None else literal(self.eval(p, env).kind) for p in parts]
            if all(end is None or isinstance(end, int) for end in ends):
                return Value(Items(owner.kind.items[slice(*ends)]), self.is_varied(owner))
        index = self.eval(tree.slice, env)
        if is_adjoint_memory(owner.kind):
            return self.adjoint_in_memory(index, tree)
        holds = isinstance(owner.kind, Items | Sequence | List | Dict | Integer)
        if not holds and self.is_varied(index):
            return Value(UNKNOWN, True)  # np.r_[x, x]
        return self.item(owner, index.kind, tree)

    def item(self, owner: Value, index: Kind, tree: Any) -> Value:
        """Give what an item of a container, tuple or array may be."""
        if is_variable(owner.kind):
            owner = self.as_value(owner)
        kind, varied = owner.kind, self.is_varied(owner)
        known = literal(index)
        if isinstance(kind, Items):
            if isinstance(known, int) and -len(kind.items) <= known < len(kind.items):
                return Value(kind.items[known], varied)
            found: Kind = UNREACHED
            for part in kind.items:
                found = join(found, part, self.place(tree))
            if index == Inert("slice"):
                return Value(Sequence(found), varied)
            return Value(found, varied)
        if isinstance(kind, Sequence):
            return Value(kind if index == Inert("slice") else kind.item, varied)
        if isinstance(kind, List):
            if index == Inert("slice"):
                made = List(self.fresh(tree))
                self.put(made.regions, "*", any_slot(self.heap, kind.regions, self.place(tree)))
                return Value(made, varied)
            if self.has_place(kind.regions, known):
                slot = NOTHING
                for region in sorted(kind.regions, key=repr):
                    slot = join_values(slot, self.heap[region][known], self.place(tree))
            else:
                self.check_unmixed(kind)
                slot = any_slot(self.heap, kind.regions, self.place(tree))
            return Value(slot.kind, varied or slot.varied)
        if isinstance(kind, Dict):
            if known is ... or known is None:
                self.check_unmixed(kind)
            return self.dict_item(kind, known, varied, tree)
        if isinstance(kind, Array):
            row = (
                Array(kind.dims[1:], kind.dtype, kind.regions)
                if len(kind.dims) > 1
                else Real(kind.dtype)
                if kind.dtype not in "ib"
                else Integer()
            )
            return Value(row, varied)
        if isinstance(kind, Number):
            return Value(kind, varied)
        if isinstance(kind, Inert | Integer | Unreached):
            return Value(Inert() if not isinstance(kind, Unreached) else kind)
        return Value(UNKNOWN, varied)

    def check_unmixed(self, kind: List | Dict) -> None:
        """Refuse to read an item that may be a Variable or an array."""
        slots = [v.kind for r in kind.regions for v in self.heap.get(r, {}).values()]
        variables = [k for k in slots if is_variable(k)]
        if any(_mixed(v, k) for v in variables for k in slots):
            self.refuse_mixture("reads")

    def refuse_hidden_variables(self, tree: Any, kind: Kind, env: Environment) -> None:
        """Refuse a statement that may give a Variable out of what holds it, by ways not seen."""
        value = tree.value
        if tree in self.callees or tree in self.reading:
            return
        found = self.function.resolve(value.func) if isinstance(value, gast.Call) else MISSING
        by_name = found in (getattr, vars)
        if not by_name and kind != UNKNOWN and not isinstance(kind, Unreached):
            return
        if isinstance(value, gast.Call):
            if found is not MISSING and find_rule(found) is not None and not by_name:
                return
        elif not isinstance(value, gast.Subscript | gast.Attribute):
            return
        names = {part.id: part for part in gast.walk(value) if isinstance(part, gast.Name)}
        holders = [self.eval(part, env).kind for part in names.values()]
        asked = {variable_region(v) for v in self.effects.asked}
        if self.held_by([k for k in holders if not is_variable(k)]) & asked:
            self.refuse_here(
                "whether this gives a Variable whose gradient is asked for is not known here",
                "read the Variable by its name, by an attribute or by a key",
            )

    def refuse_mixture(self, does: str) -> None:
        self.refuse_here(
            f"this {does} a Variable or an array, and which one is not known here",
            "use the `.value` of the Variable, or keep the two apart",
        )

    def refuse_here(self, reason: str, fix: str) -> None:
        """Raise an error that points to the present statement."""
        line = getattr(self.statement, "lineno", None)
        lines = self.function.lines
        raise GradientError(
            reason,
            fix=fix,
            filename=self.function.filename,
            lineno=line,
            col_offset=getattr(self.statement, "col_offset", None),
            source_line=lines[line - 1] if line and line <= len(lines) else None,
        )

    def dict_item(self, kind: Dict, known: Any, varied: bool, tree: Any) -> Value:
        found = NOTHING
        for region in sorted(kind.regions, key=repr):
            slots = self.heap.get(region, {})
            if known is not ... and known in slots:
                found = join_values(found, slots[known], self.place(tree))
                if "?" in slots:
                    found = join_values(found, slots["?"], self.place(tree))
            else:
                found = join_values(
                    found, any_slot(self.heap, frozenset([region]), self.place(tree)), "any"
                )
        return Value(found.kind, varied or found.varied)

    def eval_Attribute(self, tree: Any, env: Environment) -> Value:
        found = self.function.resolve(tree)
        if found is not MISSING:
            return self.external(tree, gast.dump(tree))
        owner = self.eval(tree.value, env)
        if is_variable(owner.kind) and tree.attr in ("name", "trainable"):
            return Value(Inert(tree.attr))
        if is_variable(owner.kind) and tree.attr != "value":
            owner = self.as_value(owner)
        kind = owner.kind
        if isinstance(kind, Instance):
            return self.attribute(owner, kind, tree)
        if isinstance(kind, Items) and hasattr(kind.cls, "_fields"):
            fields = kind.cls._fields
            if tree.attr in fields:
                return Value(kind.items[fields.index(tree.attr)], owner.varied)
        if tree.attr in ("shape", "ndim", "size", "T", "mT", "real", "imag", "flat"):
            call = Call([kind], {}, self.place(tree), self.fresh(tree))
            made = kind_of_call(None, tree.attr, "general", call)
            return Value(made, self.is_varied(owner) and tree.attr not in ("shape", "ndim"))
        if is_number(kind) and tree.attr in _INERT_OF_ARRAYS:
            return Value(Inert(tree.attr))
        if is_number(kind):
            return Value(UNKNOWN, self.is_varied(owner))
        return Value(UNKNOWN if kind == UNKNOWN else Inert(), owner.varied)

    def attribute(self, owner: Value, kind: Instance, tree: Any) -> Value:
        if tree.attr == "__dict__":
            return Value(UNKNOWN, self.is_varied(owner))
        static = inspect.getattr_static(kind.cls, tree.attr, MISSING)
        self.refuse_hidden_code(owner, reading_hook(kind.cls, static), tree.attr)
        if isinstance(static, property) and not is_variable(kind):
            self.effects.methods.add((kind.cls, tree.attr))
            return self.call_function(static.fget, [tree.value], [owner], {}, {}, tree)
        found = NOTHING
        for region in sorted(kind.regions, key=repr):
            slots = self.heap.get(region, {})
            if tree.attr in slots:
                found = join_values(found, slots[tree.attr], self.place(tree))
        if found is not NOTHING:
            return Value(found.kind, found.varied or self.is_varied(owner))
        self.effects.methods.add((kind.cls, tree.attr))
        if static is MISSING:
            hook = "__getattr__" if hasattr(kind.cls, "__getattr__") else None
            self.refuse_hidden_code(owner, hook, tree.attr)
            return NOTHING if hook is None else Value(UNKNOWN)
        if isinstance(static, types.FunctionType | staticmethod | classmethod):
            return Value(UNKNOWN, self.is_varied(owner))
        return Value(self.abstract(getattr(kind.cls, tree.attr), ("class", tree.attr)))

    # Calls

    def eval_Call(self, tree: Any, env: Environment) -> Value:
        args, values = [], []
        for part in tree.args:
            if isinstance(part, gast.Starred):
                spread = self.spread(part.value, env)
                args += [a for a, _ in spread]
                values += [v for _, v in spread]
            else:
                args.append(part)
                values.append(self.eval(part, env))
        key_args = {k.arg: k.value for k in tree.keywords if k.arg}
        key_values = {k: self.eval(v, env) for k, v in key_args.items()}
        for keyword in tree.keywords:
            if keyword.arg is None:
                spread_keys = self.spread_keywords(keyword.value, env)
                if spread_keys is None:
                    if self.is_varied(self.eval(keyword.value, env)):
                        return Value(UNKNOWN, True)
                    continue
                for key, (slot, value) in spread_keys.items():
                    key_args[key], key_values[key] = slot, value
        found = self.function.resolve(tree.func)
        if found is not MISSING:
            return self.call_object(found, args, values, key_args, key_values, tree, env)
        if isinstance(tree.func, gast.Name):
            kind = env.get(tree.func.id, NOTHING).kind
            if isinstance(kind, Function):
                return self.call_known(kind, args, values, key_args, key_values, tree, env)
            if isinstance(kind, Instance):
                owner = env[tree.func.id]
                method = inspect.getattr_static(kind.cls, "__call__", None)
                return self.call_function(
                    method, [tree.func, *args], [owner, *values], key_args, key_values, tree
                )
            function = env.get(tree.func.id, NOTHING)
            return Value(UNKNOWN, function.varied or any(v.varied for v in values))
        if isinstance(tree.func, gast.Attribute):
            owner = self.eval(tree.func.value, env)
            return self.call_method(owner, tree, args, values, key_args, key_values, env)
        return Value(UNKNOWN, any(v.varied for v in values))

    def spread_keywords(self, tree: Any, env: Environment) -> dict[str, tuple[Any, Value]] | None:
        """Give the reads of the slots that `**tree` passes; None where its keys are not known."""
        owner = self.eval(tree, env)
        if not isinstance(owner.kind, Dict) or len(owner.kind.regions) != 1:
            return None
        [region] = owner.kind.regions
        slots = self.heap.get(region, {})
        if region in self.stored or not all(isinstance(key, str) for key in slots) or "?" in slots:
            return None
        return {
            str(key): (
                gast.Subscript(tree, gast.Constant(key, None), gast.Load()),
                Value(value.kind, self.is_varied(owner) or value.varied),
            )
            for key, value in slots.items()
        }

    def spread(self, tree: Any, env: Environment) -> list[tuple[Any, Value]]:
        owner = self.eval(tree, env)
        if not isinstance(owner.kind, Items):
            return [(gast.Starred(tree, gast.Load()), owner)]
        made = []
        for i, kind in enumerate(owner.kind.items):
            index = gast.Constant(i, None)
            made.append((gast.Subscript(tree, index, gast.Load()), Value(kind, owner.varied)))
        return made

    def call_known(
        self, kind: Function, args: Any, values: Any, key_args: Any, key_values: Any, tree: Any,
        env: Environment,
    ) -> Value:  # fmt: skip
        if isinstance(kind.value, gast.FunctionDef):
            captured = [gast.Name(c, gast.Load(), None, None) for c in kind.captured]
            core = self.effects.cores[kind.value]
            extra = [env.get(c, NOTHING) for c in kind.captured]
            if kind.value.decorator_list:
                return self.call_custom(
                    core, args, values, key_args, key_values, tree, captured, extra
                )
            return self.call_core(
                core, args, values, key_args, key_values, tree, captured, extra, kind.again
            )
        if isinstance(kind.value, Derived):
            return call_of_derived(self, kind, args, values, key_args, key_values, tree)
        return self.call_object(kind.value, args, values, key_args, key_values, tree, env)

    def call_object(
        self, found: Any, args: Any, values: Any, key_args: Any, key_values: Any, tree: Any,
        env: Environment,
    ) -> Value:  # fmt: skip
        varied = any(map(self.is_varied, [*values, *key_values.values()]))
        written = written_out(found, bool(key_args), varied)
        if written is not None:
            return self.call_function(written, args, values, key_args, key_values, tree)
        rule = find_rule(found)
        if rule is not None:
            return self.call_rule(found, rule, values, key_values, tree)
        if recomputed_function(found) is not None:
            return self.call_function(found, args, values, key_args, key_values, tree)
        derived = call_of_operator(self, found, args, values, key_args, key_values, tree)
        if derived is not None:
            return derived
        if found == np.add.at:
            self.stored |= regions_of(values[0].kind)
            if values[-1].varied:
                self.varied |= regions_of(values[0].kind)
            return Value(NONE)
        if found is values_of:
            return self.values_read(values[0], tree)
        if found is unit:
            return Value(values[0].kind, any(v.varied for v in [*values[2:], *key_values.values()]))
        if _is_library(found):
            return self.call_rule(found, _OPAQUE, values, key_values, tree)
        if isinstance(found, type):
            return self.construct(found, args, values, key_args, key_values, tree)
        if isinstance(found, types.MethodType) and isinstance(found.__self__, type):
            return self.call_function(
                found.__func__, [tree.func.value, *args], [Value(Function(found.__self__)), *values],
                key_args, key_values, tree,
            )  # fmt: skip
        method = inspect.getattr_static(type(found), "__call__", None)
        if not inspect.isroutine(found) and author_of(method) is not None:
            owner = self.eval(tree.func, env)
            return self.call_function(
                method, [tree.func, *args], [owner, *values], key_args, key_values, tree
            )
        if isinstance(found, types.MethodType):
            owner = self.external(gast.Constant(None, None), f"self of {id(found)}")
            return self.call_function(
                found.__func__, [None, *args], [owner, *values], key_args, key_values, tree
            )
        method = inspect.getattr_static(type(found), "__call__", None)
        if not inspect.isroutine(found) and inspect.isroutine(method):
            owner = self.external(tree.func, gast.dump(tree.func))
            return self.call_function(
                method, [tree.func, *args], [owner, *values], key_args, key_values, tree
            )
        return self.call_function(found, args, values, key_args, key_values, tree)

    def call_rule(self, found: Any, rule: Any, values: Any, key_values: Any, tree: Any) -> Value:
        place = self.place(tree)
        if found is not stop_gradient:
            values = [self.as_value(v) for v in values]
            key_values = {k: self.as_value(v) for k, v in key_values.items()}
        kinds = [self.as_kind(as_items(v.kind, self.heap, place)) for v in values]
        keywords = {
            k: self.as_kind(as_items(v.kind, self.heap, place)) for k, v in key_values.items()
        }
        self.store_out(found, rule, values, key_values, tree)
        self.check_operands(found, rule, [*values, *key_values.values()], tree)
        if found in _TEXTS and any(map(self.is_varied, values)):
            return Value(_TEXT_OF_VARIED)
        call = Call(kinds, keywords, place, self.fresh(tree))
        operands = [*values, *(v for k, v in key_values.items() if k != "key")]
        varied = any(self.is_used_varied(v) or self.closes_over_varied(v.kind) for v in operands)
        varied = varied and rule.form != "zero"
        name = getattr(found, "__name__", "")
        given = values or list(key_values.values())
        return Value(self.rule_kind(found, name, rule, call, given, tree), varied)

    def check_operands(self, found: Any, rule: Any, values: list[Value], tree: Any) -> None:
        """Refuse numbers read from the text of what varies, and objects where numbers belong."""
        if rule.form == "zero":
            return
        if any(v.kind == _TEXT_OF_VARIED for v in values):
            reason = "a number is read from the text of one that carries a derivative"
            fix = "keep the number itself, or put tl.stop_gradient around it"
            self.refuse(tree, reason, fix)
        for value in values:
            item = as_items(value.kind, self.heap, self.place(tree))
            kind = item.item if isinstance(item, Sequence) else item
            plain = isinstance(kind, Instance) and getattr(found, "__module__", "") == "builtins"
            if plain and found not in (list, tuple) and self.is_varied(value):
                label = getattr(found, "__name__", "this function")
                reason = f"`{label}` of objects of class {kind.cls.__name__} is not supported yet"  # type: ignore[attr-defined]
                self.refuse(tree, reason, "write it as a loop, or take the numbers out first")

    def refuse(self, tree: Any, reason: str, fix: str) -> None:
        lines = self.function.lines
        line = getattr(tree, "lineno", None) or getattr(self.statement, "lineno", None)
        raise GradientError(
            reason,
            fix=fix,
            filename=self.function.filename,
            lineno=line,
            col_offset=getattr(tree, "col_offset", None),
            source_line=lines[line - 1] if line and line <= len(lines) else None,
        )

    def closes_over_varied(self, kind: Kind) -> bool:
        """Say whether a kind is a local function that captures what varies."""
        captured = kind.captured if isinstance(kind, Function) else ()
        return any(
            self.is_varied(v) or self.closes_over_varied(v.kind)
            for v in (self.env.get(c, NOTHING) for c in captured)
        )

    def sealed(self, value: Value) -> Value:
        """Give what another function sees of a value: what a closure captures is out of reach."""
        closures = [k for k in _functions_in(value.kind) if k.captured]
        if not closures:
            return value
        varied = any(self.closes_over_varied(k) for k in closures)
        return Value(_without_closures(value.kind), value.varied or varied)

    def renaming(self) -> _Renaming:
        """Give the names that a callee has for the regions of this function."""
        heap = {
            region: {slot: self.sealed(value) for slot, value in slots.items()}
            for region, slots in self.heap.items()
        }
        return _Renaming(heap, self.varied)

    def store_out(
        self, found: Any, rule: Any, values: list[Value], key_values: dict[str, Value], tree: Any
    ) -> None:
        """Note that a call writes into its `out`; refuse it where a derivative would go there."""
        excess = len(values) - found.nin if isinstance(found, np.ufunc) else 0
        if rule is not _OPAQUE and rule.form == "general" and not isinstance(found, np.ufunc):
            kinds = inspect.signature(rule.function).parameters.values()
            if not any(p.kind is p.VAR_POSITIONAL for p in kinds):
                excess = len(values) - len(kinds)
        if "out" in key_values:
            self.stored |= regions_of(key_values["out"].kind)
        varied = any(self.is_varied(v) for v in [*values, *key_values.values()])
        if varied and ("out" in key_values or excess > 0) and not _is_none(key_values.get("out")):
            raise GradientError(
                "`out=` is not supported yet",
                fix="assign the result",
                filename=self.function.filename,
                lineno=getattr(tree, "lineno", getattr(self.statement, "lineno", None)),
            )

    def stopped(self, kind: Kind, place: Region) -> Kind:
        """Give the kind of what `stop_gradient` returns: the same things, none of them varied.

        They get regions of their own, for that a thing varies is said of its region.
        """
        if isinstance(kind, Items):
            return replace(kind, items=tuple(self.stopped(k, place) for k in kind.items))
        if isinstance(kind, Sequence):
            return Sequence(self.stopped(kind.item, place))
        regions = regions_of(kind)
        if not regions or all(region[:2] == place for region in regions):
            return kind
        made = []
        for region in sorted(regions, key=repr):
            made.append((*place, region))
            known = made[-1] in self.heap
            slots = self.heap.get(region, {})
            if slots and not known:
                self.heap[made[-1]] = {}
            for slot, value in slots.items():
                if not known or slot not in self.heap[made[-1]]:
                    self.heap[made[-1]][slot] = NOTHING
                    inner = Value(self.stopped(value.kind, place))
                    self.put(frozenset([made[-1]]), slot, inner)
        return replace(kind, regions=frozenset(made))  # type: ignore[call-arg]

    def refuse_stores_into_stopped(self) -> None:
        """Refuse a store into what `stop_gradient` returned: it is its argument itself."""
        if any(region[0] == "stopped" for region in self.stored):
            self.refuse_here(
                "this stores into what stop_gradient returned, which is its argument itself",
                "copy it first",
            )

    def rule_kind(
        self, found: Any, name: str, rule: Any, call: Call, values: Any, tree: Any
    ) -> Kind:
        if found is stop_gradient and values:
            return self.stopped(values[0].kind, ("stopped", self.place(tree)))
        if found in _BUILT_IN_KINDS:
            return _BUILT_IN_KINDS[found](self, call, values, tree)
        if rule.form == "zero" and not _is_numpy(found):
            return Inert()
        if isinstance(found, types.FunctionType) and not _is_numpy(found):
            is_stdlib = str(found.__module__).split(".")[0] in sys.stdlib_module_names
            return UNKNOWN if rule is _OPAQUE and is_stdlib else call.unknown
        return kind_of_call(found, name, rule.form, call)

    def call_method(
        self, owner: Value, tree: Any, args: Any, values: Any, key_args: Any, key_values: Any,
        env: Environment,
    ) -> Value:  # fmt: skip
        if is_variable(owner.kind):
            if tree.func.attr in ASSIGNING:
                return self.assigned(owner, values or list(key_values.values()))
            owner = self.as_value(owner)
        kind, method = owner.kind, tree.func.attr
        if is_adjoint_memory(kind):
            self.refuse_memory(tree)
        if isinstance(kind, Instance):
            slot = self.attribute(owner, kind, tree.func)
            if isinstance(slot.kind, Function) and not self.is_method(kind.cls, method):
                return self.call_known(slot.kind, args, values, key_args, key_values, tree, env)
            static = inspect.getattr_static(kind.cls, method, None)
            if isinstance(static, staticmethod):
                return self.call_function(static.__func__, args, values, key_args, key_values, tree)
            self.effects.methods.add((kind.cls, method))
            if isinstance(static, types.FunctionType):
                return self.call_function(
                    static, [tree.func.value, *args], [owner, *values], key_args, key_values, tree
                )
            return Value(UNKNOWN, any(v.varied for v in [owner, slot, *values]))
        if isinstance(kind, List | Dict):
            return self.container_method(owner, method, values, key_values, tree)
        given = any(self.is_varied(v) for v in [*values, *key_values.values()])
        varied = given or self.is_varied(owner)
        if kind == _TEXT_OF_VARIED or (isinstance(kind, Inert) and kind.what == "str" and given):
            return Value(_TEXT_OF_VARIED)
        if isinstance(kind, Inert | Integer | Items):
            inert = not varied or method in ("index", "count")
            return Value(Inert()) if inert else Value(UNKNOWN, True)
        if method in ("fill", "sort", "put", "partition", "resize"):
            self.stored |= regions_of(kind)
            if given:
                self.varied |= regions_of(kind)
            return Value(NONE)
        found = getattr(np.ndarray, method, None)
        rule = find_rule(found) if found is not None else None
        if rule is None:
            return Value(UNKNOWN, varied)
        return self.call_rule(found, rule, [owner, *values], key_values, tree)

    def assigned(self, owner: Value, values: list[Value]) -> Value:
        """Interpret `w.assign(v)`: a store into the one slot of a Variable."""
        new = self.as_value(values[0])
        held = self.as_value(owner)
        varied = new.varied or held.varied
        for region in regions_of(owner.kind):
            self.put(frozenset([region]), "value", Value(held.kind, varied))
        self.stored |= regions_of(owner.kind)
        if new.varied:
            self.varied |= regions_of(owner.kind)
        return Value(held.kind, varied)

    @staticmethod
    def is_method(cls: type, name: str) -> bool:
        return inspect.getattr_static(cls, name, None) is not None

    def container_method(
        self, owner: Value, method: str, values: Any, key_values: Any, tree: Any
    ) -> Value:
        kind, place = owner.kind, self.place(tree)
        regions = regions_of(kind)
        varied = any(v.varied for v in values)
        everything = any_slot(self.heap, regions, place)
        if isinstance(kind, List) and method in ("pop", "insert", "remove", "reverse", "sort"):
            self.put(regions, "*", everything)  # its places no longer hold what they held
        if method in ("append", "insert", "extend", "setdefault", "update"):
            self.stored |= regions
            if varied:
                self.varied |= regions
            if method in ("append", "insert", "setdefault"):
                self.put(regions, "*" if isinstance(kind, List) else "?", values[-1])
            elif values:
                slot = any_slot(self.heap, regions_of(values[0].kind), place)
                self.put(regions, "*" if isinstance(kind, List) else "?", slot)
            return Value(everything.kind if method == "setdefault" else NONE)
        if method in ("pop", "popitem", "clear", "reverse", "sort", "remove"):
            self.stored |= regions
            return Value(everything.kind, everything.varied or self.is_varied(owner))
        if method == "get":
            found = self.dict_item(kind, literal(values[0].kind), False, tree)  # type: ignore[arg-type]
            for default in values[1:]:
                found = join_values(found, default, place)
            return found
        if method == "copy":
            made = replace(kind, regions=self.fresh(tree))  # type: ignore[call-arg]
            for region in regions:
                for slot_key, slot in self.heap.get(region, {}).items():
                    self.put(regions_of(made), slot_key, slot)
            return Value(made, owner.varied)
        return Value(Inert())

    def construct(
        self, cls: type, args: Any, values: Any, key_args: Any, key_values: Any, tree: Any
    ) -> Value:
        fields = getattr(cls, "_fields", None)
        if issubclass(cls, tuple) and fields is not None:
            bound = dict(zip(fields, values, strict=False)) | key_values
            for f in set(cls._field_defaults) - set(bound):  # type: ignore[attr-defined]
                default = cls._field_defaults[f]  # type: ignore[attr-defined]
                region = ("default", cls.__qualname__, f)
                bound[f] = Value(Abstraction(self.heap)(default, region))
            kinds = tuple(bound.get(f, NOTHING).kind for f in fields)
            return Value(Items(kinds, cls), any(v.varied for v in bound.values()))
        if cls is AdjointRecord:
            self.refuse_memory(tree)
        if cls is AdjointMemory:
            return Value(Instance(cls, self.fresh(tree)))
        if is_variable(cls):
            raise GradientError(
                "a Variable is made in a function that is differentiated",
                fix="make it outside",
                filename=self.function.filename,
                lineno=getattr(tree, "lineno", None) or getattr(self.statement, "lineno", None),
            )
        varied = any(
            self.is_varied(v) or self.closes_over_varied(v.kind)
            for v in [*values, *key_values.values()]
        )
        if issubclass(cls, BaseException):
            return Value(Inert())
        if cls in (list, tuple) and len(values) == 1 and not _is_opaque(values[0].kind):
            return self.copied_items(cls, values[0], tree)
        if cls.__module__ == "builtins":
            return Value(UNKNOWN if varied or cls in (list, tuple, dict) else Inert(), varied)
        made = Value(Instance(cls, self.fresh(tree)))
        self.heap.setdefault(next(iter(regions_of(made.kind))), {})
        if dataclasses.is_dataclass(cls) and "__init__" in _generated_methods(cls):
            core = self.effects.constructor(cls)
            if core is not None:
                self.call_core(
                    core, [None, *args], [made, *values], key_args, key_values, tree, [], []
                )
                return Value(made.kind, any(v.varied for v in [*values, *key_values.values()]))
            self.construct_dataclass(cls, made, values, key_values)
            if hasattr(cls, "__post_init__"):
                self.refuse_hidden_code(made, "__post_init__", "__init__", varied)
            return Value(made.kind, any(v.varied for v in [*values, *key_values.values()]))
        self.effects.methods.add((cls, "__init__"))
        init = inspect.getattr_static(cls, "__init__", None)
        if isinstance(init, types.FunctionType):
            self.call_function(init, [None, *args], [made, *values], key_args, key_values, tree)
        return Value(made.kind, any(v.varied for v in [*values, *key_values.values()]))

    def copied_items(self, cls: Any, value: Value, tree: Any) -> Value:
        """Give what `list(x)` or `tuple(x)` may be."""
        varied = self.is_varied(value)
        if cls is tuple and isinstance(value.kind, Items | Sequence):
            return Value(value.kind, varied)
        item = self.item(value, Integer(), tree)
        if isinstance(value.kind, Dict):
            item = Value(Inert("key"))
        if cls is tuple:
            return Value(Sequence(item.kind), varied)
        made = List(self.fresh(tree))
        self.heap.setdefault(next(iter(made.regions)), {})
        self.put(made.regions, "*", item)
        return Value(made, varied)

    def refuse_memory(self, tree: Any) -> NoReturn:
        """Refuse to differentiate again what keeps adjoints by the identity of their things."""
        raise GradientError(
            "a derivative that keeps the adjoints of objects or of outer state cannot be "
            "differentiated again yet",
            fix="keep the state in arrays that are parameters or made in the function",
            filename=self.function.filename,
            lineno=getattr(tree, "lineno", None) or 1,
        )

    def adjoint_in_memory(self, thing: Value, tree: Any) -> Value:
        """Give what the adjoint memory holds for an array: a view where the array is a view."""
        kind = thing.kind
        outside = any(is_outside(region) for region in regions_of(kind))
        if not isinstance(kind, Array | Number) or not regions_of(kind) or outside:
            self.refuse_memory(tree)
        regions = frozenset(("adjoint", region) for region in regions_of(kind))
        return Value(replace(kind, regions=regions), bool(regions & self.varied))

    def construct_dataclass(self, cls: Any, made: Value, values: Any, key_values: Any) -> None:
        names = [f.name for f in dataclasses.fields(cls) if f.init]
        bound = dict(zip(names, values, strict=False)) | key_values
        for f in dataclasses.fields(cls):
            value = bound.get(f.name)
            if value is None:
                default = f.default if f.default is not dataclasses.MISSING else None
                value = Value(self.abstract(default, ("default", cls.__qualname__, f.name)))
            if value.varied:
                self.varied |= regions_of(made.kind)
            self.put(regions_of(made.kind), f.name, value)

    def call_function(
        self, found: Any, args: Any, values: Any, key_args: Any, key_values: Any, tree: Any
    ) -> Value:
        again = recomputed_function(found)
        if again is not None:
            return self.call_core(
                self.effects.core(again), args, values, key_args, key_values, tree, [], [], True
            )
        custom = author_of(found)
        if custom is not None:
            return self.call_custom(custom, args, values, key_args, key_values, tree, [], [])
        if not isinstance(found, types.FunctionType):
            return Value(UNKNOWN, any(v.varied for v in [*values, *key_values.values()]))
        core = self.readable_core(found)
        if core is None:
            return Value(UNKNOWN, any(v.varied for v in [*values, *key_values.values()]))
        return self.call_core(core, args, values, key_args, key_values, tree, [], [])

    def call_custom(
        self, custom: Any, args: Any, values: Any, key_args: Any, key_values: Any, tree: Any,
        captured: list[Any], captured_values: list[Value],
    ) -> Value:  # fmt: skip
        """Interpret a call of a custom gradient: its body is run, and never differentiated."""
        varied = any(v.varied for v in [*values, *key_values.values()])
        stored, self.stored = self.stored, set()  # what its body does is not undone
        regions, self.varied = self.varied, set()
        try:
            core = self.effects.core(custom)
            made = self.call_core(
                core, args, [Value(v.kind) for v in values], key_args,
                {k: Value(v.kind) for k, v in key_values.items()}, tree, captured,
                [Value(v.kind) for v in captured_values],
            )  # fmt: skip
        except TapelessError:
            self.callees.pop(self.statement, None)
            return Value(UNKNOWN, self.reads_variables(custom, None, values, regions) or varied)
        finally:
            self.stored, self.varied = stored, regions
        callee = self.callees.pop(self.statement, None)
        varied = self.reads_variables(custom, callee, values, regions) or varied
        if callee is None or not isinstance(made.kind, Items) or len(made.kind.items) < 2:
            return Value(UNKNOWN, varied)
        self.refuse_stores(callee, tree)
        returned = [v.kind for s, v in callee.facts.results.items() if isinstance(s, gast.Return)]
        last_two = [k for kind in returned if isinstance(kind, Items) for k in kind.items[-2:]]
        has_jvp = len(made.kind.items) == 3 and all(isinstance(k, Function) for k in last_two)
        if len(made.kind.items) == 2 or has_jvp:
            kind = made.kind.items[0]
            return Value(UNKNOWN if kind == Inert() else kind, varied)
        return Value(Items((*made.kind.items[:-1], GRAD)), varied)

    def reads_variables(
        self, custom: Any, callee: Callee | None, values: list[Value], varied: set[Region]
    ) -> bool:
        """Note that a custom gradient may read Variables that are asked for; any, if not known."""
        if getattr(custom, "__passes_through__", False):
            return False
        asked = {variable_region(v) for v in self.effects.asked}
        read = asked
        if callee is not None:
            objects = [v.kind for v in values if not is_variable(v.kind)]
            read = asked & (callee.facts.varied | self.held_by(objects))
        varied |= read
        self.read_by_customs |= read
        if read:
            self.reading.add(self.statement)
        return bool(read)

    def held_by(self, kinds: list[Kind]) -> set[Region]:
        """Give all regions that can be reached from containers and objects."""
        found: set[Region] = set()
        todo = [region for kind in kinds for region in regions_within(kind)]
        while todo:
            region = todo.pop()
            if region not in found:
                found.add(region)
                slots = self.heap.get(region, {}).values()
                todo += [r for v in slots for r in regions_within(v.kind)]
        return found

    def holds_varied(self, value: Value) -> bool:
        """Say whether a value varies, or anything that can be reached from it does."""
        if self.is_varied(value):
            return True
        regions = self.held_by([value.kind])
        return bool(regions & self.varied) or any(
            slot.varied for region in regions for slot in self.heap.get(region, {}).values()
        )

    def refuse_hidden_code(
        self, owner: Value, hook: str | None, attribute: str, varied: bool = False
    ) -> None:
        """Refuse an attribute of what varies that a hook computes: its code is not followed."""
        if hook is not None and (varied or self.holds_varied(owner)):
            label = owner.kind.cls.__name__  # type: ignore[attr-defined]
            line, lines = getattr(self.statement, "lineno", None), self.function.lines
            raise GradientError(
                f"`.{attribute}` of {label} goes through `{hook}`, which is not followed",
                fix="use a plain attribute, an @property that is only read, or a method",
                filename=self.function.filename,
                lineno=line,
                col_offset=getattr(self.statement, "col_offset", None),
                source_line=lines[line - 1] if line and line <= len(lines) else None,
            )

    def refuse_stores(self, callee: Callee, tree: Any) -> None:
        """Refuse a custom gradient that stores into its arguments: nothing would undo it."""
        for parameter, value in zip(callee.function.parameters, callee.values, strict=True):
            changed = bool(regions_of(value.kind) & callee.facts.stored)
            if changed and not isinstance(value.kind, Instance):
                raise GradientError(
                    f"the custom gradient '{callee.function.name}' stores into its argument "
                    f"'{parameter}'",
                    fix="work on a copy of it",
                    filename=self.function.filename,
                    lineno=getattr(self.statement, "lineno", None),
                )

    def readable_core(self, target: Any) -> CoreFunction | None:
        """Give a function in the core language; None for one of the tool's own that is not in it."""
        try:
            return self.effects.core(target)
        except TapelessError:
            if str(getattr(target, "__module__", "")).startswith("tapeless."):
                return None
            raise

    def call_core(
        self, core: CoreFunction, args: Any, values: Any, key_args: Any, key_values: Any,
        tree: Any, captured: list[Any], captured_values: list[Value], again: bool = False,
    ) -> Value:  # fmt: skip
        bound = bind_arguments(core, args, key_args)
        if bound is None:
            return Value(UNKNOWN, any(map(self.is_varied, [*values, *key_values.values()])))
        known = dict(zip(map(id, args), values, strict=True))
        known |= {id(key_args[k]): v for k, v in key_values.items()}
        passed: list[Any] = [*bound, *captured]
        incoming = [self.argument_value(core, a, known, i) for i, a in enumerate(bound)]
        incoming += captured_values
        incoming = [v if isinstance(v.kind, Function) else self.sealed(v) for v in incoming]
        if any(is_adjoint_memory(v.kind) for v in incoming):
            self.refuse_memory(tree)
        core, extra = self.open_closures(core, incoming)
        passed += [gast.Name(c, gast.Load(), None, None) for c in extra]
        incoming += [self.env.get(c, NOTHING) for c in extra]
        renaming = self.renaming()
        inner = tuple(renaming.value(v, i) for i, v in enumerate(incoming))
        heap = renaming.renamed_heap()
        facts = self.effects.analyse(core, inner, heap)
        if again:
            logs = logs_of(facts.function.tree, facts)
            facts = replace(facts, stored=facts.stored - logs, varied=facts.varied - logs)
        self.callees[self.statement] = Callee(
            facts.function, inner, heap, tuple(passed), facts, renaming.originals(),
            self.place(tree), again,
        )  # fmt: skip
        if facts.returned == NOTHING and not facts.before:
            raise _NeverReturnsError
        return self.come_back(facts, renaming, tree)

    def open_closures(
        self, core: CoreFunction, incoming: list[Value]
    ) -> tuple[CoreFunction, list[str]]:
        """Pass what a local function captures beside it: the callee gets a parameter for each."""
        opened: list[tuple[str, str]] = []
        extra: list[str] = []
        taken = core.names()
        for i, (parameter, value) in enumerate(zip(core.parameters, list(incoming), strict=True)):
            if not isinstance(value.kind, Function) or not value.kind.captured:
                continue
            names = []
            for captured in value.kind.captured:
                fresh = f"{parameter}_{captured}"
                while fresh in taken:
                    fresh += "_"
                taken.add(fresh)
                names.append(fresh)
                opened.append((parameter, fresh))
                extra.append(captured)
            incoming[i] = Value(replace(value.kind, captured=tuple(names)))
        if not opened:
            return core, []
        return self.effects.opened(core, tuple(fresh for _, fresh in opened)), extra

    def argument_value(self, core: CoreFunction, arg: Any, known: Any, position: int) -> Value:
        if isinstance(arg, list):
            parts = [known[id(a)] for a in arg]
            return Value(Items(tuple(p.kind for p in parts)), any(p.varied for p in parts))
        if isinstance(arg, dict):
            made = Dict(frozenset([("keywords", core.name, self.place(self.statement))]))
            for key, part in arg.items():
                self.put(made.regions, key, known[id(part)])
            return Value(made, any(known[id(p)].varied for p in arg.values()))
        if isinstance(arg, Default):
            return Value(self.abstract(arg.value, ("default", core.name, position)))
        return known[id(arg)]

    def come_back(self, facts: Facts, renaming: _Renaming, tree: Any) -> Value:
        """Take over what the callee did to the heap, in terms of the caller's regions."""
        place = self.place(tree)
        for region in sorted(facts.heap, key=repr):
            for owner in renaming.back(frozenset([region]), place):
                for slot, value in facts.heap[region].items():
                    self.put(frozenset([owner]), slot, renaming.value_back(value, place))
                self.heap.setdefault(owner, {})
        self.stored |= renaming.back(frozenset(facts.stored), place)
        self.varied |= renaming.back(frozenset(facts.varied), place)
        return renaming.value_back(facts.returned, place)


@dataclass(frozen=True, eq=False)
class Default:
    """A parameter's default value, where a call passes nothing."""

    value: Any


def bind_arguments(core: CoreFunction, args: list[Any], keywords: dict[str, Any]) -> Any:
    """Bind the expressions of a call to a function's parameters, defaults as `Default`.

    Returns
    -------
    One entry per parameter: an expression, a list for ``*args``, a dict for ``**kwargs``, or a
    `Default`; None where the call does not fit the signature.
    """
    a = core.tree.args
    positional = [p.id for p in [*a.posonlyargs, *a.args]]
    own = [p for p in positional if p not in core.captured]
    defaults = _default_values(core)
    if any(isinstance(arg, gast.Starred) for arg in args):
        return None
    bound: list[Any] = []
    rest = dict(keywords)
    for i, parameter in enumerate(own):
        if i < len(args):
            bound.append(args[i])
        elif parameter in rest:
            bound.append(rest.pop(parameter))
        elif parameter in defaults:
            bound.append(defaults[parameter])
        else:
            return None
    if a.vararg:
        bound.append(list(args[len(own) :]))
    elif len(args) > len(own):
        return None
    for parameter in a.kwonlyargs:
        if parameter.id in rest:
            bound.append(rest.pop(parameter.id))
        elif parameter.id in defaults:
            bound.append(defaults[parameter.id])
        else:
            return None
    if a.kwarg:
        bound.append(rest)
    elif rest:
        return None
    return bound


def _default_values(core: CoreFunction) -> dict[str, Default]:
    a = core.tree.args
    names = [p.id for p in [*a.posonlyargs, *a.args] if p.id not in core.captured]
    found: dict[str, Default] = {}
    if core.primal is not None:
        given = core.primal.__defaults__ or ()
        found = {
            n: Default(v) for n, v in zip(names[len(names) - len(given) :], given, strict=True)
        }
        found |= {k: Default(v) for k, v in (core.primal.__kwdefaults__ or {}).items()}
        return found
    literals = [
        (n, d) for n, d in zip(names[len(names) - len(a.defaults) :], a.defaults, strict=True)
    ]
    literals += [(p.id, d) for p, d in zip(a.kwonlyargs, a.kw_defaults, strict=True) if d]
    for key, tree in literals:
        if isinstance(tree, gast.Constant):
            found[key] = Default(tree.value)
    return found


def _mixed(a: Kind, b: Kind) -> bool:
    """Say whether one is a Variable and the other something that is used by value."""
    if is_variable(a) == is_variable(b):
        return False
    other = b if is_variable(a) else a
    return is_number(other) or other == UNKNOWN


def _is_none(value: Value | None) -> bool:
    return value is not None and value.kind == NONE


def _functions_in(kind: Kind) -> list[Function]:
    if isinstance(kind, Items):
        return [found for item in kind.items for found in _functions_in(item)]
    if isinstance(kind, Sequence):
        return _functions_in(kind.item)
    return [kind] if isinstance(kind, Function) else []


def _without_closures(kind: Kind) -> Kind:
    if isinstance(kind, Items):
        return replace(kind, items=tuple(_without_closures(item) for item in kind.items))
    if isinstance(kind, Sequence):
        return Sequence(_without_closures(kind.item))
    return UNKNOWN if isinstance(kind, Function) and kind.captured else kind


class _Renaming:
    """The caller's regions as a callee sees them: named by the parameter they come in by."""

    def __init__(self, heap: Heap, varied: set[Region]) -> None:
        self.heap = heap
        self.varied = varied
        self.forward: dict[Region, Region] = {}
        self.backward: dict[Region, set[Region]] = {}
        self.size_symbols: dict[Hashable, Hashable] = {}
        self.todo: list[Region] = []

    def value(self, value: Value, position: int) -> Value:
        found = Value(self.kind(value.kind, ("parameter", position)), value.varied)
        return found

    def kind(self, kind: Kind, wish: Region) -> Kind:
        if isinstance(kind, Items):
            parts = tuple(self.kind(k, (*wish, i)) for i, k in enumerate(kind.items))
            return replace(kind, items=parts)
        if isinstance(kind, Sequence):
            return Sequence(self.kind(kind.item, (*wish, "*")))
        regions = regions_of(kind)
        if isinstance(kind, Array):
            dims = tuple(self.dim(d, (*wish, i)) for i, d in enumerate(kind.dims))
            kind = replace(kind, dims=dims)
        if isinstance(kind, Integer) and isinstance(kind.value, Size):
            return Integer(self.dim(kind.value, wish))  # the symbol may be another's dimension
        if isinstance(kind, Integer):
            return Integer()
        if not regions:
            return kind
        return replace(kind, regions=frozenset([self.region(regions, wish)]))  # type: ignore[call-arg]

    def dim(self, dim: Any, wish: Hashable) -> Any:
        if isinstance(dim, int):
            return dim
        symbol = self.size_symbols.setdefault(dim.symbol, ("size", wish))
        return replace(dim, symbol=symbol)

    def region(self, regions: Regions, wish: Region) -> Region:
        present = sorted({self.forward[r] for r in regions if r in self.forward}, key=repr)
        chosen = present[0] if present else wish
        for other in present[1:]:
            for r in self.backward.pop(other):
                self.forward[r] = chosen
                self.backward[chosen].add(r)
        for r in regions:
            if r not in self.forward:
                self.todo.append(r)
            self.forward[r] = chosen
            self.backward.setdefault(chosen, set()).add(r)
        return chosen

    def renamed_heap(self) -> Heap:
        made: Heap = {}
        while self.todo:
            outer = self.todo.pop()
            region = self.forward[outer]
            for slot, value in self.heap.get(outer, {}).items():
                kind = self.kind(value.kind, (*region, slot))
                inside = regions_of(value.kind) | {outer}
                varied = value.varied or bool(inside & self.varied)
                found = made.setdefault(region, {}).get(slot, NOTHING)
                made[region][slot] = join_values(found, Value(kind, varied), (region, slot))
            if outer in self.heap:
                made.setdefault(region, {})
        return made

    def originals(self) -> dict[Region, Regions]:
        return {region: frozenset(outer) for region, outer in self.backward.items()}

    def back(self, regions: Regions, place: Hashable) -> set[Region]:
        found: set[Region] = set()
        for region in regions:
            if region in self.backward:
                found |= self.backward[region]
            elif is_outside(region):
                found.add(region)
            else:
                found.add(("made", place, region[:3]))
        return found

    def value_back(self, value: Value, place: Hashable) -> Value:
        return Value(self.kind_back(value.kind, place), value.varied)

    def kind_back(self, kind: Kind, place: Hashable) -> Kind:
        if isinstance(kind, Function) and kind.captured:
            return UNKNOWN  # its captured names are out of reach here
        if isinstance(kind, Items):
            return replace(kind, items=tuple(self.kind_back(k, place) for k in kind.items))
        if isinstance(kind, Sequence):
            return Sequence(self.kind_back(kind.item, place))
        if isinstance(kind, Array):
            kind = replace(kind, dims=tuple(self.dim_back(d, place) for d in kind.dims))
        if isinstance(kind, Integer) and isinstance(kind.value, Size):
            return Integer(self.dim_back(kind.value, place))
        regions = regions_of(kind)
        if not regions:
            return kind
        return replace(kind, regions=frozenset(self.back(regions, place)))  # type: ignore[call-arg]

    def dim_back(self, dim: Any, place: Hashable) -> Any:
        if isinstance(dim, int):
            return dim
        for outer, inner in self.size_symbols.items():
            if inner == dim.symbol:
                return replace(dim, symbol=outer)
        return replace(dim, symbol=("callee", place, dim.symbol[:2]))


def _overrides(cls: type, method: str) -> bool:
    return inspect.getattr_static(cls, method) is not vars(object)[method]


def reading_hook(cls: type, static: Any) -> str | None:
    """Name what runs instead of a plain look-up when an attribute of a class is read.

    A property is no such hook: it is a call of its function. A missing attribute is not looked at.
    """
    if _overrides(cls, "__getattribute__"):
        return "__getattribute__"
    followed = (property, staticmethod, classmethod, types.MemberDescriptorType)
    if hasattr(type(static), "__get__") and not isinstance(static, followed):
        return None if callable(static) else type(static).__name__
    return None


def storing_hook(cls: type, attribute: str) -> str | None:
    """Name what runs instead of a plain store when an attribute of a class is stored into."""
    if _overrides(cls, "__setattr__"):
        return "__setattr__"
    static = inspect.getattr_static(cls, attribute, None)
    if hasattr(type(static), "__set__") and not isinstance(static, types.MemberDescriptorType):
        return f"{type(static).__name__}.__set__"
    return None


def _generated_methods(cls: type) -> set[str]:
    """Methods that were made by `dataclass` rather than written."""
    found = set()
    for key in ("__init__",):
        method = inspect.getattr_static(cls, key, None)
        if isinstance(method, types.FunctionType) and method.__code__.co_filename == "<string>":
            found.add(key)
    return found


def _integer(operator: str, a: Integer, b: Integer) -> Kind:
    if operator == "Div":
        return Real()
    p, q = a.value, b.value
    if isinstance(p, int) and isinstance(q, int):
        table = {"Add": lambda: p + q, "Sub": lambda: p - q, "Mult": lambda: p * q,
                 "FloorDiv": lambda: p // q if q else None, "Mod": lambda: p % q if q else None}  # fmt: skip
        return Integer(table[operator]()) if operator in table else Integer()
    if isinstance(p, Size) and isinstance(q, int) and operator in ("Add", "Sub"):
        cut = p.cut + (q if operator == "Sub" else -q)
        return Integer(replace(p, cut=cut, stretches=True)) if cut >= 0 else Integer()
    return Integer()


def _identity(tree: Any, kinds: list[Kind]) -> Kind:
    """Decide `x is None` where the kind of `x` tells."""
    if len(kinds) == 2 and kinds[1] == NONE and isinstance(tree.ops[0], gast.Is | gast.IsNot):
        if kinds[0] == NONE:
            return Inert("bool", isinstance(tree.ops[0], gast.Is))
        known = is_number(kinds[0]) and not isinstance(kinds[0], Number)
        if known or isinstance(kinds[0], Items | Sequence | Function):
            return Inert("bool", isinstance(tree.ops[0], gast.IsNot))
    if len(kinds) == 2 and isinstance(tree.ops[0], gast.In | gast.NotIn):
        return _contained(kinds[0], kinds[1], isinstance(tree.ops[0], gast.In))
    return BOOL


def _equal_shapes(a: Kind, b: Kind) -> bool | None:
    """Compare two shapes, or two sizes, by their symbols."""
    if isinstance(a, Items) and isinstance(b, Items):
        if len(a.items) != len(b.items):
            return False
        parts = [_equal_shapes(p, q) for p, q in zip(a.items, b.items, strict=True)]
        if any(part is False for part in parts):
            return False
        return True if all(part is True for part in parts) else None
    if isinstance(a, Integer) and isinstance(b, Integer) and a.value is not None:
        if a.value == b.value:
            return True
        if isinstance(a.value, int) and isinstance(b.value, int):
            return False
    return None


def _contained(item: Kind, owner: Kind, positive: bool) -> Kind:
    """Decide `1 in np.shape(x)` where the sizes tell."""
    if not isinstance(owner, Items) or not isinstance(literal(item), int):
        return BOOL
    wanted = literal(item)
    found = [_is_size(part, wanted) for part in owner.items]
    if any(answer is True for answer in found):
        return Inert("bool", positive)
    if all(answer is False for answer in found):
        return Inert("bool", not positive)
    return BOOL


def _is_size(kind: Kind, wanted: int) -> bool | None:
    if not isinstance(kind, Integer) or kind.value is None:
        return None
    if isinstance(kind.value, int):
        return kind.value == wanted
    return False if wanted == 1 and not kind.value.stretches else None


def _compared(op: Any, a: Any, b: Any) -> bool | None:
    table = {
        gast.Eq: lambda: a == b, gast.NotEq: lambda: a != b, gast.Lt: lambda: a < b,
        gast.LtE: lambda: a <= b, gast.Gt: lambda: a > b, gast.GtE: lambda: a >= b,
    }  # fmt: skip
    try:
        return bool(table[type(op)]())
    except (KeyError, TypeError):
        return None


def _is_numpy(found: Any) -> bool:
    module = getattr(found, "__module__", None) or getattr(
        getattr(found, "__objclass__", None), "__module__", ""
    )
    return isinstance(found, np.ufunc) or str(module).split(".")[0] in (
        "numpy",
        "math",
        "_operator",
    )


def written_out(found: Any, keywords: bool, varied: bool) -> Any:
    """Give the function in Python that stands for a built-in one where it moves or calls things."""
    if found is functools.reduce:
        return reduced
    if not varied:
        return None
    if found is sorted:
        return sorted_items
    if keywords and found in (max, min):
        return largest if found is max else smallest
    return None


def _is_opaque(kind: Kind) -> bool:
    """Say whether the items of a thing are not known."""
    return not isinstance(kind, Array | Items | Sequence | List | Dict)


_TEXT_OF_VARIED = Inert("text of what varies")
_TEXTS = (str, repr, ascii, format)
_LIBRARIES = {"numpy", "scipy", "math", "tapeless", "_operator"}
_OPAQUE = Rule(None, len, "general")
_INERT_OF_ARRAYS = {"dtype", "itemsize", "nbytes", "strides", "flags", "ctypes", "data", "device"}


def _is_library(found: Any) -> bool:
    """Say whether a function belongs to a library that is not entered."""
    module = getattr(found, "__module__", None)
    if isinstance(found, type) or author_of(found) is not None:
        return False
    if str(module) == "tapeless.runtime" or str(module).startswith("tapeless.rules."):
        return False  # written to be read like a user's function
    return str(module).split(".")[0] in _LIBRARIES or str(module) in sys.stdlib_module_names


def _length(interpreter: Any, call: Call, values: Any, tree: Any) -> Kind:
    kind = call.args[0] if call.args else UNKNOWN
    if isinstance(kind, Array):
        return Integer(kind.dims[0])
    return Integer(len(kind.items) if isinstance(kind, Items) else None)


def _selected(interpreter: Any, call: Call, values: Any, tree: Any) -> Kind:
    if len(call.args) == 1:
        return interpreter.item(Value(call.args[0]), Integer(), tree).kind
    found: Kind = UNREACHED
    for i, kind in enumerate(call.args):
        found = join(found, kind, (call.place, i))
    return found


def _summed(interpreter: Any, call: Call, values: Any, tree: Any) -> Kind:
    item = interpreter.item(Value(call.args[0]), Integer(), tree).kind
    if isinstance(item, Array):
        return replace(item, regions=call.region)
    return Real() if isinstance(item, Real) else call.unknown


def _absolute(interpreter: Any, call: Call, values: Any, tree: Any) -> Kind:
    kind = call.args[0]
    return replace(kind, regions=call.region) if isinstance(kind, Array | Number) else kind


def _as_float(interpreter: Any, call: Call, values: Any, tree: Any) -> Kind:
    return Real()


def _as_integer(interpreter: Any, call: Call, values: Any, tree: Any) -> Kind:
    return Integer()


def _copied_list(interpreter: Any, call: Call, values: Any, tree: Any) -> Kind:
    made = List(call.region)
    if values:
        item = interpreter.item(values[0], Integer(), tree)
        interpreter.put(made.regions, "*", item)
    return made


def _is_instance(interpreter: Any, call: Call, values: Any, tree: Any) -> Kind:
    """Decide `isinstance` where the kind tells for every class asked for."""
    kind, asked = call.args[0], call.args[1]
    classes = asked.items if isinstance(asked, Items) else (asked,)
    answers = [_is_of_class(kind, getattr(c, "value", None)) for c in classes]
    if any(answer is True for answer in answers):
        return Inert("bool", True)
    return Inert("bool", False) if all(answer is False for answer in answers) else BOOL


def _is_of_class(kind: Kind, cls: Any) -> bool | None:
    if not isinstance(cls, type) or kind == UNKNOWN or isinstance(kind, Unreached):
        return None
    if isinstance(kind, Instance):
        return issubclass(kind.cls, cls)
    if isinstance(kind, Items):
        return issubclass(kind.cls, cls)
    table: dict[type, tuple[type, ...]] = {
        np.ndarray: (Array,), int: (Integer,), float: (Real,), list: (List,), dict: (Dict,),
        tuple: (Sequence,),
    }  # fmt: skip
    if cls not in table:
        return None
    if isinstance(kind, Number) and cls in (np.ndarray, float):
        return None
    if isinstance(kind, Real) and cls is float:
        return True if kind.dtype == "f8" else None
    if isinstance(kind, Inert):
        return False if kind == NONE or kind.what == "str" else None
    return isinstance(kind, table[cls])


def _is_complex(interpreter: Any, call: Call, values: Any, tree: Any) -> Kind:
    """Complex values are known by their dtype; numbers of unknown kind count as real."""
    kind = call.args[0]
    if isinstance(kind, Array | Real):
        return BOOL if kind.dtype in "?O" else Inert("bool", kind.dtype[0] == "c")
    return Inert("bool", False) if is_number(kind) else BOOL


def _fitted(interpreter: Any, call: Call, values: Any, tree: Any) -> Kind:
    kind = call.args[1] if len(call.args) > 1 else UNKNOWN
    if not isinstance(kind, Array | Number):
        return kind if isinstance(kind, Real) else UNKNOWN
    return replace(kind, regions=regions_of(call.args[0]) | call.region)


def _flat_index(interpreter: Any, call: Call, values: Any, tree: Any) -> Kind:
    """One index per dimension, each of the form of the index into all entries."""
    array, index = call.args
    if not isinstance(array, Array) or not array.dims:
        return UNKNOWN
    if isinstance(index, Integer):
        return Items((Integer(),) * len(array.dims))
    return Items((Array((Size((call.place, "flat")),), "i"),) * len(array.dims))


def _like_primal(interpreter: Any, call: Call, values: Any, tree: Any) -> Kind:
    """An adjoint or tangent that was given the structure of its primal."""
    return _alike(values[-1].kind, call.region)


def _alike(kind: Kind, region: Regions) -> Kind:
    if isinstance(kind, Items):
        return Items(tuple(_alike(item, region) for item in kind.items), kind.cls)
    if isinstance(kind, Array) and differentiable(kind):
        return Array(kind.dims, kind.dtype, region)
    if isinstance(kind, Number):
        return Number(region)
    return kind if isinstance(kind, Real) else UNKNOWN


def _zero_adjoint(interpreter: Any, call: Call, values: Any, tree: Any) -> Kind:
    """A zero adjoint: of a tuple, a list; of a dict, a dict."""
    return _adjoint_kind(interpreter, values[0].kind, call.region)


def _adjoint_kind(interpreter: Any, kind: Kind, region: Regions) -> Kind:
    if isinstance(kind, Items):
        made: Kind = List(region)
        parts: list[tuple[Hashable, Kind]] = list(enumerate(kind.items))
    elif isinstance(kind, Dict) and len(kind.regions) == 1:
        made = Dict(region)
        slots = interpreter.heap.get(next(iter(kind.regions)), {})
        parts = [(key, value.kind) for key, value in slots.items()]
    else:
        if isinstance(kind, Real | Integer):
            return Real()
        return Inert() if isinstance(kind, Inert) else _alike(kind, region)
    interpreter.heap.setdefault(next(iter(region)), {})
    for key, part in parts:
        inside: Regions = frozenset(("zeros", r, key) for r in region)
        interpreter.put(region, key, Value(_adjoint_kind(interpreter, part, inside)))
    return made


def _full_adjoint(interpreter: Any, call: Call, values: Any, tree: Any) -> Kind:
    """A whole adjoint: the given one, but for an untouched 0.0."""
    given, kind = values[0].kind, values[1].kind
    if is_number(kind):
        return _alike(kind, call.region)
    if isinstance(given, Real | Integer):
        return _adjoint_kind(interpreter, kind, call.region)
    return UNKNOWN if is_number(given) else given


_BUILT_IN_KINDS: dict[Any, Any] = {
    as_gradient: _like_primal,
    full: _full_adjoint,
    zeros: _zero_adjoint,
    unbroadcast: _full_adjoint,
    zero_tangent: _zero_adjoint,
    private_tangent: _like_primal,
    len: _length,
    min: _selected,
    max: _selected,
    sum: _summed,
    abs: _absolute,
    float: _as_float,
    int: _as_integer,
    round: lambda i, c, v, t: Integer() if len(c.args) == 1 else Real(),
    list: _copied_list,
    bool: lambda i, c, v, t: BOOL,
    isinstance: _is_instance,
    fit_gradient: _fitted,
    np.iscomplexobj: _is_complex,
    flat_index: _flat_index,
}
