"""Series and tables of pandas in, and out again with their labels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd

from tapeless.interop.labels import labelled_by


def labelled(g: Any) -> Callable[..., Any]:
    """Return a derivative that takes Series and DataFrames and gives gradients with their labels.

    The function itself gets their numbers, as NumPy arrays.

    Parameters
    ----------
    g
        What `tapeless.grad` or `tapeless.value_and_grad` made.

    Returns
    -------
    A function of the same arguments, which may be tables, or hold them in dicts, lists and tuples.

    Raises
    ------
    GradientError
        If `g` is no derivative; what it raises itself, as for tables that hold texts.

    Examples
    --------
    >>> import tapeless as tl
    >>> prices = pd.Series([1.0, 2.0], index=["tea", "jam"])
    >>> labelled(tl.grad(lambda p, q: p @ q))(prices, pd.Series([3.0, 4.0]))
    tea    3.0
    jam    4.0
    dtype: float64
    """
    return labelled_by(g, _numbers, _like)


def _numbers(x: Any) -> Any:
    return x.to_numpy() if isinstance(x, (pd.Series, pd.DataFrame)) else None


def _like(x: Any, g: Any) -> Any:
    if isinstance(x, pd.Series):
        return pd.Series(g, index=x.index, name=x.name)
    return pd.DataFrame(g, index=x.index, columns=x.columns)
