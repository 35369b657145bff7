"""What an `np.vectorize` makes of the results of its function, and refuses where that has no derivative."""

from __future__ import annotations

from typing import Any

import numpy as np


def check_otypes(otypes: Any) -> None:
    """Refuse results that an `np.vectorize` is told to turn into others than floats of double precision."""
    codes = {np.dtype(each).char for each in otypes or ()}
    if codes - {"d", "D"}:
        from tapeless.errors import GradientError

        names = ", ".join(sorted(np.dtype(code).name for code in codes))
        raise GradientError(
            f"np.vectorize turns what its function returns into {names}",
            fix="leave otypes out, or say otypes=[float]",
        )


def check_result(first: Any) -> None:
    """Refuse a first result that is several, or by which `np.vectorize` makes integers of all."""
    from tapeless.errors import GradientError

    if isinstance(first, tuple):
        raise GradientError(
            "np.vectorize of a function that returns several values is not differentiated",
            fix="make one of each value, or write a loop over the entries",
        )
    if isinstance(first, (int, np.integer)):
        raise GradientError(
            "np.vectorize makes integers of all results where the first is one",
            fix="return floats: 0.0 in place of 0",
        )
