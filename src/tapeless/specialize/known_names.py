"""Attributes whose names are known are looked up by the name that stands for the arguments at hand.

    f = getattr(np, name)                   ->   f = getattr(np, "tanh")
    setattr(self, f"w{i}", v)               ->   setattr(self, "w0", v)
    known = hasattr(losses, kind)           ->   known = True

What is written then serves only calls in which the same name stands there: the program notes it. A name
that a dict or an object holds is looked at last: until all else is written out it is not known what is
stored into these.
"""

from __future__ import annotations

import copy
import types
from typing import Any

import gast

from tapeless.analysis.interpret.attribute_calls import SETTERS
from tapeless.cache import watch
from tapeless.details import Text
from tapeless.externals import attribute_place, is_one_of
from tapeless.kinds import Inert, Kind
from tapeless.runtime import own_attribute
from tapeless.specialize.state import Specializer
from tapeless.texts import text_of
from tapeless.tree.build import assign, const
from tapeless.tree.trees import Expr, Stmt

_BY_NAME = (getattr, hasattr, delattr, object.__delattr__, own_attribute, *SETTERS)
_METHODS = ("__setattr__", "__delattr__", "__getattribute__")


def with_name_written(
    specializer: Specializer, tree: Expr, found: Any, to: str | None
) -> list[Stmt] | None:
    """Write the name of an attribute as a literal in a call that looks it up; None where it is one."""
    place = 1 if is_one_of(found, _BY_NAME) else 0
    by_method = getattr(tree.func, "attr", "") in _METHODS
    if place == 0 and not by_method or len(tree.args) <= place or tree.keywords:
        return None
    label = written_out(specializer, tree.args[place])
    if label is None:
        return None
    args = [*tree.args[:place], label, *tree.args[place + 1 :]]
    made = gast.Call(tree.func, args, [])
    return [gast.Expr(made) if to is None else assign(to, made)]


def written_out(specializer: Specializer, tree: Expr) -> Any:
    """Return the literal that a text stands for; None where it is one, or is not known."""
    text = None if type(tree) is gast.Constant else text_of(specializer.value(tree).kind)
    if text is None or not may_use(specializer, text):
        return None
    specializer.interpreter.program.rest_on(text)
    return const(text.value)


def may_use(specializer: Specializer, text: Text) -> bool:
    """Whether what is written may rest on what a text says, and it is known that nothing changes it."""
    if text.places and not specializer.interpreter.program.rests_on_texts:
        return False
    if text.held and not specializer.reads_slots:
        specializer.awaits_slots = True
        return False
    return True


def of_module(
    specializer: Specializer, tree: Expr, found: Any, to: str | None
) -> list[Stmt] | None:
    """Write `getattr` with a default, and `hasattr`, of a module: what is in it now is there."""
    module = module_of(specializer.kind(tree.args[0]))
    label = getattr(tree.args[1], "value", None) if len(tree.args) > 1 else None
    asks = found is hasattr and len(tree.args) == 2
    if module is None or to is None or not isinstance(label, str):
        return None
    if not asks and not (found is getattr and len(tree.args) == 3):
        return None
    present = _is_there(specializer, module, label)
    if asks:
        return [assign(to, const(present))]
    if not present:
        return [assign(to, tree.args[2])]
    return [assign(to, gast.Call(tree.func, tree.args[:2], []))]


def tested_by_name(specializer: Specializer, s: Stmt) -> list[Stmt] | None:
    """Write a test of what is in a module, such as `if not hasattr(np, name)`, as what it says."""
    tests = _Tests(specializer)
    test = tests.visit(copy.deepcopy(s.test))
    return [gast.If(test, s.body, s.orelse)] if tests.found else None


class _Tests(gast.NodeTransformer):
    """Writes what modules hold into a test."""

    def __init__(self, specializer: Specializer) -> None:
        self.specializer = specializer
        self.found = False

    def visit_Call(self, tree: Expr) -> Any:
        """Write `hasattr` of a module as True or False."""
        specializer = self.specializer
        asks = specializer.function.resolve(tree.func) is hasattr and len(tree.args) == 2
        module = module_of(specializer.kind(tree.args[0])) if asks else None
        if module is None:
            return tree
        label = written_out(specializer, tree.args[1]) or tree.args[1]
        if not isinstance(getattr(label, "value", None), str):
            return tree
        self.found = True
        return const(_is_there(specializer, module, label.value))


def _is_there(specializer: Specializer, module: types.ModuleType, label: str) -> bool:
    """Whether a module has an attribute; what is written serves as long as that is as it is."""
    specializer.interpreter.program.watched.append(watch(attribute_place(module, label)))
    return hasattr(module, label)


def module_of(kind: Kind) -> types.ModuleType | None:
    """Return the module that a value is known to be."""
    of_module = isinstance(kind, Inert) and isinstance(kind.value, types.ModuleType)
    return kind.value if of_module else None  # type: ignore[attr-defined]
