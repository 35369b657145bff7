"""The forward mode: the derivatives of a function along some of its parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tapeless.analysis.derivation import gradients_of, register_tangents
from tapeless.errors import GradientError, InternalError, TapelessError
from tapeless.operators.arguments import check_aliases, check_defaults
from tapeless.operators.gradients import Gradients, explain
from tapeless.operators.remembered import remembered
from tapeless.operators.target import target_of

if TYPE_CHECKING:
    from tapeless.operators.transposed import GradientOfTangent
from tapeless.derivative import Derivative
from tapeless.runtime import as_cotangent, zeros
from tapeless.tree.names import unshadowed


class Tangents(Gradients):
    """The forward-mode derivatives of a function along some of its parameters."""

    def __init__(self, f: Any, varying: tuple[str, ...], scalarize: bool = True) -> None:
        super().__init__(f, "jvp", varying, None, scalarize=scalarize)
        names = list(self.target.signature.parameters)
        last = self.target.variadic
        self.transposed: GradientOfTangent | None = None
        self.own = names[len(self.target.bound) :]
        self.fixed = (len(names) if last is None else last) - len(self.target.bound)

    def push(self, primals: tuple[Any, ...], tangents: tuple[Any, ...]) -> tuple[Any, Any]:
        """Run the tangent function on arguments and one tangent for each."""
        plain = len(primals) == self.positional
        arguments = primals if plain else self.target.arguments(primals, {})
        return self.along(arguments, self.by_parameter(primals, tangents))

    def along(self, arguments: Sequence[Any], given: dict[str, Any]) -> tuple[Any, Any]:
        """Run the tangent function on one value per parameter and the tangents by name."""
        if self.transposed is not None and self.transposed.is_written_for(arguments, given):
            return self.transposed.along(arguments, given)
        try:
            built = self.serving(arguments)
        except TapelessError as refusal:
            return self.along_transposed(refusal, arguments, given)
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

    def derivative(self, like: Any = None) -> Derivative:
        """Return what was written: for `like`, for the last call, or generic."""
        if like is None and self.transposed is not None and not self.built:
            written: Derivative = self.transposed.pullback.derivative()
            return written
        try:
            return super().derivative(like)
        except TapelessError as refusal:
            if like is None:
                raise
            arguments = self.target.arguments(tuple(like), {})
            values = zip(self.target.signature.parameters, arguments, strict=True)
            directions = {n: zeros(x) for n, x in values if n in self.names}
            written = self.transposed_after(refusal, arguments, directions).pullback.derivative()
            return written

    def along_transposed(
        self, refusal: TapelessError, arguments: Sequence[Any], given: dict[str, Any]
    ) -> tuple[Any, Any]:
        """Run the gradient of the tangent instead; what is refused while it runs is refused as before."""
        made = self.transposed_after(refusal, arguments, given)
        try:
            found = made.along(arguments, given)
        except TapelessError:
            raise refusal from None
        self.transposed = made
        return found

    def transposed_after(
        self, refusal: TapelessError, arguments: Sequence[Any], given: dict[str, Any]
    ) -> GradientOfTangent:
        """Write the gradient of the tangent instead of the tangent of a gradient, which is refused.

        Raises
        ------
        TapelessError
            The refusal, if it is about something else, or that is refused, too.
        """
        from tapeless.operators.transposed import GradientOfTangent

        of = gradients_of(self.given)
        made = None if of is None else GradientOfTangent(of, self.names, self.scalarize)
        if made is None or not made.serves(arguments) or isinstance(refusal, InternalError):
            raise refusal
        try:
            made.write_for(arguments, given)
        except TapelessError:
            raise refusal from None
        return made

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
