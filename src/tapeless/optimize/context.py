"""What the passes are told about a function besides its text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

import gast

from tapeless.kinds import UNKNOWN, Kind
from tapeless.source.externals import MISSING


def _unresolved(tree: Any) -> Any:
    return MISSING


def _no_temporary(identifier: str) -> bool:
    return False


def _unknown(identifier: str) -> Kind:
    return UNKNOWN


Found = TypeVar("Found")


@dataclass
class Analyses:
    """What was found of one state of a function.

    Attributes
    ----------
    parts
        What the tree consists of.
    version
        How often it was seen to have changed.
    found
        The analyses made of this state, by their classes.
    """

    parts: list[Any] = field(default_factory=list)
    version: int = 0
    found: dict[type, Any] = field(default_factory=dict)

    def renew(self, function: Any) -> None:
        """Forget what was found if the function is another one, or has changed."""
        parts = _parts(function)
        if parts != self.parts:
            self.parts, self.found = parts, {}
            self.version += 1

    def get(self, cls: type[Found], make: Callable[[], Found]) -> Found:
        """Give an analysis of this state."""
        if cls not in self.found:
            self.found[cls] = make()
        found: Found = self.found[cls]
        return found


@dataclass(frozen=True)
class Context:
    """What is known of the names of a function.

    Attributes
    ----------
    resolve
        Gives the object that a dotted name stands for, `MISSING` where the text does not say.
    temporaries
        Says whether a name was introduced by the tool.
    kind_of
        Gives the kind of what a name holds wherever it is bound; `UNKNOWN` where nothing is known.
    reverse
        Whether the whole function is a reverse sweep: none of its statements is the user's.
    reads_only
        The functions of the module that write to nothing.
    returning
        The user's lines of the `if`s that return early.
    analyses
        What was found of the function as it stands.
    """

    resolve: Callable[[Any], Any] = _unresolved
    temporaries: Callable[[str], bool] = _no_temporary
    kind_of: Callable[[str], Kind] = _unknown
    reverse: bool = False
    reads_only: frozenset[str] = frozenset()
    returning: frozenset[int] = frozenset()
    analyses: Analyses = field(default_factory=Analyses, compare=False)


_SAYS_NOTHING = ("ctx", "annotation", "type_comment", "kind")  # of what is generated


class _Fields(dict[type, tuple[str, ...]]):
    """For each class of tree the fields that say something."""

    def __missing__(self, cls: Any) -> tuple[str, ...]:
        found = tuple(f for f in cls._fields if f not in _SAYS_NOTHING)
        self[cls] = (*found, "lineno") if "lineno" in cls._attributes else found
        return self[cls]


_FIELDS = _Fields()


def _parts(tree: Any) -> list[Any]:
    """List all parts of a tree, and what they say: they compare by identity, and by value."""
    found = [tree]
    for part in found:
        if isinstance(part, gast.AST):
            if type(part) is gast.Name:
                found.append(part.id)
                continue
            held = part.__dict__
            found.extend([held.get(f) for f in _FIELDS[type(part)]])
        elif type(part) is list:
            found.append(len(part))
            found.extend(part)
    return found
