"""The texts of a custom gradient: its forward body, inlined, and its `grad`, ready to be spliced.

The body of `f` is spliced into the forward sweep with its locals renamed, and the body of the `grad`
that it returns into the reverse sweep, with `grad`'s parameters replaced by the cotangents at hand.
"""

from __future__ import annotations

import copy
import inspect
from dataclasses import dataclass
from typing import Any

import gast

from tapeless.analysis.abstract import Value
from tapeless.differentiate.custom.branches import NotOneGradError, own_parts, with_one_grad
from tapeless.differentiate.custom.customs import Custom, NotSplicedError
from tapeless.differentiate.rule_texts import environment
from tapeless.differentiate.writer import Writer
from tapeless.errors import GradientError
from tapeless.origins import file_of, shown_location
from tapeless.protocol.authors import Key, author_of
from tapeless.source.texts import Text, text_of
from tapeless.tree.build import const, name
from tapeless.tree.endings import falls_through
from tapeless.tree.names import nodes, reads, unshadowed
from tapeless.tree.trees import Expr, Stmt, Tree


@dataclass(frozen=True)
class Entry:
    """A parameter of a custom gradient and what is bound to it.

    `key` is where the operand stands in the call, None for a default.
    """

    name: str
    tree: Tree
    key: Key | None
    optional: bool


@dataclass(frozen=True)
class Opened:
    """The forward body of a custom gradient, inlined.

    Attributes
    ----------
    forward, value
        The statements of the body, and the expression of the value.
    grad, jvp
        The texts of `grad` and `jvp`, their captured names as they are called in the caller.
    bound
        The parameters.
    env
        What is known of the names after the call.
    """

    forward: list[Any]
    value: Expr
    grad: Text
    jvp: Text | None
    bound: list[Entry]
    env: dict[str, Value]


def bind_entries(sweep: Writer, custom: Custom) -> list[Entry]:
    """Bind the operands of a call to the parameters, in the order of the signature."""
    assert custom.text is not None
    a = custom.text.tree.args
    positional = [p.id for p in [*a.posonlyargs, *a.args]]
    defaults = _defaults(sweep, custom)
    rest = dict(custom.keywords)
    named = {unshadowed(key): key for key in rest}
    made: list[Entry] = []
    for i, parameter in enumerate(positional):
        if i < len(custom.args):
            made.append(Entry(parameter, custom.args[i], i - custom.offset, parameter in defaults))
        else:
            made.append(_by_keyword(parameter, named, rest, defaults))
    extra = custom.args[len(positional) :]
    if extra and a.vararg is None:
        raise NotSplicedError("the call does not fit its signature")
    made += [
        Entry(f"{a.vararg.id}[{i}]", arg, len(positional) + i - custom.offset, False)
        for i, arg in enumerate(extra)
    ]
    made += [_by_keyword(p.id, named, rest, defaults) for p in a.kwonlyargs]
    if rest and a.kwarg is None:
        raise NotSplicedError("the call does not fit its signature")
    return [*made, *(Entry(k, v, k, True) for k, v in rest.items())]


def _by_keyword(
    parameter: str, named: dict[str, str], rest: dict[str, Any], defaults: dict[str, Any]
) -> Entry:
    if parameter in named:
        key = named[parameter]
        return Entry(parameter, rest.pop(key), key, parameter in defaults)
    if parameter not in defaults:
        raise NotSplicedError("the call does not fit its signature")
    return Entry(parameter, copy.deepcopy(defaults[parameter]), None, True)


def _defaults(sweep: Writer, custom: Custom) -> dict[str, Any]:
    """Return the default of each parameter that has one: it was evaluated when `f` was defined."""
    assert custom.text is not None
    a = custom.text.tree.args
    positional = [p.id for p in [*a.posonlyargs, *a.args]]
    written = dict(zip(positional[len(positional) - len(a.defaults) :], a.defaults, strict=True))
    written |= {p.id: d for p, d in zip(a.kwonlyargs, a.kw_defaults, strict=True) if d is not None}
    if type(custom.function) is gast.FunctionDef:
        if not all(type(d) is gast.Constant for d in written.values()):
            raise NotSplicedError("it has a default that is not a literal")
        return written
    values = dict(zip(positional[::-1], (custom.function.__defaults__ or ())[::-1], strict=False))
    values |= {unshadowed(k): v for k, v in (custom.function.__kwdefaults__ or {}).items()}
    return {
        p: tree if type(tree) is gast.Constant else name(sweep.splicer.external(values[p], p))
        for p, tree in written.items()
    }


