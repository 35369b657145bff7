"""A rule applied: its text spliced into the reverse sweep at one call.

For an elementwise rule the cotangent is multiplied by the partial and summed back over what was
broadcast; for a general rule the body of its `grad` stands there (`by_grad.py`).
"""

from __future__ import annotations

from typing import Any

import gast
import numpy as np

from tapeless.analysis.abstract import Value
from tapeless.analysis.read_by_grads import Reader
from tapeless.differentiate.guards import guarded, has_pole
from tapeless.differentiate.precision import in_precision_of
from tapeless.differentiate.reverse.accumulate import Adjoint, is_fresh, product
from tapeless.differentiate.reverse.by_grad import RuleCall, apply_grad, hand_on_number
from tapeless.differentiate.reverse.giving import adjoints_in, contribute, full_cotangent
from tapeless.differentiate.reverse.state import Sweep
from tapeless.differentiate.rule_texts import (
    OPERATORS,
    check_partial,
    environment,
    operands_in_order,
    partial_of,
    without_casting,
)
from tapeless.differentiate.straight_lines import number
from tapeless.externals import is_one_of
from tapeless.kinds import UNKNOWN, Array, Dim, Integer, Kind, Number, Real
from tapeless.ranks import broadcast_dims, dims_of, dtype_of, same_dims
from tapeless.rules.declare import Rule, find_rule, is_built_in
from tapeless.runtime import times_partial
from tapeless.source.texts import text_of
from tapeless.tree.build import assign, name, quote_expression, unshared
from tapeless.tree.classes import DOTTED
from tapeless.tree.names import parameters
from tapeless.tree.trees import Expr, Stmt, Tree

Dims = tuple[Dim, ...] | None


def apply(
    sweep: Sweep,
    s: Stmt,
    function: Any,
    args: list[Expr],
    keywords: dict[str, Expr],
    key: str,
    y: Adjoint,
) -> None:
    """Reverse `key = function(*args, **keywords)` by the rule of the function."""
    active = [a for a in [*args, *keywords.values()] if sweep.is_active(s, _bare(a))]
    if not active:
        return
    rule = find_rule(function)
    if rule is None:
        sweep.no_gradient(s, s.value.func)
        return
    if rule.form == "zero":
        return
    sweep.check_sparse(s, [*args, *keywords.values()])
    call = RuleCall(s, rule, args, without_casting(rule, keywords), key, y)
    if rule.form == "elementwise":
        _multiply(sweep, call)
    elif not hand_on_number(sweep, call):
        apply_grad(sweep, call)
    if not is_built_in(rule):
        sweep.module.readers.append(reader_of(sweep, s, function, rule))


def reader_of(sweep: Sweep, s: Stmt, function: Any, rule: Rule) -> Reader:
    """Return what runs of a rule of a user's in a reverse sweep."""
    called = any(e.value is rule.function for e in sweep.function.externals.values())
    label, text = getattr(function, "__name__", "?"), text_of(rule.function)
    return Reader(
        sweep.function, s, label, rule.function, text, spliced=not called, primal=function
    )


def _bare(tree: Tree) -> Any:
    return tree.value if type(tree) is gast.Starred else tree


def _multiply(sweep: Sweep, call: RuleCall) -> None:
    """Multiply the cotangent by the partials of an elementwise rule."""
    s, rule, args, keywords, key = call.s, call.rule, call.args, call.keywords, call.key
    text = text_of(rule.function)
    names = parameters(text.tree) if text else []
    extra = sorted(set(keywords) - set(names))
    if extra or any(type(a) is gast.Starred for a in args):
        sweep.refuse_arguments(s, rule, args, keywords)
    env = environment(sweep, s, key)
    everything = operands_in_order(text, key, args, keywords)
    for i, arg in enumerate(everything):
        if not sweep.is_active(s, arg):
            continue
        check_partial(sweep, s, rule, text, i, arg)
        operands = in_precision_of(sweep, s, [arg], everything, env, sweep.out)
        made = partial_of(sweep, text, rule, key, operands, i, env)
        if made is None:
            continue
        statements, partial = made
        sweep.out.extend(statements)
        _contribute_product(
            sweep, call, arg, partial, env, _has_shape_of(call, everything, arg, env)
        )


def _has_shape_of(call: RuleCall, operands: list[Expr], arg: Expr, env: dict[str, Value]) -> bool:
    """Whether a result has the shape of one operand, whatever that is: the others are numbers.

    What is not of NumPy may make a number of an array with one entry.
    """
    found = call.rule.primal
    if not isinstance(found, np.ufunc) and not is_one_of(found, _BY_ENTRY):
        return False
    if not all(isinstance(env[key].kind, (Array, Number)) for key in (call.key, arg.id)):
        return False
    others = [o for o in operands if type(o) is not gast.Name or o.id != arg.id]
    return all(number(o) is not None or _is_number(o, env) for o in others)


_BY_ENTRY = (abs, *OPERATORS.values())


def _is_number(operand: Expr, env: dict[str, Value]) -> bool:
    kind = env[operand.id].kind if type(operand) is gast.Name and operand.id in env else UNKNOWN
    return isinstance(kind, (Integer, Real))


