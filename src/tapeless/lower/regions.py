"""A function that cannot be lowered as a whole is cut into parts that may be.

    u = x * w + 1.0                      u = f_1(w, x)
    v = np.sort(u)             ->        v = np.sort(u)
    y = np.exp(v) * v - u                y = f_2(u, v)

What was refused stays a statement of Python, and so does the head of a loop or branch that it stands in;
the statements between go into functions of their own, each as many as stand together. They are given what
they read, and return what is read behind them. What they mean does not change, whatever the kinds of the
values are: so whether these parts are loops in the end can be found out later, one by one, and each may be
cut again.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import gast
import numpy as np

from tapeless.lower.refused import NotLowered
from tapeless.rules.traits import traits_of
from tapeless.tree.assigned import Assigned
from tapeless.tree.blocks import binds_one_name, inner_blocks, is_errstate, may_bind, may_read
from tapeless.tree.build import assign, unshared
from tapeless.tree.classes import ASSIGNMENTS, BRANCHING, LOOPS
from tapeless.tree.comments import is_comment
from tapeless.tree.function import CoreFunction, make_function
from tapeless.tree.liveness import Liveness, live_in
from tapeless.tree.names import Names, nodes

LIBRARIES = ("numpy", "scipy", "tapeless")
FEWEST = 3  # operations in a part that is no loop
_OPERATIONS = (gast.BinOp, gast.UnaryOp, gast.Compare, gast.Call, gast.AugAssign)
_SCOPES = (
    gast.FunctionDef,
    gast.Lambda,
    gast.ListComp,
    gast.GeneratorExp,
    gast.DictComp,
    gast.SetComp,
)


@dataclass(frozen=True, eq=False)
class Parted:
    """A function between whose statements parts are called.

    Attributes
    ----------
    function
        The function as it is now.
    parts
        The parts by the names by which it calls them.
    callees
        Functions of the same file that it calls otherwise, by the names by which it does now.
    """

    function: CoreFunction
    parts: dict[str, CoreFunction]
    callees: dict[str, Callable[..., Any]]


def parted(refusal: NotLowered, taken: Iterable[str] = ()) -> Parted | None:
    """Cut a function around what was refused; None where that leaves nothing to lower.

    Parameters
    ----------
    refusal
        Why the function is not lowered as a whole.
    taken
        Names that no part may have.

    Examples
    --------
    >>> import numpy as np
    >>> from tapeless.lower import lowered
    >>> from tapeless.source.printer import unparse
    >>> def f(x, w):
    ...     u = x * w + np.cos(w)
    ...     v = np.sort(u)
    ...     return np.exp(v) * v - np.sin(u)
    >>> try:
    ...     lowered(f, [np.ones(3), np.ones(3)])
    ... except NotLowered as refusal:
    ...     found = parted(refusal)
    >>> print(unparse(found.function.tree), end="")
    def f(x, w):
        u = f_1(w, x)
        v = np.sort(u)
        v_6 = f_2(u, v)
        return v_6
    """
    function = refusal.function
    inside = [p for p in nodes(function.tree) if p is not function.tree]
    if function.generators or any(isinstance(p, _SCOPES) for p in inside):
        return None
    cutter = _Cutter(function, refusal, taken)
    body = cutter.block(function.tree.body)
    if not (cutter.parts or cutter.callees) or not cutter.leaves_anything:
        return None  # it would be cut into itself
    return Parted(function.with_body(body), cutter.parts, cutter.callees)


class _Cutter:
    """Cuts the blocks of a function."""

    def __init__(self, function: CoreFunction, refusal: NotLowered, taken: Iterable[str]) -> None:
        self.function = function
        self.names = Names({*function.names(), function.name, *taken})
        self.parts: dict[str, CoreFunction] = {}
        self.callees: dict[str, Callable[..., Any]] = {}
        self.liveness = Liveness(function.tree)
        self.assigned = Assigned(function.tree.body, function.parameters)
        self.unread, self.unbound = set(refusal.unread), set(refusal.unbound)
        self.refused = {id(s) for s in self.refused_statements(refusal)}
        self.leaves_anything = False

    def refused_statements(self, refusal: NotLowered) -> list[Any]:
        """Return the statement that was refused.

        Where the text was changed since, those of its line; if it stands in what is called, the calls.
        """
        if refusal.unread or refusal.unbound:
            return []
        statements = [p for p in nodes(self.function.tree) if isinstance(p, gast.stmt)]
        exact = [s for s in statements if s is refusal.statement]
        line = refusal.lineno
        near = [s for s in statements if line and getattr(s, "lineno", None) == line]
        return exact or near or [s for s in statements if self.calls_a_function(s)]

    def calls_a_function(self, s: Any) -> bool:
        """Whether a statement without blocks calls a function of the user's."""
        calls = [p for p in nodes(s) if isinstance(p, gast.Call)]
        found = [self.function.resolve(call.func) for call in calls]
        return not hasattr(s, "body") and any(
            isinstance(f, types.FunctionType) and f.__module__.partition(".")[0] not in LIBRARIES
            for f in found
        )

    def block(self, block: list[Any]) -> list[Any]:
        """Cut a block: the longest runs of statements that may be lowered become parts."""
        made: list[Any] = []
        run: list[Any] = []
        for s in block:
            if not self.stays(s):
                run.append(s)
            elif self.comes_first(s, run):
                made.append(s)
            else:
                made += self.part(run)
                made += self.opened(s)
                run = []
        return made + self.part(run)

    def stays(self, s: Any) -> bool:
        """Whether a statement stays one of Python, as a whole or in parts."""
        if is_comment(s):
            return False
        is_plain = type(s) in ASSIGNMENTS or isinstance(s, (gast.Expr, gast.Pass))
        if not (is_plain or type(s) in BRANCHING or is_errstate(s)):
            return True
        if any(id(p) in self.refused for p in nodes(s)) or _leaves(s):
            return True
        return bool(self.unread & may_read(s) or self.unbound & may_bind(s))

    def opened(self, s: Any) -> list[Any]:
        """Return a statement that stays, with its blocks cut."""
        self.leaves_anything |= not isinstance(s, gast.Return)
        if type(s) not in BRANCHING and not is_errstate(s):
            return [self.calling(s)]
        refused, self.refused = self.refused, set()  # by itself it may be lowered
        made = type(s)(**{field: getattr(s, field) for field in s._fields})
        made.lineno = getattr(s, "lineno", None)
        made.body = self.block(s.body)
        if type(s) in BRANCHING:
            made.orelse = self.block(s.orelse)
        self.refused = refused
        return [made]

    def calling(self, s: Any) -> Any:
        """Return a statement that stays, in which functions of the same file may run in parts, too."""
        made = unshared(s)
        for p in nodes(made):
            if isinstance(p, gast.Call) and isinstance(p.func, gast.Name) and not p.keywords:
                found = self.function.resolve(p.func)
                if self.may_run_in_parts(found, p.args):
                    name = self.names.fresh(f"{p.func.id}_in_parts")
                    self.callees[name] = found
                    p.func = _name(name, gast.Load())
        return made

    def may_run_in_parts(self, found: Any, args: list[Any]) -> bool:
        """Whether what is called is a function of the same file that takes what stands there as it is."""
        if not isinstance(found, types.FunctionType):
            return False
        code = found.__code__
        plain = not code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS)
        counted = code.co_argcount == len(args) and not code.co_kwonlyargcount
        own = code.co_filename == self.function.filename
        return own and plain and counted and not any(isinstance(a, gast.Starred) for a in args)

    def comes_first(self, s: Any, run: list[Any]) -> bool:
        """Whether a statement does the same in front of others: one that takes a piece of what it reads.

        Where nothing is stored a piece is the same before and after.
        """
        pieces = (gast.Name, gast.Attribute, gast.Subscript)
        if not run or not binds_one_name(s) or not isinstance(s.value, pieces):
            return False
        if not all(map(self.only_computes, run)):
            return False
        read, bound = set().union(*map(may_read, run)), set().union(*map(may_bind, run))
        return not (may_read(s) & bound or may_bind(s) & (read | bound))

    def only_computes(self, s: Any) -> bool:
        """Whether a statement surely does nothing but compute what it binds one name to."""
        if is_comment(s):
            return True
        calls = [p for p in nodes(s) if isinstance(p, gast.Call)]
        return binds_one_name(s) and all(self.is_pure(p) for p in calls)

    def is_pure(self, call: Any) -> bool:
        """Whether a call is one of a function of NumPy's that is given nothing to store into."""
        found = self.function.resolve(call.func)
        if isinstance(found, np.ufunc):
            return len(call.args) <= found.nin and not call.keywords
        given = any(k.arg in ("out", None) for k in call.keywords)
        return traits_of(found).pure is True and not given

    def part(self, run: list[Any]) -> list[Any]:
        """Return the call of a part that does what statements do, or these where that is not worth it."""
        run = [s for s in run if not is_comment(s)]
        if not _is_worthwhile(run):
            return run
        bound = set().union(*map(may_bind, run))
        after, before = self.assigned.after[run[-1]], self.assigned.before[run[0]]
        results = bound & self.liveness.live_after(run[-1])
        entering = live_in(run).entry & self.function.local
        surely = Assigned(run, before & entering).end
        entering |= results - surely
        unsure = (results - after) | (entering - before)
        if unsure:
            self.unbound |= unsure & bound
            self.unread |= unsure - bound
            return self.block(run)
        return [self.called(run, sorted(entering), sorted(results))]

    def called(self, run: list[Any], given: list[str], results: list[str]) -> Any:
        """Make a part of statements, and return the statement that calls it."""
        name = self.names.fresh(f"{self.function.name}_{len(self.parts) + 1}")
        body = [*map(unshared, run), gast.Return(_names(results, gast.Load()))]
        body[-1].lineno = run[-1].lineno
        tree = make_function(name, given, body, self.function)
        own = self.function.own_names
        self.parts[name] = CoreFunction(
            tree, self.function.externals, self.function.filename, self.function.lines,
            own_names=own,
        )  # fmt: skip
        call = gast.Call(_name(name, gast.Load()), [_name(k, gast.Load()) for k in given], [])
        made = assign(_names(results, gast.Store()), call) if results else gast.Expr(call)
        made.lineno = run[0].lineno
        return made


def _name(key: str, context: Any) -> Any:
    return gast.Name(key, context, None, None)


def _names(keys: list[str], context: Any) -> Any:
    """Write names as a tuple, one as itself, and none at all as None."""
    found = [_name(key, context) for key in keys]
    if len(found) == 1:
        return found[0]
    return gast.Tuple(found, context) if found else gast.Constant(None, None)


def _leaves(s: Any) -> bool:
    """Whether a statement may leave a block around it otherwise than at its end, and raises nothing."""
    if isinstance(s, (gast.Return, gast.Break, gast.Continue)):
        return True
    if type(s) in LOOPS:
        return any(isinstance(p, gast.Return) for p in nodes(s)) or any(map(_leaves, s.orelse))
    return any(_leaves(inner) for block in inner_blocks(s) for inner in block)


def _is_worthwhile(run: list[Any]) -> bool:
    """Whether statements are enough for a part of their own."""
    found = [p for s in run for p in nodes(s)]
    if any(type(p) in LOOPS for p in found):
        return True
    return sum(isinstance(p, _OPERATIONS) for p in found) >= FEWEST