def open_text(sweep: Writer, s: Stmt, key: str, custom: Custom) -> Opened:
    """Inline the forward body of a custom gradient; raises `NotSplicedError` with the reason."""
    if custom.text is None:
        raise NotSplicedError("its source cannot be read")
    env = environment(sweep, s, key)
    bound = bind_entries(sweep, custom)
    try:
        text = with_one_grad(custom.text)
    except NotOneGradError as reason:
        raise NotSplicedError(str(reason)) from None
    made = sweep.splicer.inline(text, bindings_of(text.tree, bound), env, blocks=True)
    if made is None:
        raise NotSplicedError("its body has more than one way through")
    statements, result = made
    if type(result) is not gast.Tuple or len(result.elts) < 2:
        raise NotSplicedError("what it returns is not written as a pair")
    inner = {d.name: d for d in statements if type(d) is gast.FunctionDef}
    value, grad_tree, jvp_tree = _taken_apart(sweep, result.elts, inner, key)
    grad = _grad_text(sweep, grad_tree, inner)
    jvp = None if jvp_tree is None else _grad_text(sweep, jvp_tree, inner)
    if jvp is not None:
        statements = [d for d in statements if d is not inner.pop(jvp.tree.name, None)]
    helpers = set(inner) - {grad.tree.name}
    if helpers & set(reads(grad.tree)):
        raise NotSplicedError("its grad calls a function defined beside it")
    used = {n for d in statements if d is not inner.get(grad.tree.name) for n in reads(d)}
    if grad.tree.name in used | set(reads(grad.tree)) | set(reads(value)):
        raise NotSplicedError("its grad is used as a value")
    plain = [d for d in statements if d is not inner.get(grad.tree.name)]
    for statement in plain:
        sweep.splicer.learn_statement(statement, env)
    check_returns(custom, grad.tree)
    skipped = max(custom.skipped, custom.offset)
    return Opened(plain, value, grad, jvp, bound[skipped:], env)


def _taken_apart(
    sweep: Writer, elements: list[Expr], inner: dict[str, Any], key: str
) -> tuple[Any, Any, Any]:
    """Tell the value, `grad` and `jvp` apart in what `f` returns."""
    if len(elements) == 2:
        return elements[0], elements[1], None
    before_last = elements[-2]
    callable_name = type(before_last) is gast.Name and before_last.id in inner
    if len(elements) == 3 and (callable_name or type(before_last) is gast.Lambda):
        return elements[0], elements[1], elements[2]
    if not _last_item_is_unused(sweep, key):
        raise NotSplicedError("its grad is part of the value that is used")
    return gast.Tuple([*elements[:-1], const(None)], gast.Load()), elements[-1], None


def _last_item_is_unused(sweep: Writer, key: str) -> bool:
    """Whether a tuple is only unpacked, and its last item is never read."""
    everything = [part for part in nodes(sweep.function.tree) if hasattr(part, "lineno")]
    unpacked = [
        part.targets[0].elts[-1]
        for part in everything
        if type(part) is gast.Assign
        and type(part.targets[0]) is gast.Tuple
        and key in reads(part.value)
    ]
    read = reads(sweep.function.tree)
    last = [t.id if type(t) is gast.Name else None for t in unpacked]
    return read.count(key) == len(unpacked) and not any(k is None or k in read for k in last)


def _grad_text(sweep: Writer, tree: Tree, inner: dict[str, Any]) -> Text:
    if type(tree) is gast.Lambda:
        grad = gast.FunctionDef("grad", tree.args, [gast.Return(tree.body)], [], None, None, [])
        grad.lineno = getattr(tree, "lineno", None)
        return Text(grad, {})
    if type(tree) is gast.Name and tree.id in inner:
        if inner[tree.id].decorator_list:
            raise NotSplicedError("its grad is decorated")
        return Text(inner[tree.id], {})
    found = sweep.splicer.resolve(tree)
    text = text_of(found) if inspect.isfunction(found) and author_of(found) is None else None
    if text is None:
        raise NotSplicedError("its grad is not a def or lambda of its own")
    return text


def check_returns(custom: Custom, grad: Expr) -> None:
    """Refuse a `grad` that may end without `return`: Python's None would count as a zero gradient."""
    if not falls_through(grad.body):
        return
    some = any(type(part) is gast.Return for part in own_parts(grad.body))
    way = "a way through that ends without a return" if some else "no return"
    error = GradientError(
        f"grad function of '{custom.label}' has {way} statement",
        fix="return the gradients; an explicit None where there is none",
    )
    raise in_custom(error, custom, grad)


def in_custom(error: GradientError, custom: Custom, grad: Expr) -> GradientError:
    """Point an error to the `grad` of a custom gradient."""
    error.point_to(custom.filename, getattr(grad, "lineno", None) or 1)
    return error


def bindings_of(tree: Tree, bound: list[Entry]) -> dict[str, Any]:
    """Return the expression for each parameter: a tuple for `*args`, a dict for `**kwargs`."""
    a = tree.args
    own = {p.id for p in [*a.posonlyargs, *a.args, *a.kwonlyargs]}
    made = {e.name: e.tree for e in bound if e.name in own}
    if a.vararg is not None:
        items = [e.tree for e in bound if e.name.startswith(f"{a.vararg.id}[")]
        made[a.vararg.id] = gast.Tuple(items, gast.Load())
    if a.kwarg is not None:
        rest = [e for e in bound if e.name not in own and "[" not in e.name]
        made[a.kwarg.id] = gast.Dict([const(e.name) for e in rest], [e.tree for e in rest])
    return made


def location_of(custom: Custom, text: Text) -> str:
    """Return the author's file, or cell of a notebook, and line of a `grad`, for comments."""
    line = getattr(text.tree, "lineno", None)
    return shown_location(file_of(line, custom.filename), line, folder=False)