def _contribute_product(
    sweep: Sweep, call: RuleCall, arg: Expr, partial: Expr, env: dict[str, Value], alone: bool
) -> None:
    s, key, y = call.s, call.key, call.y
    result_dims = dims_of(env[key].kind)
    arg_dims = dims_of(env[arg.id].kind)
    partial_kind = sweep.splicer.evaluate(partial, env).kind
    partial_dims = dims_of(partial_kind)
    agree = same_dims(arg_dims, result_dims)
    g = y.expression
    broadcasts = y.broadcasts
    if broadcasts:
        if _fills(sweep, g, partial_dims, result_dims, env):
            broadcasts = False
        elif not (agree and partial_dims == ()):
            g, broadcasts = full_cotangent(sweep, y, key), False
    scalar = partial_dims == () and result_dims == ()
    if sweep.selects_before_pole(s, arg.id):
        helper = sweep.runtime("times_partial")
        if _was_cut_at_pole(sweep, s, g, partial, env):  # either factor may be the zero
            g = _named(sweep, g)
            either = name(sweep.runtime("partial_or_zero"))
            partial = gast.Call(either, [unshared(g), partial], [])
        made: Any = gast.Call(name(helper), [partial, g], [])
    else:
        made = _times(sweep, s, g, partial, env, scalar)
    inner = None
    if arg_dims == () and not y.broadcasts:
        if _is_plain_product(made, partial):
            inner = _inner_product(sweep, made, env[key].kind, partial_kind)
        elif _is_guarded_product(sweep, made):
            inner = _guarded_inner_product(sweep, made, env[key].kind, partial_kind)
    if inner is not None:
        made = inner
    elif not (agree or alone):
        helper = sweep.runtime("unbroadcast")
        for_kind = dict(env)
        made_call = quote_expression("unbroadcast(g, x)", unbroadcast=helper, g=made, x=arg.id)
        if type(g) is gast.Name and g.id not in for_kind:
            for_kind[g.id] = env[key]
        elif broadcasts or y.broadcasts:
            for_kind |= adjoints_in(sweep, g, env)
        made = sweep.splicer.fold_helpers(made_call, for_kind, sweep.out)
    fresh = is_fresh(made, sweep.splicer.resolve)
    contribute(sweep, s, arg.id, Adjoint(made, broadcasts), fresh, env)


def _fills(sweep: Sweep, g: Expr, partial: Dims, result: Dims, env: dict[str, Value]) -> bool:
    """Whether the product of what is left to broadcast and a partial has the shape of the result."""
    if partial is None or result is None:
        return False
    if partial == result or same_dims(partial, result):
        return True
    small = dims_of(sweep.splicer.evaluate(g, env | adjoints_in(sweep, g, env)).kind)
    return bool(small) and same_dims(broadcast_dims(small or (), partial), result)


def _is_plain_product(tree: Tree, partial: Expr) -> bool:
    """Whether an expression multiplies something by a partial that has a name."""
    if type(tree) is not gast.BinOp or type(tree.op) is not gast.Mult:
        return False
    return tree.right is partial and type(partial) in DOTTED


def _is_guarded_product(sweep: Sweep, tree: Tree) -> bool:
    """Whether an expression multiplies by a partial with a pole, and divides by nothing."""
    if type(tree) is not gast.Call or tree.keywords or len(tree.args) != 2:
        return False
    return sweep.splicer.resolve(tree.func) is times_partial


def _guarded_inner_product(sweep: Sweep, made: Expr, result: Kind, partial: Kind) -> Any:
    """Sum a guarded product of two arrays of doubles; None where the shapes may differ."""
    dims = dims_of(result)
    if not dims or not same_dims(dims, dims_of(partial)) or sweep.module.for_higher_order:
        return None
    if dtype_of(result) != "f8" or dtype_of(partial) != "f8":
        return None
    return gast.Call(name(sweep.runtime("dot_partial")), made.args, [])


def _inner_product(sweep: Sweep, made: Expr, result: Kind, partial: Kind) -> Any:
    """Sum a product of two arrays without making it; None where the shapes may differ."""
    dims = dims_of(result)
    if not dims or not same_dims(dims, dims_of(partial)):
        return None
    if len(dims) == 1:
        return gast.BinOp(made.left, gast.MatMult(), made.right)
    if dtype_of(result)[0] == "f" and dtype_of(partial)[0] in "fib":
        return quote_expression("np.vdot(g, h)", np=sweep.numpy, g=made.left, h=made.right)
    return None


def _times(
    sweep: Sweep, s: Stmt, g: Expr, partial: Expr, env: dict[str, Value], scalar: bool
) -> Any:
    """Write a cotangent times a partial: guarded where it was cut and the partial has a pole."""
    if not _was_cut_at_pole(sweep, s, g, partial, env):
        return product(g, partial)
    if not scalar or sweep.module.for_higher_order:
        return guarded(g, partial, sweep.runtime("times_partial"), sweep.splicer.resolve)
    g = _named(sweep, g)
    return gast.IfExp(unshared(g), product(g, partial), gast.Constant(0.0, None))


def _was_cut_at_pole(sweep: Sweep, s: Stmt, g: Expr, partial: Expr, env: dict[str, Value]) -> bool:
    """Whether a cotangent that may hold zeros that something cut meets a partial with a pole."""
    if not sweep.is_cut(s) or type(g) is gast.Constant and g.value:
        return False
    kind_of = lambda tree: sweep.splicer.evaluate(tree, env).kind  # noqa: E731
    return has_pole(partial, kind_of, sweep.splicer.resolve, sweep.bound_to, sweep.above_one)


def _named(sweep: Sweep, g: Expr) -> Any:
    """Return a name that holds a cotangent which is read twice."""
    if type(g) is gast.Name:
        return g
    key = sweep.names.fresh("scaled")
    sweep.out.append(assign(key, g))
    return name(key)
