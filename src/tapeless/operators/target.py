"""What is differentiated: the Python function behind a callable, and its parameters that are meant.

Partial functions, bound methods and callable objects are functions with some arguments given already.
"""

from __future__ import annotations

import functools
import inspect
import operator
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tapeless.analysis.derivation import gradients_of
from tapeless.calling import calling
from tapeless.errors import GradientError
from tapeless.protocol.authors import author_of, location_of
from tapeless.recompute import recomputed_function
from tapeless.rules.declare import find_rule
from tapeless.sorts import compiled_from

Wrt = int | str | tuple[int | str, ...]


@dataclass(eq=False)
class Target:
    """What is differentiated: a Python function and the arguments that are bound already."""

    function: Callable[..., Any]
    bound: tuple[Any, ...] = ()
    keywords: dict[str, Any] = field(default_factory=dict)
    label: str = "f"
    inner: Any = None
    known: tuple[tuple[Any, ...], inspect.Signature] | None = None

    @property
    def primal(self) -> Callable[..., Any]:
        """The function that the user wrote, under any number of derivatives."""
        return self.function if self.inner is None else self.inner.target.primal

    @property
    def signature(self) -> inspect.Signature:
        """The signature of the underlying function, as it is now."""
        if self.inner is not None:
            behind: inspect.Signature = self.inner.target.signature
            return behind
        f = self.function
        says = f.__code__, f.__defaults__, *(f.__kwdefaults__ or {}).values()
        known = self.known
        if (
            known is None
            or len(known[0]) != len(says)
            or not all(map(operator.is_, known[0], says))
        ):
            known = self.known = says, inspect.signature(f, follow_wrapped=False)
        return known[1]

    @property
    def location(self) -> dict[str, Any]:
        """Where the function stands in the user's file, for an error."""
        function = getattr(self.function, "__calls__", self.function)
        return location_of(author_of(function) or function)

    @property
    def variadic(self) -> int | None:
        """The position of `*args` among the parameters; None where there is none."""
        for i, parameter in enumerate(self.signature.parameters.values()):
            if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
                return i
        return None

    def arguments(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        """Bind a call's arguments to the parameters, defaults filled in."""
        bound = self.signature.bind(*self.bound, *args, **{**self.keywords, **kwargs})
        bound.apply_defaults()
        return list(bound.arguments.values())


def target_of(f: Any) -> Target:
    """Find the Python function behind a callable."""
    if isinstance(f, functools.partial):
        inner = target_of(f.func)
        keywords = {**inner.keywords, **f.keywords}
        return Target(inner.function, (*inner.bound, *f.args), keywords, inner.label, inner.inner)
    inner = gradients_of(f)
    if inner is not None:
        known = inner.target
        return Target(f, known.bound, known.keywords, f"{known.label}_{inner.mode}", inner)
    if inspect.ismethod(f):
        under = target_of(f.__func__)
        return Target(
            under.function, (f.__self__, *under.bound), under.keywords, under.label, under.inner
        )
    if _is_governed(f):
        return Target(calling(f), (), {}, _label(f))
    compiled = compiled_from(f)
    if inspect.isfunction(f) or compiled is not None:
        return Target(compiled or f, (), {}, _label(f))
    call = getattr(type(f), "__call__", None)  # noqa: B004
    if inspect.isfunction(call):
        function = calling(call) if _is_governed(call) else call
        return Target(function, (f,), {}, type(f).__name__)
    if callable(f):
        return Target(calling(f), (), {}, _label(f))
    raise TypeError(f"a function is differentiated, not a {type(f).__name__}")


def _is_governed(f: Any) -> bool:
    """Whether calls of a function are differentiated by other means than its own text."""
    known = author_of(f) is not None or find_rule(f) is not None
    return known or recomputed_function(f) is not None


def _label(f: Any) -> str:
    label = str(getattr(f, "__name__", "f"))
    return label if label != "<lambda>" else "lambda_"


def parameter_names(target: Target, wrt: Wrt) -> tuple[str, ...]:
    """Return the names of the parameters that `wrt` selects."""
    names = list(target.signature.parameters)
    own = names[len(target.bound) :]
    found = []
    for item in wrt if isinstance(wrt, tuple) else (wrt,):
        if isinstance(item, str):
            if item not in names and _captures(target.primal, item):
                raise GradientError(
                    f"{item} is not a parameter of {target.label}: pass it as an argument or make "
                    "it a tl.Variable",
                    fix=f"its parameters are ({', '.join(own)}); Variables go into variables=",
                    **target.location,
                )
            if item not in names:
                raise GradientError(
                    f"'{item}' is not a parameter of '{target.label}' ({', '.join(own)})",
                    fix="name one of its parameters, or give its position",
                    **target.location,
                )
            found.append(item)
            continue
        variadic = [
            n
            for n in own
            if target.signature.parameters[n].kind is inspect.Parameter.VAR_POSITIONAL
        ]
        if not -len(own) <= item < len(own) and not variadic:
            raise GradientError(
                f"wrt={item}, but '{target.label}' has {len(own)} parameter"
                f"{'' if len(own) == 1 else 's'} ({', '.join(own)})",
                fix="count from 0, or give the parameter's name",
                **target.location,
            )
        found.append(own[item] if item < len(own) else variadic[0])
    return tuple(found)


def _captures(function: Any, name: str) -> bool:
    """Whether a function reads a name from outside."""
    code = getattr(function, "__code__", None)
    return code is not None and name in (*code.co_freevars, *code.co_names)


def picks_of(target: Target, wrt: Wrt, names: tuple[str, ...]) -> list[tuple[str, int | None]]:
    """For each independent, its parameter and, in `*args`, the item that its position selects."""
    own = list(target.signature.parameters)[len(target.bound) :]
    found: list[tuple[str, int | None]] = []
    for item, name in zip(wrt if isinstance(wrt, tuple) else (wrt,), names, strict=True):
        kind = target.signature.parameters[name].kind
        if kind is not inspect.Parameter.VAR_POSITIONAL or not isinstance(item, int):
            found.append((name, None))
        else:
            from_end = len(own) - 1 if item < 0 else 0
            found.append((name, item + from_end - own.index(name)))
    return found
