"""Custom gradients: the author's `grad` stands where the tool would have written an adjoint.

The body of `f` is spliced into the forward sweep with its locals renamed, and the body of the `grad`
that it returns into the reverse sweep, with `grad`'s parameters replaced by the cotangents at hand. No
adjoint is made of `f`'s own body, so it may call anything. How upstreams and gradients are matched
(`tapeless.protocol`) is settled while the text is written, where the text shows it. Everything else is
a call: `y, y_pull = open_custom((0,), h, x)` in the forward sweep and `x_bar = y_pull(y_bar)` in the
reverse sweep, with a comment that says why.

Only arguments carry derivatives out of a custom gradient. What it captures is constant, whether or
not it varies in the function around it.
"""

from __future__ import annotations

import copy
import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import gast
import numpy as np

from tapeless.analysis.abstract import Value
from tapeless.analysis.calls import CustomCall
from tapeless.analysis.facts import Body
from tapeless.analysis.logs import grads_of
from tapeless.differentiate import rules
from tapeless.differentiate.custom.branches import NotOneGradError, own_parts, with_one_grad
from tapeless.differentiate.writer import Writer
from tapeless.errors import GradientError
from tapeless.externals import MISSING, resolve
from tapeless.kinds import (
    BOOL,
    GRAD,
    Dict,
    Function,
    Inert,
    Integer,
    Kind,
    Tuple,
    differentiable,
    is_number,
)
from tapeless.protocol.authors import Key, author_of, is_method
from tapeless.protocol.gradients import count_error
from tapeless.runtime import unit
from tapeless.source.texts import Text, text_of
from tapeless.tree.build import assign, const, name
from tapeless.tree.endings import falls_through
from tapeless.tree.names import functions_within, nodes, reads, unshadowed
from tapeless.variables import is_variable


@dataclass(frozen=True)
class Custom:
    """A custom gradient as a statement calls it.

    Attributes
    ----------
    label
        Its name.
    function
        The undecorated function, or the definition of a local one.
    filename
        The file that it is written in.
    text
        Its source; None where there is none.
    args, keywords
        The operands, an object whose method it is among them.
    skipped
        How many of its parameters are not counted: 1 for the object of a method.
    offset
        How many of `args` do not stand in the call: 1 where the object does not.
    """

    label: str
    function: Any
    filename: str
    text: Text | None
    args: list[Any]
    keywords: dict[str, Any]
    skipped: int
    offset: int

    @property
    def operands(self) -> list[tuple[Key, Any]]:
        """The operands that carry gradients, each with where it stands in the call."""
        skipped = max(self.skipped, self.offset)
        placed: list[tuple[Key, Any]] = [
            (i - self.offset, a) for i, a in enumerate(self.args) if i >= skipped
        ]
        return [*placed, *self.keywords.items()]


class NotSplicedError(Exception):
    """Why a custom gradient is called and not spliced, and the way out where there is one."""

    def __init__(self, reason: str, fix: str | None = None) -> None:
        super().__init__(reason)
        self.fix = fix


def grad_may_raise(body: Body) -> bool:
    """Whether the `grad` of a custom gradient may raise: it does more than to compute with arrays."""
    callee = body.callee
    if callee is None or not all(isinstance(grad, Function) for grad in grads_of(callee)):
        return True
    inner = functions_within(callee.function.tree)
    return any(_may_raise(callee.function.resolve, part) for grad in inner for part in nodes(grad))


def rule_may_raise(function: Any) -> bool:
    """Whether a rule that a user registered may raise in a reverse sweep."""
    text = text_of(function)
    if text is None:
        return True
    resolved = functools.partial(resolve, externals=text.externals, local=set())
    inner = functions_within(text.tree) or [text.tree]
    return any(_may_raise(resolved, part) for grad in inner for part in nodes(grad))


