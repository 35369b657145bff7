"""Whether what a statement makes may share memory with what it is made of.

A view has no adjoint of its own: its cotangents are added to the same view of the adjoint of the array.
A copy has one, which is passed on like that of any value. For some calls NumPy decides between the two
when the program runs.
"""

from __future__ import annotations

import copy
import inspect
from collections import Counter
from typing import Any

import gast

from tapeless.analysis.abstract import any_slot
from tapeless.analysis.calls import RuleCall
from tapeless.analysis.facts import Facts
from tapeless.analysis.indexing import is_basic_index
from tapeless.differentiate.writer import Writer
from tapeless.externals import is_one_of
from tapeless.kinds import (
    Array,
    Dict,
    Kind,
    List,
    Number,
    is_container,
    regions_of,
    regions_within,
)
from tapeless.rules.traits import traits_of_callee
from tapeless.sorts import TABLES
from tapeless.tree.names import reads
from tapeless.tree.trees import Stmt, Tree


def aliases_operand(sweep: Writer, s: Stmt) -> bool:
    """Whether the result of a statement may share memory with an operand."""
    return _can_alias(sweep, s, s.value) and bool(aliased_operands(sweep, s))


def aliased_operands(sweep: Writer, s: Stmt) -> list[str]:
    """List the operands that the result of a statement may share memory with."""
    made = regions_within(sweep.result(s).kind)
    found = []
    for key in reads(s.value):
        kind = sweep.value(s, key).kind
        inside = _held(sweep.facts, kind) if is_container(kind) else frozenset()
        if made & (regions_within(kind) | inside):
            found.append(key)
    return found


def _can_alias(sweep: Writer, s: Stmt, tree: Tree) -> bool:
    """Whether an expression of this form can give something that exists already."""
    if _copies_container(sweep, s, tree):
        return False
    if type(tree) is gast.Subscript:
        owner = sweep.operand_kind(s, tree.value)
        basic = is_basic_index(tree.slice, lambda part: sweep.operand_kind(s, part))
        return not isinstance(owner, (Array, Number)) or basic
    if type(tree) is gast.Call:
        called = sweep.call(s)
        found = called.found
        if isinstance(found, type) and inspect.getattr_static(found, "__new__") is _MAKES:
            return False  # an object is made
        array_method = type(tree.func) is gast.Attribute and isinstance(
            sweep.operand_kind(s, tree.func.value), (Array, Number)
        )
        known = isinstance(called, RuleCall) or array_method
        return traits_of_callee(tree.func, found).may_be_view if known else True
    return isinstance(tree, (gast.Name, gast.Attribute, gast.IfExp, gast.BoolOp))


def _copies_container(sweep: Writer, s: Stmt, tree: Tree) -> bool:
    """Whether an expression makes a list or dict of the items of another one: `items[:]`, `dict(d)`."""
    if type(tree) is gast.Subscript:
        return type(tree.slice) is gast.Slice and isinstance(
            sweep.operand_kind(s, tree.value), List
        )
    if type(tree) is not gast.Call:
        return False
    if type(tree.func) is gast.Attribute and tree.func.attr == "copy":
        return isinstance(sweep.operand_kind(s, tree.func.value), (List, Dict))
    return is_one_of(sweep.call(s).found, _COPYING)


def may_copy(sweep: Writer, s: Stmt) -> bool:
    """Whether NumPy decides at run time between a view and a copy of the operand."""
    if type(s.value) is not gast.Call:
        return False
    return traits_of_callee(s.value.func, sweep.call(s).found).view == "sometimes"


def _held(facts: Facts, kind: Kind) -> frozenset[Any]:
    slot = any_slot(facts.heap, regions_of(kind), "held").kind
    found = set(regions_of(slot))
    for region in regions_of(kind):
        for value in facts.heap.get(region, {}).values():
            found |= regions_of(value.kind)
    return frozenset(found)


_MAKES = vars(object)["__new__"]
_COPYING = (
    list,
    dict,
    sorted,
    copy.copy,
    copy.deepcopy,
    Counter,
    *TABLES,
)  # what they make is another thing always
