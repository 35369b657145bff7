"""Arguments that a rule hands on to its primal only where they were given."""

from __future__ import annotations

from typing import Any


def as_given(**given: Any) -> dict[str, Any]:
    """Return the keywords that are not None.

    Examples
    --------
    >>> as_given(initial=None, where=True)
    {'where': True}
    """
    return {key: value for key, value in given.items() if value is not None}
