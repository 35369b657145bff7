"""Why a function is not lowered: the reason, and the line that it is about."""

from __future__ import annotations

from typing import Any


class NotLowered(Exception):  # noqa: N818  it is no error: the NumPy text serves
    """A construct has no loops that are known to mean the same.

    Attributes
    ----------
    reason
        What stands in the way, in one line.
    lineno
        The line of the text that was to be lowered, where it is known.
    statement
        The statement, where it is known.
    unread
        Parameters of which there are no loops: what reads them cannot be lowered.
    unbound
        Names whose values cannot come out of loops: what binds them cannot be lowered.
    function
        The function that was to be lowered, once it was read.
    """

    def __init__(
        self, reason: str, lineno: int | None = None, statement: Any = None, *,
        unread: frozenset[str] = frozenset(), unbound: frozenset[str] = frozenset(),
    ) -> None:  # fmt: skip
        super().__init__(reason)
        self.reason = reason
        self.lineno = lineno
        self.statement = statement
        self.unread = unread
        self.unbound = unbound
        self.function: Any = None
