"""The functions that are interpreted together, and what is known of all of them.

The interpreter of one function asks here for the core language of another, and for its summary.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from typing import Any

import gast

from tapeless.analysis.abstract import Asked, Heap, Known, Value
from tapeless.analysis.facts import Facts
from tapeless.cache import Watched, watch
from tapeless.details import Detail, Outside, Text
from tapeless.kinds import UNKNOWN, Function, Kind, Region
from tapeless.normalize import core_function, dataclass_constructor
from tapeless.normalize.structure_returns import structure_returns
from tapeless.tree.function import CoreFunction


@dataclass
class Program(ABC):
    """All functions that are interpreted together.

    With `one_exit` functions are read with their early returns structured, where that can be done; with
    `splices_calls` small ones may be written in the place of their calls; with
    `scalarize` short vectors are written as numbers where they gain by it.

    Attributes
    ----------
    watched
        What the derivatives that were made on the way depend on.
    again
        The derivatives of local functions that were made on the way.
    outside
        State outside the arguments, by its region: for each object by which its memory is named, a
        function that names it, how, and the object.
    known
        The region of each mutable thing outside the arguments, by its identity.
    meeting
        The state outside the arguments that each function was found to meet.
    details
        What of the arguments the text rests on, beside their kinds.
    rests_on_texts
        Whether the text may rest on what texts say that come from outside.
    asked_outside
        Where the texts stand, outside the arguments, that the text rests on.
    bodies
        What the authors of custom gradients wrote that are called.
    settled_around
        The names that each local function captures and that are bound once and for all, by its definition.
    in_arrays
        What the functions whose short vectors are numbers were before.
    asked
        The attributes that `__getattr__` of a class is asked for.
    taken_away
        The names of the attributes that some function deletes.
    """

    cores: dict[Any, CoreFunction] = field(default_factory=dict)
    methods: set[tuple[type, str]] = field(default_factory=set)
    watched: list[Watched] = field(default_factory=list)
    again: dict[Hashable, Any] = field(default_factory=dict)
    constructors: dict[tuple[type, frozenset[str]], CoreFunction] = field(default_factory=dict)
    outside: dict[Region, dict[int, tuple[CoreFunction, Any, Any]]] = field(default_factory=dict)
    known: Known = field(default_factory=dict)
    meeting: dict[CoreFunction, frozenset[Region]] = field(default_factory=dict)
    details: set[Detail] = field(default_factory=set)
    rests_on_texts: bool = True
    asked_outside: set[Outside] = field(default_factory=set)
    bodies: set[Any] = field(default_factory=set)
    settled_around: dict[Any, frozenset[str]] = field(default_factory=dict)
    in_arrays: dict[CoreFunction, CoreFunction] = field(default_factory=dict)
    taken_away: set[str] = field(default_factory=set)
    asked: set[tuple[type, str]] = field(default_factory=set)
    one_exit: bool = False
    splices_calls: bool = True
    scalarize: bool = True
    wrt_variables: Asked = ()

    def rest_on(self, text: Text) -> None:
        """Note that what is written rests on what a text says."""
        for place in text.places:
            if isinstance(place, tuple):
                self.details.add(place)
            elif place not in self.asked_outside:
                self.asked_outside.add(place)
                self.watched.append(watch(place.reached))

    def holder(self, region: Region) -> tuple[Any, str]:
        """Return the class or module that a region is, and its name."""
        owner = next(thing for thing, known in self.known.values() if known == region)
        return owner, owner.__name__.rpartition(".")[2]

    @abstractmethod
    def analyse(self, function: CoreFunction, values: tuple[Value, ...], heap: Heap) -> Facts:
        """Interpret a function for what is known of its parameters."""

    @abstractmethod
    def widened(self, function: CoreFunction, values: list[Value]) -> list[Value]:
        """Take a tuple that a recursion makes longer for one of unknown length: it may grow further."""

    def core(self, function: Any) -> CoreFunction:
        """Return a Python function in the core language."""
        if isinstance(function, CoreFunction):
            return function
        if function not in self.cores:
            core = core_function(function)
            self.cores[function] = structure_returns(core) if self.one_exit else core
        return self.cores[function]

    def constructor(self, cls: Any, passed: frozenset[str]) -> CoreFunction:
        """Return the `__init__` that `dataclass` made, for a call that passes certain fields."""
        if (cls, passed) not in self.constructors:
            self.constructors[cls, passed] = dataclass_constructor(cls, passed)
        return self.constructors[cls, passed]

    def initializing(self, core: CoreFunction) -> CoreFunction:
        """Return a function as it is called on an object that has no attribute yet."""
        key = (core, "initializes")
        if key not in self.cores:
            self.cores[key] = replace(core, initializes=True)
        return self.cores[key]

    def opened(self, core: CoreFunction, extra: tuple[str, ...]) -> CoreFunction:
        """Return a function with further captured parameters."""
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

    def lifted(self, kind: Kind) -> Kind:
        """Return a local function that what it captures is passed to by keyword, as `runtime.lifted` does."""
        if not isinstance(kind, Function) or type(kind.value) is not gast.FunctionDef:
            return UNKNOWN
        key = ("lifted", kind.value)
        if key not in self.cores:
            core = self.cores[kind.value]
            a = core.tree.args
            passed = [p for p in a.args if p.id in core.captured]
            arguments = gast.arguments(
                [p for p in a.args if p not in passed], a.posonlyargs, a.vararg,
                [*a.kwonlyargs, *passed], [*a.kw_defaults, *[None] * len(passed)], a.kwarg, a.defaults,
            )  # fmt: skip
            tree = gast.FunctionDef(core.tree.name, arguments, core.tree.body, [], None, None, [])
            tree.lineno = getattr(core.tree, "lineno", 1)
            self.cores[key] = replace(core, tree=tree, captured=())
        return Function(self.cores[key])
