"""The `grad` of a general rule, spliced into the reverse sweep at one call.

It is given one cotangent for each output, and gives one for each operand. What does not fold to statements
and a result is called.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gast
import numpy as np

from tapeless.analysis.abstract import Value
from tapeless.differentiate.precision import in_precision_of
from tapeless.differentiate.reverse.accumulate import Adjoint, is_fresh
from tapeless.differentiate.reverse.giving import contribute, full_cotangent, is_number_for_sure
from tapeless.differentiate.reverse.state import Sweep
from tapeless.differentiate.rule_texts import environment, needed_for, open_rule, operands_in
from tapeless.differentiate.straight_lines import bind
from tapeless.externals import is_one_of, is_runtime
from tapeless.kinds import UNKNOWN, Array, Dim, Kind, Real, Size, Tuple, is_container
from tapeless.ranks import dims_of, same_dims
from tapeless.rules.declare import Rule
from tapeless.rules.results.sparse import of_adjoint
from tapeless.rules.traits import traits_of
from tapeless.runtime import array_bar, unbroadcast
from tapeless.source.texts import Text, text_of
from tapeless.tree.build import assign, const, name, quote_expression, unshared
from tapeless.tree.classes import ATOMS
from tapeless.tree.names import binds_in_block, nodes, parameters, reads
from tapeless.tree.transform import Transformer
from tapeless.tree.trees import Expr, Stmt, Tree


@dataclass(frozen=True)
class RuleCall:
    """A call that a rule reverses.

    Attributes
    ----------
    s
        The statement, `key = function(*args, **keywords)`.
    rule
        The rule of the function.
    args, keywords
        Its operands.
    key
        The name of the result.
    y
        The cotangent of the result.
    """

    s: Stmt
    rule: Rule
    args: list[Expr]
    keywords: dict[str, Expr]
    key: str
    y: Adjoint


def hand_on_number(sweep: Sweep, call: RuleCall) -> bool:
    """Leave a number to broadcast that is the cotangent of each entry of a value.

    A sum, and what only moves entries, hands it on to each entry of the operand.
    """
    s, found, args = call.s, call.rule.primal, call.args
    adds = (
        is_one_of(found, _SUMS) and call.keywords.keys() <= {"axis", "keepdims"} and len(args) < 3
    )
    if not call.y.broadcasts or not args or not (adds or traits_of(found).moves):
        return False
    operand = args[0]
    if type(operand) is not gast.Name or not sweep.is_active(s, operand):
        return False
    env = environment(sweep, s, call.key)
    if not dims_of(env[operand.id].kind) or not is_number_for_sure(sweep, call.y.expression, env):
        return False
    contribute(sweep, s, operand.id, call.y, False, env)
    return True


_SUMS = (np.sum, np.ndarray.sum)


def apply_grad(sweep: Sweep, call: RuleCall) -> None:
    """Splice the `grad` of a rule, or call it."""
    s, rule, args, keywords, key = call.s, call.rule, call.args, call.keywords, call.key
    env = environment(sweep, s, key)
    text = text_of(rule.function)
    bound = None if text is None else bind(text.tree, args, keywords)
    if bound is None:
        sweep.refuse_arguments(s, rule, args, keywords)
    assert bound is not None and text is not None
    if any(type(v) is gast.Starred for v in operands_in(bound.values())):
        sweep.refuse_arguments(s, rule, operands_in(bound.values()), {})
    active = [v for v in operands_in(bound.values()) if sweep.is_active(s, v)]
    for parameter, operand in bound.items():
        if not isinstance(operand, list) and sweep.is_active(s, operand):
            sweep.check_parameter(s, rule, parameter, operand)
    wide = in_precision_of(sweep, s, active, list(bound.values()), env, sweep.out)
    made = open_rule(sweep, text, dict(zip(bound, wide, strict=True)), key, env)
    if made is None:
        _call_rule(sweep, call, bound)
        return
    captures, grad, _ = made
    outputs = parameters(grad.tree)
    if grad.tree.args.vararg is not None and not isinstance(env[key].kind, (Array, Real, Tuple)):
        _call_rule(sweep, call, bound)  # how many outputs is not known
        return
    if call.y.broadcasts and _only_spread(sweep, grad, outputs, key, env):
        cotangents = [_left_to_broadcast(sweep, call.y, key, env)]
    else:
        cotangents = split_outputs(sweep, call.y, key, len(outputs), env)
    if grad.tree.args.vararg is not None and isinstance(env[key].kind, (Array, Real)):
        cotangents[-1] = gast.Tuple([cotangents[-1]], gast.Load())
    inlined = sweep.splicer.inline(grad, dict(zip(outputs, cotangents, strict=True)), env)
    if inlined is None:
        _call_rule(sweep, call, bound)
        return
    statements, result = inlined
    contribute_results(sweep, s, bound, [*captures, *statements], result, env)


def _only_spread(
    sweep: Sweep, grad: Text, outputs: list[str], key: str, env: dict[str, Value]
) -> bool:
    """Whether `grad` reads its cotangent only beside a condition or a factor of the value's full shape.

    Then `np.where`, or the product, broadcasts the cotangent as `np.broadcast_to` would.
    """
    full = dims_of(env[key].kind)
    if full is None or len(outputs) != 1 or outputs[0] in binds_in_block(grad.tree.body):
        return False
    spread = 0
    for part in nodes(grad.tree):
        beside, chosen = _spread_by(sweep, part)
        among = sum(type(c) is gast.Name and c.id == outputs[0] for c in chosen)
        if among and same_dims(dims_of(sweep.splicer.evaluate(beside, env).kind), full):
            spread += among
    return spread == reads(grad.tree).count(outputs[0])


def _spread_by(sweep: Sweep, part: Tree) -> tuple[Any, list[Any]]:
    """Return what brings others to its shape in an expression, and these."""
    if type(part) is gast.Call and sweep.splicer.resolve(part.func) is np.where:
        return part.args[0], part.args[1:]
    if type(part) is gast.BinOp and type(part.op) is gast.Mult:
        return part.right, [part.left]
    return None, []


def _left_to_broadcast(sweep: Sweep, y: Adjoint, key: str, env: dict[str, Value]) -> Any:
    """Return a small cotangent by a name of its own, which counts as one of full shape."""
    if type(y.expression) is gast.Constant:
        return y.expression
    small = sweep.names.fresh(f"{key}_bar")
    sweep.out.append(assign(small, y.expression))
    env[small] = Value(of_adjoint(env[key].kind, small), env[key].varied)
    return name(small)


def split_outputs(
    sweep: Sweep, y: Adjoint, key: str, count: int, env: dict[str, Value]
) -> list[Any]:
    """Return the cotangents that `grad` receives: one per output."""
    whole = _ShapeOfParameter(sweep, env).visit(full_cotangent(sweep, y, key))
    if type(whole) not in ATOMS and not _small(whole):
        fresh = sweep.names.fresh(f"{key}_bar")
        sweep.out.append(assign(fresh, whole))
        whole = name(fresh)
    if type(whole) is gast.Name:
        env[whole.id] = Value(of_adjoint(env[key].kind, whole.id), env[key].varied)
    if count == 1:
        return [whole]
    return [gast.Subscript(whole, const(i), gast.Load()) for i in range(count)]


def _small(tree: Tree) -> bool:
    return type(tree) is gast.Call and type(tree.args[0]) is gast.Constant


def contribute_results(
    sweep: Sweep,
    s: Stmt,
    bound: dict[str, Any],
    statements: list[Stmt],
    result: Expr,
    env: dict[str, Value],
) -> None:
    """Add what `grad` returns to the adjoints of the arguments."""
    operands = operands_in(bound.values())
    if len(operands) == 1 and type(result) is not gast.Tuple:
        result = gast.Tuple([result], gast.Load())
    opened: list[Any] = []
    for statement in statements:
        if type(statement) is gast.Assign:
            statement.value = sweep.splicer.fold_helpers(statement.value, env, opened)
            sweep.splicer.learn(statement.targets[0], statement.value, env)
        opened.append(statement)
    statements = opened
    contributions: list[tuple[Any, Any]] = []
    folded: list[Any] = []
    for i, operand in enumerate(operands):
        if not sweep.is_active(s, operand):
            continue
        g = _item(result, i, len(operands))
        if type(g) is gast.Constant and g.value is None:
            continue
        contributions.append((operand, sweep.splicer.fold_helpers(g, env, folded)))
    shaped = _ShapeOfParameter(sweep, env)
    statements = [shaped.visit(statement) for statement in statements]
    folded = [shaped.visit(statement) for statement in folded]
    contributions = [(operand, shaped.visit(g)) for operand, g in contributions]
    everything = [*statements, *folded]
    sweep.out.extend(needed_for(gast.Tuple([g for _, g in contributions], gast.Load()), everything))
    for operand, g in contributions:
        _contribute_folded(sweep, s, operand, g, env)


def _item(result: Expr, i: int, count: int) -> Any:
    """Return the item of a result that has `count` of them, of which a star may stand for some."""
    items = result.elts if type(result) is gast.Tuple else []
    stars = [k for k, item in enumerate(items) if type(item) is gast.Starred]
    if not stars and i < len(items):
        return items[i]
    if stars and i < stars[0]:
        return items[i]
    if len(stars) == 1:
        spread = count - (len(items) - 1)
        if i >= stars[0] + spread:
            return items[i - spread + 1]
        of = items[stars[0]].value
        if type(of) is gast.Name:
            return gast.Subscript(unshared(of), const(i - stars[0]), gast.Load())
    return gast.Subscript(result, const(i), gast.Load())


class _ShapeOfParameter(Transformer):
    """Asks for the shape of a parameter where it is known to be that of a temporary."""

    def __init__(self, sweep: Sweep, env: dict[str, Value]) -> None:
        self.sweep = sweep
        self.env = env
        self.shapes: dict[str, Any] = {}  # the calls that names stand for

    def visit_Call(self, tree: Tree) -> Any:
        tree = self.generic_visit(tree)
        if self.sweep.splicer.resolve(tree.func) is not np.shape:
            return tree
        [arg] = tree.args
        if type(arg) is not gast.Name or arg.id in self.sweep.function.own_names:
            return tree
        dims = self.dims(arg.id)
        for key, known in self.parameters() if dims else ():
            if known == dims:
                tree.args = [name(key)]
                break
        return tree

    def visit_Assign(self, tree: Tree) -> Any:
        tree = self.generic_visit(tree)
        if type(tree.targets[0]) is gast.Name and type(tree.value) is gast.Call:
            self.shapes[tree.targets[0].id] = tree.value
        return tree

    def visit_Subscript(self, tree: Tree) -> Any:
        """Ask for one size of a parameter, where that of a temporary is known to be the same."""
        tree = self.generic_visit(tree)
        axis, call = getattr(tree.slice, "value", None), tree.value
        if type(call) is gast.Name:
            call = self.shapes.get(call.id, call)
        if type(call) is not gast.Call or self.sweep.splicer.resolve(call.func) is not np.shape:
            return tree
        key = call.args[0].id if type(call.args[0]) is gast.Name else None
        if key is None or type(axis) is not int or key in self.sweep.function.own_names:
            return tree
        size = next(iter(self.dims(key)[axis : axis + 1]), None)
        for parameter, known in self.parameters() if isinstance(size, Size) else ():
            if size in known:
                shape = gast.Call(call.func, [name(parameter)], [])
                return gast.Subscript(shape, const(known.index(size)), gast.Load())
        return tree

    def dims(self, key: str) -> tuple[Dim, ...]:
        return dims_of(self.env[key].kind) or () if key in self.env else ()

    def parameters(self) -> list[tuple[str, tuple[Dim, ...]]]:
        """List the parameters that are never bound anew, with their dimensions."""
        keys = self.sweep.function.parameters
        return [(key, self.dims(key)) for key in keys if len(self.sweep.definitions[key]) == 1]


def _contribute_folded(
    sweep: Sweep, s: Stmt, operand: Expr, g: Expr, env: dict[str, Value]
) -> None:
    kind = env[operand.id].kind
    small = _broadcast_operand(sweep, g)
    if small is not None and not is_container(kind) and dims_of(kind) is not None:
        contribute(sweep, s, operand.id, Adjoint(small, True), False, env)
        return
    if dims_of(kind) == () and not _is_single(sweep, g, env):
        g = _summed(sweep, g, sweep.splicer.evaluate(g, env).kind)
    contribute(sweep, s, operand.id, Adjoint(g), is_fresh(g, sweep.splicer.resolve), env)


def _summed(sweep: Sweep, g: Expr, kind: Kind) -> Any:
    """Write the number that the cotangent of a number comes to: a number stays what it is."""
    if isinstance(kind, Array):
        return quote_expression("np.sum(g)", np=sweep.numpy, g=g)
    return quote_expression("summed(g)", summed=sweep.runtime("summed"), g=g)


_MOVES = (np.reshape, np.ravel, np.transpose, np.squeeze, np.roll, np.take, np.diagonal, np.trace)


def _is_single(sweep: Sweep, g: Expr, env: dict[str, Value]) -> bool:
    """Whether a cotangent is surely a number, and not an array that holds one."""
    if type(g) is gast.Call and sweep.splicer.resolve(g.func) is unbroadcast:
        kind = sweep.splicer.evaluate(g.args[0], env).kind
        return isinstance(kind, Real) or bool(dims_of(kind))  # of which it takes the sum
    if type(g) is gast.Subscript:
        return False
    if type(g) is gast.Call:
        found = sweep.splicer.resolve(g.func)
        if is_one_of(found, _MOVES) or found is not array_bar and is_runtime(found):
            return False
    return isinstance(sweep.splicer.evaluate(g, env).kind, Real)


def _broadcast_operand(sweep: Sweep, g: Expr) -> Any:
    """Return `small` of `np.broadcast_to(small, shape)`: it may be left to broadcast."""
    if type(g) is gast.Call and sweep.splicer.resolve(g.func) is np.broadcast_to:
        return g.args[0]
    return None


def _call_rule(sweep: Sweep, call: RuleCall, bound: dict[str, Any]) -> None:
    """Call a rule that cannot be spliced, in the reverse sweep, where its arguments are rewound."""
    s, rule, key = call.s, call.rule, call.key
    function = sweep.splicer.external(rule.function, rule.function.__name__)
    grad = sweep.names.fresh(f"{key}_grad")
    keywords = [gast.keyword(k, v) for k, v in call.keywords.items()]
    called = gast.Call(name(function), unshared(call.args), keywords)
    sweep.out.append(assign(grad, gast.Subscript(called, const(1), gast.Load())))
    whole = full_cotangent(sweep, call.y, key)
    bars = sweep.names.fresh("bars_of")
    outputs = _outputs_of(sweep, rule, whole)
    sweep.out.append(assign(bars, gast.Call(name(grad), [outputs], [])))
    operands = operands_in(bound.values())
    for i, operand in enumerate(operands):
        if sweep.is_active(s, operand):
            g: Any = name(bars)
            if len(operands) > 1:
                g = gast.Subscript(g, const(i), gast.Load())
            if _may_give_none(rule, i):
                g = quote_expression("f(g, x)", f=sweep.runtime("or_zeros"), g=g, x=operand)
            if isinstance(sweep.operand_kind(s, operand), Real):
                g = _summed(sweep, g, UNKNOWN)
            contribute(sweep, s, operand.id, Adjoint(g), False)


def _outputs_of(sweep: Sweep, rule: Rule, whole: Expr) -> Any:
    """Return the cotangent of a value as the `grad` of its rule takes it: of a tuple, one by one."""
    grad = _grad_of(rule)
    if grad is None:
        return whole
    if grad.args.vararg is not None:
        split = quote_expression("f(g)", f=sweep.runtime("as_outputs"), g=whole)
        return gast.Starred(split, gast.Load())
    return gast.Starred(whole, gast.Load()) if len(parameters(grad)) > 1 else whole


def _grad_of(rule: Rule) -> Any:
    """Return the tree of the `grad` that a rule returns; None where it is not defined in it."""
    text = text_of(rule.function)
    assert text is not None
    inner = {s.name: s for s in text.tree.body if type(s) is gast.FunctionDef}
    returned = [s.value for s in text.tree.body if type(s) is gast.Return][-1]
    labels = [getattr(item, "id", "") for item in getattr(returned, "elts", [])]
    return next((inner[label] for label in labels if label in inner), None)


def _may_give_none(rule: Rule, i: int) -> bool:
    """Whether `grad` gives no cotangent of an operand on one of its ways; which one is seen when it runs."""
    grad = _grad_of(rule)
    returns = [part.value for part in nodes(grad) if type(part) is gast.Return] if grad else []
    given = [r.elts[i] if type(r) is gast.Tuple and i < len(r.elts) else r for r in returns]
    return any(type(g) is gast.Constant and g.value is None for g in given)
