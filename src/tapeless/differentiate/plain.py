"""Calls that are held fixed while a derivative is made: the function itself is written into the module.

The slope of an equation at its root is the text of a derivative, which depends on what varies, and has
itself no derivative before the next order. So neither its reverse sweep nor its tangent is written.
"""

from __future__ import annotations

import builtins
import copy
from keyword import iskeyword
from typing import Any

import gast

from tapeless.analysis.facts import Callee, call_key
from tapeless.analysis.interpret.binding import Default
from tapeless.analysis.interpret.changes_by_customs import changed_by
from tapeless.differentiate.writer import Writer
from tapeless.normalize.generators_as_lists import with_yields
from tapeless.origins import is_generated
from tapeless.rules.declare import find_written
from tapeless.tree.blocks import all_blocks
from tapeless.tree.build import assign, const, is_literal, name, quote_expression
from tapeless.tree.function import make_function
from tapeless.tree.names import Names, nodes
from tapeless.tree.trees import Expr, Stmt


def is_held_fixed(writer: Writer, key: str, callee: Callee) -> bool:
    """Whether what a call gives is read once, by what holds it fixed while this derivative is made."""
    return key in writer.held_fixed and not changed_by(callee)


def plain_call(writer: Writer, callee: Callee) -> Any:
    """Write the call of a function as it is, which is taken into the module."""
    passed = [argument(writer, arg, callee, i) for i, arg in enumerate(callee.arguments)]
    return gast.Call(name(_plain(writer, callee)), passed, [])


def left_plain(writer: Writer, s: Stmt, key: str | None, callee: Callee) -> list[Any] | None:
    """Write a call that needs no derivative; None to leave it as it stands.

    A local function becomes one of the module, and so does one that the tool wrote, and an `__iter__`, which
    was written to give the items: its author's may give an iterator, which nothing visits twice; and what
    makes a deque, for which a class in Python stands. Another class is called.
    """
    if made_class(writer, s) is not None:
        return _made_plainly(writer, s, key, callee) if callee.facts.makes_stand_ins else None
    definition, primal = callee.function.definition, callee.function.primal
    written = is_generated(getattr(getattr(primal, "__code__", None), "co_filename", None))
    written |= callee.function.gives_items or callee.facts.makes_stand_ins
    if not written and (definition is None or definition.decorator_list):
        return None
    called = plain_call(writer, callee)
    return [gast.Expr(called) if key is None else assign(key, called)]


def _made_plainly(writer: Writer, s: Stmt, key: str | None, callee: Callee) -> list[Any]:
    """Make an object in two steps, for its constructor is taken into the module."""
    made = writer.names.fresh("made") if key is None else key
    call = plain_call(writer, callee)
    call.args[0] = name(made)
    return [assign(made, quote_expression("c.__new__(c)", c=s.value.func)), gast.Expr(call)]


def made_class(writer: Writer, s: Stmt) -> type | None:
    """Return the class that a statement calls; None for anything else."""
    found = writer.call(s).found if type(s.value) is gast.Call else None
    made = isinstance(found, type) and find_written(found) is None
    return found if made else None


def argument(writer: Writer, arg: Expr, callee: Callee, position: int) -> Any:
    """Write an argument of the call of a callee."""
    if isinstance(arg, list):
        return gast.Tuple(list(arg), gast.Load())
    if isinstance(arg, dict):
        return gast.Dict([const(k) for k in arg], list(arg.values()))
    if isinstance(arg, Default):
        if is_literal(arg.value):
            return const(arg.value)
        wish = callee.function.parameters[position]
        return name(writer.splicer.external(arg.value, wish))
    return const(None) if arg is None else arg


def _plain(writer: Writer, callee: Callee) -> str:
    """Take a function into the module as it is; return its name there."""
    module, function = writer.module, callee.function
    key = call_key(function, callee.values, callee.heap), callee.stays_generator
    if key not in module.plain:
        module.names.taken |= function.names() | module.externals.keys()
        wish = function.name.strip("_")
        wish = "function" if iskeyword(wish) or not wish else wish  # a lambda has no name
        wish = f"plain_{wish}" if hasattr(builtins, wish) else wish
        module.plain[key] = label = module.names.fresh(wish)
        names = Names(function.names() | module.names.taken)
        inner = Writer(function, callee.facts, module, names, {})
        body = copy.deepcopy(function.tree.body)
        pairs = zip(_statements(function.tree.body), _statements(body), strict=True)
        steps: dict[Any, list[Any]] = {}
        for original, copied in pairs:
            called = callee.facts.callees.get(original)
            if called is not None and type(getattr(copied, "value", None)) is gast.Call:
                if made_class(inner, original) is None:
                    copied.value = plain_call(inner, called)
                elif called.facts.makes_stand_ins:
                    steps[copied] = _made_plainly(inner, original, _bound_by(copied), called)
        body = _with_steps(body, steps) if steps else body
        body = with_yields(body) if callee.stays_generator else body
        made = make_function(label, function.parameters, body, function)
        module.add_text(made, inner.function.externals, function.filename)
        module.known[label] = frozenset(function.own_names), {}, function.returning
    return str(module.plain[key])


def _with_steps(body: list[Any], steps: dict[Any, list[Any]]) -> list[Any]:
    """Put several statements in the place of some."""
    for block in all_blocks(body):
        block[:] = [part for s in block for part in steps.get(s, [s])]
    return body


def _bound_by(s: Stmt) -> str | None:
    """Return the name that a statement binds to the value of a call."""
    return str(s.targets[0].id) if isinstance(s, gast.Assign) else None


def _statements(body: list[Any]) -> list[Any]:
    return [part for s in body for part in nodes(s) if isinstance(part, gast.stmt)]
