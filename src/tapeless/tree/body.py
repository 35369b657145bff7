"""The statements of a function at its present state, and what each of them says.

Most passes find nothing to do, and one that does changes a few statements. What the others say is still
true, so it is kept with them: a statement is known again by the parts that it consists of, in their
order. One that was edited, in place or not, consists of other parts.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import gast

from tapeless.tree.blocks import bound, head_reads, scoped_in
from tapeless.tree.fields import SAID
from tapeless.tree.names import nodes
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

    __slots__ = ("_bound", "_nodes", "_reads", "heads", "said", "tree")

    def __init__(self, tree: Tree, heads: list[Any], said: list[Any]) -> None:
        self.tree = tree
        self.heads = heads
        self.said = said
        self._nodes: list[Any] | None = None
        self._reads: frozenset[str] | None = None
        self._bound: frozenset[str] | None = None

    @property
    def nodes(self) -> list[Any]:
        """Its parts, operators left out."""
        if self._nodes is None:
            own = [] if self.heads == [self.tree] else [self.tree]
            parts = (nodes(head) for head in self.heads if isinstance(head, gast.AST))
            self._nodes = own + [part for found in parts for part in found]
        return self._nodes

    @property
    def reads(self) -> frozenset[str]:
        """The names that it reads."""
        if self._reads is None:
            self._reads = frozenset(head_reads(self.tree))
        return self._reads

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
    def scoped(self) -> frozenset[str]:
        """The names that nested functions, lambdas and comprehensions bind or capture."""
        parts = (part for s in self.statements for part in s.nodes)
        return frozenset(scoped_in(part for part in parts if part is not self.function))

    def of(self, tree: Tree) -> Statement:
        """Return what a statement says."""
        return self.known[id(tree)]

    def reads(self, s: Stmt) -> frozenset[str]:
        """Return the names that a statement reads, without its blocks if it runs them at most."""
        return frozenset(head_reads(s)) if type(s) in _WHOLE else self.known[id(s)].reads

    def bound(self, s: Stmt) -> frozenset[str]:
        """Return the names that a statement, without its blocks, binds for sure when it runs."""
        return self.known[id(s)].bound


def _parts_of(tree: Tree, fields: tuple[str, ...]) -> list[Any]:
    found: list[Any] = []
    for field in fields:
        part = getattr(tree, field, None)
        if type(part) is list:
            found += part
        else:
            found.append(part)
    return found


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
        elif cls in SAID:
            found += SAID[cls](part)
            add(part.__dict__.get("lineno"))
    return found
