"""Temporaries that are read once are folded into the statement that reads them.

    v = x @ w
    h = np.tanh(v)         ->      h = np.tanh(x @ w)

The expression moves from where it was evaluated to where it is read. It may pass a statement only
if that binds none of its names and writes no memory that it reads; within the reading statement it
may pass only what leaves its memory alone. In a generated statement it moves only while the line
stays readable; the adjoints of the user's own names stay named.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Iterable
from typing import Any

import gast

from tapeless.externals import MISSING
from tapeless.optimize.analyses import effects_of, generated_in, liveness_of
from tapeless.optimize.context import Context
from tapeless.optimize.effects import Touch
from tapeless.optimize.values import is_adjoint, is_stack_call
from tapeless.optimize.widths import fits, most_columns
from tapeless.tree.blocks import (
    bound,
    every_block,
    has_jump,
    head_reads,
    heads,
    inner_blocks,
    is_opaque,
    may_read,
)
from tapeless.tree.body import Body
from tapeless.tree.build import unshared
from tapeless.tree.classes import ASSIGNMENTS, ATOMS, BRANCHING, SLOTS, TESTED
from tapeless.tree.comments import is_comment
from tapeless.tree.names import children, nodes, reads
from tapeless.tree.transform import Transformer
from tapeless.tree.trees import Expr, Stmt, Tree

WIDTH = 88


def renest(function: gast.FunctionDef, context: Context) -> bool:
    """Fold temporaries into the statement that reads them.

    Examples
    --------
    >>> import gast
    >>> from tapeless.source.printer import unparse
    >>> function = gast.parse('''
    ... def f(x, w):
    ...     v = x * w
    ...     v_1 = u[0]
    ...     u[0] = v
    ...     return v_1
    ... ''').body[0]
    >>> context = Context(temporaries=lambda key: key[0] == "v")
    >>> renest(function, context)
    True
    >>> print(unparse(function), end="")
    def f(x, w):
        v_1 = u[0]
        u[0] = x * w
        return v_1
    """
    return _Nesting(function, context).run()


class _Names:
    """Which statements of a block read, bind or jump, while some of them are folded away."""

    def __init__(self, block: list[Any], body: Body) -> None:
        self.block = block
        self.order = {id(s): k for k, s in enumerate(block)}
        self.dropped = 0
        self.reading: dict[str, list[int]] = {}
        self.binding: dict[str, list[int]] = {}
        self.jumping = [k for k, s in enumerate(block) if has_jump(s)]
        for k, s in enumerate(block):
            for key in body.may_read(s):
                self.reading.setdefault(key, []).append(k)
            for key in body.may_bind(s):
                self.binding.setdefault(key, []).append(k)

    def first_reader(self, i: int, key: str) -> int | None:
        """Return the position of the first statement behind a position that reads a name."""
        found = self.reading.get(key, [])
        k = bisect_right(found, i + self.dropped)
        return found[k] - self.dropped if k < len(found) else None

    def binds_between(self, keys: Iterable[str], i: int, j: int) -> bool:
        """Whether a statement between two positions binds one of these names."""
        return any(self._is_between(self.binding.get(key, []), i, j) for key in keys)

    def jumps_between(self, i: int, j: int) -> bool:
        """Whether control may leave at a statement between two positions."""
        return self._is_between(self.jumping, i, j)

    def _is_between(self, found: list[int], i: int, j: int) -> bool:
        k = bisect_right(found, i + self.dropped)
        return k < len(found) and found[k] < j + self.dropped

    def note(self, use: Tree, value: Expr) -> None:
        """Note that a statement reads what is read by an expression that was put into it."""
        at = self.order[id(use)]
        for key in set(reads(value)):
            found = self.reading.setdefault(key, [])
            if at not in found:
                insort(found, at)

    def drop(self, i: int) -> None:
        """Take a statement out; none behind it was taken out before."""
        del self.block[i]
        self.dropped += 1


class _Nesting:
    def __init__(self, function: Tree, context: Context) -> None:
        self.function = function
        self.context = context
        self.effects = effects_of(function, context)
        self.liveness = liveness_of(function, context)
        self.generated = generated_in(function, context)
        self.depths = _depths(function)
        self.touches: dict[Stmt, Touch] = {}

    def run(self) -> bool:
        """Go through all blocks once; say whether anything changed."""
        changed = False
        for block, interrupted in every_block(self.function.body):
            changed = self.fold_all(_Names(block, self.effects.body), interrupted) or changed
        return changed

    def fold_all(self, names: _Names, interrupted: bool) -> bool:
        """Fold the temporaries of a block; say whether there were any."""
        block, i = names.block, 0
        count = len(block)
        while i < len(block):
            if self.fold(names, i, interrupted):
                names.drop(i)
            else:
                i += 1
        return len(block) < count

    def fold(self, names: _Names, i: int, interrupted: bool) -> bool:
        """Fold the temporary that the i-th statement binds into its use.

        Where a handler may take over, what it finds done must stay the same: nothing is passed.
        """
        definition = names.block[i]
        key = self.candidate(definition)
        j = None if key is None else names.first_reader(i, key)
        if key is None or j is None:
            return False
        use = names.block[j]
        if is_opaque(use) or head_reads(use).count(key) != 1 or key in may_read_in_blocks(use):
            return False
        if key in self.liveness.live_if_raised(use):
            return False
        live = key in self.liveness.live_after(use)
        if live and (key not in bound(use) or isinstance(use, (gast.For, gast.If))):
            return False
        if type(use) is gast.AugAssign and key in bound(use):
            return False
        place = self.place_of(use, key)
        if place is None or (interrupted and j > i + 1):
            return False
        if names.binds_between([key, *reads(definition.value)], i, j):
            return False
        if names.jumps_between(i, j):
            return False
        if not self.may_move(definition.value, names.block[i + 1 : j], use, place):
            return False
        if not self.reads_well(definition, use, place, key):
            return False
        if not _replaced(use, place, definition.value):
            return False
        names.note(use, definition.value)
        self.touches.pop(use, None)
        return True

    def candidate(self, s: Stmt) -> str | None:
        """Return the name that a statement binds, if it may be folded away."""
        if type(s) is not gast.Assign or len(s.targets) != 1:
            return None
        place = s.targets[0]
        if type(place) is not gast.Name or not self.context.temporaries(place.id):
            return None
        if place.id in self.effects.scoped or place.id in self.effects.stacks:
            return None
        if isinstance(s.value, (gast.List, gast.Dict)) and not _parts(s.value):
            return None
        return str(place.id)

    def place_of(self, use: Tree, key: str) -> Any:
        """Find the one reading of a name in the head of a statement."""
        if type(use) is gast.While:
            return None
        for part in heads(use):
            for piece in nodes(part):
                if type(piece) is gast.Name and piece.id == key:
                    if type(piece.ctx) is gast.Load:
                        return piece
        return None

    def may_move(self, value: Expr, between: list[Any], use: Tree, place: Expr) -> bool:
        """Whether an expression gives the same, and does the same, where it is read."""
        before = self.effects.effects_before(heads(use), place)
        if before is None:
            return False
        own = self.effects.touch(value)
        passed = [self.touch(s) for s in between if not is_comment(s)] + [before]
        if self.effects.is_pure(value):
            return not any(self.effects.collide(own.reads, p) for p in passed)
        return self._may_move_effect(value, own, passed, use, place)

    def touch(self, s: Stmt) -> Touch:
        """Return what a statement does to memory: many expressions move past it."""
        if s not in self.touches:
            self.touches[s] = self.effects.touch(s)
        return self.touches[s]

    def _may_move_effect(
        self, value: Expr, own: Touch, passed: list[Touch], use: Tree, place: Expr
    ) -> bool:
        """Whether an expression with an effect may move: past nothing that could notice."""
        if own.unknown:
            quiet = not any(p.unknown or p.writes or p.reads for p in passed)
            return quiet and self._is_first(use, place)
        for p in passed:
            if p.unknown or self.effects.collide(own.reads | own.writes, p):
                return False
            if self.effects.collide(p.reads, own):
                return False
        if is_stack_call(value) if type(value) is gast.Call else False:
            return type(use) in ASSIGNMENTS and use.value is place
        return self._is_first(use, place)

    def _is_first(self, use: Tree, place: Expr) -> bool:
        """Whether nothing but names is evaluated before a reading."""
        for part in heads(use):
            for piece in _in_order(part):
                if piece is place:
                    return True
                if not isinstance(piece, (gast.Name, gast.Constant, gast.expr_context)):
                    if not (type(piece) is gast.Attribute and self._is_global(piece)):
                        return False
        return False

    def _is_global(self, tree: Tree) -> bool:
        return self.context.resolve(tree) is not MISSING

    def reads_well(self, definition: Stmt, use: Tree, place: Expr, key: str) -> bool:
        """Whether a generated line stays readable."""
        value = definition.value
        if type(value) in ATOMS:
            return True
        if _in_index(use, place) and any(type(p) is gast.Call for p in nodes(value)):
            if not all(_is_length(p) for p in nodes(value) if type(p) is gast.Call):
                return False
        if id(use) not in self.generated:
            return True
        if type(use) is gast.Return:
            if type(use.value) is gast.Tuple and self.context.reverse:
                return _depth(value) <= 3 and self._fits(use, place, value)
            return type(use.value) is gast.Name and id(definition) not in self.generated
        if is_adjoint(key, self.context) and self._of_user(key):
            if key not in bound(use) and not self._joins_its_like(use, key):
                return False
        if isinstance(value, (gast.IfExp, gast.Tuple, gast.List, gast.Dict, gast.ListComp)):
            return type(use) is gast.Assign and use.value is place
        return _depth(value) <= 6 and self._fits(use, place, value)

    def _fits(self, use: Tree, place: Expr, value: Expr) -> bool:
        """Whether a statement stays on one line with an expression in place of a name."""
        width = WIDTH - 4 * self.depths.get(id(use), 1)
        if most_columns(_head_only(use)) + most_columns(value) <= width:
            return True
        head = _head_only(use)
        made = unshared(head)
        places = [b for a, b in zip(nodes(head), nodes(made), strict=True) if a is place]
        return bool(places) and _replaced(made, places[0], value) and fits(made, width)

    def _joins_its_like(self, use: Tree, key: str) -> bool:
        """Whether a statement adds an adjoint to another of the same name, or appends it."""
        if type(use) is gast.Expr and type(use.value) is gast.Call:
            call = use.value
            pushed = is_stack_call(call) and call.func.attr == "append"
            return pushed and type(call.args[0]) is gast.Name
        added = type(use) is gast.AugAssign and type(use.value) is gast.Name
        if type(use) is gast.Assign and type(use.value) is gast.BinOp:
            added = type(use.value.right) is gast.Name and bound(use) <= set(head_reads(use))
        return added and {_unnumbered(k) for k in bound(use)} == {_unnumbered(key)}

    def _of_user(self, key: str) -> bool:
        """Whether an adjoint is that of a name of the user's."""
        primal = _unnumbered(key).removesuffix("_bar")
        known = primal in self.effects.values or primal in self.effects.parameters
        return not self.context.temporaries(primal) and (known or primal != "v")


