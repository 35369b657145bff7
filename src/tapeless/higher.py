"""Derivatives as code that is differentiated again.

A derivative of a derivative is taken of text: the text of the first one, written with `units=True`
so that custom gradients stay marked, loaded and read back as a function like any other. The operators
that are made of several derivatives are written as such text too: a Jacobian is a loop over unit
tangents around the tangent function, a Hessian is the Jacobian of the gradient, a Hessian-vector
product is the tangent of the gradient.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tapeless.analysis.abstract import Value
from tapeless.analysis.derivation import Request, Wanted, register_deriver
from tapeless.cache import Watched
from tapeless.derivative import Derivative
from tapeless.details import NO_DETAILS, Details
from tapeless.errors import TapelessError
from tapeless.kinds import Array, Integer, Kind, Number, Real, Tuple, differentiable
from tapeless.loading import loaded
from tapeless.pipeline import write_for_kinds
from tapeless.source.loader import load
from tapeless.specialize.program import AnalysedProgram
from tapeless.tree.function import CoreFunction
from tapeless.tree.names import Names


@dataclass(frozen=True, eq=False)
class Reentrant:
    """A derivative that can be differentiated again."""

    function: Callable[..., Any]
    derivative: Derivative
    watched: list[Watched]
    details: Details = NO_DETAILS

    def is_current(self) -> bool:
        """Whether nothing that it depends on was redefined."""
        return all(w.is_current() for w in self.watched)

    def depending_on(self, inner: Reentrant | None) -> Reentrant:
        """Return the same, which depends on what another one does, too."""
        if inner is None:
            return self
        watched = [*inner.watched, *self.watched]
        return replace(self, watched=watched, details=self.details | inner.details)


def _program_of(wanted: Wanted) -> AnalysedProgram:
    """Return a new analysis that knows the local functions."""
    return AnalysedProgram(
        cores=dict(wanted.local), one_exit=wanted.mode != "jvp", scalarize=wanted.scalarize
    )


@register_deriver
def derive_again(function: Any, wanted: Wanted) -> Reentrant:
    """Write and load a derivative of a Python function, or of one in the core language."""
    if wanted.mode in ("jacobian", "hessian", "hvp") and wanted.request.picks is not None:
        core = AnalysedProgram().core(function)
        raise core.error(
            core.tree,
            f"the {wanted.mode} of '{core.name}' with respect to items of `*args` cannot be "
            "differentiated again yet",
            "give the arguments parameters of their own",
        )
    if wanted.mode == "jacobian":
        return _jacobian(function, wanted)
    if wanted.mode in ("hessian", "hvp"):
        request = Request(wanted.request.wrt, wanted.request.bare, False)
        gradient = derive_again(function, _replaced(wanted, "grad", request))
        make = _jacobian if wanted.mode == "hessian" else _tangent_alone
        made = make(gradient.function, wanted)
        return made.depending_on(gradient)
    program = _program_of(wanted)
    derivative = write_for_kinds(
        function, wanted.mode, wanted.request, list(wanted.kinds), wanted.heap, wanted.title, program,
        for_higher_order=True,
    )  # fmt: skip
    built = loaded(derivative, program)
    return Reentrant(built.function, derivative, built.watched, derivative.details)


def _replaced(wanted: Wanted, mode: str, request: Request) -> Wanted:
    base = wanted.title.removesuffix(f"_{wanted.mode}")
    return replace(wanted, mode=mode, request=request, title=f"{base}_{mode}")


def _tangent_alone(gradient: Any, wanted: Wanted) -> Reentrant:
    """Write `hvp(x, a, v)`: the tangent of the gradient without the gradient."""
    wrt, bare = wanted.request.wrt, wanted.request.bare
    tangent = derive_again(gradient, _replaced(wanted, "jvp", Request(wrt, bare, False)))
    core = AnalysedProgram().core(gradient)
    parameters = core.parameters
    names = Names({*parameters, "push"})
    v = names.fresh("v")
    dots = [
        v if bare else f"{v}[{i}]" for i, key in enumerate(wrt) if key in tangent.derivative.varied
    ]
    text = (
        f"def {wanted.title}({', '.join([*parameters, v])}):\n"
        f"    return push({', '.join([*parameters, *dots])})[1]\n"
    )
    return _driver(text, wanted, core, {"push": tangent})


def _jacobian(function: Any, wanted: Wanted) -> Reentrant:
    """Write `jacobian(x, a)`: a loop over the unit tangents of each independent."""
    core = AnalysedProgram().core(function)
    kinds = dict(zip(core.parameters, wanted.kinds, strict=True))
    y = _returned(core, wanted)
    names = Names({*core.parameters, "np"})
    lines: list[str] = []
    pushes: dict[str, Reentrant] = {}
    columns: list[list[str]] = []
    for key in wanted.request.wrt:
        push = names.fresh(f"push_{key}")
        request = Request((key,), True, False)
        pushes[push] = derive_again(function, _replaced(wanted, "jvp", request))
        along = f"{push}({', '.join(core.parameters)}, "
        made, written = _columns(key, kinds[key], y, along, names, core)
        columns.append(made)
        lines += written
    bare = wanted.request.bare
    rows = [made[0] if bare else f"({', '.join(made)},)" for made in zip(*columns, strict=True)]
    result = f"({', '.join(rows)},)" if isinstance(y, Tuple) else rows[0]
    body = "".join(f"    {line}\n" for line in [*lines, f"return {result}"])
    text = f"def {wanted.title}({', '.join(core.parameters)}):\n{body}"
    return _driver(text, wanted, core, pushes)


def _returned(core: CoreFunction, wanted: Wanted) -> Kind:
    values = tuple(
        Value(kind, key in wanted.request.wrt and differentiable(kind))
        for kind, key in zip(wanted.kinds, core.parameters, strict=True)
    )
    kind = _program_of(wanted).analyse(core, values, wanted.heap).returned.kind
    parts = kind.items if isinstance(kind, Tuple) else (kind,)
    if not parts or not all(isinstance(part, (Array, Number, Real)) for part in parts):
        raise _not_numeric(core, "the result")
    return kind


def _not_numeric(core: CoreFunction, what: str) -> TapelessError:
    return core.error(
        core.tree,
        f"{what} of '{core.name}' is not known to be a number or an array, and only such a Jacobian "
        "can be differentiated",
        "take and return numbers and arrays",
    )


def _columns(
    key: str, kind: Kind, y: Kind, along: str, names: Names, core: CoreFunction
) -> tuple[list[str], list[str]]:
    """Write the derivatives of each part of the result along one independent.

    Returns
    -------
    The expressions that give them, and the statements before.
    """
    parts = list(y.items) if isinstance(y, Tuple) else [y]
    items = [f"[{i}]" for i in range(len(parts))] if isinstance(y, Tuple) else [""]
    y_dot = names.fresh("y_dot")
    if isinstance(kind, (Real, Integer)):
        return [y_dot + item for item in items], [f"{y_dot} = {along}1.0)[1]"]
    if not isinstance(kind, (Array, Number)):
        raise _not_numeric(core, f"the argument '{key}'")
    dot, units = names.fresh(f"{key}_dot"), names.fresh("units")
    made = [names.fresh("columns") for _ in parts]
    shape = _shape(key, kind)
    lines = [
        f"{units} = np.reshape(np.eye(np.size({key})), (np.size({key}),) + {shape})",
        *[f"{columns} = []" for columns in made],
        f"for {dot} in {units}:",
        f"    {y_dot} = {along}{dot})[1]",
        *[f"    {c}.append({y_dot}{item})" for c, item in zip(made, items, strict=True)],
    ]
    results = []
    for columns, part in zip(made, parts, strict=True):
        first = _shape(f"{columns}[0]", part)
        results.append(f"np.reshape(np.stack({columns}, axis=-1), {first} + {shape})")
    return results, lines


def _shape(tree: str, kind: Kind) -> str:
    """Write the shape of a value: spelled out where the rank is known."""
    rank = 0 if isinstance(kind, Real) else len(kind.dims) if isinstance(kind, Array) else None
    if rank is None:
        return f"np.shape({tree})"
    return f"({''.join(f'{tree}.shape[{i}], ' for i in range(rank))})"


def _driver(
    text: str, wanted: Wanted, core: CoreFunction, parts: dict[str, Reentrant]
) -> Reentrant:
    """Load the text of an operator around the derivatives that it calls."""
    functions = {key: part.function for key, part in parts.items()}
    origins = {1: (core.filename, getattr(core.tree, "lineno", 1))}
    namespace = load(text, wanted.title, {"np": np, **functions}, origins)
    watched = [w for part in parts.values() for w in part.watched]
    details = frozenset(detail for part in parts.values() for detail in part.details)
    return Reentrant(namespace[wanted.title], Derivative(text, wanted.title, {}), watched, details)
