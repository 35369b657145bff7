"""A comprehension over items that are written out, unpacked at once, is a tuple of what it makes.

x, y = map(np.asarray, (x, y))                ->   x, y = np.asarray(x), np.asarray(y)
a, b = [v.sum() / n for v in (p.m, q)]        ->   m = p.m; a, b = m.sum() / n, q.sum() / n
u, v = (f(k, w) for k, w in zip("ab", (r, s)))   is left alone: a text is no display

So each of them keeps a kind of its own, where the items of a list share one: an array beside a
number stays an array beside a number.
"""

from __future__ import annotations

from typing import Any

import gast

from tapeless.externals import is_one_of
from tapeless.normalize.expand_comprehensions import as_comprehension
from tapeless.tree.build import assign, at_line_of, filled, name
from tapeless.tree.classes import DISPLAYS
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import Names, nodes
from tapeless.tree.transform import Transformer
from tapeless.tree.trees import Expr, Stmt, Tree

# Inside of these a name of the comprehension may be read later than where it is written.
_SCOPES = (gast.Lambda, gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp)


def unpacked_comprehensions(function: CoreFunction) -> CoreFunction:
    """Write comprehensions over displays out where their items are unpacked.

    Examples
    --------
    >>> from tapeless.source.reader import parse_function
    >>> from tapeless.source.printer import unparse
    >>> f = CoreFunction(parse_function('''
    ... def f(p, q, n):
    ...     a, b = [v.sum() / n for v in (p.m, q)]
    ...     return a * b'''))
    >>> print(unparse(unpacked_comprehensions(f).tree).strip())
    def f(p, q, n):
        m = p.m
        a, b = m.sum() / n, q.sum() / n
        return a * b
    """
    if not any(_is_candidate(part) for part in nodes(function.tree)):
        return function
    _Writer(function).generic_visit(function.tree)
    return function


class _Writer(Transformer):
    def __init__(self, function: CoreFunction) -> None:
        self.function = function
        self.names = Names(function.names())
        shared = [part for part in nodes(function.tree) if type(part) is gast.Nonlocal]
        self.own = function.local - {key for part in shared for key in part.names}

    def visit_Assign(self, tree: Stmt) -> Any:
        self.generic_visit(tree)
        if not _is_candidate(tree):
            return tree
        made = self._comprehension(tree.value)
        if made is None or len(made.generators) > 1 or made.generators[0].ifs:
            return tree
        target, items = made.generators[0].target, self._items(made.generators[0].iter)
        if len(items) != len(tree.targets[0].elts) or _is_read_later(made.elt):
            return tree
        first: list[Any] = []
        bound = [self._bound(target, item, first) for item in items]
        if not all(bound):
            return tree
        parts = [filled(made.elt, each) for each in bound]
        tree.value = gast.Tuple(parts, gast.Load())
        return [*first, tree]

    def _comprehension(self, tree: Expr) -> Any:
        """Return the comprehension that makes what is unpacked; None where there is none."""
        if type(tree) is gast.ListComp:
            return tree
        called = self.function.resolve(tree.func) if type(tree) is gast.Call else None
        if is_one_of(called, (list, tuple)) and len(tree.args) == 1:
            return self._comprehension(tree.args[0])
        return as_comprehension(tree, self.function, self.names)

    def _items(self, tree: Expr) -> list[Any]:
        """Return the items of a display, or of a `zip` of such; none where they are not written out."""
        if type(tree) in DISPLAYS and not any(type(item) is gast.Starred for item in tree.elts):
            return list(tree.elts)
        if type(tree) is not gast.Call or self.function.resolve(tree.func) is not zip:
            return []
        columns = [self._items(column) for column in tree.args]
        alike = len({len(column) for column in columns}) == 1 and not tree.keywords
        return [gast.Tuple(list(row), gast.Load()) for row in zip(*columns)] if alike else []

    def _bound(self, target: Tree, item: Expr, first: list[Any]) -> dict[str, Any]:
        """Return what the names of a target stand for; nothing where the item does not fit it.

        An item that is more than a name of the function's own is computed before, as the display does.
        """
        if type(target) in DISPLAYS:
            parts = item.elts if type(item) in DISPLAYS else []
            if len(parts) != len(target.elts):
                return {}
            pairs = [self._bound(t, i, first) for t, i in zip(target.elts, parts, strict=True)]
            return {k: v for pair in pairs for k, v in pair.items()} if all(pairs) else {}
        if type(target) is not gast.Name:
            return {}
        if type(item) is not gast.Constant and getattr(item, "id", None) not in self.own:
            key = self.names.fresh(getattr(item, "attr", target.id))
            first.append(at_line_of(assign(key, item), item))
            item = name(key)
        return {target.id: item}


def _is_candidate(tree: Tree) -> bool:
    """Whether a statement unpacks what a comprehension, or a call, makes."""
    if type(tree) is not gast.Assign or type(tree.targets[0]) not in DISPLAYS or tree.targets[1:]:
        return False
    parts = tree.targets[0].elts
    plain = not any(type(part) is gast.Starred for part in parts)
    return plain and type(tree.value) in (gast.ListComp, gast.GeneratorExp, gast.Call)


def _is_read_later(tree: Expr) -> bool:
    """Whether an expression holds a scope of its own, which reads its names when it runs, or binds."""
    return any(type(part) in (*_SCOPES, gast.NamedExpr) for part in nodes(tree))
