"""What a solver found, in a class of its own: SciPy's results are dicts whose entries are attributes, too."""

from __future__ import annotations

from typing import Any

from tapeless.errors import GradientError


class Found:
    """A result whose attributes are reached by name or by key.

    Examples
    --------
    >>> found = Found()
    >>> found.x = 2.0
    >>> found["x"], found.get("x")
    (2.0, 2.0)
    """

    def __getitem__(self, key: str) -> Any:
        """Return an attribute."""
        return getattr(self, key)

    def get(self, key: str, default: Any = None) -> Any:
        """Return an attribute; one that SciPy has and this has not is refused, not taken for missing."""
        return getattr(self, key)

    def __getattr__(self, key: str) -> Any:
        """Refuse what SciPy's result may tell, and this one does not."""
        if key.startswith("__"):
            raise AttributeError(key)  # `copy` and the like ask an object for these
        raise GradientError(
            f"`{key}` of what a solver found is not differentiated",
            fix="compute it from what is found, in Python",
        )
