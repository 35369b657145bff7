"""A rule applied: its text spliced into the reverse sweep at one call.

For an elementwise rule the cotangent is multiplied by the partial and summed back over what was
broadcast; for a general rule the body of its `grad` stands there. What cannot be spliced is called.
"""

from __future__ import annotations

import operator
from dataclasses import replace
from typing import Any

import gast
import numpy as np

from tapeless.analysis.abstract import Value
from tapeless.analysis.read_by_grads import Reader
from tapeless.differentiate.guards import guarded, has_pole
from tapeless.differentiate.reverse.accumulate import Adjoint, is_fresh, product
from tapeless.differentiate.reverse.state import Sweep
from tapeless.differentiate.writer import Writer
from tapeless.externals import is_one_of, is_runtime
from tapeless.kinds import (
    NOWHERE,
    UNKNOWN,
    Array,
    Kind,
    Real,
    Tuple,
    dtype_code,
    is_container,
)
from tapeless.ranks import dims_of, dtype_of, same_dims
from tapeless.rules.declare import Rule, find_rule, is_built_in
from tapeless.runtime import array_bar, unbroadcast
from tapeless.source.texts import Text, text_of
from tapeless.tree.build import assign, const, filled, name, quote_expression, unshared
from tapeless.tree.names import binds, binds_in_block, nodes, parameters, reads
from tapeless.tree.transform import Transformer

# The functions that operators call: they have the rules.
OPERATORS: dict[str, Any] = {
    "Add": operator.add, "Sub": operator.sub, "Mult": operator.mul, "Div": operator.truediv,
    "Pow": operator.pow, "MatMult": operator.matmul, "Mod": operator.mod,
    "FloorDiv": operator.floordiv, "USub": operator.neg, "UAdd": operator.pos,
    "BitAnd": operator.and_, "BitOr": operator.or_, "BitXor": operator.xor,
    "Invert": operator.invert, "LShift": operator.lshift, "RShift": operator.rshift,
}  # fmt: skip


