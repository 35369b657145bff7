"""Which calls have no effect but their value.

A call is pure if it may be left out, or made elsewhere while its operands are the same. What the rules
declare of a function decides (`rules/traits.py`); what is not known is taken to do anything.
"""

from __future__ import annotations

import types
from typing import Any

import gast
import numpy as np

from tapeless.externals import MISSING, is_one_of, is_runtime, package_of
from tapeless.kinds import Instance
from tapeless.optimize.context import Context
from tapeless.rules.declare import find_rule
from tapeless.rules.traits import ADDING_AT, traits_of, traits_of_method
from tapeless.tree.classes import FUNCTIONS, YIELDS
from tapeless.tree.names import nodes
from tapeless.tree.trees import Expr, Tree


def is_module_function(found: Any) -> bool:
    """Whether an object is a function of NumPy, SciPy, math or operator without effects."""
    if isinstance(found, np.ufunc):
        return True
    owner = getattr(found, "__self__", None)
    if owner is not None and not isinstance(owner, types.ModuleType):
        return False
    module = str(getattr(found, "__module__", None) or "")
    name = str(getattr(found, "__name__", ""))
    if module.startswith("numpy.random"):
        return False
    if module in ("math", "_operator", "operator", "cmath"):
        return module != "_operator" or not name.startswith(("i", "set", "del"))
    if package_of(found) not in ("numpy", "scipy"):
        return False
    return find_rule(found) is not None or isinstance(found, type)


def is_pure_method(label: str) -> bool:
    """Whether a method changes nothing, if the owner is an array or a container."""
    array_method = getattr(np.ndarray, label, None)
    known = traits_of_method(label).pure
    return find_rule(array_method) is not None if known is None else known


class Purity:
    """What the calls in a function do, as far as the context tells.

    Attributes
    ----------
    context
        What is known of the names of the function.
    kind
        Gives what is known of a name.
    """

    def __init__(self, context: Context) -> None:
        self.context = context
        self.kind = context.kind_of

    def is_pure(self, tree: Tree) -> bool:
        """Whether evaluating an expression has no effect but its value."""
        for part in nodes(tree):
            if type(part) is gast.Call and not self.is_pure_call(part):
                return False
            if type(part) in FUNCTIONS or type(part) in YIELDS:
                return False
        return True

    def is_pure_call(self, call: Expr) -> bool:
        """Whether a call has no effect but its value, given that its arguments have none."""
        if any(k.arg in ("out", "key", None) for k in call.keywords):
            return False  # a key is a function of the user's, which may do anything
        if self.is_read_only(call):
            return True
        found = self.context.resolve(call.func)
        if found is MISSING:
            method = call.func
            if type(method) is not gast.Attribute or not is_pure_method(method.attr):
                return False
            base = method.value
            return not (type(base) is gast.Name and isinstance(self.kind(base.id), Instance))
        known = traits_of(found).pure
        if known is not None:
            return known
        module = str(getattr(found, "__module__", None) or "")
        of_rules = module.startswith(("tapeless.rules.", "tapeless.solvers."))
        return of_rules or is_runtime(found) or is_module_function(found)

    def is_added_at(self, call: Expr) -> bool:
        """Whether a call adds to items of its first argument, and does nothing else."""
        return is_one_of(self.context.resolve(call.func), ADDING_AT) and len(call.args) == 3

    def only_reads(self, call: Expr) -> bool:
        """Whether what a call is given need not be its own: it computes something new of it."""
        if len(call.args) == 1 and not call.keywords:
            if isinstance(self.context.resolve(call.func), np.ufunc):
                return True
        return self.is_read_only(call)

    def is_read_only(self, call: Expr) -> bool:
        """Whether a call is one of a function of the module that writes to nothing."""
        return type(call.func) is gast.Name and call.func.id in self.context.reads_only
