"""What a pullback reads of the world outside the function.

Between the two sweeps of a pullback that a user is given anything may happen: a global is bound anew, a
Variable is assigned, an array is stored into. So its reverse sweeps name nothing outside but functions,
classes and modules: all else is handed over with what is saved, and the function that makes the
pullback takes a copy of it.

    def f_fwd(x):                              def f_rev(saved, y_bar):
        return np.sum(x * scale), scale            scale = saved
                                                   ...
"""

from __future__ import annotations

import copy
import types
from typing import Any

import gast
import numpy as np

from tapeless.analysis.facts import Facts, facts_within
from tapeless.analysis.interpret.changes_by_customs import changed_place
from tapeless.differentiate.outside import paths_to
from tapeless.differentiate.reverse.state import Sweep
from tapeless.externals import MISSING, External, attribute_place, package_of, place_key, resolve
from tapeless.journal import Journal
from tapeless.regions import attributes_of, holds_attributes
from tapeless.runtime.adjoints import is_code
from tapeless.set_in_texts import is_set_in_text
from tapeless.sorts import is_plain_object
from tapeless.tree.build import assign, name
from tapeless.tree.classes import OF_AN_OWNER
from tapeless.tree.names import binds_in_block, nodes, reads
from tapeless.tree.transform import Transformer
from tapeless.tree.trees import Tree


def with_outside_handed_over(
    sweep: Sweep, reverse: list[Any]
) -> tuple[list[Any], list[Any], set[str]]:
    """Let a reverse sweep find what is outside by names that are handed over to it.

    Returns
    -------
    The reverse sweep; what binds such names at the start of the forward sweep; the names.
    """
    externals = sweep.function.externals
    naming = _Naming(sweep, binds_in_block(reverse))
    # tests stand in both sweeps, and in those of the same function for other arguments
    body = naming.visit(copy.deepcopy(gast.Module(reverse, []))).body
    plain = set(reads(gast.Module(body, []))) & set(externals) - naming.local
    named = set(reads(sweep.function.tree)) | {k for k in plain if externals[k].owner is None}
    named |= {
        key for region in sweep.undone for path, _ in paths_to(sweep, region) for key in reads(path)
    }
    told = _may_be_told(sweep, body) - named  # what a spliced `grad` changes, or may change
    handed = {key for key in plain - told if is_handed_over(sweep, externals[key])}
    sweep.module.handed |= {place_key(externals[key]) for key in handed}
    start = [assign(key, tree) for tree, key in naming.found.values()]
    return body, start, handed | {key for _, key in naming.found.values()}


def _may_be_told(sweep: Sweep, body: list[Any]) -> set[str]:
    """List the names of what statements store into, or give to functions and methods of the user's."""
    found: set[str] = set()
    for part in (part for s in body for part in nodes(s)):
        changed = changed_place(part, lambda tree: MISSING)
        if changed is not None:
            found.add(_root_of(changed[0]))
        elif type(part) is gast.Call:
            called = sweep.function.resolve(part.func)
            if called is MISSING and type(part.func) is gast.Attribute:
                found.add(_root_of(part.func.value))
            elif called is MISSING or not _is_of_a_library(called):
                found |= {_root_of(a) for a in (*part.args, *(k.value for k in part.keywords))}
    return found


def _root_of(tree: Tree) -> str:
    """Return the name that an attribute or item of something starts with."""
    while type(tree) in OF_AN_OWNER:
        tree = tree.value
    return str(getattr(tree, "id", ""))


def reads_data(facts: Facts) -> bool:
    """Whether a function, or what it calls, reads something outside that may be another one later."""
    if any(map(holds_attributes, facts.outside)):
        return True
    for each in facts_within(facts):
        function = each.function
        inside = (body.callee.facts if body.callee else None for body in each.custom_calls.values())
        if any(body is None or reads_data(body) for body in inside):
            return True
        for part in nodes(function.tree):
            if type(part) is gast.Name and part.id not in function.local:
                external = function.externals.get(part.id)
                if external is not None and is_data(external):
                    return True
            elif type(part) is gast.Attribute:
                value, owner = function.resolve(part), function.resolve(part.value)
                if value is not MISSING and not _stays(value) and not _is_of_a_library(owner):
                    return True
    return False


def is_handed_over(sweep: Sweep, external: External) -> bool:
    """Whether a pullback reads what a name stands for as it was: data, or what holds some that varies."""
    return is_data(external) or holds_what_varies(sweep, external.value)


def holds_what_varies(sweep: Sweep, thing: Any) -> bool:
    """Whether something is a class or module, and texts store what varies into its attributes."""
    holder = isinstance(thing, (type, types.ModuleType))
    return holder and attributes_of(thing) in sweep.module.holders


def is_data(external: External) -> bool:
    """Whether a name stands for something that may be another one later, or hold something else."""
    value = external.value
    if isinstance(value, Journal):
        return False  # it watches both sweeps
    if external.owner is not None:
        return not _stays(value)
    return isinstance(value, (np.ndarray, list, dict)) or is_plain_object(value)


def _stays(value: Any) -> bool:
    return value is MISSING or is_code(value)


class _Naming(Transformer):
    """Gives a name to each thing that is found as an attribute of a module or class."""

    def __init__(self, sweep: Sweep, local: set[str]) -> None:
        self.sweep = sweep
        self.local = local
        self.found: dict[str, tuple[Any, str]] = {}

    def visit_Attribute(self, tree: Tree) -> Any:
        owner = resolve(tree.value, self.sweep.function.externals, self.local)
        value = resolve(tree, self.sweep.function.externals, self.local)
        if is_set_in_text(owner, tree.attr):  # it is what it was when the forward sweep began
            value = getattr(owner, tree.attr)
        followed = holds_what_varies(self.sweep, owner)
        if value is MISSING or _stays(value) or _is_of_a_library(owner) or followed:
            return self.generic_visit(tree)
        text = gast.dump(tree)
        if text not in self.found:
            self.found[text] = tree, self.sweep.names.fresh(tree.attr)
            self.sweep.module.handed.add(place_key(attribute_place(owner, tree.attr)))
        return name(self.found[text][1])


def _is_of_a_library(owner: Any) -> bool:
    """Whether something is found in a module such as `np`, whose constants stay what they are."""
    home = owner if isinstance(owner, types.ModuleType) else type(owner)
    return package_of(home) in ("numpy", "math", "cmath", "scipy", "tapeless")
