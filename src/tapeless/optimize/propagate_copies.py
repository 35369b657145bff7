"""Names that only repeat another name, or a literal, are read no more.

    v_bar = y_bar
    x_bar = v_bar * x      ->      x_bar = y_bar * x

While neither name is bound again both stand for the same object, so one may be read for the other
whatever happens to the object. `x += g` may bind `x` to a new object or not: it counts as binding.
The assignment itself stays; `eliminate_dead_code` removes it if nothing reads it.
"""

from __future__ import annotations

from collections.abc import Collection, Set
from typing import Any

import gast

from tapeless.optimize.analyses import body_of, generated_in, liveness_of, version_of
from tapeless.optimize.context import Context
from tapeless.tree.blocks import (
    all_blocks,
    all_statements,
    bound,
    has_jump,
    may_bind,
    may_read,
)
from tapeless.tree.build import const, name, unshared
from tapeless.tree.classes import SIMPLE, SLOTS, UNDERSTOOD
from tapeless.tree.known_names import KnownNames
from tapeless.tree.liveness import Liveness
from tapeless.tree.names import nodes, parameters
from tapeless.tree.signs import is_negated
from tapeless.tree.transform import Transformer
from tapeless.tree.trees import Expr, Stmt, Tree

Copies = dict[str, Any]


def propagate_copies(function: gast.FunctionDef, context: Context) -> bool:
    """Read the original instead of its copy.

    Examples
    --------
    >>> import gast
    >>> from tapeless.source.printer import unparse
    >>> function = gast.parse('''
    ... def f(x, g):
    ...     v_bar = g
    ...     w_bar = 2.0
    ...     return v_bar * x * w_bar
    ... ''').body[0]
    >>> context = Context(temporaries=lambda key: key.endswith("_bar"))
    >>> propagate_copies(function, context)
    True
    >>> print(unparse(function), end="")
    def f(x, g):
        v_bar = g
        w_bar = 2.0
        return g * x * 2.0
    """
    copies = _Copies(function, context)
    reading = _Reading(copies.generated)
    for s in all_statements(function.body):
        if s in copies.before:
            reading.statement(s, copies.before[s], copies.heads.get(s, {}))
    return reading.changed


class _Copies(KnownNames[Expr]):
    """What names repeat, as control comes to each statement."""

    def __init__(self, function: Any, context: Context) -> None:
        super().__init__()
        self.context = context
        self.body = body_of(function, context)
        self.scoped = self.body.scoped
        self.own = self.body.local - self.scoped  # one from outside may be bound anew by any call
        self.generated = generated_in(function, context)
        self.repeating: dict[str, set[str]] = {}  # for each name those that repeat it somewhere
        self.block(function.body, {})

    def bound(self, s: Stmt) -> Collection[str]:
        return self.body.bound(s)

    def same(self, a: Expr, b: Expr) -> bool:
        return a is b or bool(gast.dump(a) == gast.dump(b))

    def without(self, state: Copies, names: Collection[str]) -> Copies:
        repeating = {key for n in names for key in self.repeating.get(n, ())} & state.keys()
        known = {key: state[key] for key in repeating if _is_one_of(state[key], names)}
        gone = [key for key in names if key in state]
        if not known and not gone:
            return state
        found = dict(state)
        for key, value in known.items():
            value = state.get(value.id)  # what the original itself repeats is still there
            if value is None or _is_one_of(value, names):
                del found[key]
            else:
                found[key] = value
                self.note_repeating(key, value)
        for key in gone:
            found.pop(key, None)
        return found

    def note_repeating(self, key: str, value: Expr) -> None:
        if type(value) is gast.Name:
            self.repeating.setdefault(value.id, set()).add(key)

    def simple(self, s: Stmt, state: Copies) -> Copies:
        value = self.copied(s)
        if value is None:
            return self.without(state, self.bound(s))
        if _is_one_of(seen_through(value, state), self.bound(s)):
            return state  # the name is what it was
        return super().simple(s, state)

    def learnt(self, s: Stmt, state: Copies) -> Copies:
        value = self.copied(s)
        if value is None:
            return {}
        self.note_repeating(s.targets[0].id, value)
        return {s.targets[0].id: value}

    def copied(self, s: Stmt) -> Any:
        """Return the name or literal that a statement copies; None for one that does not."""
        if type(s) is not gast.Assign or len(s.targets) != 1:
            return None
        place, value = s.targets[0], s.value
        if type(place) is not gast.Name or place.id in self.scoped:
            return None
        if not (self.context.temporaries(place.id) or id(s) in self.generated):
            return None
        if type(value) is gast.Name:
            return value if value.id in self.own and value.id != place.id else None
        return value if is_literal(value) else None