def apply(
    sweep: Sweep,
    s: Any,
    function: Any,
    args: list[Any],
    keywords: dict[str, Any],
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
    if rule.form == "elementwise":
        _apply_elementwise(sweep, s, rule, args, keywords, key, y)
    else:
        apply_general(sweep, s, rule, args, keywords, key, y)
    if not is_built_in(rule):
        sweep.module.readers.append(reader_of(sweep, s, function, rule))


def reader_of(sweep: Sweep, s: Any, function: Any, rule: Rule) -> Reader:
    """Return what runs of a rule of a user's in a reverse sweep."""
    called = any(e.value is rule.function for e in sweep.function.externals.values())
    label, text = getattr(function, "__name__", "?"), text_of(rule.function)
    return Reader(
        sweep.function, s, label, rule.function, text, spliced=not called, primal=function
    )


def _bare(tree: Any) -> Any:
    return tree.value if isinstance(tree, gast.Starred) else tree


def environment(sweep: Writer, s: Any, key: str) -> dict[str, Value]:
    """What is known of the names just after a statement."""
    env = dict(sweep.known.before.get(s, {}))
    env[key] = sweep.result(s)
    return env


# Precision

_NARROW = {"f2": np.float64, "f4": np.float64, "c8": np.complex128}


def in_precision_of(
    writer: Writer, s: Any, active: list[Any], operands: list[Any], env: dict[str, Value],
    statements: list[Any],
) -> list[Any]:  # fmt: skip
    """Return the operands of a call as partials in the `active` ones are to be computed from them.

    Beside an active operand in double precision those in single precision are converted first, as
    NumPy does: a partial that is computed from them alone would be single too.
    """
    if not any(is_double(writer.operand_kind(s, tree)) for tree in active):
        return operands
    return [_operand_widened(writer, s, tree, env, statements) for tree in operands]


def is_double(kind: Kind) -> bool:
    """Whether a value is known to be in double precision."""
    return isinstance(kind, Array | Real) and kind.dtype in ("f8", "c16")


def is_single(kind: Kind) -> bool:
    """Whether a value is known to be in a lower precision than double."""
    return isinstance(kind, Array | Real) and kind.dtype in _NARROW


def widened(writer: Writer, tree: Any, kind: Any) -> Any:
    """Write the conversion to double precision of what `is_single`."""
    dtype = gast.Attribute(name(writer.numpy), _NARROW[kind.dtype].__name__, gast.Load())
    text = "x.astype(d)" if isinstance(kind, Array) else "d(x)"
    return quote_expression(text, x=tree, d=dtype)


def _operand_widened(
    writer: Writer, s: Any, tree: Any, env: dict[str, Value], statements: list[Any]
) -> Any:
    """Return an operand in double precision, by a name of its own where it is in single precision."""
    if isinstance(tree, list):
        return [_operand_widened(writer, s, item, env, statements) for item in tree]
    kind: Any = writer.operand_kind(s, tree) if isinstance(tree, gast.Name) else UNKNOWN
    if not is_single(kind):
        return tree
    key = writer.names.fresh(tree.id)
    statements.append(assign(key, widened(writer, tree, kind)))
    known = replace(kind, dtype=dtype_code(_NARROW[kind.dtype]))
    env[key] = Value(replace(known, regions=NOWHERE) if isinstance(known, Array) else known)
    return name(key)


# Elementwise


def _apply_elementwise(
    sweep: Sweep,
    s: Any,
    rule: Rule,
    args: list[Any],
    keywords: dict[str, Any],
    key: str,
    y: Adjoint,
) -> None:
    text = text_of(rule.function)
    names = parameters(text.tree) if text else []
    extra = sorted(set(keywords) - set(names))
    if extra or any(isinstance(a, gast.Starred) for a in args):
        sweep.refuse_arguments(s, rule, args, keywords)
    env = environment(sweep, s, key)
    everything = operands_in_order(text, key, args, keywords)
    for i, arg in enumerate(everything):
        if not sweep.is_active(s, arg):
            continue
        check_partial(sweep, s, rule, text, i)
        operands = in_precision_of(sweep, s, [arg], everything, env, sweep.out)
        made = partial_of(sweep, text, rule, key, operands, i, env)
        if made is None:
            continue
        statements, partial = made
        sweep.out.extend(statements)
        _contribute_product(sweep, s, arg, partial, key, y, env)


def operands_in_order(
    text: Text | None, key: str, args: list[Any], keywords: dict[str, Any]
) -> list[Any]:
    """List the operands of an elementwise rule as its partials stand, keywords at their places."""
    as_given = [*args, *keywords.values()]
    if text is None or not keywords:
        return as_given
    own = text.tree.args
    places = [p.id for p in [*own.posonlyargs, *own.args]][1:]
    bound = bind(text.tree, [name(key), *args], keywords)
    if bound is None or own.vararg is not None or not set(keywords) <= set(places):
        return as_given
    last = max(places.index(keyword) for keyword in keywords)
    return [bound[place] for place in places[: max(last + 1, len(args))]]


def check_partial(writer: Writer, s: Any, rule: Rule, text: Text | None, i: int) -> None:
    """Refuse a partial that an elementwise rule says is not known."""
    names = parameters(text.tree) if text else []
    if i + 1 < len(names):
        writer.check_parameter(s, rule, names[i + 1])


def partial_of(
    sweep: Writer, text: Text | None, rule: Rule, key: str, args: list[Any], i: int, env: Any
) -> tuple[list[Any], Any] | None:
    """Return the partial in the i-th argument: statements and an expression; None where it is zero."""
    made = None
    if text is not None:
        bindings = bind(text.tree, [name(key), *args], {})
        if bindings is not None and text.tree.args.vararg is None:
            made = sweep.splicer.inline(text, bindings, env)
    if made is None:
        function = sweep.splicer.external(rule.function, rule.function.__name__)
        call = gast.Call(name(function), [name(key), *unshared(args)], [])
        result: Any = gast.Subscript(call, const(i), gast.Load()) if len(args) > 1 else call
        return [], result
    statements, result = made
    if isinstance(result, gast.Tuple):
        result = result.elts[i]
    elif len(args) > 1:
        result = gast.Subscript(result, const(i), gast.Load())
    if isinstance(result, gast.Constant) and result.value is None:
        return None
    before: list[Any] = []
    for statement in statements:
        sweep.splicer.learn(statement.targets[0], statement.value, env)
    result = sweep.splicer.fold_helpers(result, env, before)
    return needed_for(result, [*statements, *before]), result


def needed_for(result: Any, statements: list[Any]) -> list[Any]:
    """Keep the statements that an expression depends on."""
    wanted = set(reads(result))
    kept: list[Any] = []
    for statement in reversed(statements):
        if binds(statement) & wanted:
            wanted |= set(reads(statement))
            kept.insert(0, statement)
    return kept


def _contribute_product(
    sweep: Sweep, s: Any, arg: Any, partial: Any, key: str, y: Adjoint, env: dict[str, Value]
) -> None:
    result_dims = dims_of(env[key].kind)
    arg_dims = dims_of(env[arg.id].kind)
    partial_kind = sweep.splicer.evaluate(partial, env).kind
    partial_dims = dims_of(partial_kind)
    agree = same_dims(arg_dims, result_dims)
    g = y.expression
    broadcasts = y.broadcasts
    if broadcasts:
        fills = result_dims is not None and (
            partial_dims == result_dims or same_dims(partial_dims, result_dims)
        )
        if fills:
            broadcasts = False
        elif not (agree and partial_dims == ()):
            g, broadcasts = sweep.full(y, key), False
    made = _times(sweep, s, g, partial, env)
    inner = None
    if arg_dims == () and not y.broadcasts and _is_plain_product(made, partial):
        inner = _inner_product(sweep, made, env[key].kind, partial_kind)
    if inner is not None:
        made = inner
    elif not agree:
        helper = sweep.runtime("unbroadcast")
        for_kind = dict(env)
        made_call = quote_expression("unbroadcast(g, x)", unbroadcast=helper, g=made, x=arg.id)
        if isinstance(g, gast.Name) and g.id not in for_kind:
            for_kind[g.id] = env[key]
        made = sweep.splicer.fold_helpers(made_call, for_kind, sweep.out)
    fresh = is_fresh(made, sweep.splicer.resolve)
    sweep.contribute(s, arg.id, Adjoint(made, broadcasts), fresh, env)


def _is_plain_product(tree: Any, partial: Any) -> bool:
    """Whether an expression multiplies something by a partial that has a name."""
    if not isinstance(tree, gast.BinOp) or not isinstance(tree.op, gast.Mult):
        return False
    return tree.right is partial and isinstance(partial, gast.Name | gast.Attribute)


def _inner_product(sweep: Sweep, made: Any, result: Kind, partial: Kind) -> Any:
    """Sum a product of two arrays without making it; None where the shapes may differ."""
    dims = dims_of(result)
    if not dims or not same_dims(dims, dims_of(partial)):
        return None
    if len(dims) == 1:
        return gast.BinOp(made.left, gast.MatMult(), made.right)
    if dtype_of(result)[0] == "f" and dtype_of(partial)[0] in "fib":
        return quote_expression("np.vdot(g, h)", np=sweep.numpy, g=made.left, h=made.right)
    return None


def _times(sweep: Sweep, s: Any, g: Any, partial: Any, env: dict[str, Value]) -> Any:
    """Write a cotangent times a partial: guarded where it was cut and the partial has a pole."""
    resolve = sweep.splicer.resolve
    if sweep.is_cut(s):
        if has_pole(partial, lambda tree: sweep.splicer.evaluate(tree, env).kind, resolve):
            return guarded(g, partial, sweep.runtime("times_partial"), resolve)
    return product(g, partial)


# General


def apply_general(
    sweep: Sweep,
    s: Any,
    rule: Rule,
    args: list[Any],
    keywords: dict[str, Any],
    key: str,
    y: Adjoint,
) -> None:
    """Splice the `grad` of a rule, or call it."""
    env = environment(sweep, s, key)
    text = text_of(rule.function)
    bound = None if text is None else bind(text.tree, args, keywords)
    if bound is None:
        sweep.refuse_arguments(s, rule, args, keywords)
    assert bound is not None and text is not None
    if any(isinstance(v, gast.Starred) for v in _flat(bound.values())):
        sweep.refuse_arguments(s, rule, _flat(bound.values()), {})
    active = [v for v in _flat(bound.values()) if sweep.is_active(s, v)]
    for parameter, operand in bound.items():
        if not isinstance(operand, list) and sweep.is_active(s, operand):
            sweep.check_parameter(s, rule, parameter)
    wide = in_precision_of(sweep, s, active, list(bound.values()), env, sweep.out)
    made = open_rule(sweep, text, dict(zip(bound, wide, strict=True)), key, env)
    if made is None:
        _call_rule(sweep, s, rule, args, keywords, bound, y, key)
        return
    captures, grad, _ = made
    outputs = parameters(grad.tree)
    if grad.tree.args.vararg is not None and not isinstance(env[key].kind, Array | Tuple):
        _call_rule(sweep, s, rule, args, keywords, bound, y, key)  # how many outputs is not known
        return
    if y.broadcasts and _only_spread(sweep, grad, outputs, key, env):
        cotangents = [_left_to_broadcast(sweep, y, key, env)]
    else:
        cotangents = split_outputs(sweep, y, key, len(outputs), env)
    if grad.tree.args.vararg is not None and isinstance(env[key].kind, Array):
        cotangents[-1] = gast.Tuple([cotangents[-1]], gast.Load())
    inlined = sweep.splicer.inline(grad, dict(zip(outputs, cotangents, strict=True)), env)
    if inlined is None:
        _call_rule(sweep, s, rule, args, keywords, bound, y, key)
        return
    statements, result = inlined
    contribute_results(sweep, s, bound, [*captures, *statements], result, env)


def _flat(values: Any) -> list[Any]:
    return [v for value in values for v in (value if isinstance(value, list) else [value])]


def _only_spread(
    sweep: Sweep, grad: Text, outputs: list[str], key: str, env: dict[str, Value]
) -> bool:
    """Whether `grad` reads its cotangent only beside a condition of the value's full shape.

    Then `np.where` broadcasts the cotangent as `np.broadcast_to` would.
    """
    full = dims_of(env[key].kind)
    if full is None or len(outputs) != 1 or outputs[0] in binds_in_block(grad.tree.body):
        return False
    spread = 0
    for part in nodes(grad.tree):
        if isinstance(part, gast.Call) and sweep.splicer.resolve(part.func) is np.where:
            condition, *chosen = part.args
            if dims_of(sweep.splicer.evaluate(condition, env).kind) == full:
                spread += sum(isinstance(c, gast.Name) and c.id == outputs[0] for c in chosen)
    return spread == reads(grad.tree).count(outputs[0])


def _left_to_broadcast(sweep: Sweep, y: Adjoint, key: str, env: dict[str, Value]) -> Any:
    """Return a small cotangent by a name of its own, which counts as one of full shape."""
    if isinstance(y.expression, gast.Constant):
        return y.expression
    small = sweep.names.fresh(f"{key}_bar")
    sweep.out.append(assign(small, y.expression))
    env[small] = env[key]
    return name(small)


def split_outputs(
    sweep: Sweep, y: Adjoint, key: str, count: int, env: dict[str, Value]
) -> list[Any]:
    """Return the cotangents that `grad` receives: one per output."""
    whole = _ShapeOfParameter(sweep, env).visit(sweep.full(y, key))
    if not isinstance(whole, gast.Name | gast.Constant) and not _small(whole):
        fresh = sweep.names.fresh(f"{key}_bar")
        sweep.out.append(assign(fresh, whole))
        whole = name(fresh)
    if isinstance(whole, gast.Name):
        env[whole.id] = env[key]
    if count == 1:
        return [whole]
    return [gast.Subscript(whole, const(i), gast.Load()) for i in range(count)]


def _small(tree: Any) -> bool:
    return isinstance(tree, gast.Call) and isinstance(tree.args[0], gast.Constant)


def bind(tree: Any, args: list[Any], keywords: dict[str, Any]) -> dict[str, Any] | None:
    """Bind the arguments of a call to a rule's parameters; a list for `*args`."""
    a = tree.args
    own = [p.id for p in [*a.posonlyargs, *a.args]]
    bound: dict[str, Any] = dict(zip(own, args, strict=False))
    if len(args) > len(own):
        if a.vararg is None:
            return None
        bound[a.vararg.id] = list(args[len(own) :])
    elif a.vararg is not None:
        bound[a.vararg.id] = []
    known = {*own, *(p.id for p in a.kwonlyargs)}
    if set(keywords) - known:
        return None
    bound |= keywords
    defaults = dict(zip(own[len(own) - len(a.defaults) :], a.defaults, strict=True))
    defaults |= {p.id: d for p, d in zip(a.kwonlyargs, a.kw_defaults, strict=True) if d is not None}
    for key in known:
        if key not in bound:
            if key not in defaults:
                return None
            bound[key] = unshared(defaults[key])
    order = [*own, *([a.vararg.id] if a.vararg else []), *(p.id for p in a.kwonlyargs)]
    return {key: bound[key] for key in order}


def as_expression(value: Any) -> Any:
    """Show `*args` as a tuple."""
    return gast.Tuple(list(value), gast.Load()) if isinstance(value, list) else value


def open_rule(
    sweep: Writer, text: Text, bound: dict[str, Any], key: str | None, env: dict[str, Value]
) -> tuple[list[Any], Text, Text | None] | None:
    """Inline the forward part of a rule.

    Returns
    -------
    The statements that `grad` and `jvp` may depend on, with the rule's value named `key`, and the
    texts of the two; None where the rule does not fold.
    """
    bindings = {p: as_expression(v) for p, v in bound.items()}
    made = sweep.splicer.inline(text, bindings, env)
    if made is None:
        return None
    statements, result = made
    if not isinstance(result, gast.Tuple):
        return None
    inner = {s.name: s for s in statements if isinstance(s, gast.FunctionDef)}
    plain = [s for s in statements if not isinstance(s, gast.FunctionDef)]
    labels = [e.id for e in result.elts if isinstance(e, gast.Name) and e.id in inner]
    if not labels:
        return None
    holes: dict[str, Any] = {}
    value = result.elts[0]
    if key is not None and isinstance(value, gast.Name) and value.id not in env_names(bound):
        holes[value.id] = key
        plain = [s for s in plain if value.id not in binds(s)]
    plain = [filled(s, holes) for s in plain]
    for statement in plain:
        sweep.splicer.learn(statement.targets[0], statement.value, env)
    texts = [Text(filled(inner[label], holes), {}) for label in labels]
    return plain, texts[0], texts[1] if len(texts) > 1 else None


def env_names(bound: dict[str, Any]) -> set[str]:
    """The names among the arguments of a call."""
    return {n for v in _flat(bound.values()) for n in reads(v)}


def contribute_results(
    sweep: Sweep, s: Any, bound: dict[str, Any], statements: list[Any], result: Any, env: Any
) -> None:
    """Add what `grad` returns to the adjoints of the arguments."""
    operands = _flat(bound.values())
    if len(operands) == 1 and not isinstance(result, gast.Tuple):
        result = gast.Tuple([result], gast.Load())
    opened: list[Any] = []
    for statement in statements:
        if isinstance(statement, gast.Assign):
            statement.value = sweep.splicer.fold_helpers(statement.value, env, opened)
            sweep.splicer.learn(statement.targets[0], statement.value, env)
        opened.append(statement)
    statements = opened
    contributions: list[tuple[Any, Any]] = []
    folded: list[Any] = []
    for i, operand in enumerate(operands):
        if not sweep.is_active(s, operand):
            continue
        g = result.elts[i] if isinstance(result, gast.Tuple) and i < len(result.elts) else None
        if isinstance(result, gast.Tuple) and any(isinstance(e, gast.Starred) for e in result.elts):
            g = None
        if g is None:
            g = gast.Subscript(result, const(i), gast.Load())
        if isinstance(g, gast.Constant) and g.value is None:
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


class _ShapeOfParameter(Transformer):
    """Asks for the shape of a parameter where it is known to be that of a temporary."""

    def __init__(self, sweep: Sweep, env: Any) -> None:
        self.sweep = sweep
        self.env = env

    def visit_Call(self, tree: Any) -> Any:
        tree = self.generic_visit(tree)
        if self.sweep.splicer.resolve(tree.func) is not np.shape:
            return tree
        [arg] = tree.args
        if not isinstance(arg, gast.Name) or arg.id in self.sweep.function.own_names:
            return tree
        dims = dims_of(self.env[arg.id].kind) if arg.id in self.env else None
        for key in self.sweep.function.parameters if dims else ():
            kind = self.env[key].kind if key in self.env else UNKNOWN
            if len(self.sweep.definitions[key]) == 1 and dims_of(kind) == dims:
                tree.args = [name(key)]
                break
        return tree


def _contribute_folded(sweep: Sweep, s: Any, operand: Any, g: Any, env: Any) -> None:
    kind = env[operand.id].kind
    small = _broadcast_operand(sweep, g)
    if small is not None and not is_container(kind) and dims_of(kind) is not None:
        sweep.contribute(s, operand.id, Adjoint(small, True), False, env)
        return
    if dims_of(kind) == () and not _is_single(sweep, g, env):
        g = _summed(sweep, g, sweep.splicer.evaluate(g, env).kind)
    sweep.contribute(s, operand.id, Adjoint(g), is_fresh(g, sweep.splicer.resolve), env)


def _summed(sweep: Sweep, g: Any, kind: Kind) -> Any:
    """Write the number that the cotangent of a number comes to: a number stays what it is."""
    if isinstance(kind, Array):
        return quote_expression("np.sum(g)", np=sweep.numpy, g=g)
    return quote_expression("summed(g)", summed=sweep.runtime("summed"), g=g)


# What is moved, not computed, stays an array, of rank 0 for a number
_MOVES = (np.reshape, np.ravel, np.transpose, np.squeeze, np.roll, np.take, np.diagonal, np.trace)


def _is_single(sweep: Sweep, g: Any, env: Any) -> bool:
    """Whether a cotangent is surely a number, and not an array that holds one."""
    if isinstance(g, gast.Call) and sweep.splicer.resolve(g.func) is unbroadcast:
        kind = sweep.splicer.evaluate(g.args[0], env).kind
        return isinstance(kind, Real) or bool(dims_of(kind))  # of which it takes the sum
    if isinstance(g, gast.Subscript):
        return False
    if isinstance(g, gast.Call):
        found = sweep.splicer.resolve(g.func)
        if is_one_of(found, _MOVES) or found is not array_bar and is_runtime(found):
            return False
    return isinstance(sweep.splicer.evaluate(g, env).kind, Real)


def _broadcast_operand(sweep: Sweep, g: Any) -> Any:
    """Return `small` of `np.broadcast_to(small, shape)`: it may be left to broadcast."""
    if isinstance(g, gast.Call) and sweep.splicer.resolve(g.func) is np.broadcast_to:
        return g.args[0]
    return None


def _call_rule(
    sweep: Sweep, s: Any, rule: Rule, args: list[Any], keywords: dict[str, Any], bound: Any,
    y: Adjoint, key: str,
) -> None:  # fmt: skip
    """Call a rule that cannot be spliced, in the reverse sweep, where its arguments are rewound."""
    function = sweep.splicer.external(rule.function, rule.function.__name__)
    grad = sweep.names.fresh(f"{key}_grad")
    call = gast.Call(
        name(function), unshared(args), [gast.keyword(k, v) for k, v in keywords.items()]
    )
    sweep.out.append(assign(grad, gast.Subscript(call, const(1), gast.Load())))
    whole = sweep.full(y, key)
    bars = sweep.names.fresh("bars_of")
    outputs = _outputs_of(sweep, rule, whole)
    sweep.out.append(assign(bars, gast.Call(name(grad), [outputs], [])))
    operands = _flat(bound.values())
    for i, operand in enumerate(operands):
        if sweep.is_active(s, operand):
            g = (
                name(bars)
                if len(operands) == 1
                else gast.Subscript(name(bars), const(i), gast.Load())
            )
            if isinstance(sweep.operand_kind(s, operand), Real):
                g = _summed(sweep, g, UNKNOWN)
            sweep.contribute(s, operand.id, Adjoint(g), False)


def _outputs_of(sweep: Sweep, rule: Rule, whole: Any) -> Any:
    """Return the cotangent of a value as the `grad` of its rule takes it: of a tuple, one by one."""
    text = text_of(rule.function)
    assert text is not None
    inner = {s.name: s for s in text.tree.body if isinstance(s, gast.FunctionDef)}
    returned = [s.value for s in text.tree.body if isinstance(s, gast.Return)][-1]
    labels = [getattr(item, "id", "") for item in getattr(returned, "elts", [])]
    grad = next((inner[label] for label in labels if label in inner), None)
    if grad is None:
        return whole
    if grad.args.vararg is not None:
        split = quote_expression("f(g)", f=sweep.runtime("as_outputs"), g=whole)
        return gast.Starred(split, gast.Load())
    return gast.Starred(whole, gast.Load()) if len(parameters(grad)) > 1 else whole
