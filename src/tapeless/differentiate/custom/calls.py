"""Calls of custom gradients, reversed: the body of their `grad` is spliced in, or their pullback called.

Where the text of a `grad` can stand in the reverse sweep it does, as its author wrote it. Where it
cannot, the pullback that the call returned is kept and called; in a derivative that is differentiated
again, a function in the text stands for it.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

import gast

from tapeless.analysis.abstract import Value
from tapeless.analysis.read_by_grads import Reader
from tapeless.differentiate.custom.branches import own_parts
from tapeless.differentiate.custom.customs import Custom, NotSplicedError, is_active
from tapeless.differentiate.custom.marks import as_it_was, marked, with_value
from tapeless.differentiate.custom.open_text import (
    Entry,
    Opened,
    check_returns,
    location_of,
    open_text,
)
from tapeless.differentiate.custom.outputs import (
    counted,
    is_leaf,
    is_none,
    is_plain,
    outputs_of,
    upstream_of,
)
from tapeless.differentiate.custom.pullbacks import (
    called_pullback,
    captured_names,
    pullback_function,
)
from tapeless.differentiate.custom.run_once import runs_once
from tapeless.differentiate.reverse.accumulate import Adjoint, is_fresh
from tapeless.differentiate.reverse.giving import contribute, full_slot
from tapeless.differentiate.reverse.parts import add_to_item
from tapeless.differentiate.reverse.state import Sweep
from tapeless.differentiate.reverse.taking import (
    forget_adjoint,
    take_cotangent,
    with_items_made,
)
from tapeless.differentiate.writer import Writer
from tapeless.kinds import (
    NOWHERE,
    Array,
    Dict,
    Instance,
    Integer,
    Kind,
    Real,
    Tuple,
    differentiable,
    is_container,
    is_number,
    regions_of,
)
from tapeless.protocol.authors import Key
from tapeless.protocol.gradients import fit_gradient
from tapeless.protocol.pullbacks import open_custom
from tapeless.protocol.upstreams import upstream_like
from tapeless.ranks import dims_of, dtype_of
from tapeless.rules.stores import method_stores
from tapeless.tree.build import assign, const, name, quote_expression, target
from tapeless.tree.classes import ATOMS, DISPLAYS, SLOTS, STORED
from tapeless.tree.comments import Role, comment
from tapeless.tree.names import binds_in_block, nodes
from tapeless.tree.trees import Expr, Stmt, Tree
from tapeless.variables import identifier_of


@dataclass(frozen=True)
class Reversed:
    """A call that is reversed.

    Attributes
    ----------
    s, key, custom
        The statement, what it binds, and the custom gradient that it calls.
    wanted
        The parameters whose gradients are wanted.
    y, owned
        The adjoint of the value, and whether nothing else holds it.
    """

    s: Stmt
    key: str
    custom: Custom
    wanted: tuple[Key, ...]
    y: Adjoint
    owned: bool

    def whole(self, sweep: Sweep, like: str | None = None) -> Expr:
        """Return the adjoint of the value at full shape, which is that of a name like the value."""
        g = self.y.expression
        return sweep.adjoints.full(like or self.key, g) if self.y.broadcasts else g


def reverse_custom(sweep: Sweep, s: Stmt, key: str, custom: Custom) -> list[Any] | None:
    """Write both sweeps of the call of a custom gradient."""
    value = sweep.result(s)
    wanted = tuple(k for k, a in custom.operands if is_active(sweep, s, a))
    reading = s in sweep.known.reading
    if not (wanted or reading) or not differentiable(value.kind):
        forget_adjoint(sweep, key)
        return [as_it_was(sweep, s)]
    refuse_stored_alias(sweep, s, custom, value.kind)
    reader = reader_of(sweep, s, custom)
    sweep.module.readers.append(reader)
    y = take_cotangent(sweep, s, key, value.kind)
    y = with_items_made(sweep, s, key, value.kind, y)
    if y is None:
        return [as_it_was(sweep, s)]
    call = Reversed(s, key, custom, wanted, y, sweep.owned_when_taken and not y.broadcasts)
    length = len(sweep.out)
    check_own_grads(custom)
    drawn = value_drawn(sweep, s, custom)
    if drawn is not None:
        return reverse_drawn(sweep, call, drawn)
    if reading:
        return _called_custom(sweep, call, "it reads Variables", reading=True)
    once = _once_apart_from_grad(sweep, call) if sweep.module.for_higher_order else None
    if once is not None:
        return _called_custom(sweep, call, once)
    try:
        forward = _spliced(sweep, call)
        reader.spliced = True
        return forward
    except NotSplicedError as reason:
        del sweep.out[length:]
        return _called_custom(sweep, call, str(reason))


def reader_of(sweep: Sweep, s: Stmt, custom: Custom) -> Reader:
    """Return what runs of a custom gradient in a reverse sweep."""
    kinds = [sweep.operand_kind(s, operand) for _, operand in custom.operands]
    kinds += [sweep.operand_kind(s, operand) for operand in custom.args[: custom.offset]]
    classes = tuple(kind.cls for kind in kinds if isinstance(kind, Instance))
    function = None if type(custom.function) is gast.FunctionDef else custom.function
    return Reader(sweep.function, s, custom.label, function, custom.text, classes=classes)


def _once_apart_from_grad(sweep: Sweep, call: Reversed) -> str | None:
    """Return what the body of a custom gradient does once only, where its `grad` can do without."""
    once = runs_once(sweep, call.s, call.custom)
    if once is None:
        return None
    try:
        pullback_function(sweep, call.s, call.custom, call.wanted)
    except NotSplicedError:
        return None
    return once.does


def refuse_stored_alias(sweep: Sweep, s: Stmt, custom: Custom, kind: Kind) -> None:
    """Refuse stores into a value that may be an argument handed through."""
    parts = kind.items if isinstance(kind, Tuple) else (kind,)
    arrays = [part for part in parts if sweep.has_shadow(part) and not is_container(part)]
    stored = NOWHERE.union(*map(regions_of, arrays))
    for _, operand in custom.operands:
        if stored & regions_of(sweep.operand_kind(s, operand)):
            sweep.refuse(
                s,
                f"the value of '{custom.label}' may share memory with its argument, and is stored "
                "into",
                "return a copy from it, or copy its value before the store",
            )


def _spliced(sweep: Sweep, call: Reversed) -> list[Any]:
    custom, key = call.custom, call.key
    opened = open_text(sweep, call.s, key, custom)
    env = opened.env
    sweep.out.append(
        comment(
            f"{custom.label}.grad, as written by its author ({location_of(custom, opened.grad)})"
        )
    )
    inlined = sweep.splicer.inline(opened.grad, _upstreams(sweep, opened, call), env, blocks=True)
    if inlined is None:
        raise NotSplicedError("its grad has more than one way through")
    body, result = inlined
    gradients = _gradients(sweep, call, opened, body, result)
    for statement in body:
        sweep.splicer.learn_statement(statement, env)
    sweep.out.extend(body)
    for entry, g in gradients:
        _contribute(sweep, call, entry, g, env)
    sweep.spliced_names |= binds_in_block([*opened.forward, *body]) - {key}
    forward = [*opened.forward, assign(key, opened.value)]
    if sweep.module.for_higher_order:
        forward[-1] = marked(sweep, call.s, forward[-1])
    title = f"{custom.label}, inlined{_captures(sweep, call)}"
    return [comment(title, Role.INLINED), *forward]


def _captures(sweep: Sweep, call: Reversed) -> str:
    """Name the varying arrays that a local custom gradient captures: they count as constants."""
    env = sweep.known.before.get(call.s, {})
    captured = captured_names(sweep, call.custom)
    active = [k for k in captured if k in env and sweep.value(call.s, k).varied]
    return f"; {', '.join(active)} inside it counts as constant" if active else ""


def check_own_grads(custom: Custom) -> None:
    """Check every definition that `f` returns as its `grad`."""
    if custom.text is None:
        return
    own = own_parts(custom.text.tree.body)
    returned = {
        last.id
        for part in own
        if type(part) is gast.Return and type(part.value) is gast.Tuple
        for last in part.value.elts[-1:]
        if type(last) is gast.Name
    }
    for part in own:
        if type(part) is gast.FunctionDef and part.name in returned:
            check_returns(custom, part)


def _upstreams(sweep: Sweep, opened: Opened, call: Reversed) -> dict[str, Any]:
    """Return the expression for each parameter of `grad`."""
    a = opened.grad.tree.args
    kind = opened.env[call.key].kind
    named = [p.id for p in [*a.posonlyargs, *a.args]]
    if a.kwarg is not None:
        raise NotSplicedError("its grad takes **keywords")
    keywords = {p.id: d for p, d in zip(a.kwonlyargs, a.kw_defaults, strict=True)}
    if "variables" in [*named, *keywords]:
        raise NotSplicedError("which Variables it reads is known at run time only")
    if set(keywords) - {"upstream"}:
        raise NotSplicedError("its grad takes keywords of its own")
    outputs = outputs_of(kind)
    if outputs is None:
        raise NotSplicedError("the structure of its value is not known")
    wish = next(iter([*named, *keywords]), a.vararg.id if a.vararg else "upstream")
    wish = "upstream" if "upstream" in keywords else wish.rstrip("_") or wish
    private = _works_in_place(opened.grad.tree) and not call.owned
    whole = _whole_upstream(sweep, call, kind, wish, opened.env, private)
    parts = (
        [whole]
        if len(outputs) == 1 and not isinstance(kind, Tuple)
        else [_output(sweep, whole, i, k, call.key) for i, k in enumerate(outputs)]
    )
    if "upstream" in keywords:
        given: dict[str, Any] = {"upstream": whole}
        if a.vararg is not None:
            inputs = [copy.deepcopy(e.tree) for e in opened.bound]
            given[a.vararg.id] = gast.Tuple(inputs, gast.Load())
        if named or isinstance(kind, Tuple):
            raise NotSplicedError("its grad takes both inputs by name and upstream=")
        return given
    required = len(named) - len(a.defaults)
    if not required <= len(parts) or (len(parts) > len(named) and a.vararg is None):
        raise NotSplicedError("its grad takes the upstreams together")
    given = dict(zip(named, parts, strict=False))
    if a.vararg is not None:
        given[a.vararg.id] = gast.Tuple(parts[len(named) :], gast.Load())
    for parameter, default in zip(named[required:], a.defaults, strict=True):
        if parameter not in given:
            if type(default) is not gast.Constant:
                raise NotSplicedError("its grad has a default that is not a literal")
            given[parameter] = default
    return given


def _whole_upstream(
    sweep: Sweep, call: Reversed, kind: Kind, wish: str, env: dict[str, Value], private: bool
) -> Any:
    """Return the cotangent of the value, at full shape, as a name or literal."""
    filled = call.y.broadcasts and isinstance(kind, Array)
    same = [k for k, v in env.items() if k != call.key and _same_array(v.kind, kind)]
    whole = call.whole(sweep, same[0] if filled and same else None)
    if private and not isinstance(kind, Real) and not filled:
        if isinstance(kind, Array):
            whole = quote_expression("g.copy()", g=whole)
        else:
            whole = quote_expression("copied(g)", copied=sweep.runtime("copied"), g=whole)
    whole = _as_narrow(sweep, call.key, whole, kind, env)
    if type(whole) not in ATOMS:
        fresh = sweep.names.fresh(wish)
        sweep.out.append(assign(fresh, whole))
        sweep.spliced_names.add(fresh)
        whole = name(fresh)
    if type(whole) is gast.Name:
        env[whole.id] = Value(kind)
    return whole


def _as_narrow(sweep: Sweep, key: str, whole: Expr, kind: Kind, env: Any) -> Any:
    """Return a value in single precision such an upstream, where what follows is in double."""
    code = dtype_of(kind)
    if code in ("?", "c?") and is_number(kind) and sweep.meets_single:
        helper = sweep.splicer.external(upstream_like, "upstream_like")
        return quote_expression("f(g, y)", f=helper, g=whole, y=key)
    if code not in ("f4", "c8") or dtype_of(sweep.splicer.evaluate(whole, env).kind) == code:
        return whole
    narrow = "np.float32" if code == "f4" else "np.complex64"
    text = f"{narrow}(g)" if isinstance(kind, Real) else f"g.astype({narrow})"
    return quote_expression(text, np=sweep.numpy, g=whole)


def _same_array(a: Kind, b: Kind) -> bool:
    return isinstance(a, Array) and isinstance(b, Array) and (a.dims, a.dtype) == (b.dims, b.dtype)


def _output(sweep: Sweep, whole: Expr, i: int, kind: Kind, key: str) -> Any:
    part = upstream_of(whole, i, kind)
    item = gast.Subscript(name(key), const(i), gast.Load())
    return part if is_plain(kind) else full_slot(sweep, part, item, kind)


def _works_in_place(tree: Tree) -> bool:
    """Whether a `grad` may write into what it is given."""
    for part in nodes(tree):
        if type(part) is gast.AugAssign:
            return True
        if type(part) in SLOTS and type(part.ctx) in STORED:
            return True
        if type(part) is gast.Call:
            if any(k.arg == "out" for k in part.keywords):
                return True
            if type(part.func) is gast.Attribute and (
                part.func.attr == "at" or method_stores(part.func.attr)
            ):
                return True
            if type(part.func) is not gast.Attribute:
                return True  # a function of the user's may do anything
    return False


def _gradients(
    sweep: Sweep, call: Reversed, opened: Opened, body: list[Stmt], result: Expr
) -> list[tuple[Entry, Any]]:
    """Match what `grad` returns to the parameters whose gradients are wanted."""
    s, wanted, bound, env = call.s, call.wanted, opened.bound, dict(opened.env)
    for statement in body:
        sweep.splicer.learn_statement(statement, env)
    active = [e for e in bound if e.key is not None and e.key in wanted]
    if any(not is_leaf(sweep.operand_kind(s, e.tree)) for e in active):
        raise NotSplicedError("an argument is a container")
    others = [e for e in bound if e not in active]
    if any(is_container(k) or isinstance(k, Tuple) and differentiable(k)
           for k in (sweep.operand_kind(s, e.tree) for e in others)):  # fmt: skip
        raise NotSplicedError("an argument is a container")
    if type(result) in DISPLAYS:
        if any(type(e) is gast.Starred for e in result.elts):
            raise NotSplicedError("how many gradients its grad returns is not visible")
        elements = list(result.elts)
    elif len(bound) == 1:
        elements = [result]
    else:
        kind = sweep.splicer.evaluate(result, env).kind
        if is_number(kind):
            elements = [result]
        elif isinstance(kind, Tuple) and len(kind.items) == len(bound):
            elements = [
                gast.Subscript(copy.deepcopy(result), const(i), gast.Load())
                for i in range(len(bound))
            ]
        else:
            raise NotSplicedError("how many gradients its grad returns is not visible")
    elements = counted(sweep, s, call.custom, bound, wanted, elements, opened.grad.tree)
    pairs = zip(bound, elements, strict=False)
    return [(e, g) for e, g in pairs if e in active and not is_none(g)]


def _contribute(sweep: Sweep, call: Reversed, entry: Entry, g: Expr, env: dict[str, Value]) -> None:
    if not is_fitted(sweep.splicer.evaluate(g, env).kind, sweep.operand_kind(call.s, entry.tree)):
        helper = sweep.splicer.external(fit_gradient, "fit_gradient")
        g = quote_expression(
            "fit(g, x, f, p)", fit=helper, g=g, x=entry.tree, f=const(call.custom.label),
            p=const(entry.name),
        )  # fmt: skip
    give(sweep, call.s, entry.tree, g)


def give(sweep: Sweep, s: Stmt, operand: Expr, g: Expr) -> None:
    """Add a gradient to the adjoint of an operand, or of an item of a starred one."""
    if type(operand) is gast.Subscript:
        add_to_item(sweep, s, operand.value.id, operand.slice, Adjoint(g), operand.value.id)
        return
    contribute(sweep, s, operand.id, Adjoint(g), is_fresh(g, sweep.splicer.resolve))


def is_fitted(g: Kind, x: Kind) -> bool:
    """Whether a gradient is known to have the shape and dtype of its argument."""
    if isinstance(x, Real):
        return (
            isinstance(g, (Real, Integer))
            and getattr(g, "dtype", "f8") in (x.dtype, "f8")
            and (x.dtype == "f8")
        )
    if not isinstance(x, Array) or not isinstance(g, Array):
        return False
    return dims_of(g) == dims_of(x) and g.dtype == x.dtype


def _called_custom(sweep: Sweep, call: Reversed, reason: str, reading: bool = False) -> list[Any]:
    """Call a custom gradient that cannot be spliced, and keep the `grad` that it returns."""
    whole = call.whole(sweep)
    if reading and sweep.module.for_higher_order:
        sweep.refuse(
            call.s,
            f"the gradient of '{call.custom.label}' with respect to Variables cannot be "
            "differentiated again yet",
            "pass the arrays as arguments",
        )
    if sweep.module.for_higher_order:
        pulled, forward = _unit_call(sweep, call, whole)
    else:
        pull = sweep.names.fresh(f"{call.key}_pull")
        of_variables = _variables_passed(sweep) if reading else []
        pulled = gast.Call(name(pull), [whole, *of_variables], [])
        forward = opened_call(sweep, call.s, call.key, pull, call.wanted)
    _receive_gradients(sweep, call, pulled)
    return [comment(f"{call.custom.label} is called: {reason}"), forward]


def _receive_gradients(sweep: Sweep, call: Reversed, pulled: Expr) -> None:
    """Hand the gradients that a call of a pullback returns on to the operands."""
    operands = dict(call.custom.operands)
    bars = [sweep.names.fresh(f"{_root(operands[k])}_bar") for k in call.wanted]
    places = [target(bar) for bar in bars]
    place = places[0] if len(bars) == 1 else gast.Tuple(places, gast.Store())
    sweep.out.append(gast.Assign([place], pulled, None) if bars else gast.Expr(pulled))
    for k, bar in zip(call.wanted, bars, strict=True):
        operand = operands[k]
        if type(operand) is gast.Name:
            contribute(sweep, call.s, operand.id, Adjoint(name(bar)), False)
        else:
            give(sweep, call.s, operand, name(bar))


def _variables_passed(sweep: Sweep) -> list[Any]:
    """Return a pullback the adjoint memory and the Variables that are asked for."""
    asked = [
        name(sweep.splicer.external(v, identifier_of(v)))
        for v in sweep.module.program.wrt_variables
    ]
    return [name(sweep.memory_name()), gast.Tuple(asked, gast.Load())]


def _unit_call(sweep: Sweep, call: Reversed, whole: Expr) -> tuple[Any, Any]:
    """Write a call for the orders that come after: its pullback is a function in the text."""
    if isinstance(sweep.result(call.s).kind, Dict):
        helper = sweep.splicer.external(upstream_like, "upstream_like")
        whole = quote_expression("like(g, y)", like=helper, g=whole, y=call.key)
    return _pulled_by_text(sweep, call, whole), assign(call.key, copy.deepcopy(call.s.value))


def _pulled_by_text(sweep: Sweep, call: Reversed, whole: Expr) -> Expr:
    try:
        return called_pullback(sweep, call.s, call.custom, call.wanted, whole)
    except NotSplicedError as reason:
        sweep.refuse(
            call.s,
            f"the gradient of '{call.custom.label}' cannot be differentiated again: {reason}",
            reason.fix or "write f and its grad as plain functions of one file",
        )


def _root(operand: Expr) -> str:
    return str(operand.value.id if type(operand) is gast.Subscript else operand.id)


def opened_call(sweep: Writer, s: Stmt, key: str, pull: str, wanted: tuple[Key, ...]) -> Any:
    """Write `y, y_pull = open_custom((0,), h, x)`."""
    opener = sweep.splicer.external(open_custom, "open_custom")
    places = gast.Tuple([const(k) for k in wanted], gast.Load())
    call = gast.Call(name(opener), [places, s.value.func, *s.value.args], s.value.keywords)
    return gast.Assign([gast.Tuple([target(key), target(pull)], gast.Store())], call, None)


def value_drawn(sweep: Writer, s: Stmt, custom: Custom) -> Any:
    """Return the value that a marked call had, where it may not run again; else None."""
    marked_value = sweep.marked_values.get(s)
    if marked_value is None or runs_once(sweep, s, custom) is None:
        return None
    return copy.deepcopy(marked_value)


def reverse_drawn(sweep: Sweep, call: Reversed, value: Expr) -> list[Any]:
    """Keep the value that a marked call had: its pullback alone is run."""
    pulled = _pulled_by_text(sweep, call, call.whole(sweep))
    _receive_gradients(sweep, call, pulled)
    return [comment(f"{call.custom.label} has run already"), with_value(sweep, call.s, value)]
