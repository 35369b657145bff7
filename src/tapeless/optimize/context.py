"""What the passes are told about a function besides its text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tapeless.kinds import UNKNOWN, Kind
from tapeless.source.externals import MISSING


def _unresolved(tree: Any) -> Any:
    return MISSING


def _no_temporary(identifier: str) -> bool:
    return False


def _unknown(identifier: str) -> Kind:
    return UNKNOWN


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
    """

    resolve: Callable[[Any], Any] = _unresolved
    temporaries: Callable[[str], bool] = _no_temporary
    kind_of: Callable[[str], Kind] = _unknown
    reverse: bool = False
    reads_only: frozenset[str] = frozenset()
    returning: frozenset[int] = frozenset()
