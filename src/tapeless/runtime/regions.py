"""Regions of an image that labels say: to which of those asked for each sample belongs."""

from __future__ import annotations

from typing import Any

import numpy as np


def regions_of(shape: Any, labels: Any, index: Any) -> tuple[Any, int, Any]:
    """Return the number of each sample's region, how many there are, and which of them are asked for.

    Samples of no region have one number more. Without labels all samples are of one region; without an
    index those are whose label is positive.

    Examples
    --------
    >>> regions_of((4,), np.array([2, 0, 1, 2]), [1, 2, 1])
    (array([1, 2, 0, 1]), 2, array([0, 1, 0]))
    """
    size = int(np.prod(shape))
    if labels is None:
        return np.zeros(size, dtype=int), 1, np.intp(0)
    spread = np.broadcast_to(labels, shape).ravel()
    if index is None:
        return np.where(spread > 0, 0, 1), 1, np.intp(0)
    wanted, asked = np.unique(index, return_inverse=True)
    place = np.minimum(np.searchsorted(wanted, spread), max(len(wanted) - 1, 0))
    found = wanted[place] == spread if len(wanted) else np.zeros(size, dtype=bool)
    return np.where(found, place, len(wanted)), len(wanted), np.reshape(asked, np.shape(index))[()]
