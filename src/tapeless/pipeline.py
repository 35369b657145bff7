"""From a function and kinds to the text of a derivative: the list of stages, top to bottom."""

from __future__ import annotations

import types
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import gast

from tapeless.analysis.abstract import Abstraction, Heap, Value, annotation_kind
from tapeless.analysis.effects import Effects
from tapeless.differentiate.module import Module, Request, write_gradient
from tapeless.errors import GradientError
from tapeless.kinds import UNKNOWN, Array, Integer, Items, Kind, Number, Real, differentiable
from tapeless.source.externals import External, Externals
from tapeless.source.printer import unparse
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import reads


@dataclass(frozen=True)
class Derivative:
    """A written derivative.

    Attributes
    ----------
    text
        A complete module.
    name
        The function in it that was asked for.
    externals
        What the module's global names stand for.
    """

    text: str
    name: str
    externals: Externals


def annotated_kinds(function: CoreFunction) -> list[Kind]:
    """Read the kinds that a function's annotations promise."""
    a = function.tree.args
    by_name = {p.id: p.annotation for p in [*a.posonlyargs, *a.args, *a.kwonlyargs]}
    kinds = []
    for i, key in enumerate(function.parameters):
        tree = by_name.get(key)
        if tree is None:
            kinds.append(Number(frozenset([("argument", i)])))
            continue
        text = tree.value if isinstance(tree, gast.Constant) else unparse(tree)
        kind = annotation_kind(str(text), ("argument", i))
        kinds.append(Number(frozenset([("argument", i)])) if kind == UNKNOWN else kind)
    return kinds


def argument_kinds(arguments: list[Any], heap: Heap, independent: list[bool]) -> list[Kind]:
    """Give the kinds of actual arguments, filling the heap."""
    abstraction = Abstraction(heap)
    kinds = []
    for i, (argument, active) in enumerate(zip(arguments, independent, strict=True)):
        abstraction.varied = active
        kind = abstraction(argument, ("argument", i))
        if active and isinstance(kind, Integer):
            kind = Real()
        kinds.append(kind)
    return kinds


def write(
    function: Callable[..., Any], mode: str, wrt: tuple[str, ...], bare: bool,
    arguments: list[Any] | None, label: str, effects: Effects | None = None,
) -> Derivative:  # fmt: skip
    """Write the derivative of a function.

    Parameters
    ----------
    function
        A Python function.
    mode
        "grad" or "value_and_grad".
    wrt
        The names of the independents.
    bare
        Whether a single gradient is returned bare.
    arguments
        One value per parameter, whose kinds are used; None to use annotations only.
    label
        The name of the derivative function.
    """
    effects = effects or Effects()
    core = effects.core(function)
    core = replace(core, externals=dict(core.externals))
    effects.cores[function] = core
    heap: Heap = {}
    active = [p in wrt for p in core.parameters]
    if arguments is None:
        kinds = annotated_kinds(core)
    else:
        kinds = argument_kinds(arguments, heap, active)
    values = tuple(
        Value(k, a and differentiable(k)) for k, a in zip(kinds, active, strict=True)
    )
    facts = effects.analyse(core, values, heap)
    check_scalar(core, facts.returned.kind, mode)
    module = Module(effects)
    request = Request(wrt, bare, mode == "value_and_grad")
    write_gradient(module, core, facts, values, request, label)
    return Derivative(render(module), label, module.externals)


def check_scalar(core: CoreFunction, kind: Kind, mode: str) -> None:
    """Refuse the gradient of what is known not to be a real scalar."""
    if isinstance(kind, Real | Number | Integer) or kind == UNKNOWN:
        return
    what = "an array" if isinstance(kind, Array) else f"a {type(kind).__name__.lower()}"
    if isinstance(kind, Items):
        what = "a tuple"
    raise GradientError(
        f"'{core.name}' returns {what}, and only a real scalar has a gradient",
        fix="use tapeless.vjp or tapeless.jacobian, or return a scalar",
        filename=core.filename,
        lineno=getattr(core.tree, "lineno", None),
    )


def render(module: Module) -> str:
    """Print a module: imports first, then its functions."""
    used = {n for f in module.functions for n in reads(f)}
    lines = sorted(
        {_import(k, e) for k, e in module.externals.items() if k in used and _import(k, e)},
        key=lambda line: (not line.startswith("import"), line),
    )
    body = gast.parse("\n".join(lines)).body if lines else []
    text: str = unparse(gast.Module([*body, *module.functions], []))
    return text


def _import(key: str, external: External) -> str:
    value = external.value
    if isinstance(value, types.ModuleType):
        path = value.__name__
        if path == key:
            return f"import {path}"
        return f"import {path} as {key}"
    if external.owner is not None and isinstance(external.owner, dict):
        where, what = external.owner.get("__name__"), external.key
    else:
        where, what = getattr(value, "__module__", None), getattr(value, "__name__", None)
    if not where or not what or where == "builtins" or "<" in what:
        return ""
    alias = "" if what == key else f" as {key}"
    return f"from {where} import {what}{alias}"