def _may_raise(resolved: Callable[[Any], Any], part: Any) -> bool:
    """Whether a part of a text raises, looks up an item, or calls what is not NumPy's or Python's."""
    if isinstance(part, gast.Subscript):
        return not isinstance(part.slice, gast.Slice)
    if not isinstance(part, gast.Call):
        return isinstance(part, gast.Raise | gast.Assert)
    found = resolved(part.func)
    if found is MISSING:
        return not hasattr(np.ndarray, getattr(part.func, "attr", ""))
    home = getattr(found, "__module__", None) or type(found).__module__
    return str(home).partition(".")[0] not in ("numpy", "math", "cmath", "builtins", "scipy")


# Which statement calls one


def custom_of(sweep: Writer, s: Any) -> Custom | None:
    """Tell whether a statement calls a custom gradient, and how."""
    tree = s.value
    if not isinstance(tree, gast.Call):
        return None
    called = sweep.call(s)
    if not isinstance(called, CustomCall):
        return None
    author, before = called.author, [] if called.owner is None else [called.owner]
    if isinstance(author, gast.FunctionDef):
        plain = gast.FunctionDef(author.name, author.args, author.body, [], None, None, [])
        plain.lineno = getattr(author, "lineno", None)
        text: Text | None = Text(plain, sweep.function.externals)
        label, skipped, filename = author.name, 0, sweep.function.filename
    else:
        text = text_of(author) if inspect.isfunction(author) else None
        label = getattr(author, "__name__", repr(author))
        skipped = int(is_method(author))
        filename = str(getattr(getattr(author, "__code__", None), "co_filename", "<text>"))
    args = [*before, *_spread(sweep, s, tree.args)]
    keywords = _spread_keywords(sweep, s, tree.keywords)
    return Custom(label, author, filename, text, args, keywords, skipped, len(before))


def _spread(sweep: Writer, s: Any, args: list[Any]) -> list[Any]:
    """Take starred arguments apart where their length is known."""
    found: list[Any] = []
    for arg in args:
        if not isinstance(arg, gast.Starred):
            found.append(arg)
            continue
        kind = sweep.operand_kind(s, arg.value)
        if not isinstance(kind, Tuple):
            sweep.refuse(
                s,
                "how many arguments this call of a custom gradient passes is not known",
                "pass them one by one, without `*`",
            )
        found += [gast.Subscript(arg.value, const(i), gast.Load()) for i in range(len(kind.items))]
    return found


def _spread_keywords(sweep: Writer, s: Any, keywords: list[Any]) -> dict[str, Any]:
    """Take `**` arguments apart where their keys are known."""
    found: dict[str, Any] = {}
    for keyword in keywords:
        if keyword.arg is not None:
            found[keyword.arg] = keyword.value
            continue
        slots = slots_of(sweep, sweep.operand_kind(s, keyword.value))
        if slots is None:
            sweep.refuse(
                s,
                "which keywords this call of a custom gradient passes is not known",
                "pass them by name, without `**`",
            )
        if any(is_variable(v.kind) for v in (slots or {}).values()):
            sweep.refuse(
                s, "this passes Variables by `**` to a custom gradient", "pass them by name"
            )
        for key in slots or ():
            found[key] = gast.Subscript(keyword.value, const(key), gast.Load())
    return found


def slots_of(sweep: Writer, kind: Kind) -> dict[Any, Value] | None:
    """Return what a dict holds; None where that is not known, or changes."""
    if not isinstance(kind, Dict) or len(kind.regions) != 1 or kind.regions & sweep.facts.stored:
        return None
    [region] = kind.regions
    slots: dict[Any, Value] = sweep.known.heap.get(region, {})
    return slots if all(isinstance(key, str) and key != "?" for key in slots) else None


def is_active(sweep: Writer, s: Any, operand: Any) -> bool:
    """Whether an operand, or an item of a starred one, carries a derivative."""
    if not isinstance(operand, gast.Subscript):
        return bool(sweep.is_active(s, operand))
    kind = sweep.operand_kind(s, operand.value)
    slots = slots_of(sweep, kind)
    if slots is not None:
        slot = slots[operand.slice.value]
        varied = slot.varied or sweep.is_active(s, operand.value)
        return bool(varied) and differentiable(slot.kind)
    item = kind.items[operand.slice.value] if isinstance(kind, Tuple) else kind
    return bool(sweep.is_active(s, operand.value)) and differentiable(item)


