"""All that is refused in a function and in those that it calls, not only what is met first.

A derivative is refused by an exception, at the first expression that has none. Here the expression is
put aside, as if it computed something of which nothing is known, and the derivative is written again, until
it can be: each time for what is refused next. Where that is not enough, its statement is put aside. What
reads a name that was put aside depends on what nobody knows, and so does an expression around another; a
refusal there may follow from the first, and be no fault of the user's: it is told apart.

So what is found first is true, each refusal for itself; but what depends on another may come to light only
when that one is mended.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import gast

from tapeless.errors import InternalError, Refusal, TapelessError
from tapeless.externals import constant, externals_of
from tapeless.normalize import normalized
from tapeless.normalize.structure_returns import structure_returns
from tapeless.operators.gradients import Gradients
from tapeless.rules.declare import zero_gradient
from tapeless.set_in_texts import written_together
from tapeless.source.reader import read
from tapeless.specialize.program import AnalysedProgram
from tapeless.tree.build import name, quote
from tapeless.tree.classes import DISPLAYS
from tapeless.tree.endings import blocks_of
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import Names, binds_in_block, free_names, reads
from tapeless.uncollected import uncollected

MOST_ROUNDS = 100
Place = tuple[str, int]
Spot = tuple[str, int, int]


def put_aside() -> Any:
    """Stand for a value of which nothing is known."""


zero_gradient(put_aside)


@dataclass(frozen=True)
class Found:
    """A refusal, and whether it may only follow from another."""

    refusal: Refusal
    may_follow: bool


@dataclass
class Aside:
    """The expressions and statements that are put aside, by file and line.

    Attributes
    ----------
    spots
        Where the expressions begin.
    around
        Where those begin that hold one of them.
    times
        1 where the value of a statement is put aside, 2 where all that it does is.
    calling
        The lines that call functions of which something is put aside.
    silent
        The lines of the statements that are put aside.
    doubtful
        The lines that depend on what is put aside.
    """

    spots: set[Spot] = field(default_factory=set)
    around: set[Spot] = field(default_factory=set)
    times: dict[Place, int] = field(default_factory=dict)
    calling: set[Place] = field(default_factory=set)
    silent: set[Place] = field(default_factory=set)
    doubtful: set[Place] = field(default_factory=set)

    def add(self, refusal: Refusal) -> bool:
        """Put aside the expression that is refused, its statement or the one that calls it.

        False where none can be.
        """
        self.calling |= set(refusal.callers)
        spot = _spot(refusal)
        if spot is not None and spot not in self.spots:
            self.spots.add(spot)
            return True
        for place in _places(refusal):
            if self.times.get(place, 0) < 2:
                self.times[place] = self.times.get(place, 0) + 1
                return True
        return False

    def is_new(self, refusal: Refusal) -> bool:
        """Whether a refusal is not of an expression or statement that is put aside already."""
        return _spot(refusal) not in self.spots and self._is_elsewhere(refusal)

    def _is_elsewhere(self, refusal: Refusal) -> bool:
        return _places(refusal)[:1] == [] or _places(refusal)[0] not in self.silent

    def may_explain(self, refusal: Refusal) -> bool:
        """Whether a refusal may follow from what is put aside."""
        inside = _spot(refusal) in self.around
        return inside or any(place in self.doubtful for place in _places(refusal))


def _spot(refusal: Refusal) -> Spot | None:
    """Return where the expression begins that is refused."""
    if refusal.filename is None or refusal.lineno is None or refusal.col_offset is None:
        return None
    return refusal.filename, refusal.lineno, refusal.col_offset


def _places(refusal: Refusal) -> list[Place]:
    """Return the line that is refused, then those that lead there."""
    if refusal.filename is None or refusal.lineno is None:
        return list(refusal.callers)
    return [(refusal.filename, refusal.lineno), *refusal.callers]


@dataclass
class ProgramWithout(AnalysedProgram):
    """A program that is analysed without the statements that are put aside."""

    aside: Aside = field(default_factory=Aside)

    def core(self, function: Any) -> CoreFunction:
        """Return a Python function in the core language, without what is put aside."""
        nothing = not self.aside.times and not self.aside.spots
        if isinstance(function, CoreFunction) or function in self.cores or nothing:
            return super().core(function)
        source = read(function, generators=True)
        made = _Without(source.filename, source.tree, self.aside)
        if not made.found and not made.parts:
            return super().core(function)
        tree = made.tree
        raw = CoreFunction(tree, {}, source.filename, source.lines, function)
        externals = externals_of(function, free_names(tree) - {made.stand_in})
        externals[made.stand_in] = constant(put_aside, made.stand_in)
        core = normalized(replace(raw, externals=externals, own_names=frozenset(raw.names())))
        self.cores[function] = structure_returns(core) if self.one_exit else core
        return self.cores[function]


class _Without:
    """A function without the statements that are put aside."""

    def __init__(self, filename: str, tree: gast.FunctionDef, aside: Aside) -> None:
        self.filename, self.aside = filename, aside
        self.tree = copy.deepcopy(tree)
        self.stand_in = Names(set(free_names(tree)) | binds_in_block(tree.body)).fresh("put_aside")
        self.found: list[gast.AST] = []
        self.parts: set[Spot] = set()
        self.unknown: set[str] = set()
        self.tree.body = self.block(self.tree.body)
        self.follow()

    def block(self, statements: Sequence[Any]) -> list[Any]:
        """Put aside those of a block, and those inside of them."""
        return [made for statement in statements for made in self.statement(statement)]

    def statement(self, statement: Any) -> list[Any]:
        times = max((self.aside.times.get(p, 0) for p in self.lines(statement)), default=0)
        if times:
            self.found.append(statement)
            self.unknown |= _bound(statement) if times == 1 else binds_in_block([statement])
        if times == 2 or times and not _valued(statement):
            return self.bound_to_nothing_known(statement)
        if times:
            for key in _VALUES[type(statement)]:
                setattr(statement, key, self.value())
        self.without_parts(statement)
        for key in ("body", "orelse", "finalbody"):
            if getattr(statement, key, None) and type(statement) is not gast.FunctionDef:
                setattr(statement, key, self.block(getattr(statement, key)))
        for handler in getattr(statement, "handlers", ()):
            handler.body = self.block(handler.body)
        return [statement]

    def without_parts(self, statement: Any) -> None:
        """Put aside the expressions of a statement, of a compound one those of its head."""
        parts = _WithoutParts(self.filename, self.aside.spots, self.value)
        nested = type(statement) is gast.FunctionDef
        for key, inner in gast.iter_fields(statement):
            if nested or not (isinstance(inner, list) and inner and isinstance(inner[0], _BLOCKS)):
                setattr(statement, key, parts.within(inner))
        if parts.found:
            self.parts |= parts.found
            self.unknown |= _bound(statement)
            self.aside.around |= parts.around
            self.aside.around.add((self.filename, statement.lineno, statement.col_offset))

    def lines(self, statement: Any) -> Iterator[Place]:
        """Return the lines of a statement, of a compound one those of its head."""
        blocks = list(blocks_of(statement))
        nested = type(statement) is gast.FunctionDef
        first = statement.lineno
        last = statement.end_lineno or first
        if blocks and blocks[0] and not nested:
            last = max(first, blocks[0][0].lineno - 1)
        return ((self.filename, line) for line in range(first, last + 1))

    def value(self) -> Any:
        return gast.Call(name(self.stand_in), [], [])

    def bound_to_nothing_known(self, statement: Any) -> list[Any]:
        """Write what binds the names of a statement, and does nothing else."""
        ends = type(statement) is gast.Return
        text = [f"{key} = {self.stand_in}()" for key in sorted(binds_in_block([statement]))]
        text += [f"return {self.stand_in}()"] if ends else []
        made: list[Any] = quote("\n".join(text or ["pass"]))
        return [_at(new, statement) for new in made]

    def follow(self) -> None:
        """Find which lines depend on what is put aside."""
        statements = [s for s in gast.walk(self.tree) if isinstance(s, gast.stmt)]
        size = -1
        while size != len(self.unknown):
            size = len(self.unknown)
            for statement in statements:
                lines = set(self.lines(statement))
                if _head(statement) & self.unknown:
                    self.aside.doubtful |= lines
                if lines & (self.aside.doubtful | self.aside.calling):
                    self.unknown |= _bound(statement)
        for statement in self.found:
            self.aside.silent |= set(self.lines(statement))


_BLOCKS = gast.stmt, gast.ExceptHandler, gast.match_case


class _WithoutParts(gast.NodeTransformer):
    """Puts aside the expressions that begin where one is refused; of several the innermost."""

    def __init__(self, filename: str, spots: set[Spot], value: Callable[[], Any]) -> None:
        self.filename, self.spots, self.value = filename, spots, value
        self.found: set[Spot] = set()
        self.around: set[Spot] = set()

    def within(self, part: Any) -> Any:
        """Put aside those within a field of a syntax tree."""
        if isinstance(part, list):
            return [self.within(item) for item in part]
        return self.visit(part) if isinstance(part, gast.AST) else part

    def visit_Call(self, tree: Any) -> Any:
        """Put a call aside rather than the function or method that is called."""
        before = len(self.found)
        if type(tree.func) is gast.Attribute and not _is_dotted(tree.func):
            tree.func.value = self.visit(tree.func.value)
        tree.args, tree.keywords = self.within(tree.args), self.within(tree.keywords)
        return self.itself(tree, before)

    def generic_visit(self, tree: Any) -> Any:
        """Put aside those inside first, then perhaps this one."""
        before = len(self.found)
        return self.itself(tree if _is_dotted(tree) else super().generic_visit(tree), before)

    def itself(self, tree: Any, before: int) -> Any:
        """Put an expression aside if it is refused and none was put aside inside of it."""
        if not isinstance(tree, gast.expr) or getattr(tree, "lineno", None) is None:
            return tree
        spot = self.filename, tree.lineno, tree.col_offset
        if len(self.found) > before:
            self.around.add(spot)
        elif spot in self.spots and not isinstance(tree, _NO_VALUES) and not _is_stored(tree):
            self.found.add(spot)
            return _at(self.value(), tree)
        return tree


def _is_dotted(tree: Any) -> bool:
    """Whether an expression is a name with attributes, such as `np.linalg.norm`."""
    while type(tree) is gast.Attribute:
        tree = tree.value
    return type(tree) is gast.Name


def _is_stored(tree: Any) -> bool:
    return isinstance(getattr(tree, "ctx", None), (gast.Store, gast.Del))


_NO_VALUES = (gast.Name, gast.Constant, gast.Starred, gast.Slice, gast.FormattedValue, *DISPLAYS)
_VALUES: dict[type, tuple[str, ...]] = {
    gast.Assign: ("value",),
    gast.AnnAssign: ("value",),
    gast.Return: ("value",),
    gast.If: ("test",),
    gast.While: ("test",),
    gast.For: ("iter",),
}


def _valued(statement: Any) -> bool:
    """Whether the value of a statement can be put aside alone: it binds names and nothing else."""
    targets = getattr(statement, "targets", [getattr(statement, "target", None)])
    names = all(type(t) is gast.Name for t in targets if t is not None)
    return type(statement) in _VALUES and names


def _at(made: Any, statement: Any) -> Any:
    """Say of a new statement that it stands where another stood."""
    for part in gast.walk(made):
        for key in ("lineno", "col_offset", "end_lineno", "end_col_offset"):
            setattr(part, key, getattr(statement, key, None))
    return made


def _head(statement: Any) -> set[str]:
    """Return the names that a statement reads itself, without the blocks inside."""
    inside = [s for block in blocks_of(statement) for s in block]
    if type(statement) is gast.FunctionDef:
        return set(free_names(statement))
    found = set(reads(statement))
    alone = copy.copy(statement)
    for key in ("body", "orelse", "finalbody", "handlers"):
        if inside and hasattr(alone, key):
            setattr(alone, key, [])
    return set(reads(alone)) if inside else found


def _bound(statement: Any) -> set[str]:
    """Return the names that a statement binds or stores into, of a compound one those of its head."""
    if type(statement) is gast.FunctionDef:
        return {statement.name}
    target = getattr(statement, "target", None)
    places = [*getattr(statement, "targets", ()), *([] if target is None else [target])]
    whole = [statement.value] if type(statement) is gast.Expr else places
    return {part.id for tree in whole for part in gast.walk(tree) if type(part) is gast.Name}


def refusals_of(
    f: Callable[..., Any], mode: str, arguments: Sequence[Any] | None = None
) -> list[Found]:
    """Return all that is refused when a derivative is written.

    Parameters
    ----------
    f
        A function.
    mode
        "vjp" for reverse mode, "jvp" for forward mode; with respect to all parameters.
    arguments
        Sample arguments, for whose kinds it is written; None for what the annotations say.

    Examples
    --------
    >>> def f(x, names):
    ...     y = eval(names)
    ...     z = y + 1.0
    ...     return z * x @ locals()["x"]
    >>> [found.refusal.reason.split()[0] for found in refusals_of(f, "vjp")]
    ['`eval`', '`locals`']
    """
    aside = Aside()
    found: dict[tuple[Any, ...], Found] = {}
    for _ in range(MOST_ROUNDS):
        refused = _refused(f, mode, arguments, aside)
        for refusal in refused:
            key = refusal.filename, refusal.lineno, refusal.reason
            if aside.is_new(refusal) and key not in found:
                found[key] = Found(refusal, aside.may_explain(refusal))
        if not refused or not all([aside.add(refusal) for refusal in refused]):
            break
    return list(found.values())


def _refused(
    f: Callable[..., Any], mode: str, arguments: Sequence[Any] | None, aside: Aside
) -> tuple[Refusal, ...]:
    """Write a derivative without what is put aside; return what is refused then."""
    try:
        made = Gradients(f, mode, "*", None)
        values = None if arguments is None else made.target.arguments(tuple(arguments), {})
        if values is not None:
            made.check_independents(values)
        with uncollected():
            written_together(
                lambda: made.written(values, ProgramWithout(one_exit=mode != "jvp", aside=aside))
            )
    except Exception as error:
        if isinstance(error, TapelessError) and not isinstance(error, InternalError):
            return error.refusals
        if not aside.times:
            raise
        # otherwise nobody wrote what was made of the function here: no more can be said of it
    return ()
