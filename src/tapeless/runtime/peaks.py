"""Where a signal has peaks, how far each of them reaches, and between which samples it crosses a level."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import signal


def peaks_of(
    x: Any, height: Any, threshold: Any, distance: Any, prominence: Any, width: Any, wlen: Any,
    rel_height: Any, plateau_size: Any,
) -> Any:  # fmt: skip
    """Return the places of the peaks that fulfil some conditions.

    Examples
    --------
    >>> x = np.array([0.0, 2.0, 1.0, 3.0, 0.0])
    >>> peaks_of(x, 2.5, None, None, None, None, None, 0.5, None)
    array([3])
    """
    return signal.find_peaks(
        x, height, threshold, distance, prominence, width, wlen, rel_height, plateau_size
    )[0]


def plateaus_of(x: Any, peaks: Any) -> Any:
    """Return how long the plateaus at some peaks are, and their first and last places.

    Examples
    --------
    >>> plateaus_of(np.array([0.0, 2.0, 2.0, 1.0]), np.array([1]))
    (array([2]), array([1]), array([2]))
    """
    every, found = signal.find_peaks(x, plateau_size=1)
    kept = np.isin(every, peaks)
    return found["plateau_sizes"][kept], found["left_edges"][kept], found["right_edges"][kept]


def bases_of(x: Any, peaks: Any, wlen: Any) -> Any:
    """Return the lowest places on the left and on the right of each peak, before a higher one.

    Examples
    --------
    >>> bases_of(np.array([0.0, 2.0, 1.0, 3.0, 0.5]), np.array([1, 3]), None)
    (array([0, 0]), array([2, 4]))
    """
    _, left, right = signal.peak_prominences(x, peaks, wlen)
    return left, right


def crossings_of(x: Any, peaks: Any, levels: Any, left: Any, right: Any) -> Any:
    """Return the first places beside each peak, as far as its bases, that are not above its level.

    Examples
    --------
    >>> x = np.array([0.0, 2.0, 4.0, 1.0])
    >>> crossings_of(x, np.array([2]), np.array([1.5]), np.array([0]), np.array([3]))
    (array([0]), array([3]))
    """
    before, after = np.array(peaks), np.array(peaks)
    for k in range(len(peaks)):
        while left[k] < before[k] and levels[k] < x[before[k]]:
            before[k] -= 1
        while after[k] < right[k] and levels[k] < x[after[k]]:
            after[k] += 1
    return before, after
