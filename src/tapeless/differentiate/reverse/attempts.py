"""`try`, mirrored.

The forward sweep attempts what its author attempts, and notes which handler took over. The reverse sweep
reverses that handler, or the body and its `else` where none did. Nothing of an interrupted body is
reversed: it may have been interrupted anywhere. That is right where nothing lives on of what the body
did before, which is so of a body whose last statement alone binds what is read later. Where something
does live on, the body is cut behind it, and `reached` says how many of the segments were done:

    raised = False
    try:                                    # reverse sweep
        y = table[key] * x                  if raised:
    except KeyError:                            ...
        raised = True                       else:
        y = x                                   x_bar = y_bar * table[key]

What cannot be cut so is refused. `finally` always runs, after all ways through the body, so it is reversed
first, always.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field
from typing import Any

import gast
import numpy as np

from tapeless.analysis.repeatable import added_to
from tapeless.differentiate.custom.marks import unmarked
from tapeless.differentiate.reverse.branches import branch_of, settle_small
from tapeless.differentiate.reverse.exceptions import Exceptions, caught, may_catch
from tapeless.differentiate.reverse.headers import stored_regions
from tapeless.differentiate.reverse.jumps import ended_in, guarded_rest, zeros_of
from tapeless.differentiate.reverse.mirrored import (
    Branch,
    Continuation,
    Finally,
    Mirrored,
    MirroredBody,
    MirroredTry,
    Step,
    inverted,
    reverse_sweep,
)
from tapeless.differentiate.reverse.record import surely_binds
from tapeless.differentiate.reverse.state import Sweep
from tapeless.externals import MISSING
from tapeless.kinds import (
    Array,
    Dict,
    Inert,
    Instance,
    Integer,
    Kind,
    List,
    Number,
    Real,
    Sequence,
    Tuple,
    is_outside,
    regions_of,
)
from tapeless.rules.traits import traits_of
from tapeless.tree.build import assign, at_line_of, const, name, quote_expression
from tapeless.tree.endings import always_leaves, blocks_of, own_jumps
from tapeless.tree.liveness import Liveness
from tapeless.tree.names import binds, binds_in_block, nodes, reads


def mirror_try(sweep: Sweep, s: Any) -> list[Mirrored]:
    """Reverse a `try`: what `finally` does first, then the way that was taken."""
    if s.finalbody:
        return _do_finally(sweep, s)
    segments = _segments(sweep, s)
    outer = sweep.out
    settled, start = settle_small(sweep, [s]), sweep.adjoints.snapshot()
    bound = set(sweep.bound)
    ways, ends = [], []
    for way in (None, *s.handlers):
        sweep.adjoints.restore(start)
        sweep.bound, sweep.out = set(), []
        last = segments[-1]
        ways.append(_tried(sweep, s, last) if way is None else _handled(sweep, way.body))
        ends.append(sweep.adjoints.snapshot())
    made = _chosen(sweep, s, ways, ends)
    _reverse_segments(sweep, made, segments[:-1])
    made.lead = settled
    sweep.bound = bound - binds_in_block([s])
    sweep.out = outer
    return [made]


def _handled(sweep: Sweep, block: list[Any]) -> list[Mirrored]:
    """Write both sweeps of a handler; one that only raises is left as it is."""
    if raises(block):
        return [Step(s, [unmarked(sweep, s)]) for s in block]
    return list(branch_of(sweep, block))


def _tried(sweep: Sweep, s: Any, last: list[Any]) -> list[Mirrored]:
    """Write both sweeps of the end of the body, and of what follows it where it was not interrupted."""
    orelse = s.orelse
    jumping = gast.If(const(True), s.body, [])
    if orelse and own_jumps(jumping):
        after = [guarded_rest(sweep, jumping, orelse)]
    else:
        after = branch_of(sweep, orelse)
    return [MirroredBody(s, branch_of(sweep, last)), *after]


def _reverse_segments(sweep: Sweep, attempt: MirroredTry, segments: list[list[Any]]) -> None:
    """Reverse what the body did before it was interrupted, as far as it came: `reached` says how far."""
    if not segments:
        return
    s, reached = attempt.statement, sweep.names.fresh("reached")
    sweep.reached.add(reached)
    made: list[Mirrored] = []
    for number in range(len(segments), 0, -1):
        before = sweep.adjoints.snapshot()
        sweep.bound, sweep.out = set(), []
        body = branch_of(sweep, segments[number - 1])
        end: list[Any] = []
        first, last = segments[number - 1][0], segments[number - 1][-1]
        needed = sweep.adjoints.merge_skipped(before, end, sweep.bound_before(first))
        sweep.out = []
        lead = zeros_of(sweep, needed, sweep.bound_after(last))
        test = quote_expression("k >= n", k=reached, n=const(number))
        body.append(Step(s, [assign(reached, const(number))]))
        made.insert(0, Continuation(s, test, body, lead, end))
    attempt.segments = made
    attempt.body = [*made, *attempt.body]
    attempt.before = [*attempt.before, assign(reached, const(0))]


def _chosen(sweep: Sweep, s: Any, ways: list[list[Mirrored]], ends: list[Any]) -> MirroredTry:
    """Choose in the reverse sweep between the ways that come out of a `try`."""
    numbers = [i for i, h in enumerate(s.handlers, 1) if not raises(h.body)]
    sweep.adjoints.restore(ends[0])
    if not numbers:
        return MirroredTry(s, [Branch(s, const(False), const(False), [], ways[0])], ways)
    raised = sweep.names.fresh("raised")
    tests = _told_by_end(sweep, s, numbers)
    made: list[Mirrored] = ways[0]
    for i in reversed(numbers):
        marked = name(raised) if len(numbers) == 1 else _is_number(raised, i)
        test = tests.get(i, marked)
        merged = sweep.adjoints.merge_branches(
            ends[i], sweep.adjoints.snapshot(), sweep.bound_before(s)
        )
        made = [Branch(s, test, test, ways[i], made, [], merged)]
    attempt = MirroredTry(s, made, ways)
    if not tests and reverse_sweep(made):
        one = len(numbers) == 1
        attempt.mark = raised
        attempt.before = [assign(raised, const(False if one else 0))]
        for i in numbers:
            mark = assign(raised, const(True if one else i))
            ways[i].insert(0, Step(s.handlers[i - 1], [mark]))
    return attempt


def _told_by_end(sweep: Sweep, s: Any, numbers: list[int]) -> dict[int, Any]:
    """Return tests of which handler took over by where the trip ended, if that always tells."""
    if not sweep.loops:
        return {}
    found = {i: ended_in(sweep, s.handlers[i - 1].body) for i in numbers}
    if None not in found.values():
        return found
    tried = ended_in(sweep, [*s.body, *s.orelse])
    return {numbers[0]: inverted(tried)} if tried is not None and len(numbers) == 1 else {}


def _is_number(key: str, number: int) -> Any:
    return quote_expression("k == n", k=key, n=const(number))


def raises(block: list[Any]) -> bool:
    """Whether a block only ever ends in an exception."""
    jumps = [j for s in block for j in own_jumps(s)]
    return not jumps and always_leaves(block)


def _do_finally(sweep: Sweep, s: Any) -> list[Mirrored]:
    jumps = [j for part in s.finalbody for j in own_jumps(part)]
    if jumps:
        reason = "a jump out of `finally` swallows whatever exception is on its way"
        sweep.refuse(jumps[0], reason, "move it behind the `try`, or write `except`")
    returned = [j for part in s.body for j in own_jumps(part) if isinstance(j, gast.Return)]
    shared = any(sweep.has_shadow(sweep.operand_kind(j, j.value)) for j in returned)
    final = branch_of(sweep, s.finalbody)
    if shared and any(_is_active(sweep, part) for part in s.finalbody):
        reason = "what is returned above may change here, after the `return`"
        sweep.refuse(s.finalbody[0], reason, "assign the result in the `try`, and return it behind")
    return [Finally(s, [MirroredBody(s, branch_of(sweep, s.body)), MirroredBody(s, final)])]


def _is_active(sweep: Sweep, s: Any) -> bool:
    """Whether a statement, or one in it, binds or stores what carries a derivative."""
    inner = [part for block in blocks_of(s) for part in block]
    stored = stored_regions(sweep, [s]) & sweep.known.varied
    return bool(stored) or _binds_active(sweep, s) or any(_is_active(sweep, i) for i in inner)


def _binds_active(sweep: Sweep, s: Any) -> bool:
    found = sweep.known.results.get(s)
    return found is not None and sweep.varies(found)


def refuse_unbalanced(sweep: Sweep, forward: list[Any], stacks: set[str], in_loop: bool) -> None:
    """Refuse a `try` in a loop whose body may be interrupted after it pushed to a stack."""
    for s in forward:
        if isinstance(s, gast.Try) and in_loop and not all(raises(h.body) for h in s.handlers):
            if _pushes_early(s.body, stacks, False):
                reason = (
                    "what this loop keeps for its reverse sweep would not fit where the body of "
                    "the `try` is interrupted"
                )
                fix = "move the body of the `try` into a function of its own, and call it there"
                sweep.refuse(s, reason, fix)
        inner = in_loop or isinstance(s, gast.For | gast.While)
        for block in [] if isinstance(s, gast.FunctionDef) else blocks_of(s):
            refuse_unbalanced(sweep, block, stacks, inner)


def _pushes_early(
    block: list[Any], stacks: set[str], later: bool, left: dict[type, bool] | None = None
) -> bool:
    """Whether a block may be interrupted after it pushed to a stack.

    `later` says whether what follows it may be, and `left` where a jump in it goes to.
    """
    left = left or {}
    for s in reversed(block):
        if isinstance(s, gast.Return | gast.Break | gast.Continue):
            later = left.get(type(s), False)
        elif _is_push(s, stacks):
            if later:
                return True
        elif blocks_of(s):
            loops = isinstance(s, gast.For | gast.While)
            to = {**left, gast.Break: later, gast.Continue: True} if loops else left
            if any(_pushes_early(inner, stacks, later or loops, to) for inner in blocks_of(s)):
                return True
            later = True
        else:
            value = getattr(s, "value", None)
            later = later or not isinstance(value, gast.Name | gast.Constant)
    return False


def _is_push(s: Any, stacks: set[str]) -> bool:
    owner = added_to(s)
    return owner in stacks and isinstance(s, gast.Expr)


def clear_interrupted(sweep: Sweep, forward: list[Any], state: set[str], stacks: set[str]) -> None:
    """Let handlers clear what is only kept for the reverse sweep of the body that they interrupt.

    It is never read there; but who differentiates the text again sees it handed over.
    """
    used = state | {key for s in statements_in(forward) if _is_push(s, stacks) for key in reads(s)}
    text = gast.FunctionDef("forward", None, forward, [], None, None, [])
    live = Liveness(text, lambda s, _: _is_push(s, stacks)).handlers
    for s in statements_in(forward):
        cut = isinstance(s, gast.Try) and binds_in_block(s.body) & sweep.reached
        for handler in s.handlers if isinstance(s, gast.Try) and not cut else []:
            lost = binds_in_block(s.body) & used - live.get(id(handler), frozenset())
            if not raises(handler.body):
                cleared = [at_line_of(assign(key, const(None)), handler) for key in sorted(lost)]
                handler.body = [*cleared, *handler.body]


def statements_in(block: list[Any]) -> list[Any]:
    """List the statements of a block and of the blocks in it, nested functions left out."""
    found: list[Any] = []
    for s in block:
        found.append(s)
        for inner in [] if isinstance(s, gast.FunctionDef) else blocks_of(s):
            found += statements_in(inner)
    return found


# What an interrupted body leaves behind


def _segments(sweep: Sweep, s: Any) -> list[list[Any]]:
    """Cut a body after each statement that leaves something behind when the rest is interrupted.

    Each but the last segment ends in a statement that is done wholly or not at all.

    Raises
    ------
    GradientError
        If what is left behind cannot be told by how many segments were done.
    """
    lost = _lost(sweep, s)
    if not lost:
        return [list(s.body)]
    jumps = bool(own_jumps(s))
    mentioned: set[str] = set()
    segments: list[list[Any]] = [[]]
    whole = True
    for part in s.body:
        segments[-1].append(part)
        rebinds = len(segments) > 1 and binds(part) & mentioned
        mentioned |= set(reads(part)) | binds(part)
        found = [(place, *why) for place, *why in lost if _holds(part, place)]
        if found or rebinds:
            whole = whole and not (blocks_of(part) or part in sweep.known.callees and found)
            segments += [[]] if part is not s.body[-1] else []
    if jumps or not whole:
        place, reason, fix = lost[0]
        sweep.refuse(place, reason, fix)
    return segments


def _holds(s: Any, place: Any) -> bool:
    return any(part is place for part in nodes(s))


def _lost(sweep: Sweep, s: Any) -> list[tuple[Any, str, str]]:
    """List what a body does that lives on if it is interrupted after: where, why, and the way out."""
    taking_over = [h for h in s.handlers if not raises(h.body)]
    if not taking_over:
        return []
    live: set[str] = set()
    always = Liveness(sweep.function.tree).handlers
    for handler in taking_over:
        known = _known_in(sweep.function.tree, s, handler)
        entry = Liveness(sweep.function.tree, known=known).handlers.get(id(handler), frozenset())
        maybe = always.get(id(handler), frozenset()) - entry
        live |= entry | {key for key in maybe if not surely_binds(s.body, key)}
    walk = _Interrupted(sweep, s, live, caught(sweep.function, taking_over), [])
    walk.block(s.body, False)
    return list(reversed(walk.found))


def _known_in(function: Any, s: Any, handler: Any) -> dict[str, Any]:
    """Return the literals that some names hold where a handler took over, and nowhere else before.

    Such a name says that the body was interrupted: `ok = True` before the `try`, `ok = False` first in
    its handler; or `ok = False` before, `ok = True` last in its body.
    """
    block = next(b for b in blocks_in(function.body) if any(part is s for part in b))
    at = next(i for i, part in enumerate(block) if part is s)
    before = _literals(reversed(block[:at]))
    told = {id(part): part for h in s.handlers for part in _literals(h.body).values()}
    found: dict[str, Any] = {}
    for key, first in before.items():
        own = _literals(handler.body).get(key)
        last = _literals(reversed(s.body)).get(key) if own is None else None
        allowed = {id(first), *told, id(last)}
        bindings = [p for b in blocks_in(function.body) for p in b if key in binds(p)]
        simple = [p for p in bindings if not blocks_of(p)]
        if all(id(p) in allowed for p in simple) and (own is not None or last is not None):
            found[key] = (own or first).value.value
    return found


def _literals(block: Any) -> dict[str, Any]:
    """List the assignments of literals to names that a block starts with."""
    found: dict[str, Any] = {}
    for s in block:
        plain = isinstance(s, gast.Assign) and isinstance(s.targets[0], gast.Name)
        if not plain or not isinstance(s.value, gast.Constant):
            break
        found.setdefault(s.targets[0].id, s)
    return found


def blocks_in(block: list[Any]) -> list[list[Any]]:
    """List a block and the blocks in it, nested functions included."""
    return [block, *(b for s in block for inner in blocks_of(s) for b in blocks_in(inner))]


@dataclass
class _Interrupted:
    """Walks the body of a `try`; `later` says whether what follows may raise what is caught.

    Attributes
    ----------
    live
        The names that are read once a handler took over.
    classes
        The exceptions that are caught.
    left
        Whether what follows where a jump goes to may raise; outside the body it is not caught.
    """

    sweep: Sweep
    attempt: Any
    live: set[str]
    classes: Exceptions
    found: list[tuple[Any, str, str]]
    left: dict[type, bool] = field(default_factory=dict)

    def block(self, block: list[Any], later: bool) -> None:
        for s in reversed(block):
            self.statement(s, later)
            later = later or self.may_raise(s)
            if isinstance(s, gast.Return | gast.Break | gast.Continue):
                later = self.left.get(type(s), False)

    def within(self, block: list[Any], later: bool, left: dict[type, bool]) -> None:
        """Walk a block whose jumps go elsewhere than those around it."""
        around, self.left = self.left, {**self.left, **left}
        self.block(block, later)
        self.left = around

    def statement(self, s: Any, later: bool) -> None:
        if isinstance(s, gast.For | gast.While):
            self.block(s.orelse, later)
            again = later or self.may_raise(s)
            if again and isinstance(s, gast.For):
                self.names(s, binds(s.target))
            self.within(s.body, again, {gast.Break: later, gast.Continue: again})
            return
        if isinstance(s, gast.Try):
            after = any(self.may_raise(part) for h in s.handlers for part in h.body)
            final = any(map(self.may_raise, s.finalbody))
            self.block(s.finalbody, later or bool(s.finalbody))
            jumps = (gast.Return, gast.Break, gast.Continue)
            left = {jump: final or self.left.get(jump, False) for jump in jumps}
            for block in (s.body, s.orelse, *(h.body for h in s.handlers)):
                self.within(block, later or final or after, left)
            return
        if blocks_of(s) and not isinstance(s, gast.FunctionDef):
            for block in blocks_of(s):
                self.block(block, later)
            return
        if later and _binds_active(self.sweep, s):
            self.names(s, binds(s))
        if later or s in self.sweep.known.callees:
            self.stores(s)

    def names(self, s: Any, bound: set[str]) -> None:
        for key in sorted(bound & self.live):
            reason = (
                f"`{key}` is read after an exception that may come once it is bound here, "
                "and how far the body came is not known"
            )
            fix = "bind it in the last statement of the `try`, or move what may raise before it"
            self.found.append((s, reason, fix))

    def stores(self, s: Any) -> None:
        regions = stored_regions(self.sweep, [s]) - self.made_in_body()
        regions = frozenset(r for r in regions if not self.is_idle(r, s))
        if regions and not self.sweep.adds_to_log(s):
            reason = (
                "what this stores stays there when an exception interrupts the body, "
                "and how far the body came is not known"
            )
            fix = "move the store behind what may raise, or into `else:`"
            self.found.append((s, reason, fix))

    def made_in_body(self) -> set[Any]:
        """Return the regions of what is made in the body: nobody else sees it."""
        inside = {id(part) for s in self.attempt.body for part in nodes(s)}
        tree = self.sweep.function.tree
        numbers = {i for i, part in enumerate(nodes(tree)) if id(part) in inside}
        results = self.sweep.known.results.values()
        found = {r for v in results for r in regions_of(v.kind)}
        here = ("made", self.sweep.function.name)
        return {r for r in found if r[:2] == here and r[2:3] and r[2] in numbers}

    def is_idle(self, region: Any, s: Any) -> bool:
        """Whether nothing depends on what a region holds, and nobody sees that it is not undone."""
        if region in self.sweep.known.varied:
            return False
        made_here = region[:2] == ("made", self.sweep.function.name)
        if not (made_here or self.is_outer_container(region)):
            return False
        return not self.is_read(region)

    def is_outer_container(self, region: Any) -> bool:
        """Whether a region is a list, dict or object outside that no callee mentions."""
        found = [thing for *_, thing in self.sweep.program.outside.get(region, {}).values()]
        if not is_outside(region) or not found or any(isinstance(f, np.ndarray) for f in found):
            return False
        seen: set[Any] = set()
        todo = [callee.facts for callee in self.sweep.known.callees.values()]
        while todo:
            facts = todo.pop()
            if facts in seen:
                continue
            seen.add(facts)
            todo += [callee.facts for callee in facts.callees.values()]
            named = [facts.function.resolve(part) for part in _names_in(facts.function.tree)]
            if any(thing is other for thing in found for other in named):
                return False
        return True

    def is_read(self, region: Any) -> bool:
        """Whether something other than stores, and `return`, reads what lives in a region."""
        for s in self.sweep.known.before:
            if isinstance(s, gast.Return):
                continue
            own = _heads(s) if blocks_of(s) and not isinstance(s, gast.FunctionDef) else [s]
            keys = {key for part in own for key in reads(part)}
            kinds = {key: self.sweep.operand_kind(s, name(key)) for key in keys}
            holding = {key for key, kind in kinds.items() if region in regions_of(kind)}
            if holding and not (holding == {_stored_owner(s)} and _mentions_once(s, holding)):
                return True
        return False

    def may_raise(self, s: Any) -> bool:
        """Whether a statement may raise what is caught."""
        if isinstance(s, gast.FunctionDef):
            return False
        blocks = blocks_of(s)
        if blocks:
            inner = any(self.may_raise(part) for block in blocks for part in block)
            return inner or self.may_catch(self.raised_by_head(s))
        return self.may_catch(self.raised_by(s))

    def may_catch(self, raised: Exceptions) -> bool:
        return may_catch(raised, self.classes)

    def raised_by_head(self, s: Any) -> Exceptions:
        if isinstance(s, gast.If | gast.While):
            return self.raised_by(gast.Expr(s.test), s)
        if not isinstance(s, gast.For):
            return () if isinstance(s, gast.Try) else (BaseException,)
        called = s.iter.func if isinstance(s.iter, gast.Call) else None
        if isinstance(called, gast.Name) and called.id in ("range", "enumerate", "zip", "reversed"):
            return ()
        plain = isinstance(self.sweep.operand_kind(s, s.iter), _ITERATED)
        return () if plain else (BaseException,)

    def raised_by(self, s: Any, at: Any = None) -> Exceptions:
        """Return the exceptions that a simple statement may raise; a class stands for its children."""
        at = s if at is None else at
        if s in self.sweep.known.callees or isinstance(s, gast.Raise):
            return (BaseException,)
        found: list[type[BaseException]] = [AssertionError] if isinstance(s, gast.Assert) else []
        if isinstance(s, gast.AugAssign):
            found += self.of_operation(at, [s.target, s.value], s.op)
        for part in nodes(s):
            if isinstance(part, gast.Subscript):
                found += self.of_operation(at, [part.value], gast.Add(), item=True)
            elif isinstance(part, gast.Attribute):
                found += self.of_attribute(part, at)
            elif isinstance(part, gast.BinOp):
                found += self.of_operation(at, [part.left, part.right], part.op)
            elif isinstance(part, gast.UnaryOp):
                found += self.of_operation(at, [part.operand], gast.Add())
            elif isinstance(part, gast.Compare):
                found += self.of_operation(at, [part.left, *part.comparators], gast.Add())
            elif isinstance(part, gast.Call):
                found += self.of_call(part, at)
            elif isinstance(part, gast.Tuple) and isinstance(part.ctx, gast.Store):
                found += [TypeError, ValueError]
        return tuple(found)

    def of_attribute(self, tree: Any, s: Any) -> Exceptions:
        if self.sweep.function.resolve(tree) is not MISSING:
            return ()
        owner = self.sweep.operand_kind(s, tree.value)
        if isinstance(owner, Instance):
            static = inspect.getattr_static(owner.cls, tree.attr, None)
            hooks = [getattr(owner.cls, key, None) for key in ("__getattr__", "__setattr__")]
            hooked = hooks != [None, object.__setattr__] or hasattr(static, "__get__")
            return (BaseException,) if hooked else (AttributeError,)
        known = isinstance(owner, Array) or (isinstance(owner, List) and tree.attr == "append")
        return () if known else (BaseException,)

    def of_operation(
        self, s: Any, operands: list[Any], op: Any, item: bool = False
    ) -> list[type[BaseException]]:
        """Sums and products of numbers raise what flags ask for; those of arrays where shapes differ."""
        kinds = [self.sweep.operand_kind(s, operand) for operand in operands]
        if not all(isinstance(k, _BUILT_IN) and not _holds_objects(k) for k in kinds):
            return [BaseException]
        if item:
            return [LookupError, TypeError, ValueError]
        found: list[type[BaseException]] = []
        if not all(isinstance(k, Integer) for k in kinds):
            found.append(FloatingPointError)
        if not isinstance(op, gast.Add | gast.Sub | gast.Mult):
            found += [ArithmeticError, ValueError]
        arrays = sum(isinstance(k, Array) for k in kinds)
        if arrays < 2 and all(isinstance(k, Array | Real | Integer) for k in kinds):
            return found
        return [*found, ValueError, TypeError]

    def of_call(self, tree: Any, s: Any) -> list[type[BaseException]]:
        method = isinstance(tree.func, gast.Attribute)
        owner = self.sweep.operand_kind(s, tree.func.value) if method else Kind()
        if isinstance(owner, List) and tree.func.attr == "append":
            return []
        found = self.sweep.facts.object_called(tree)
        module = str(getattr(found, "__module__", None) or "")
        if module == "builtins" and not traits_of(found).pure:
            return [BaseException]
        operands = [self.sweep.operand_kind(s, a) for a in tree.args]
        if not all(isinstance(k, _BUILT_IN) and not _holds_objects(k) for k in operands):
            return [BaseException]
        known = module in ("numpy", "numpy.linalg", "math", "builtins")
        if known or isinstance(owner, Array) or isinstance(found, np.ufunc):
            return [ArithmeticError, ValueError, TypeError, IndexError]  # LinAlgError: a ValueError
        return [BaseException]


_BUILT_IN = (Array, Dict, Inert, Integer, Tuple, List, Number, Real, Sequence)
_ITERATED = (Array, Dict, Tuple, List, Sequence)


def _holds_objects(kind: Any) -> bool:
    return isinstance(kind, Array) and kind.dtype[:1] == "O"


def _names_in(tree: Any) -> list[Any]:
    return [part for part in nodes(tree) if isinstance(part, gast.Name)]


def _heads(s: Any) -> list[Any]:
    """List what a compound statement itself reads."""
    found = [getattr(s, field, None) for field in ("test", "iter")]
    found += [item.context_expr for item in getattr(s, "items", [])]
    return [part for part in found if part is not None]


def _stored_owner(s: Any) -> str | None:
    """Return the name of what a statement stores into, if that is all that it does with it."""
    owner = added_to(s)
    if owner is not None:
        return owner
    place = s.target if isinstance(s, gast.AugAssign) else None
    if isinstance(s, gast.Assign) and not isinstance(s.targets[0], gast.Name):
        place = s.targets[0]
    value = getattr(place, "value", None)
    return value.id if isinstance(value, gast.Name) else None


def _mentions_once(s: Any, keys: set[str]) -> bool:
    return sum(key in keys for key in reads(s)) == 1
