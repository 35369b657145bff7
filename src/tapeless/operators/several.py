"""Operators that run several derivatives, which are written at the first call."""

from __future__ import annotations

import functools
from typing import Any

from tapeless.derivative import Derivative
from tapeless.operators.arguments import check_independent
from tapeless.operators.gradients import Gradients, derivatives_of
from tapeless.operators.remembered import remembered
from tapeless.operators.tangents import Tangents
from tapeless.operators.target import Wrt


class Operator(Gradients):
    """A derivative that is made of others, which are built at the first call."""

    def __init__(self, f: Any, mode: str, wrt: Wrt, scalarize: bool = True) -> None:
        super().__init__(f, mode, wrt, None, scalarize=scalarize)

    @property
    def made_again(self) -> Any:
        """The operator that makes the same of a function and `options()`."""
        return operator_made

    def options(self) -> tuple[Any, ...]:
        """Return what `made_again` is told beside the function."""
        return type(self), self.mode, self.wrt, self.scalarize

    @property
    def gradient(self) -> Gradients:
        """The gradient with respect to the same independents."""
        made: Gradients = derivatives_of(
            self.given, "grad", self.wrt, False, scalarize=self.scalarize
        )
        return made

    @functools.cached_property
    def tangents(self) -> Tangents:
        """The tangents of the function, or of its gradient."""
        f = self.given if self.mode == "jacobian" else self.gradient
        return Tangents(f, self.names, self.scalarize)

    @functools.cached_property
    def pullback(self) -> Gradients:
        """The pullback of the function."""
        return Gradients(self.given, "vjp", self.names, None, scalarize=self.scalarize)

    def arguments(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """Bind the arguments; an integer that is an independent counts as a real number."""
        values = self.target.arguments(args, kwargs)
        found = dict(zip(self.target.signature.parameters, values, strict=True))
        for name in self.names:
            check_independent(self.target, name, found[name])
            if type(found[name]) is int:
                found[name] = float(found[name])
        return found

    def derivative(self, like: Any = None) -> Derivative:
        """Return the derivative that the operator runs most."""
        part = self.pullback if self.mode == "jacobian" else self.tangents
        found: Derivative = part.derivative(like)
        return found


def operator_made(f: Any, make: type[Operator], mode: str, wrt: Wrt, scalarize: bool = True) -> Any:
    """Return what an operator makes of a function, or the decorator that makes it."""
    if f is None:
        return lambda function: operator_made(function, make, mode, wrt, scalarize)
    return remembered(f, (mode, wrt, scalarize), lambda: make(f, mode, wrt, scalarize))