def _unnumbered(key: str) -> str:
    """Return `x_bar` for `x_bar_1`."""
    head, _, number = key.rpartition("_")
    return head if number.isdigit() and head.endswith("_bar") else key


def may_read_in_blocks(statement: Stmt) -> set[str]:
    """Collect the names that the blocks of a statement may read."""
    found: set[str] = set()
    for block in inner_blocks(statement):
        for s in block:
            found |= may_read(s)
    return found


def _parts(tree: Tree) -> list[Any]:
    return list(tree.elts if type(tree) is gast.List else tree.keys)


def _in_order(tree: Tree) -> Any:
    for child in children(tree):
        yield from _in_order(child)
    yield tree


def _is_length(call: Expr) -> bool:
    return type(call.func) is gast.Name and call.func.id == "len"


def _in_index(tree: Tree, place: Expr) -> bool:
    return any(
        any(inner is place for inner in nodes(part.slice))
        for part in nodes(tree)
        if type(part) is gast.Subscript
    )


def _depth(tree: Tree) -> int:
    inner = [_depth(child) for child in children(tree) if isinstance(child, gast.expr)]
    own = int(isinstance(tree, (gast.BinOp, gast.UnaryOp, gast.Call, gast.Subscript)))
    return own + max(inner, default=0)


def _head_only(s: Stmt) -> Any:
    """Return a statement to measure: a compound one without its blocks."""
    if type(s) in BRANCHING:
        return gast.Expr(heads(s)[0])
    return s


def _depths(function: Tree) -> dict[int, int]:
    found: dict[int, int] = {}

    def visit(block: list[Any], depth: int) -> None:
        for s in block:
            found[id(s)] = depth
            for inner in inner_blocks(s):
                visit(inner, depth + 1)

    visit(function.body, 1)
    return found


class _Put(Transformer):
    def __init__(self, place: Expr, value: Expr) -> None:
        self.place = place
        self.value = value
        self.done = False

    def visit_Name(self, tree: Tree) -> Any:
        if tree is self.place:
            self.done = True
            return self.value
        return tree


def _replaced(statement: Stmt, place: Expr, value: Expr) -> bool:
    """Put an expression where a name is read; a store through it needs a name and is left."""
    if type(value) is gast.Constant:
        for part in nodes(statement):
            if type(part) in SLOTS and part.value is place:
                return False
    put = _Put(place, value)
    if type(statement) in TESTED:
        statement.test = put.visit(statement.test)
    elif type(statement) is gast.For:
        statement.iter = put.visit(statement.iter)
    else:
        put.visit(statement)
    return put.done
