"""Forward mode: every statement beside the statement that computes its tangent.

The Jacobian of each statement is applied as the primal goes along: for `y = f(x)` the tangent of
`y` is the partial times that of `x` (Griewank and Walther, "Evaluating Derivatives", ch. 3). A
tangent has the structure of its primal and is changed by the same operations: what is a view of an
array, an alias of a list or a slot of an object has a tangent that is the same view, alias or slot.
So nothing is saved, and control flow stays as it is written.

A name that varies anywhere has a tangent wherever it is bound, if need be zero; a mutable thing
that varies at any time has one from the start. Both follow from the regions of `program`.
"""

from __future__ import annotations

from typing import Any

from tapeless.analysis.abstract import Value
from tapeless.analysis.facts import Facts
from tapeless.differentiate.forward.entry import entering, externals_at_start
from tapeless.differentiate.forward.run import TangentRun
from tapeless.differentiate.module import Module
from tapeless.kinds import Region, differentiable, regions_within
from tapeless.tree.function import CoreFunction, make_function


def write_tangent(
    module: Module, function: CoreFunction, facts: Facts, values: tuple[Value, ...], label: str
) -> None:
    """Write `label(x, c, x_dot, c_dot)`, which returns the value and its tangent.

    The parameters are the primal's, then one tangent for each parameter that varies. Arguments
    and tangents given are left as they are; the tangent returned shares memory with neither.
    """
    module.names.taken |= function.names() | {label}
    _refuse_shared_arguments(function, facts, values)
    writer = TangentRun(module, function, facts, values, root=True)
    keys = function.parameters
    wrt = [k for k, v in zip(keys, values, strict=True) if v.varied and differentiable(v.kind)]
    dots = {k: writer.dot(k) for k in wrt}
    start: list[Any] = []
    for key, value in zip(keys, values, strict=True):
        start += entering(writer, key, value.kind, key in dots)
    start += externals_at_start(writer)
    body = [*start, *writer.block(function.tree.body)]
    module.add(make_function(label, [*keys, *dots.values()], body, function), writer)


def _refuse_shared_arguments(
    function: CoreFunction, facts: Facts, values: tuple[Value, ...]
) -> None:
    """An array that is stored into must come in by one argument only."""
    seen: set[Region] = set()
    for value in values:
        regions = regions_within(value.kind)
        if regions & seen & facts.stored:
            raise function.error(
                function.tree,
                f"'{function.name}' stores into an array that comes in by two of its arguments",
                "pass a copy for one of them",
            )
        seen |= regions
