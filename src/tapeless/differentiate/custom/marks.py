"""Marks: the value of a custom gradient keeps its rule for the orders that come after.

A derivative that is differentiated again shows the forward body of a custom gradient as plain statements.
`unit(value, f, x)` gives the value, and stands for the call of `f`: its derivative is the rule's at every
order.
"""

from __future__ import annotations

import copy
from typing import Any

import gast

from tapeless.differentiate.writer import Writer
from tapeless.runtime import unit
from tapeless.tree.build import assign, name
from tapeless.tree.trees import Expr, Stmt


def marked(sweep: Writer, s: Stmt, statement: Stmt) -> Any:
    """Mark the value of a custom gradient with its rule, for the orders that come after."""
    unit = sweep.runtime("unit")
    call = gast.Call(
        name(unit), [statement.value, s.value.func, *s.value.args], list(s.value.keywords)
    )
    return assign(statement.targets[0].id, call)


def unmarked(sweep: Writer, s: Stmt) -> Any:
    """Return the call that a marked value stands for: its derivative is the rule's at every order."""
    if type(s) is not gast.Assign or type(s.value) is not gast.Call:
        return s
    if sweep.call(s).found is not unit:
        return s
    call = gast.Call(s.value.args[1], s.value.args[2:], s.value.keywords)
    made = assign(s.targets[0].id, call)
    sweep.known.learn_as(made, s)
    sweep.marked_values[made] = s.value.args[0]
    return made


def as_it_was(sweep: Writer, s: Stmt) -> Any:
    """Return a call that carries no derivative here; a marked one has its value already."""
    if s not in sweep.marked_values:
        return s
    return with_value(sweep, s, copy.deepcopy(sweep.marked_values[s]))


def with_value(sweep: Writer, s: Stmt, value: Expr) -> Any:
    """Bind the value that a marked call has, marked again for further orders."""
    made = assign(s.targets[0].id, value)
    return marked(sweep, s, made) if sweep.module.for_higher_order else made
