"""A call as the interpreter sees it: what is passed, each expression beside its value.

What is called is not part of it: `abs(o)` and `o.__abs__()` are one call of two things. A call of one thing
often stands for the call of another with the same arguments, or with one more before them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

import gast

from tapeless.analysis.abstract import NOTHING, Value
from tapeless.analysis.facts import Environment
from tapeless.tree.trees import Expr


@dataclass(frozen=True, eq=False)
class Argument:
    """What a call passes in one place.

    Attributes
    ----------
    tree
        The expression; None where the text has none: for the object that a constructor fills, or the
        values that a function carries along.
    value
        What is known of its value.
    """

    tree: Expr
    value: Value

    @property
    def is_starred(self) -> bool:
        """Whether it stands for any number of arguments."""
        return type(self.tree) is gast.Starred


@dataclass(frozen=True, eq=False)
class CallSite:
    """A call, and what it passes.

    Attributes
    ----------
    tree
        The expression that makes the call.
    arguments, keywords
        What is passed by position and by name, stars spread where their length is known.
    env
        What the names are where it stands.
    """

    tree: Expr
    arguments: tuple[Argument, ...] = ()
    keywords: Mapping[str, Argument] = field(default_factory=dict)
    env: Environment = field(default_factory=dict)

    @functools.cached_property
    def values(self) -> list[Value]:
        """What is passed by position."""
        return [argument.value for argument in self.arguments]

    @functools.cached_property
    def named(self) -> dict[str, Value]:
        """What is passed by name."""
        return {key: argument.value for key, argument in self.keywords.items()}

    @functools.cached_property
    def given(self) -> list[Value]:
        """All that is passed."""
        return [*self.values, *self.named.values()]

    @property
    def is_starred(self) -> bool:
        """Whether it is not known how many arguments are passed by position."""
        return any(argument.is_starred for argument in self.arguments)

    def of(self, *first: Argument) -> CallSite:
        """Return the call with further arguments before its own."""
        return replace(self, arguments=(*first, *self.arguments))

    def passing(self, view: Callable[[Value], Value]) -> CallSite:
        """Return the call with another view of each value."""
        return CallSite(
            self.tree,
            tuple(Argument(a.tree, view(a.value)) for a in self.arguments),
            {key: Argument(a.tree, view(a.value)) for key, a in self.keywords.items()},
            self.env,
        )


def captured_in(env: Environment, names: Iterable[str]) -> list[Argument]:
    """Return what a local function captures, as it is passed beside the arguments."""
    return [
        Argument(gast.Name(key, gast.Load(), None, None), env.get(key, NOTHING)) for key in names
    ]
