"""Arrays of xarray in, and out again with their dimensions and coordinates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import xarray as xr

from tapeless.interop.labels import labelled_by


def labelled(g: Any) -> Callable[..., Any]:
    """Return a derivative that takes DataArrays and gives gradients with their coordinates.

    The function itself gets their numbers, as NumPy arrays.

    Parameters
    ----------
    g
        What `tapeless.grad` or `tapeless.value_and_grad` made.

    Returns
    -------
    A function of the same arguments, which may be DataArrays, or hold them in dicts, lists and tuples.

    Raises
    ------
    GradientError
        If `g` is no derivative; what it raises itself.

    Examples
    --------
    >>> import numpy as np, tapeless as tl
    >>> heights = xr.DataArray([1.0, 2.0], dims="x", coords={"x": [10, 20]})
    >>> found = labelled(tl.grad(lambda h: np.sum(h**2)))(heights)
    >>> print(found.dims, found.sel(x=20).item())
    ('x',) 4.0
    """
    return labelled_by(g, _numbers, _like)


def _numbers(x: Any) -> Any:
    return x.to_numpy() if isinstance(x, xr.DataArray) else None


def _like(x: Any, g: Any) -> Any:
    return x.copy(data=g)
