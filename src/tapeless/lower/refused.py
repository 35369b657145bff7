"""Why a function is not lowered: the reason, and the line that it is about."""

from __future__ import annotations


class NotLowered(Exception):  # noqa: N818  it is no error: the NumPy text serves
    """A construct has no loops that are known to mean the same.

    Attributes
    ----------
    reason
        What stands in the way, in one line.
    lineno
        The line of the text that was to be lowered, where it is known.
    """

    def __init__(self, reason: str, lineno: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.lineno = lineno