def seen_through(value: Expr, copies: Copies) -> Expr:
    """Return what a name repeats in the end.

    Examples
    --------
    >>> y, z = (gast.Name(key, gast.Load(), None, None) for key in "yz")
    >>> seen_through(y, {"x": y, "y": z}).id
    'z'
    """
    while type(value) is gast.Name and value.id in copies:
        value = copies[value.id]
    return value


class _Reading:
    """Reads the original instead of its copy."""

    def __init__(self, generated: Set[int]) -> None:
        self.generated = generated
        self.changed = False

    def statement(self, s: Stmt, copies: Copies, head: Copies) -> None:
        """Rewrite a statement without its blocks; `head` holds at that of a loop."""
        if type(s) is gast.While:
            self.replace(s, "test", head)
        elif type(s) is gast.If:
            self.replace(s, "test", copies)
        elif type(s) is gast.For:
            self.replace(s, "iter", copies)
        elif type(s) in SIMPLE:
            if type(s) is gast.AugAssign:
                self.as_assignment(s, copies)
            for field in ("value", "test", "msg", "exc", "cause"):
                if getattr(s, field, None):
                    self.replace(s, field, copies)
            self.replace_in_places(s, copies)

    def as_assignment(self, s: Stmt, copies: Copies) -> None:
        """Write `x += g` as `x = 0.0 + g` where `x` is known to hold a number."""
        if type(s.target) is not gast.Name or id(s) not in self.generated:
            return
        value = seen_through(s.target, copies)
        if type(value) is gast.Constant and isinstance(value.value, float):
            self.changed = True
            s.__class__ = gast.Assign
            s.targets = [s.target]
            s.value = gast.BinOp(const(value.value), s.op, s.value)
            s.type_comment = None
            del s.target, s.op

    def replace(self, owner: Tree, field: str, copies: Copies) -> None:
        if copies:
            reader = _Reader(copies)
            setattr(owner, field, reader.visit(getattr(owner, field)))
            self.changed = self.changed or reader.changed

    def replace_in_places(self, s: Stmt, copies: Copies) -> None:
        places = s.targets if type(s) is gast.Assign else []
        if type(s) is gast.AugAssign:
            places = [s.target]
        for place in places:
            for part in nodes(place):
                if type(part) is gast.Subscript:
                    self.replace(part, "slice", copies)
                if type(part) in SLOTS:
                    self.replace(part, "value", _names_only(copies))


class _Reader(Transformer):
    """Replaces names that are read; a literal goes nowhere where it could not stand."""

    def __init__(self, copies: Copies) -> None:
        self.copies = copies
        self.changed = False

    def visit_Name(self, tree: Tree) -> Any:
        if type(tree.ctx) is not gast.Load or tree.id not in self.copies:
            return tree
        value = seen_through(tree, self.copies)
        self.changed = True
        return name(value.id) if type(value) is gast.Name else unshared(value)

    def visit_Subscript(self, tree: Tree) -> Any:
        self._owner(tree)
        tree.slice = self.visit(tree.slice)
        return tree

    def visit_Attribute(self, tree: Tree) -> Any:
        return self._owner(tree)

    def visit_Starred(self, tree: Tree) -> Any:
        return self._owner(tree)

    def _owner(self, tree: Tree) -> Any:
        """Read other names, and no literals, in what has parts."""
        reader = _Reader(_names_only(self.copies))
        tree.value = reader.visit(tree.value)
        self.changed = self.changed or reader.changed
        return tree

    def visit_Lambda(self, tree: Tree) -> Any:
        return tree


