"""What is taken from a module that a name or a slot stands for is taken from the module itself.

    xp = np; y = xp.sin(x)     ->   xp = np; y = np.sin(x)
    y = self.lib.norm(x)       ->   y = linalg.norm(x)

So it is known which function is called, however its module is handed on.
"""

from __future__ import annotations

import copy
from typing import Any

import gast

from tapeless.cache import places_of_attributes, watch
from tapeless.specialize.known_names import module_of
from tapeless.specialize.state import Specializer
from tapeless.tree.build import name, unshared
from tapeless.tree.classes import COMPOUND
from tapeless.tree.transform import Transformer
from tapeless.tree.trees import Expr, Stmt


def modules_named(specializer: Specializer, s: Stmt) -> list[Any] | None:
    """Name the modules of which a statement takes something; None where it does not, or names them.

    What slots hold is not known before all else is written out, nor is a name that came out of one.
    """
    naming = _Naming(specializer)
    changed = copy.copy(s)
    for field in _own_fields(s):
        setattr(changed, field, naming.visit(unshared(getattr(s, field))))
    if not naming.found:
        return None
    if not specializer.reads_slots:
        specializer.awaits_slots = True
        return None
    places = places_of_attributes(specializer.function, changed)
    specializer.interpreter.program.watched += map(watch, places)
    return [changed]


def _own_fields(s: Stmt) -> list[str]:
    """List the fields of a statement that are evaluated when control comes to it, and once only."""
    fields = {gast.If: ["test"], gast.For: ["iter"], gast.FunctionDef: []}
    if type(s) in COMPOUND or type(s) is gast.FunctionDef:
        return fields.get(type(s), [])
    return [field for field in ("value", "test", "exc") if getattr(s, field, None) is not None]


class _Naming(Transformer):
    """Writes an external name for what is known to be a module."""

    def __init__(self, specializer: Specializer) -> None:
        self.specializer = specializer
        self.found = False

    def visit_Attribute(self, tree: Expr) -> Any:
        owner: Any = tree.value
        if type(owner) not in (gast.Name, gast.Attribute):
            return self.generic_visit(tree)
        if self._is_local(owner):
            module = module_of(self.specializer.kind(owner))
            if module is not None:
                self.found = True
                tree.value = name(self.specializer.external(module))
                return tree
        return self.generic_visit(tree)

    def _is_local(self, tree: Expr) -> bool:
        """Whether a dotted name begins with one that the function binds."""
        while type(tree) is gast.Attribute:
            tree = tree.value
        return type(tree) is gast.Name and tree.id in self.specializer.function.local
