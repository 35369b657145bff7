"""Which argument of a call stands for which parameter of the function that is called.

A parameter gets the argument that the call passes for it, a list of them where it is `*args`, a
dict where it is `**kwargs`, and its default where the call passes nothing. A call that does not fit
the signature is bound to nothing: running it raises Python's own error.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import gast

from tapeless.analysis.interpret.call_sites import Argument, CallSite
from tapeless.kinds import Sequence
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import unshadowed


@dataclass(frozen=True, eq=False)
class Default:
    """A parameter's default value, where a call passes nothing."""

    value: Any


Passed: TypeAlias = Argument | list[Argument] | dict[str, Argument] | Default


def bind_arguments(core: CoreFunction, site: CallSite) -> list[Passed] | None:
    """Bind what a call passes to a function's parameters.

    Returns
    -------
    One entry per parameter: an argument, a list for ``*args``, a dict for ``**kwargs``, or a
    `Default`; None where the call does not fit the signature.
    """
    a = core.tree.args
    positional = [p.id for p in [*a.posonlyargs, *a.args]]
    own = [p for p in positional if p not in core.captured]
    defaults = default_values(core)
    bound: list[Passed] = []
    args, rest = site.arguments, dict(site.keywords)
    if site.is_starred and not (a.vararg and is_rest(args, len(own))):
        return None
    named = {unshadowed(key): key for key in rest}
    by_place = {p.id for p in a.posonlyargs}
    for i, parameter in enumerate(own):
        if i < len(args):
            bound.append(args[i])
        elif parameter in named and parameter not in by_place:
            bound.append(rest.pop(named[parameter]))
        elif parameter in defaults:
            bound.append(defaults[parameter])
        else:
            return None
    if a.vararg and site.is_starred:
        bound.append(Argument(args[-1].tree.value, args[-1].value))
    elif a.vararg:
        bound.append(list(args[len(own) :]))
    elif len(args) > len(own):
        return None
    for parameter in a.kwonlyargs:
        if parameter.id in named:
            bound.append(rest.pop(named[parameter.id]))
        elif parameter.id in defaults:
            bound.append(defaults[parameter.id])
        else:
            return None
    if a.kwarg:
        bound.append(rest)
    elif rest:
        return None
    return bound


def is_rest(args: tuple[Argument, ...], count: int) -> bool:
    """Whether a tuple of unknown length follows an argument for each parameter: ``*args`` is that tuple."""
    starred = [argument.is_starred for argument in args]
    last = args[-1].value.kind if args else None
    return starred == [False] * count + [True] and isinstance(last, Sequence)


def expression_of(passed: Passed) -> Any:
    """Return the expression, or the expressions, that a parameter gets; a `Default` as it is."""
    if isinstance(passed, Argument):
        return passed.tree
    if isinstance(passed, list):
        return [argument.tree for argument in passed]
    if isinstance(passed, dict):
        return {key: argument.tree for key, argument in passed.items()}
    return passed


def default_values(core: CoreFunction) -> dict[str, Default]:
    """Return the defaults of a function's parameters, where they are known."""
    a = core.tree.args
    names = [p.id for p in [*a.posonlyargs, *a.args] if p.id not in core.captured]
    found: dict[str, Default] = {}
    if core.primal is not None:
        given = core.primal.__defaults__ or ()
        found = {
            n: Default(v) for n, v in zip(names[len(names) - len(given) :], given, strict=True)
        }
        by_name = core.primal.__kwdefaults__ or {}
        found |= {unshadowed(k): Default(v) for k, v in by_name.items()}
        return found
    literals = [
        (n, d) for n, d in zip(names[len(names) - len(a.defaults) :], a.defaults, strict=True)
    ]
    literals += [(p.id, d) for p, d in zip(a.kwonlyargs, a.kw_defaults, strict=True) if d]
    for key, tree in literals:
        if type(tree) is gast.Constant:
            found[key] = Default(tree.value)
    return found