def is_literal(tree: Tree) -> bool:
    """Whether a tree is a number, None or a boolean."""
    if is_negated(tree):
        return type(tree.operand) is gast.Constant
    if type(tree) is not gast.Constant:
        return False
    return tree.value is None or isinstance(tree.value, (bool, int, float))


def _names_only(copies: Copies) -> Copies:
    return {key: value for key, value in copies.items() if type(value) is gast.Name}


def _is_one_of(value: Expr, names: Collection[str]) -> bool:
    return type(value) is gast.Name and value.id in names


def unite_names(function: gast.FunctionDef, context: Context) -> bool:
    """Bind a temporary at once to the name that it is copied to later, if it is not read after that.

    Examples
    --------
    >>> import gast
    >>> from tapeless.source.printer import unparse
    >>> function = gast.parse('''
    ... def f(x):
    ...     v_bar, u_bar = g(x)
    ...     x_bar = v_bar
    ...     x_bar += u_bar
    ...     return x_bar
    ... ''').body[0]
    >>> context = Context(temporaries=lambda key: key.endswith("_bar"))
    >>> unite_names(function, context)
    True
    >>> print(unparse(function), end="")
    def f(x):
        x_bar, u_bar = g(x)
        x_bar = x_bar
        x_bar += u_bar
        return x_bar
    """
    changed = False
    while _unite_round(function, context):
        version_of(function, context)
        changed = True
    return changed


def _unite_round(function: gast.FunctionDef, context: Context) -> bool:
    """Unite the names of each copy of which the analyses still say what is so.

    Other names are live where one was renamed: between its binding and its copy, and nowhere else.
    """
    copies = [
        (block, i)
        for block in all_blocks(function.body)
        for i, s in enumerate(block)
        if _copies_temporary(s, context)
    ]
    if not copies:
        return False
    liveness, given = liveness_of(function, context), set(parameters(function))
    renamed: set[int] = set()
    for block, i in copies:
        if id(block[i]) not in renamed and _copies_temporary(block[i], context):
            renamed |= {id(s) for s in all_statements(_unite(block, i, given, liveness))}
    return bool(renamed)


def _copies_temporary(s: Stmt, context: Context) -> bool:
    """Whether a statement does nothing but bind a temporary to another one."""
    if type(s) is not gast.Assign or len(s.targets) != 1 or type(s.value) is not gast.Name:
        return False
    place, value = s.targets[0], s.value
    if type(place) is not gast.Name or place.id == value.id:
        return False
    return context.temporaries(place.id) and context.temporaries(value.id)


def _unite(block: list[Any], i: int, parameters: set[str], liveness: Liveness) -> list[Any]:
    """Rename what a copy repeats; return the statements before the copy in which it is live."""
    s = block[i]
    new, old = s.targets[0].id, s.value.id
    if {new, old} & (parameters | liveness.scoped) or old in liveness.live_after(s):
        return []
    k = next((k for k in range(i - 1, -1, -1) if old in bound(block[k])), None)
    if k is None or type(block[k]) is not gast.Assign or old in may_read(block[k]):
        return []
    region = block[k:i]
    if any(has_jump(r) or new in may_read(r) | may_bind(r) for r in region):
        return []
    if any(type(r) not in UNDERSTOOD for r in region):
        return []
    for part in [p for r in region for p in nodes(r)] + [s.value]:
        if type(part) is gast.Name and part.id == old:
            part.id = new
    return region
