"""Variables of comprehensions become names that nothing else uses.

A comprehension has a scope of its own. It will be a loop in the scope around it, where its variables
must hide nothing.

v = 1.0; y = [v * v for v in x]   ->   v = 1.0; y = [v_1 * v_1 for v_1 in x]
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import gast

from tapeless.tree.build import fill
from tapeless.tree.classes import COMPREHENSIONS
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import Names, binds, nodes
from tapeless.tree.transform import Transformer
from tapeless.tree.trees import Tree


class _Scoper(Transformer):
    def __init__(self, function: CoreFunction) -> None:
        self.names = Names(function.names())
        self.count = _occurrences(function.tree)

    def generic_visit(self, tree: Tree) -> Any:
        if type(tree) in COMPREHENSIONS:
            self.rename(tree)
        return super().generic_visit(tree)

    def rename(self, tree: Tree) -> None:
        first, inside = tree.generators[0].iter, _occurrences(tree)
        outside = _occurrences(first)
        own = set().union(*(binds(g.target) for g in tree.generators))
        renaming = {
            key: self.names.fresh(key)
            for key in sorted(own)
            if self.count[key] > inside[key] - outside[key]
        }
        tree.generators[0].iter = gast.Constant(None, None)
        fill(tree, renaming)
        tree.generators[0].iter = first


def _occurrences(tree: Tree) -> Counter[str]:
    return Counter(part.id for part in nodes(tree) if type(part) is gast.Name)


def scope_comprehensions(function: CoreFunction) -> CoreFunction:
    """Rename the variables of comprehensions that are used outside of them.

    Examples
    --------
    >>> from tapeless.source.reader import parse_function
    >>> from tapeless.source.printer import unparse
    >>> f = CoreFunction(parse_function('def f(x, v):\\n    return [v for v in x], v'))
    >>> print(unparse(scope_comprehensions(f).tree).strip())
    def f(x, v):
        return [v_1 for v_1 in x], v
    """
    scoper = _Scoper(function)
    return function.with_body([scoper.visit(statement) for statement in function.tree.body])
