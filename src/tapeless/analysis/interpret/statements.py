"""Statements: what the names may be after each.

Where two ways meet, a name may be what it is on either. A loop is run until its head no longer
changes. A way that ends (`return`, `break`, `raise`) leaves nothing to go on with: None. A handler takes
over from before any statement of the body.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Set
from dataclasses import replace
from itertools import compress
from operator import is_not
from typing import Any

import gast
import numpy as np

from tapeless.analysis.abstract import NOTHING, Value, any_slot, join_values, taken_out
from tapeless.analysis.facts import MOST_ROUNDS, Environment
from tapeless.analysis.interpret.attributes import store_attribute
from tapeless.analysis.interpret.call_sites import Argument, CallSite
from tapeless.analysis.interpret.closures import sealed
from tapeless.analysis.interpret.containers import container_method, store_item
from tapeless.analysis.interpret.expressions import operate
from tapeless.analysis.interpret.folding import truth_of
from tapeless.analysis.interpret.items import item_of
from tapeless.analysis.interpret.iteration import Item, iterated, never_comes, together
from tapeless.analysis.interpret.known_calls import call_object
from tapeless.analysis.interpret.narrowing import narrowed
from tapeless.analysis.interpret.sparse import refuse_held_twice
from tapeless.analysis.interpret.special_calls import operator_call
from tapeless.analysis.interpret.state import Interpreter
from tapeless.analysis.interpret.variables import (
    as_value,
    is_mixture,
    refuse_hidden_variables,
    refuse_mixture,
)
from tapeless.custom import is_local_custom
from tapeless.externals import MISSING
from tapeless.joins import as_array, join
from tapeless.kinds import (
    SOMETHING,
    UNKNOWN,
    Array,
    Dict,
    Function,
    Integer,
    List,
    Number,
    Sparse,
    is_number,
    regions_of,
)
from tapeless.sizes_apart import carried, symbols
from tapeless.tree.classes import RAISING, Plainly
from tapeless.tree.endings import blocks_of
from tapeless.tree.names import binds, binds_in_block, children, reads
from tapeless.tree.trees import Expr, Stmt, Tree
from tapeless.variables import is_variable


def _assign(interpreter: Interpreter, tree: Tree, env: Environment) -> Environment:
    value = interpreter.eval(tree.value, env)
    if tree in interpreter.function.cancelling:
        value = Value(value.kind)
    if tree in interpreter.function.settled and isinstance(value.kind, Array):
        apart = replace(value.kind, regions=interpreter.fresh(tree))
        value = Value(apart, interpreter.is_varied(value))
    if type(tree.targets[0]) is gast.Name and tree.targets[0].id in interpreter.by_value:
        value = as_value(interpreter, value) if is_variable(value.kind) else value
    if interpreter.program.wrt_variables:
        refuse_hidden_variables(interpreter, tree, value.kind, env)
    if isinstance(tree.value, (gast.Compare, gast.JoinedStr, gast.BoolOp)):
        interpreter.callees.pop(
            tree, None
        )  # a property that it asks on its way: no call stands here
    interpreter.results[tree] = value
    bind(interpreter, tree.targets[0], value, env)
    return env


def _assign_updated(interpreter: Interpreter, tree: Tree, env: Environment) -> Environment:
    place = tree.target
    read = gast.Name(place.id, gast.Load(), None, None) if type(place) is gast.Name else None
    if read is None:
        kind = type(place)
        last = place.slice if kind is gast.Subscript else place.attr
        read = kind(place.value, last, gast.Load())
    interpreter.points.setdefault(read, interpreter.points[tree])
    old = interpreter.eval(read, env)
    old = Value(as_array(old.kind), old.varied)
    if is_variable(old.kind):
        fix = "use assign_add, or take its `.value` first"
        interpreter.refuse(tree, "a Variable is not written to in place", fix)
    operand = as_value(interpreter, interpreter.eval(tree.value, env))
    operator, changing = type(tree.op).__name__, Argument(tree.value, operand)
    site = CallSite(tree, (Argument(read, old), changing), env=env)
    called = operator_call(interpreter, operator, site, in_place=True)
    new = called or operate(interpreter, operator, old, operand, tree)
    interpreter.results[tree] = new
    if isinstance(old.kind, Sparse) and operator in ("Mult", "Div"):
        refuse_held_twice(interpreter, place, old.kind, env)
    if isinstance(old.kind, Dict):
        container_method(interpreter, old, "update", CallSite(tree, (changing,), env=env))
        bind(interpreter, place, Value(old.kind, old.varied or operand.varied), env)
        return env
    if old.kind == UNKNOWN:  # it may be the same thing afterwards, whoever has it
        new = Value(old.kind, old.varied or operand.varied)
    if isinstance(old.kind, (Array, Number, List)):
        interpreter.stored |= regions_of(old.kind)
        if operand.varied:
            interpreter.varied |= regions_of(old.kind)
        if isinstance(old.kind, List):
            interpreter.put(
                old.kind.regions, "*", any_slot(interpreter.heap, regions_of(operand.kind), tree)
            )
        if isinstance(old.kind, (Array, List)):
            new = Value(old.kind, old.varied or operand.varied)
        else:
            new = Value(
                join(old.kind, new.kind, interpreter.points[tree]), old.varied or operand.varied
            )
    bind(interpreter, place, new, env)
    return env


def _evaluate(interpreter: Interpreter, tree: Tree, env: Environment) -> Environment:
    interpreter.results[tree] = interpreter.eval(tree.value, env)
    return env


def _return(interpreter: Interpreter, tree: Tree, env: Environment) -> None:
    value = interpreter.eval(tree.value, env)
    interpreter.results[tree] = value
    if is_mixture(interpreter.returned.kind, value.kind):
        refuse_mixture(interpreter, "returns")
    interpreter.returned = join_values(interpreter.returned, sealed(interpreter, value), "return")


def _raise(interpreter: Interpreter, tree: Tree, env: Environment) -> None:
    for key in [] if tree.exc is None else _handed_over(tree.exc):
        interpreter.carried |= interpreter.holds_varied(env.get(key, NOTHING))


def _handed_over(tree: Tree) -> list[str]:
    """List the names that an expression reads and does not turn into text."""
    if type(tree) is gast.JoinedStr:
        return []
    if type(tree) is gast.Name:
        return [tree.id]
    return [key for part in children(tree) for key in _handed_over(part)]


def _pass(interpreter: Interpreter, tree: Tree, env: Environment) -> Environment:
    return env


def _assert(interpreter: Interpreter, tree: Tree, env: Environment) -> Environment:
    interpreter.eval(tree.test, env)
    return env


def _define(interpreter: Interpreter, tree: Tree, env: Environment) -> Environment:
    from tapeless.normalize import local_custom, local_function
    from tapeless.normalize.structure_returns import structure_returns

    if tree.decorator_list and not is_local_custom(tree, interpreter.function.resolve):
        env[tree.name] = Value(UNKNOWN)
        return env
    made = local_custom if tree.decorator_list else local_function
    inner = made(tree, interpreter.function)
    if interpreter.program.one_exit:
        inner = structure_returns(inner)
    interpreter.program.cores.setdefault(tree, inner)
    varied = any(interpreter.is_varied(env.get(c, NOTHING)) for c in inner.captured)
    settled = interpreter.settled.intersection(inner.captured)
    interpreter.program.settled_around[tree] = settled
    function = Function(tree, inner.captured, settled=settled.issuperset(inner.captured))
    env[tree.name] = Value(function, varied)
    return env


def _run_with(interpreter: Interpreter, tree: Tree, env: Environment) -> Environment | None:
    for item in tree.items:
        called = item.context_expr
        operands = called.args if type(called) is gast.Call else [called]
        if any(interpreter.holds_varied(interpreter.eval(a, env)) for a in operands):
            reason = "what varies is handed to a manager that is not looked into"
            fix = "write a class with `__enter__` and `__exit__`, or compute it outside"
            interpreter.refuse(tree, reason, fix)
        if item.optional_vars is not None:
            for key in binds(item.optional_vars):
                env[key] = Value(SOMETHING)
    return interpreter.block(tree.body, env)


def _attempt(interpreter: Interpreter, tree: Tree, env: Environment) -> Environment | None:
    ended = [len(jumps) for loop in interpreter.loops for jumps in loop]
    interpreter.attempts.append([])
    after = interpreter.block(tree.body, dict(env))
    interrupted: Environment | None = None
    for state in interpreter.attempts.pop():
        interrupted = interpreter.merge(interrupted, state, tree)
    if after is not None:
        after = interpreter.block(tree.orelse, after)
    for handler in tree.handlers:
        state = dict(interrupted or env)
        if handler.name is not None:
            state[handler.name.id] = Value(SOMETHING)
            if interpreter.raises_varied():
                _refuse_carried(interpreter, handler.name.id, handler.body)
        handled = interpreter.block(handler.body, state)
        if handled is not None and handler.name is not None:
            handled.pop(handler.name.id, None)
        after = interpreter.merge(after, handled, tree)
    if tree.finalbody:
        after = _finally(interpreter, tree, after, interrupted, ended)
    return after


def _refuse_carried(interpreter: Interpreter, key: str, block: list[Any]) -> None:
    """Refuse to compute with an exception that may carry what varies."""
    for s in block:
        heads = [] if blocks_of(s) else [s]
        shown = type(s) in RAISING or (
            type(s) is gast.Expr
            and type(s.value) is gast.Call
            and interpreter.function.resolve(s.value.func) is not MISSING
        )
        if any(key in reads(head) for head in heads) and not shown:
            reason = f"what the exception `{key}` carries may vary, and is not followed"
            interpreter.refuse(s, reason, "hand the value over in a variable, and raise without it")
        for inner in blocks_of(s):
            _refuse_carried(interpreter, key, inner)


def _finally(
    interpreter: Interpreter, tree: Tree, after: Environment | None,
    interrupted: Environment | None, ended: list[int],
) -> Environment | None:  # fmt: skip
    """Run what follows every way out of the body: its end, a jump, an exception."""
    jumps = [jumps for loop in interpreter.loops for jumps in loop]
    jumped = [state for states, n in zip(jumps, ended, strict=True) for state in states[n:]]
    entering = after
    for state in [interrupted, *jumped]:
        entering = interpreter.merge(entering, state, tree)
    out = interpreter.block(tree.finalbody, dict(entering or {}))
    if out is None:
        for states, n in zip(jumps, ended, strict=True):
            del states[n:]
        return None
    bound = {key: out[key] for key in binds_in_block(tree.finalbody) if key in out}
    for state in jumped:
        state.update(bound)
    return None if after is None else {**after, **bound}


def _branch(interpreter: Interpreter, tree: Tree, env: Environment) -> Environment | None:
    truth = truth_of(interpreter.eval(tree.test, env).kind)
    held, failed = narrowed(interpreter, tree.test, env)
    yes = interpreter.block(tree.body, held) if truth is not False else None
    no = interpreter.block(tree.orelse, failed) if truth is not True else None
    return interpreter.merge(yes, no, tree)


def _break(interpreter: Interpreter, tree: Tree, env: Environment) -> None:
    interpreter.loops[-1][0].append(env)


def _continue(interpreter: Interpreter, tree: Tree, env: Environment) -> None:
    interpreter.loops[-1][1].append(env)


def _run_while(interpreter: Interpreter, tree: Tree, env: Environment) -> Environment | None:
    forever = type(tree.test) is gast.Constant and bool(tree.test.value)

    def trip(state: Environment) -> Environment | None:
        interpreter.statement = tree
        interpreter.eval(tree.test, state)
        return interpreter.block(tree.body, dict(state))

    return _run_loop(interpreter, tree, env, trip, forever)


def _run_for(interpreter: Interpreter, tree: Tree, env: Environment) -> Environment | None:
    def trip(state: Environment) -> Environment | None:
        interpreter.statement = tree
        item = iterated(interpreter, tree.iter, state)
        if never_comes(item):
            return None  # there are no items
        _bind_item(interpreter, tree.target, item, state)
        return interpreter.block(tree.body, state)

    return _run_loop(interpreter, tree, env, trip, False)


def _bind_item(interpreter: Interpreter, place: Expr, item: Item, env: Environment) -> None:
    """Bind an item of an iterable to the target of a loop, part by part where it is made of parts."""
    if type(place) is gast.Tuple and isinstance(item, tuple) and len(item) == len(place.elts):
        for inner, part in zip(place.elts, item, strict=True):
            _bind_item(interpreter, inner, part, env)
    else:
        bind(interpreter, place, taken_out(together(item), interpreter.point(place)), env)


def bind(interpreter: Interpreter, place: Expr, value: Value, env: Environment) -> None:
    """Bind a value to a target: a name, a tuple of targets, an item or an attribute."""
    if type(place) is gast.Name:
        env[place.id] = value
    elif type(place) is gast.Tuple:
        for i, item in enumerate(place.elts):
            bind(interpreter, item, item_of(interpreter, value, Integer(i), place), env)
    elif type(place) is gast.Subscript:
        store_item(interpreter, interpreter.eval(place.value, env), place, value, env)
    else:
        owner, plainly = interpreter.eval(place.value, env), type(place.ctx) is Plainly
        store_attribute(interpreter, owner, place.attr, value, plainly)
        if type(place.value) is gast.Name and place.attr == "shape" and is_number(owner.kind):
            given = (Argument(place.value, owner), Argument(place, value))
            env[place.value.id] = call_object(interpreter, np.reshape, CallSite(place, given))


def _run_loop(
    interpreter: Interpreter, tree: Tree, env: Environment, trip: Stmt, forever: bool
) -> Environment | None:
    entering = env
    before = frozenset(symbol for value in env.values() for symbol in symbols(value.kind))
    for _ in range(MOST_ROUNDS):
        interpreter.loops.append(([], []))
        after = trip(dict(env))
        breaks, continues = interpreter.loops.pop()
        head: Environment | None = dict(env)
        for state in [after, *continues]:
            next_trip = _carried_on(state, interpreter.points[tree], before, entering)
            head = interpreter.merge(head, next_trip, tree)
        interpreter.before[tree] = dict(head or {})
        if head == env:
            break
        env = head or env
    else:
        interpreter.statement = tree
        interpreter.refuse_here(
            "what this loop binds grows with every trip, as far as its text tells",
            "keep it in a list, or write the loop over arrays",
        )
    out: Environment | None = None if forever else interpreter.block(tree.orelse, dict(env))
    for state in breaks:
        out = interpreter.merge(out, state, tree)
    return out


def _carried_on(
    env: Environment | None, loop: Hashable, before: Set[Hashable], entering: Environment
) -> Environment | None:
    """Return what the names hold when the next trip of a loop begins.

    What they hold as they did on entering has no sizes but those that were there before.
    """
    if env is None:
        return None
    made = dict(env)
    for key in compress(env, map(is_not, env.values(), map(entering.get, env))):
        kind = carried(env[key].kind, (loop, key), before)
        if kind is not env[key].kind:
            made[key] = Value(kind, env[key].varied)
    return made


STATEMENTS: dict[type, Callable[[Interpreter, Any, Environment], Environment | None]] = {
    gast.Assign: _assign,
    gast.AugAssign: _assign_updated,
    gast.Expr: _evaluate,
    gast.Return: _return,
    gast.Raise: _raise,
    gast.Pass: _pass,
    gast.Assert: _assert,
    gast.FunctionDef: _define,
    gast.With: _run_with,
    gast.Try: _attempt,
    gast.If: _branch,
    gast.Break: _break,
    gast.Continue: _continue,
    gast.While: _run_while,
    gast.For: _run_for,
}