def kind_of(sweep: Writer, s: Any, operand: Any) -> Kind:
    """Return the kind of an operand as control comes to a statement."""
    found: Kind = sweep.operand_kind(s, operand)
    return found


# Its text


@dataclass(frozen=True)
class Entry:
    """A parameter of a custom gradient and what is bound to it.

    `key` is where the operand stands in the call, None for a default.
    """

    name: str
    tree: Any
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
    value: Any
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
    if isinstance(custom.function, gast.FunctionDef):
        if not all(isinstance(d, gast.Constant) for d in written.values()):
            raise NotSplicedError("it has a default that is not a literal")
        return written
    values = dict(zip(positional[::-1], (custom.function.__defaults__ or ())[::-1], strict=False))
    values |= {unshadowed(k): v for k, v in (custom.function.__kwdefaults__ or {}).items()}
    return {
        p: tree if isinstance(tree, gast.Constant) else name(sweep.splicer.external(values[p], p))
        for p, tree in written.items()
    }


def open_text(sweep: Writer, s: Any, key: str, custom: Custom) -> Opened:
    """Inline the forward body of a custom gradient; raises `NotSplicedError` with the reason."""
    if custom.text is None:
        raise NotSplicedError("its source cannot be read")
    env = rules.environment(sweep, s, key)
    bound = bind_entries(sweep, custom)
    try:
        text = with_one_grad(custom.text)
    except NotOneGradError as reason:
        raise NotSplicedError(str(reason)) from None
    made = sweep.splicer.inline(text, bindings_of(text.tree, bound), env, blocks=True)
    if made is None:
        raise NotSplicedError("its body has more than one way through")
    statements, result = made
    if not isinstance(result, gast.Tuple) or len(result.elts) < 2:
        raise NotSplicedError("what it returns is not written as a pair")
    inner = {d.name: d for d in statements if isinstance(d, gast.FunctionDef)}
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
    sweep: Writer, elements: list[Any], inner: dict[str, Any], key: str
) -> tuple[Any, Any, Any]:
    """Tell the value, `grad` and `jvp` apart in what `f` returns."""
    if len(elements) == 2:
        return elements[0], elements[1], None
    before_last = elements[-2]
    callable_name = isinstance(before_last, gast.Name) and before_last.id in inner
    if len(elements) == 3 and (callable_name or isinstance(before_last, gast.Lambda)):
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
        if isinstance(part, gast.Assign)
        and isinstance(part.targets[0], gast.Tuple)
        and key in reads(part.value)
    ]
    read = reads(sweep.function.tree)
    last = [t.id if isinstance(t, gast.Name) else None for t in unpacked]
    return read.count(key) == len(unpacked) and not any(k is None or k in read for k in last)


def _grad_text(sweep: Writer, tree: Any, inner: dict[str, Any]) -> Text:
    if isinstance(tree, gast.Lambda):
        grad = gast.FunctionDef("grad", tree.args, [gast.Return(tree.body)], [], None, None, [])
        grad.lineno = getattr(tree, "lineno", None)
        return Text(grad, {})
    if isinstance(tree, gast.Name) and tree.id in inner:
        if inner[tree.id].decorator_list:
            raise NotSplicedError("its grad is decorated")
        return Text(inner[tree.id], {})
    found = sweep.splicer.resolve(tree)
    text = text_of(found) if inspect.isfunction(found) and author_of(found) is None else None
    if text is None:
        raise NotSplicedError("its grad is not a def or lambda of its own")
    return text


def check_returns(custom: Custom, grad: Any) -> None:
    """Refuse a `grad` that may end without `return`: Python's None would count as a zero gradient."""
    if not falls_through(grad.body):
        return
    some = any(isinstance(part, gast.Return) for part in own_parts(grad.body))
    way = "a way through that ends without a return" if some else "no return"
    error = GradientError(
        f"grad function of '{custom.label}' has {way} statement",
        fix="return the gradients; an explicit None where there is none",
    )
    raise _in_custom(error, custom, grad)


