"""Stores of a view into its own array: NumPy copies what overlaps, but not always.

Where the place has one axis and both step in one direction, nothing is copied. The entries are stored one by
one, from low addresses to high ones; or from high to low, if what is stored begins below its place.
With equal strides this is as good as a copy. With others, an entry may be read after it was overwritten.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.array_utils import byte_bounds


def check_overlap(place: Any, value: Any) -> None:
    """Refuse a store of which an entry is read after it was overwritten.

    Examples
    --------
    >>> y = np.arange(6.0)
    >>> check_overlap(y[:3], y[::2])

    Raises
    ------
    GradientError
        If what is stored is not what a copy would be: the derivative would be that of the copy.
    """
    if np.ndim(place) != 1 or np.ndim(value) == 0 or not isinstance(value, np.ndarray):
        return
    to, source = place.strides[0], value.strides[-1]
    if to == source or to * source <= 0 or not np.shares_memory(place, value):
        return
    if place.dtype != value.dtype or _reads_what_it_wrote(place, value):
        from tapeless.errors import GradientError

        raise GradientError(
            "entries are overwritten here before they are read to be stored elsewhere",
            fix="store a copy: a[i] = view.copy()",
        )


def _reads_what_it_wrote(place: np.ndarray, value: np.ndarray) -> bool:
    to, source = _addresses(place), _addresses(value)
    if byte_bounds(value)[0] < to[0] < byte_bounds(value)[1]:  # stored from the other end
        to, source = to[::-1], source[::-1]
    _, written, read = np.intersect1d(to, source, assume_unique=True, return_indices=True)
    return bool(np.any(written < read))


def _addresses(x: np.ndarray) -> np.ndarray:
    """Return where the entries along the last axis begin in memory, from low to high."""
    step = abs(x.strides[-1])
    return byte_bounds(x)[0] + step * np.arange(x.shape[-1])
