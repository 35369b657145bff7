"""What is taken from a module that a name or a slot stands for is taken from the module itself.

    xp = np; y = xp.sin(x)     ->   xp = np; y = np.sin(x)
    y = self.lib.norm(x)       ->   y = linalg.norm(x)

So it is known which function is called, however its module is handed on.
"""

from __future__ import annotations

import copy
import types
from typing import Any

import gast

from tapeless.cache import places_of_attributes, watch
from tapeless.specialize.known_names import module_of
from tapeless.specialize.state import Specializer
from tapeless.tree.build import name, unshared
from tapeless.tree.classes import COMPOUND
from tapeless.tree.names import nodes
from tapeless.tree.transform import Transformer
from tapeless.tree.trees import Expr, Stmt


def modules_named(specializer: Specializer, s: Stmt) -> list[Any] | None:
    """Name the modules of which a statement takes something; None where it does not, or names them.

    What slots hold is not known before all else is written out, nor is a name that came out of one.
    """
    fields = _own_fields(s)
    parts = (part for field in fields for part in nodes(getattr(s, field)))
    if not any(_module_asked(specializer, part) for part in parts):
        return None
    if not specializer.reads_slots:
        specializer.awaits_slots = True
        return None
    changed = copy.copy(s)
    for field in fields:
        setattr(changed, field, _Naming(specializer).visit(unshared(getattr(s, field))))
    places = places_of_attributes(specializer.function, changed)
    specializer.interpreter.program.watched += map(watch, places)
    return [changed]


def _own_fields(s: Stmt) -> list[str]:
    """List the fields of a statement that are evaluated when control comes to it, and once only."""
    fields = {gast.If: ["test"], gast.For: ["iter"], gast.FunctionDef: []}
    if type(s) in COMPOUND or type(s) is gast.FunctionDef:
        return fields.get(type(s), [])
    return [field for field in ("value", "test", "exc") if getattr(s, field, None) is not None]


def _module_asked(specializer: Specializer, tree: Expr) -> types.ModuleType | None:
    """Return the module of which something is taken, if a name of the function's own stands for it."""
    owner = tree.value if type(tree) is gast.Attribute else None
    root: Any = owner
    while type(root) is gast.Attribute:
        root = root.value
    if type(root) is not gast.Name or root.id not in specializer.function.local:
        return None
    return module_of(specializer.kind(owner))


class _Naming(Transformer):
    """Writes an external name for what is known to be a module."""

    def __init__(self, specializer: Specializer) -> None:
        self.specializer = specializer

    def visit_Attribute(self, tree: Expr) -> Any:
        module = _module_asked(self.specializer, tree)
        if module is None:
            return self.generic_visit(tree)
        tree.value = name(self.specializer.external(module))
        return tree
