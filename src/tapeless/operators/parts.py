"""Functions that run in parts: some of their statements as compiled loops, the others in Python.

What cannot be lowered as a whole is cut into parts between statements of Python. Each part finds out at its
first call, when its arguments are there, whether it can be lowered, and is cut again if not. A part whose
loops are not faster than its statements runs as these: loops have to make up for what a call of them costs.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import gast

from tapeless.cache import Watched, guard_for, places_of, watch
from tapeless.details import TEXT, Details
from tapeless.errors import TapelessError
from tapeless.externals import MISSING
from tapeless.lower import Lowered, NotLowered, lowered
from tapeless.lower.compiled import with_loops
from tapeless.lower.measured import is_faster
from tapeless.lower.regions import parted
from tapeless.operators.remembered import LOCK
from tapeless.optimize.context import Context
from tapeless.optimize.renest import renest
from tapeless.origins import is_generated
from tapeless.rules.declare import CHANGES
from tapeless.source.printer import unparse
from tapeless.source.spans import Written, provenance_of
from tapeless.tree.build import unshared
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import Names, nodes

MOST_KINDS = 8  # of arguments for which one part has loops
WORTH = 0.9  # of the time of its statements, which need no call where they stand
Origin = Callable[[int], str | None]


def readable(
    function: Any, arguments: Sequence[Any], origin: Origin, is_part: bool = False
) -> Lowered:
    """Write a function as loops; one that cannot even be read back is not lowered."""
    try:
        return lowered(function, arguments, origin, is_part=is_part)
    except NotLowered:
        raise
    except TapelessError as error:
        raise NotLowered(str(error).splitlines()[0]) from error
    except Exception as error:  # the NumPy text serves: a mistake here stops nobody
        told = f"{type(error).__name__} in the tool, please report it"
        raise NotLowered(told) from error


def texts_in(loops: Lowered) -> Details:
    """Return the places of the texts that loops rest on."""
    return frozenset((position, TEXT) for position, _ in loops.texts)


@dataclass(eq=False, repr=False)
class Parts:
    """The parts of one function and of those that it calls.

    Attributes
    ----------
    origin
        Returns the user's line that a line of the function comes from.
    file_of
        Returns a file that holds the text of loops, beside which machine code is kept.
    loops
        Whether loops are compiled, and used where they are faster; or run as they are; or are only written.
    magnitude
        How large the arguments of the whole are: what was measured holds for that.
    callees
        The functions that are called, so that a recursion has them once.
    has_loops
        Whether any part was lowered.
    """

    origin: Origin
    file_of: Callable[[str], str | None] = lambda text: None
    loops: Literal["compiled", "text", "unused"] = "compiled"
    magnitude: int = 0
    callees: dict[Any, Part] = field(default_factory=dict)
    has_loops: bool = False

    def opened(
        self, refusal: NotLowered, plain: Callable[..., Any],
        namespace: dict[str, Any] | None = None,
    ) -> Opened | None:  # fmt: skip
        """Return a function whose parts are called; None where nothing in it may be lowered.

        What stands for its names, and its parts with them, is put into a namespace: that of the function
        that it is a part of.
        """
        function = refusal.function
        if function is None:
            return None
        is_own = namespace is None
        namespace = _namespace(function, plain) if namespace is None else namespace
        found = parted(refusal, namespace)
        if found is None:
            return None
        parts = {}
        for name, core in found.parts.items():
            parts[name] = Part(self, name, core, _loaded(core, namespace), namespace)
        for name, callee in found.callees.items():
            made = self.callees.get(callee)
            parts[name] = made or self.callees.setdefault(callee, Part(self, name, callee, callee))
        namespace.update(parts)
        watched = _watched(function, namespace) if is_own else []
        return Opened(found.function, parts, namespace, _loaded(found.function, namespace), watched)


@dataclass(eq=False, repr=False)
class Opened:
    """A function whose parts are called.

    Attributes
    ----------
    function
        The function, which calls them by name.
    parts
        The parts and the functions that it calls.
    namespace
        What its names stand for.
    run
        The function, loaded.
    watched
        What it depends on outside, if it is no part of another and not the text of a derivative.
    """

    function: CoreFunction
    parts: dict[str, Part]
    namespace: dict[str, Any]
    run: Callable[..., Any]
    watched: list[Watched]

    def settled(self) -> Settled:
        """Return the function with the statements of those parts in their places that do not run as loops."""
        made = Settled()
        made.run = made.load(self)
        return made

    def statements(self, settled: Settled) -> list[Any]:
        """Return its statements, with those of parts that do not run as loops in their places."""
        return self.settled_block(unshared(self.function.tree.body), settled)

    def settled_block(self, block: list[Any], settled: Settled) -> list[Any]:
        """Settle the calls of parts in a block."""
        made: list[Any] = []
        for s in block:
            for field_name in ("body", "orelse"):
                if hasattr(s, field_name):
                    setattr(s, field_name, self.settled_block(getattr(s, field_name), settled))
            part = self.part_called(s)
            if part is not None and part.is_loops is False:
                made += part.statements(settled)
                continue
            if part is not None:
                settled.parts[part.name] = part
            made.append(s)
            for call in self.calls_of_callees(s):
                call.func.id = settled.name_of(self.parts[call.func.id], self.namespace)
        return made

    def part_called(self, s: Any) -> Part | None:
        """Return the part that a statement calls, and does nothing else."""
        call = s.value if isinstance(s, (gast.Assign, gast.Expr)) else None
        if not isinstance(call, gast.Call) or not isinstance(call.func, gast.Name):
            return None
        part = self.parts.get(call.func.id)
        return None if part is None or part.is_callee else part

    def calls_of_callees(self, s: Any) -> list[Any]:
        """List the calls of functions of their own in a statement without blocks."""
        if hasattr(s, "body"):
            return []
        calls = [p for p in nodes(s) if isinstance(p, gast.Call) and isinstance(p.func, gast.Name)]
        found = [(call, self.parts.get(call.func.id)) for call in calls]
        return [call for call, part in found if part is not None and part.is_callee]


@dataclass(eq=False, repr=False)
class Settled:
    """A function of which it is known which parts run as loops.

    Attributes
    ----------
    parts
        The parts that run as loops, or were not called yet.
    functions
        The functions that call them, those first that are called.
    names
        The names by which functions are called from now on.
    homes
        Where these are looked up.
    run
        The function that was settled.
    """

    parts: dict[str, Part] = field(default_factory=dict)
    functions: list[CoreFunction] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)
    homes: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    run: Callable[..., Any] | None = None

    def load(self, opened: Opened, name: str | None = None) -> Callable[..., Any]:
        """Settle a function, and load it."""
        function = opened.function.with_body(opened.statements(self))
        function.tree.name = name or function.name
        self.functions.append(function)
        return _loaded(function, opened.namespace)

    def name_of(self, callee: Part, namespace: dict[str, Any]) -> str:
        """Return the name by which a function of its own is called from now on."""
        if callee.is_loops is not False:
            self.parts[callee.name] = callee
            return callee.name
        own = str(callee.plain.__name__)
        if callee.opened is None:
            return own
        if callee.name not in self.names and not is_generated(callee.opened.function.filename):
            self.names[callee.name] = (
                callee.name
            )  # it looks each time whether something has changed
            run = self.load(callee.opened)
            callee.guards = [(guard, run) for guard, _ in callee.guards]
        if self.names.get(callee.name) == callee.name:
            return callee.name
        if callee.name not in self.names:
            name = self.names[callee.name] = Names(namespace).fresh(f"{own}_settled")
            self.homes[name] = [namespace]
            run = self.load(callee.opened, name)
            for home in self.homes[name]:
                home[name] = run
        name = self.names[callee.name]
        self.homes[name].append(namespace)  # it may call itself, and not be there yet
        found = self.homes[name][0].get(name)
        if found is not None:
            namespace[name] = found
        return name


@dataclass(eq=False, repr=False)
class Part:
    """A part of a function, or a function that it calls.

    Attributes
    ----------
    parts
        All that belong together.
    name
        The name by which it is called.
    function
        What it is, in the core language or as Python has it.
    plain
        Its statements, as a function.
    namespace
        What its names stand for; None for a function of its own.
    guards
        What runs it for which kinds of arguments.
    loops
        Its loops for each of them.
    opened
        What runs it where it cannot be lowered as a whole but in parts.
    is_quick
        For each magnitude whether its loops are faster than its statements.
    """

    parts: Parts
    name: str
    function: Any
    plain: Callable[..., Any]
    namespace: dict[str, Any] | None = None
    guards: list[tuple[Callable[..., bool], Callable[..., Any]]] = field(default_factory=list)
    loops: list[Lowered] = field(default_factory=list)
    opened: Opened | None = None
    is_quick: dict[int, bool] = field(default_factory=dict)

    def __call__(self, *arguments: Any) -> Any:
        """Run it."""
        for guard, run in self.guards:
            if guard(*arguments):
                return run(*arguments)
        return self.found(arguments)(*arguments)

    @property
    def is_callee(self) -> bool:
        """Whether it is a function of its own."""
        return not isinstance(self.function, CoreFunction)

    @property
    def is_loops(self) -> bool | None:
        """Whether it runs as loops; None where it was not called yet."""
        if self.guards and not self.loops or self.parts.loops == "unused" and len(self.loops) > 1:
            return False
        return self.is_quick.get(self.parts.magnitude)

    def found(self, arguments: tuple[Any, ...]) -> Callable[..., Any]:
        """Find out what runs it for arguments of these kinds, and keep that for later ones."""
        if len(self.guards) >= MOST_KINDS:
            return self.plain
        with LOCK:
            try:
                loops = readable(self.function, arguments, self.parts.origin, is_part=True)
            except NotLowered as refusal:
                return self.cut(refusal)
            return self.compiled(loops, arguments)

    def cut(self, refusal: NotLowered) -> Callable[..., Any]:
        """Run it in parts of its own, or as it is: whatever the kinds of arguments."""
        self.opened = self.parts.opened(refusal, self.plain, self.namespace)
        run = self.plain if self.opened is None else self.opened.run
        watched = [] if self.opened is None else self.opened.watched
        self.guards = [(lambda *given: all(w.is_current() for w in watched), run)]
        return run

    def compiled(self, loops: Lowered, arguments: tuple[Any, ...]) -> Callable[..., Any]:
        """Run loops, once it is known that they are faster than the statements."""
        cores = [core for core in loops.cores if not is_generated(core.filename)]
        watched = [watch(place) for core in cores for place in places_of(core)]
        guard = guard_for(arguments, watched, CHANGES, texts_in(loops))
        kind, plain = self.parts.loops, self.plain
        file = self.parts.file_of(loops.text)
        quick = plain if kind == "unused" else with_loops(
            loops, plain, self.name, kind == "compiled", file
        )  # fmt: skip

        def guarded(*given: Any) -> Any:
            return quick(*given) if guard(*given) else plain(*given)

        def run(*given: Any) -> Any:
            magnitude = self.parts.magnitude
            if magnitude not in self.is_quick:
                self.is_quick[magnitude] = kind != "compiled" or is_faster(
                    guarded, plain, given, loops.stored, WORTH
                )
            return quick(*given) if self.is_quick[magnitude] else plain(*given)

        self.guards.append((guard, run))
        self.loops.append(loops)
        self.parts.has_loops = True
        return run

    def statements(self, settled: Settled) -> list[Any]:
        """Return the statements that stand for a call of it: its names are those of its caller."""
        if self.opened is not None:
            return self.opened.statements(settled)[:-1]
        body: list[Any] = unshared(self.function.tree.body)
        return body[:-1]


def _namespace(function: CoreFunction, plain: Callable[..., Any]) -> dict[str, Any]:
    """Return what the names outside of a function stand for.

    The text of a derivative has a module of its own, which follows what is bound anew outside. What a
    function of the user's reads is looked up now, and its parts are made anew where it changes.
    """
    found = {key: external.value for key, external in function.externals.items()}
    values = {key: value for key, value in found.items() if value is not MISSING}
    if not is_generated(function.filename):
        return values
    module: dict[str, Any] = plain.__globals__
    for key, value in values.items():
        module.setdefault(key, value)
    return module


def _watched(function: CoreFunction, namespace: dict[str, Any]) -> list[Watched]:
    """Watch what a function of the user's depends on; a plain value that is bound anew is taken over."""
    if is_generated(function.filename):
        return []
    found = [watch(place) for place in places_of(function)]
    for key, external in function.externals.items():
        for one in found:
            if one.external is external:
                one.places.append((namespace, key))
    return found


def _loaded(function: CoreFunction, namespace: dict[str, Any]) -> Callable[..., Any]:
    """Load a function in the core language; its lines are those that it was read from."""
    tree = written(function)
    text = unparse(tree)
    lines = provenance_of(text, [Written(tree, function.filename)]).lines
    parsed = ast.parse(text)
    for part in ast.walk(parsed):
        if isinstance(part, (ast.stmt, ast.expr)):
            line = lines.get(part.lineno, (function.filename, part.lineno))[1]
            part.lineno = part.end_lineno = line
            part.col_offset = part.end_col_offset = 0
    found: dict[str, Callable[..., Any]] = {}
    exec(compile(parsed, function.filename, "exec", dont_inherit=True), namespace, found)
    return found[function.name]


def written(function: CoreFunction) -> Any:
    """Return the tree of a function with what is read once where it is read."""
    tree = unshared(function.tree)
    own = function.own_names
    renest(tree, Context(resolve=function.resolve, temporaries=lambda key: key not in own))
    return tree
