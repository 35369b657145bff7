"""The statements of a function at its present state, and what each of them says.

Most passes find nothing to do, and one that does changes a few statements. What the others say is still
true, so it is kept with them: a statement is known again by the parts that it consists of, in their
order. One that was edited, in place or not, consists of other parts.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterator, Set
from itertools import chain
from typing import Any

import gast

from tapeless.tree.blocks import SCOPING, bound, head_reads, may_bind, may_read, scoped_in
from tapeless.tree.classes import SIMPLE, UNDERSTOOD
from tapeless.tree.fields import PART_FIELDS, SAID
from tapeless.tree.names import nodes, parameters
from tapeless.tree.trees import Stmt, Tree

_BLOCKS: dict[Any, tuple[str, ...]] = {
    gast.If: ("body", "orelse"),
    gast.For: ("body", "orelse"),
    gast.While: ("body", "orelse"),
    gast.With: ("body",),
    gast.Try: ("body", "handlers", "orelse", "finalbody"),
    gast.ExceptHandler: ("body",),
}
_HEADS: dict[Any, tuple[str, ...]] = {
    cls: tuple(field for field in cls._fields if field not in blocks)
    for cls, blocks in _BLOCKS.items()
}
_WHOLE = frozenset({gast.Try, gast.With})  # what is read and bound in them counts at their head
_UNDERSTOOD_OR_PART = UNDERSTOOD | {gast.ExceptHandler}


Bindings = tuple[list[tuple[str, Any]], list[tuple[str, Any]], list[str]]


class Statement:
    """What a statement says without its blocks, as long as it stays as it is.

    Attributes
    ----------
    tree
        The statement, or the handler of a `try`.
    heads
        What of it is outside its blocks: the statement itself if it has none.
    said
        Its parts and texts: they compare by identity, and by value.
    """

    __slots__ = (
        "_bindings", "_bound", "_by_class", "_mentions", "_nodes", "_reads", "heads", "said", "tree",
    )  # fmt: skip

    def __init__(self, tree: Tree, heads: list[Any], said: list[Any]) -> None:
        self.tree = tree
        self.heads = heads
        self.said = said
        self._nodes: list[Any] | None = None
        self._by_class: dict[type, list[Any]] | None = None
        self._mentions: list[str] | None = None
        self._reads: frozenset[str] | None = None
        self._bound: frozenset[str] | None = None
        self._bindings: Bindings | None = None

    @property
    def nodes(self) -> list[Any]:
        """Its parts, operators left out."""
        if self._nodes is None:
            if len(self.heads) == 1 and self.heads[0] is self.tree:
                self._nodes = nodes(self.tree)
            else:
                found = [self.tree]
                for head in self.heads:
                    if isinstance(head, gast.AST):
                        found += nodes(head)
                self._nodes = found
        return self._nodes

    @property
    def by_class(self) -> dict[type, list[Any]]:
        """Its parts by their class."""
        if self._by_class is None:
            found: dict[type, list[Any]] = {}
            for part in self.nodes:
                cls = type(part)
                if cls in found:
                    found[cls].append(part)
                else:
                    found[cls] = [part]
            self._by_class = found
        return self._by_class

    @property
    def mentions(self) -> list[str]:
        """The names in it, as often as they occur."""
        if self._mentions is None:
            self._mentions = [part.id for part in self.by_class.get(gast.Name, ())]
        return self._mentions

    @property
    def reads(self) -> frozenset[str]:
        """The names that it reads."""
        if self._reads is None:
            self._reads = frozenset(head_reads(self.tree))
        return self._reads

    @property
    def bindings(self) -> Bindings:
        """What it binds names to: by assignments, by updates, and by what does not say to what."""
        if self._bindings is None:
            self._bindings = _bindings_of(self.by_class)
        return self._bindings

    @property
    def bound(self) -> frozenset[str]:
        """The names that it binds for sure when it runs."""
        if self._bound is None:
            self._bound = frozenset(bound(self.tree))
        return self._bound


class Body:
    """All statements of a function, with the handlers of its `try`s.

    Examples
    --------
    >>> function = gast.parse("def f(x):\\n    if x:\\n        y = -x\\n    return y").body[0]
    >>> body = Body(function, {})
    >>> [sorted(s.reads) for s in body.statements if s.tree is not function]
    [['x'], ['x'], ['y']]
    >>> first = body.of(function.body[0].body[0])
    >>> function.body[1].value.id = "x"
    >>> again = Body(function, body.known)
    >>> again.of(function.body[0].body[0]) is first, again.shape == body.shape
    (True, False)
    """

    def __init__(self, function: Tree, known: dict[int, Statement]) -> None:
        self.function = function
        self.known: dict[int, Statement] = {}
        self.shape: list[Any] = []
        self._of_class: dict[type, list[Any]] = {}
        self._add(function, [function.args, *function.decorator_list], known)
        self._block(function.body, known)

    def _block(self, block: list[Any], known: dict[int, Statement]) -> None:
        self.shape.append(len(block))
        for s in block:
            fields = _BLOCKS.get(type(s))
            if fields is None:
                self._add(s, [s], known)
                continue
            self._add(s, _parts_of(s, _HEADS[type(s)]), known)
            for field in fields:
                self._block(getattr(s, field), known)

    def _add(self, tree: Tree, heads: list[Any], known: dict[int, Statement]) -> None:
        said = _said([*heads, tree.__dict__.get("lineno")])
        old = known.get(id(tree))
        if old is None or old.tree is not tree or old.said != said:
            old = Statement(tree, heads, said)
        self.known[id(tree)] = old
        self.shape.append(old)

    @property
    def statements(self) -> Iterator[Statement]:
        """The function itself and its statements, in the order of the text."""
        return (part for part in self.shape if type(part) is Statement)

    @functools.cached_property
    def _by_class(self) -> list[dict[type, list[Any]]]:
        return [s.by_class for s in self.statements]

    def parts(self, cls: type) -> list[Any]:
        """List the parts of a class, in the order of the text."""
        found = self._of_class.get(cls)
        if found is None:
            found = [part for parts in self._by_class if cls in parts for part in parts[cls]]
            self._of_class[cls] = found
        return found

    @functools.cached_property
    def scoped(self) -> frozenset[str]:
        """The names that nested functions, lambdas and comprehensions bind or capture."""
        found = [part for cls in SCOPING for part in self.parts(cls) if part is not self.function]
        return frozenset(scoped_in(found))

    @functools.cached_property
    def local(self) -> frozenset[str]:
        """The names that the function may bind, parameters included."""
        found = [s.bound for s in self.statements if type(s.tree) in UNDERSTOOD]
        inner = [s.tree for s in self.statements if type(s.tree) not in _UNDERSTOOD_OR_PART]
        opaque = [may_bind(s) for s in inner if s is not self.function]
        return frozenset(parameters(self.function)).union(*found, *opaque)

    @functools.cached_property
    def mentions(self) -> Counter[str]:
        """How often each name occurs."""
        return Counter(chain.from_iterable(s.mentions for s in self.statements))

    def of(self, tree: Tree) -> Statement:
        """Return what a statement says."""
        return self.known[id(tree)]

    def reads(self, s: Stmt) -> frozenset[str]:
        """Return the names that a statement reads, without its blocks if it runs them at most."""
        return frozenset(head_reads(s)) if type(s) in _WHOLE else self.known[id(s)].reads

    def bound(self, s: Stmt) -> frozenset[str]:
        """Return the names that a statement, without its blocks, binds for sure when it runs."""
        return self.known[id(s)].bound

    def may_read(self, s: Stmt) -> Set[str]:
        """Return the names that a statement with its blocks may read; it may have been made since."""
        return self.known[id(s)].reads if self._is_simple(s) else may_read(s)

    def may_bind(self, s: Stmt) -> Set[str]:
        """Return the names that a statement with its blocks may bind; it may have been made since."""
        return self.known[id(s)].bound if self._is_simple(s) else may_bind(s)

    def _is_simple(self, s: Stmt) -> bool:
        return type(s) in SIMPLE and id(s) in self.known


def _parts_of(tree: Tree, fields: tuple[str, ...]) -> list[Any]:
    found: list[Any] = []
    for field in fields:
        part = getattr(tree, field, None)
        if type(part) is list:
            found += part
        else:
            found.append(part)
    return found


def _bindings_of(parts: dict[type, list[Any]]) -> Bindings:
    assigned = [(p, s.value) for s in parts.get(gast.Assign, ()) for p in s.targets]
    updates = [s for s in parts.get(gast.AugAssign, ()) if type(s.target) is gast.Name]
    updated = [(s.target.id, gast.BinOp(s.target, s.op, s.value)) for s in updates]
    told = {id(p) for p, _ in assigned} | {id(s.target) for s in updates}
    stored = (part for part in parts.get(gast.Name, ()) if type(part.ctx) is gast.Store)
    named = [(p.id, value) for p, value in assigned if type(p) is gast.Name]
    return named, updated, [part.id for part in stored if id(part) not in told]


def _said(found: list[Any]) -> list[Any]:
    """List all parts of some trees, and what they say."""
    add = found.append
    for part in found:
        cls = type(part)
        if cls is gast.Name:
            add(part.id)
        elif cls is list:
            add(len(part))
            found += part
        elif cls in PART_FIELDS:
            found += SAID[cls](part)
    return found
