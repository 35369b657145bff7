"""What a call means.

The interpreter finds out what a call calls when it evaluates it. That is said here once, by the object that
is called and what is known of it, so that both modes and the checks ask no more than which of these it is.

    y = g(x)            UserCall        a function of the user's, which is entered
    y = np.sin(x)       RuleCall        a function with a rule
    y = a.sum()         RuleCall        a method of an array: the same, with the array before its arguments
    y = solve(x)        CustomCall      a custom gradient
    p = Point(x, y)     Construction    a class
    d.update(e)         MethodCall      a method of a thing, by the kind of the thing
    y = cdll.f(x)       OpaqueCall      anything else that is known by identity
    y = f(x)            UnknownCall     what neither the text nor a kind tells
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tapeless.externals import MISSING
from tapeless.kinds import UNKNOWN, Kind
from tapeless.rules.declare import Rule
from tapeless.tree.trees import Expr


@dataclass(frozen=True, eq=False)
class Called:
    """What a call means.

    Attributes
    ----------
    found
        The object that is called; `MISSING` for a method of a value, and where it is not known.
    """

    found: Any = MISSING


@dataclass(frozen=True, eq=False)
class UserCall(Called):
    """A call of a function that is entered: `Facts.callees` says with what."""


@dataclass(frozen=True, eq=False)
class RuleCall(Called):
    """A call of what has a rule.

    Attributes
    ----------
    rule
        Its rule.
    owner
        The expression of the array or generator whose method it is, which comes before the arguments.
    """

    rule: Rule | None = None
    owner: Expr = None

    @property
    def is_method(self) -> bool:
        """Whether it is called as a method of a value."""
        return self.owner is not None

    def operands(self, args: list[Expr]) -> list[Expr]:
        """Return what the function is given by position."""
        return args if self.owner is None else [self.owner, *args]


@dataclass(frozen=True, eq=False)
class CustomCall(Called):
    """A call of a custom gradient.

    Attributes
    ----------
    author
        The function that its author wrote, or the definition of a local one.
    owner
        The expression of the object that comes before the arguments and does not stand among them.
    """

    author: Any = None
    owner: Expr = None


@dataclass(frozen=True, eq=False)
class Construction(Called):
    """A call of a class that has no rule."""


@dataclass(frozen=True, eq=False)
class MethodCall(Called):
    """A call of a method without a rule, of a value that the function holds.

    Attributes
    ----------
    kind
        The kind of the value.
    """

    kind: Kind = UNKNOWN


@dataclass(frozen=True, eq=False)
class OpaqueCall(Called):
    """A call of something that is known by identity, and of which no more is known."""


@dataclass(frozen=True, eq=False)
class UnknownCall(Called):
    """A call of which it is not known what it calls."""
