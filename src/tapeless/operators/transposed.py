"""The tangent of a gradient, as the gradient of a tangent: both are the Hessian times the direction.

The text of a gradient holds what its function does not: values that are put back, attributes that are
taken away, adjoints that are found by the thing that they are for. So it may be refused a second time,
where its function was not refused the first. The text of a tangent is the function's own, with tangents
beside its values, and reverse mode takes nearly all that it takes of functions. A Hessian is symmetric
(Schwarz's theorem), so the order is free: but not where a gradient takes part that an author wrote. What
such a gradient says need not be the derivative of anything, and its own derivative need not be symmetric.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Sequence
from typing import Any

from tapeless.analysis.abstract import Heap, Value
from tapeless.analysis.facts import facts_within
from tapeless.analysis.logs import rules_within
from tapeless.operators.gradients import Gradients
from tapeless.operators.target import Target
from tapeless.pipeline import argument_kinds, holds_integers, with_independents
from tapeless.runtime import as_cotangent
from tapeless.set_in_texts import written_together
from tapeless.source.loader import load
from tapeless.specialize.program import AnalysedProgram


class GradientOfTangent:
    """The products of a Hessian with directions, by reverse mode over forward mode.

    Attributes
    ----------
    of
        The gradient whose tangent is asked for.
    names
        The parameters that vary.
    """

    def __init__(self, of: Gradients, names: tuple[str, ...], scalarize: bool) -> None:
        self.of = of
        self.names = names
        self.scalarize = scalarize

    def serves(self, arguments: Sequence[Any]) -> bool:
        """Whether the gradient of the tangent means the same as the tangent of the gradient.

        The gradient has to be that of the value alone, with respect to all that varies; and integers,
        which count as real numbers in what is differentiated, have no tangents.
        """
        of, parameters = self.of, self.of.target.signature.parameters
        plain = all(p.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD for p in parameters.values())
        varying = [x for n, x in zip(parameters, arguments, strict=True) if n in of.names]
        return (
            plain
            and (of.mode, of.has_aux, of.variables) == ("grad", False, None)
            and of.target.inner is None
            and not any(map(holds_integers, varying))
            and not written_together(lambda: self.asks_authors(arguments))
        )

    def asks_authors(self, arguments: Sequence[Any]) -> bool:
        """Whether a gradient or rule that an author wrote takes part."""
        program = AnalysedProgram(scalarize=self.scalarize)
        heap: Heap = {}
        core = program.core(self.of.target.function)
        active = [name in self.of.names for name in core.parameters]
        kinds = argument_kinds(list(arguments), heap, active, True, ())
        values = tuple(map(Value, kinds, active))
        heap = with_independents(heap, [v.kind for v in values if v.varied])
        everywhere = facts_within(program.analyse(core, values, heap))
        return any(each.custom_calls for each in everywhere) or any(rules_within(everywhere))

    @functools.cached_property
    def pullback(self) -> Gradients:
        """The pullback of the function and its tangent."""
        made = function_with_tangent(self.of.target, self.names)
        return Gradients(made, "vjp", self.of.names, None, scalarize=self.scalarize)

    def values(self, arguments: Sequence[Any], given: dict[str, Any]) -> list[Any]:
        """Return what the function with its tangent is called with."""
        return [*arguments, *(given[n] for n in self.names)]

    def is_written_for(self, arguments: Sequence[Any], given: dict[str, Any]) -> bool:
        """Whether the text is there that serves these arguments."""
        values = self.values(arguments, given)
        return any(guard(*values) for guard, _ in self.pullback.guards)

    def write_for(self, arguments: Sequence[Any], given: dict[str, Any]) -> None:
        """Write the text that serves these arguments."""
        self.pullback.serving(self.values(arguments, given))

    def along(self, arguments: Sequence[Any], given: dict[str, Any]) -> tuple[Any, Any]:
        """Return the gradient, and the Hessian times the directions that are given by name."""
        y, pull = self.pullback.run(self.values(arguments, given))
        y_dot = pull(as_cotangent((0.0, 1.0), y))
        y = pull(as_cotangent((1.0, 0.0), y))
        return self.selected(y), self.selected(y_dot)

    def selected(self, bars: tuple[Any, ...]) -> Any:
        """Return the cotangents of what the gradient is asked for."""
        places = list(self.of.target.signature.parameters)
        parts = [bars[places.index(name)] for name, _ in self.of.picks]
        return parts[0] if self.of.bare else tuple(parts)


def function_with_tangent(target: Target, names: tuple[str, ...]) -> Any:
    """Return the function of arguments and directions that computes a value and its tangent.

    Examples
    --------
    >>> made = function_with_tangent(Target(lambda x, n: x**n), ("x",))
    >>> made(3.0, 2, 1.0)
    (9.0, 6.0)
    """
    parameters = list(target.signature.parameters)
    dots = {name: _unlike(f"{name}_dot", parameters) for name in names}
    tangents = "".join(f"{dots.get(name)}, " for name in parameters)
    function, jvp = (_unlike(name, [*parameters, *dots.values()]) for name in ("function", "jvp"))
    text = (
        f"from tapeless import jvp as {jvp}\n\n\n"
        f"def with_tangent({', '.join([*parameters, *dots.values()])}):\n"
        f"    return {jvp}({function}, ({', '.join(parameters)},), ({tangents}))\n"
    )
    return load(text, "with_tangent", {function: target.function})["with_tangent"]


def _unlike(name: str, others: list[str]) -> str:
    """Return a name that is none of the others."""
    return name if name not in others else _unlike(f"{name}_", others)
