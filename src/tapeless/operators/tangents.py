"""The forward mode: the derivatives of a function along some of its parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tapeless.analysis.derivation import register_tangents
from tapeless.errors import GradientError
from tapeless.operators.arguments import check_aliases, check_defaults
from tapeless.operators.gradients import Gradients, explain
from tapeless.operators.remembered import remembered
from tapeless.operators.target import target_of
from tapeless.runtime import as_cotangent, zeros
from tapeless.tree.names import unshadowed


class Tangents(Gradients):
    """The forward-mode derivatives of a function along some of its parameters."""

    def __init__(self, f: Any, varying: tuple[str, ...], scalarize: bool = True) -> None:
        super().__init__(f, "jvp", varying, None, scalarize=scalarize)
        names = list(self.target.signature.parameters)
        last = self.target.variadic
        self.own = names[len(self.target.bound) :]
        self.fixed = (len(names) if last is None else last) - len(self.target.bound)

    def push(self, primals: tuple[Any, ...], tangents: tuple[Any, ...]) -> tuple[Any, Any]:
        """Run the tangent function on arguments and one tangent for each."""
        plain = len(primals) == self.positional
        arguments = primals if plain else self.target.arguments(primals, {})
        return self.along(arguments, self.by_parameter(primals, tangents))

    def along(self, arguments: Sequence[Any], given: dict[str, Any]) -> tuple[Any, Any]:
        """Run the tangent function on one value per parameter and the tangents by name."""
        built = self.serving(arguments)
        if built.derivative.stored:
            check_aliases(built, arguments)
            check_defaults(built, arguments, self.target)
        used = [given[n] for n in self.names if unshadowed(n) in built.derivative.varied]
        try:
            y, y_dot = built.function(*arguments, *used)
        except Exception as error:
            explain(error, built, self.target)
            raise
        return y, y_dot

    def by_parameter(self, primals: tuple[Any, ...], tangents: tuple[Any, ...]) -> dict[str, Any]:
        """Map each varying parameter to its tangent; `*args` to a list of them."""
        if len(primals) == len(tangents) == self.positional:
            given = zip(self.own, tangents, primals, strict=True)
            return {n: as_cotangent(t, x) for n, t, x in given if t is not None}
        if len(tangents) > len(primals):
            raise GradientError(
                f"{len(tangents)} tangents are given for {len(primals)} "
                f"argument{'s' * (len(primals) != 1)}",
                fix="give one for each argument, None for what stays as it is",
            )
        own = [*self.own[: self.fixed], *self.own[self.fixed :][:1] * len(tangents)]
        pairs = list(zip(own, tangents, primals, strict=False))
        found = {n: as_cotangent(t, x) for n, t, x in pairs[: self.fixed] if t is not None}
        if pairs[self.fixed :]:
            found[self.own[self.fixed]] = tuple(
                zeros(x) if t is None else as_cotangent(t, x) for _, t, x in pairs[self.fixed :]
            )
        return found


@register_tangents
def tangents_of(f: Any, held: tuple[bool, ...], scalarize: bool = True) -> Tangents:
    """Return the tangents of a function, kept for later calls."""
    found: Tangents = remembered(
        f, ("jvp", held, scalarize), lambda: Tangents(f, _varying(f, held), scalarize)
    )
    return found


def _varying(f: Any, held: tuple[bool, ...]) -> tuple[str, ...]:
    """Name the parameters of which an argument is not held fixed."""
    target = target_of(f)
    names = list(target.signature.parameters)[len(target.bound) :]
    last = target.variadic
    if last is not None:
        names = names[: last - len(target.bound) + 1]
        names += [names[-1]] * (len(held) - len(names))
    return tuple(dict.fromkeys(n for n, h in zip(names, held, strict=False) if not h))
