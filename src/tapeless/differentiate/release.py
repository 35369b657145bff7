"""What was held fixed while a derivative was made is the thing itself in its text.

x = brentq_held(f, a, b)       ->   x = brentq(f, a, b)
slope = held(f_grad(x))        ->   slope = f_grad(x)
"""

from __future__ import annotations

from typing import Any

import gast

from tapeless.externals import Externals, constant
from tapeless.rules.declare import released
from tapeless.runtime import unchanged
from tapeless.tree.build import fill
from tapeless.tree.names import all_names
from tapeless.tree.transform import Transformer
from tapeless.tree.trees import Tree


def release(function: Any, externals: Externals) -> Externals:
    """Name the functions themselves in a function, in place; return what its names stand for."""
    found = {k: released(e.value) for k, e in externals.items()}
    held = {k: v for k, v in found.items() if v is not externals[k].value}
    if not held:
        return externals
    _Bare({k for k, v in held.items() if v is unchanged}).visit(function)
    taken = set(all_names(function))
    kept = {k: e for k, e in externals.items() if k not in held}
    renaming: dict[str, str] = {}
    for key, value in held.items():
        label = str(value.__name__)
        renaming[key] = key if label in taken else label
        kept[renaming[key]] = constant(value, label)
    fill(function, renaming)
    return kept


class _Bare(Transformer):
    """Writes `held(x)` as `x`."""

    def __init__(self, names: set[str]) -> None:
        self.names = names

    def visit_Call(self, tree: Tree) -> Any:
        """Leave out the call."""
        tree = self.generic_visit(tree)
        bare = type(tree.func) is gast.Name and tree.func.id in self.names
        return tree.args[0] if bare else tree
