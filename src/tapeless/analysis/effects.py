"""What every name may be, may share memory with, and whether it varies, at every statement.

One abstract interpretation of a core-language function finds all of it: it runs the statements on
kinds instead of values until nothing changes. Regions say where a mutable value can have been made;
a store marks the regions of what is stored into. A call of a user's function is interpreted through
a summary of that function for the kinds at hand, in which the caller's regions are named by the
parameters they come in by; so stores and aliases are seen across calls, and recursion ends.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn

import gast

from tapeless.analysis.abstract import NOTHING, Asked, Heap, Known, Value
from tapeless.analysis.by_kind import spelled_out
from tapeless.analysis.facts import MOST_ROUNDS, Facts, call_key, frozen
from tapeless.analysis.interpret.interpreter import Interpreter
from tapeless.analysis.unpacked_results import with_results_unpacked
from tapeless.cache import Watched
from tapeless.kinds import UNKNOWN, Function, Kind, Region
from tapeless.tree.function import CoreFunction

MOST_MADE = 300
MOST_CALLS = 30  # of one function, each inside the other and each with arguments of other kinds


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
    outside
        State outside the arguments, by its region: for each object by which its memory is named, a
        function that names it, how, and the object.
    known
        The region of each mutable thing outside the arguments, by its identity.
    meeting
        The state outside the arguments that each function was found to meet.
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
    outside: dict[Region, dict[int, tuple[CoreFunction, Any, Any]]] = field(default_factory=dict)
    known: Known = field(default_factory=dict)
    meeting: dict[CoreFunction, frozenset[Region]] = field(default_factory=dict)
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

    def initializing(self, core: CoreFunction) -> CoreFunction:
        """Give a function as it is called on an object that has no attribute yet."""
        key = (core, "initializes")
        if key not in self.cores:
            self.cores[key] = replace(core, initializes=True)
        return self.cores[key]

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

    def lifted(self, kind: Kind) -> Kind:
        """Give a local function with what it captures as parameters of its own."""
        if not isinstance(kind, Function) or not isinstance(kind.value, gast.FunctionDef):
            return UNKNOWN
        key = ("lifted", kind.value)
        if key not in self.cores:
            self.cores[key] = replace(self.cores[kind.value], captured=())
        return Function(self.cores[key])

    def analyse(self, function: CoreFunction, values: tuple[Value, ...], heap: Heap) -> Facts:
        """Interpret a function for what is known of its parameters.

        A recursive call sees what was found so far; the outermost call repeats until that no
        longer changes.
        """
        key = call_key(function, values, heap)
        if key in self.spelled:
            return self.analyse(self.spelled[key], values, heap)
        if key in self.running:
            self.recursive.add(key)
            return self.found[key]
        if key in self.found:
            return self.found[key]
        body = function.tree.body  # the same, whatever the local functions that it is given capture
        if sum(running[0].tree.body is body for running in self.running) > MOST_CALLS:  # type: ignore[index]
            self.refuse_growing(function)
        start = Facts({}, {}, {}, heap, set(), NOTHING, function=function)
        self.found[key] = start
        known = set(self.found)
        for _ in range(MOST_ROUNDS):
            before = self.found[key]
            self.forget_since(known)
            self.running.add(key)
            try:
                facts = Interpreter(function, self).run(values, heap)
            except BaseException:  # what is refused may be asked for again: nothing is known of it
                self.forget_since(known - {key})
                raise
            finally:
                self.running.discard(key)
            self.found[key] = facts
            if key not in self.recursive:
                break
            self.refuse_endless(function, heap, facts.heap)
            if _seen_by_callers(before) == _seen_by_callers(facts):
                break
        else:
            self.refuse_growing(function)
        found = self.found[key]
        spelled = spelled_out(function, found, self) or with_results_unpacked(function, found)
        if spelled is not None:
            self.spelled[key] = spelled
            return self.analyse(spelled, values, heap)
        if key in self.recursive:
            self.settle(known - {key})
        return self.found[key]

    @staticmethod
    def refuse_endless(function: CoreFunction, heap: Heap, found: Heap) -> None:
        """Refuse a recursion that makes more containers in every round: there is no end to it."""
        if len(found) > MOST_MADE + 2 * len(heap):
            Effects.refuse_growing(function)

    @staticmethod
    def refuse_growing(function: CoreFunction) -> NoReturn:
        """Refuse a recursion of which more is found in every round."""
        raise function.error(
            function.tree,
            f"'{function.name}' calls itself and makes containers without end, as far as its "
            "text tells",
            "write a loop over the containers, or pass arrays",
        )

    def settle(self, known: set[Hashable]) -> None:
        """Let recursive calls see what was found in the end, not an incomplete view of it."""
        for key in [k for k in self.found if k not in known]:
            callees = self.found[key].callees
            for statement, callee in callees.items():
                inner = call_key(callee.function, callee.values, callee.heap)
                if inner in self.found and inner not in self.running:
                    callees[statement] = replace(callee, facts=self.found[inner])

    def forget_since(self, known: set[Hashable]) -> None:
        """Forget what was found with an earlier, incomplete view of a recursive function."""
        for key in [k for k in self.found if k not in known]:
            del self.found[key]


def _seen_by_callers(facts: Facts) -> Hashable:
    """Give what a recursive call sees of what was found so far."""
    growing = facts.stored, facts.varied, facts.by_value, facts.outside
    return (facts.returned, frozen(facts.heap), facts.raises_varied, *map(frozenset, growing))