def _in_custom(error: GradientError, custom: Custom, grad: Any) -> GradientError:
    """Point an error to the `grad` of a custom gradient."""
    error.point_to(custom.filename, getattr(grad, "lineno", None) or 1)
    return error


def bindings_of(tree: Any, bound: list[Entry]) -> dict[str, Any]:
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


# Upstreams


def outputs_of(kind: Kind) -> list[Kind] | None:
    """Return the kinds of the outputs, each a leaf; None where that is not known."""
    if isinstance(kind, Tuple):
        items = [k for k in kind.items if k != GRAD]
        if kind.cls is not tuple or not items:
            return None
        known = (is_leaf(k) or is_plain(k) for k in items)
        return items if all(known) and any(map(is_leaf, items)) else None
    return [kind] if is_number(kind) else None


def is_leaf(kind: Kind) -> bool:
    """Whether a value is a number or an array with a derivative."""
    return is_number(kind) and differentiable(kind)


def is_plain(kind: Kind) -> bool:
    """Whether an output is a number without derivative, or no number at all."""
    return isinstance(kind, Integer | Inert)


def upstream_of(whole: Any, i: int, kind: Kind) -> Any:
    """Write the upstream of one output of several: zero or None for one without derivative."""
    if kind == BOOL:
        return const(False)
    if is_plain(kind):
        return const(0 if isinstance(kind, Integer) else None)
    return gast.Subscript(copy.deepcopy(whole), const(i), gast.Load())


# Gradients


def counted(
    sweep: Writer, s: Any, custom: Custom, bound: list[Entry], wanted: tuple[Key, ...],
    elements: list[Any], grad: Any,
) -> list[Any]:  # fmt: skip
    """Return the gradients that `grad` shows, without what is surplus and None.

    Raises
    ------
    GradientError
        If there are too many of them, or one that is needed is not there.
    """
    elements = list(elements)
    while len(elements) > len(bound) and is_none(elements[-1]):
        elements.pop()
    missing = bound[len(elements) :]
    if (
        len(elements) > len(bound)
        or any(e.key is not None and e.key in wanted for e in missing)
        or not all(e.optional or not differentiable(kind_of(sweep, s, e.tree)) for e in missing)
    ):
        error = count_error(custom.label, len(elements), [e.name for e in bound])
        raise _in_custom(error, custom, grad)
    return elements


def is_none(tree: Any) -> bool:
    """Whether an expression is the literal None."""
    return isinstance(tree, gast.Constant) and tree.value is None


def place_of(custom: Custom, text: Text) -> str:
    """Return the author's file and line of a `grad`, for comments."""
    line = getattr(text.tree, "lineno", None) or "?"
    return f"{custom.filename.replace(chr(92), '/').rpartition('/')[2]}:{line}"


# Units


def marked(sweep: Writer, s: Any, statement: Any) -> Any:
    """Mark the value of a custom gradient with its rule, for the orders that come after."""
    unit = sweep.runtime("unit")
    call = gast.Call(
        name(unit), [statement.value, s.value.func, *s.value.args], list(s.value.keywords)
    )
    return assign(statement.targets[0].id, call)


def unmarked(sweep: Writer, s: Any) -> Any:
    """Return the call that a marked value stands for: its derivative is the rule's at every order."""
    if not isinstance(s, gast.Assign) or not isinstance(s.value, gast.Call):
        return s
    if sweep.call(s).found is not unit:
        return s
    call = gast.Call(s.value.args[1], s.value.args[2:], s.value.keywords)
    made = assign(s.targets[0].id, call)
    sweep.known.learn_as(made, s)
    sweep.marked_values[made] = s.value.args[0]
    return made


def as_it_was(sweep: Writer, s: Any) -> Any:
    """Return a call that carries no derivative here; a marked one has its value already."""
    if s not in sweep.marked_values:
        return s
    return with_value(sweep, s, copy.deepcopy(sweep.marked_values[s]))


def with_value(sweep: Writer, s: Any, value: Any) -> Any:
    """Bind the value that a marked call has, marked again for further orders."""
    made = assign(s.targets[0].id, value)
    return marked(sweep, s, made) if sweep.module.for_higher_order else made
