"""Branches, mirrored.

A branch is reversed by the same branch, decided by the same test where its operands are still what they
were, by where the trip ended where one of its ways always jumps, by a kept answer elsewhere. The reverse
sweep never comes to a way that ends in an exception: it is left as it is, and the other way needs no test.
"""

from __future__ import annotations

from typing import Any

import gast

from tapeless.differentiate.custom.marks import unmarked
from tapeless.differentiate.reverse.conditions import can_be_redone
from tapeless.differentiate.reverse.jumps import test_by_end
from tapeless.differentiate.reverse.mirrored import Branch, Mirrored, MirroredWith, Step, is_idle
from tapeless.differentiate.reverse.state import Sweep
from tapeless.kinds import Inert, Integer, Real
from tapeless.tree.build import assign, const, name, quote_expression
from tapeless.tree.endings import raises
from tapeless.tree.names import binds, binds_in_block, nodes, reads
from tapeless.tree.trees import Stmt
from tapeless.tree.truths import is_truth


def mirror_branch(sweep: Sweep, s: Stmt) -> list[Mirrored]:
    """Reverse an `if`."""
    outer = sweep.out
    settled, start = settle_small(sweep, [s]), sweep.adjoints.snapshot()
    sweep.out = []
    bound = set(sweep.bound)
    ways: list[list[Mirrored]] = []
    states = []
    for block in (s.body, s.orelse):
        sweep.adjoints.restore(start)
        sweep.bound = set()
        ways.append(branch_of(sweep, block))
        states.append(sweep.adjoints.taken_before(sweep.adjoints.snapshot(), s))
    yes, no = states
    left = [raises(s.body), raises(s.orelse)]
    if left == [True, False]:
        yes = no
    elif left == [False, True]:
        no = yes
    ends = sweep.adjoints.merge_branches(yes, no, sweep.bound_before(s))
    sweep.bound = bound - binds_in_block([s])
    sweep.out = outer
    made = Branch(s, s.test, None, ways[0], ways[1], settled, ends)
    if any(left):
        made.reverse_test = const(left[1])
        return [made]
    if is_idle(made):
        made.reverse_test = s.test
        return [made]
    test = test_by_end(sweep, s)
    if test is not None:
        made.reverse_test = test
        return [made]
    if can_be_redone(sweep, s, s.test):
        made.reverse_test = s.test
        return [made]
    kept = sweep.names.fresh("c")
    made.test = name(kept)
    made.reverse_test = name(kept)
    return [Step(s, [assign(kept, _truth_of(sweep, s))]), made]


def _truth_of(sweep: Sweep, s: Stmt) -> Any:
    """Write the test of a branch so that its answer can be kept: what it is asked of may change."""
    kind = sweep.operand_kind(s, s.test)
    is_bool = isinstance(kind, Inert) and kind.what == "bool"
    if is_bool or isinstance(kind, (Real, Integer)) or is_truth(s.test):
        return s.test
    return quote_expression("bool(c)", c=s.test)


def branch_of(sweep: Sweep, statements: list[Stmt]) -> list[Mirrored]:
    """Write both sweeps of a branch; one that control never comes to, or that only raises, is as it was."""
    if statements and statements[0] not in sweep.known.before:
        return [Step(s, [s]) for s in statements]
    if raises(statements):
        return [Step(s, [unmarked(sweep, s)]) for s in statements]
    return list(sweep.block(statements))


def settle_small(sweep: Sweep, statements: list[Stmt]) -> list[Any]:
    """Before a branch, bring to full shape the small adjoints that it touches."""
    outer, sweep.out = sweep.out, []
    touched = set().union(*(set(reads(s)) | binds(s) for s in statements))
    calls = [sweep.known.callees.get(part) for s in statements for part in nodes(s)]
    passed = [arg for c in calls if c is not None for arg in c.arguments]  # captured names, too
    touched |= {key for arg in passed if isinstance(arg, gast.AST) for key in reads(arg)}
    for key in list(touched):
        while key in sweep.shadows.paths:
            key = next(iter(reads(sweep.shadows.paths[key])))
            touched.add(key)
    for bar in sorted(sweep.adjoints.small):
        primal, _ = sweep.adjoints.primals[bar]
        if primal in touched:
            sweep.adjoints.materialize(bar)
    made, sweep.out = sweep.out, outer
    return made


def mirror_with(sweep: Sweep, s: Stmt) -> list[Mirrored]:
    """Reverse a `with` block: inside the same context where that says how to compute."""
    calls = [item.context_expr for item in s.items if type(item.context_expr) is gast.Call]
    found = [sweep.function.resolve(called.func) for called in calls]
    known = [(getattr(f, "__module__", ""), getattr(f, "__name__", "")) for f in found]
    again = len(found) == len(s.items) and all(k in _SILENCING for k in known)
    return [MirroredWith(s, sweep.block(s.body), again)]


_SILENCING = {("numpy", "errstate"), ("warnings", "catch_warnings"), ("contextlib", "nullcontext")}
