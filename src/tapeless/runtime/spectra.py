"""Segments of signals that overlap, and their sum: each is the transpose of the other."""

from __future__ import annotations

from typing import Any

import numpy as np


def segments(x: Any, size: int, step: int) -> Any:
    """Cut a signal into segments that begin every `step` samples, along a new axis before the last.

    Examples
    --------
    >>> segments(np.array([1.0, 2.0, 3.0, 4.0]), 2, 2)
    array([[1., 2.],
           [3., 4.]])
    """
    windows = np.lib.stride_tricks.sliding_window_view(x, size, axis=-1)
    return windows[..., ::step, :].copy()


def overlapped(parts: Any, step: int) -> Any:
    """Add up segments, each put at its place.

    Examples
    --------
    >>> overlapped(np.array([[1.0, 2.0], [3.0, 4.0]]), 1)
    array([1., 5., 4.])
    """
    *outer, count, size = np.shape(parts)
    x = np.zeros((*outer, size + (count - 1) * step), np.result_type(parts))
    for i in range(count):
        x[..., i * step : i * step + size] += parts[..., i, :]
    return x


def window_and_size(window: Any, nperseg: Any, length: int) -> tuple[Any, int]:
    """Return the window by which segments are weighed, and how long they are."""
    from scipy import signal

    if isinstance(window, (str, tuple)):
        size = min(256 if nperseg is None else nperseg, length)
        return signal.get_window(window, size), size
    return window, len(window)


def median_bias(count: int) -> float:
    """Return the expected median of `count` periodograms of noise, over their mean."""
    twice = 2.0 * np.arange(1.0, (count - 1) // 2 + 1)
    return float(1.0 + np.sum(1.0 / (twice + 1.0) - 1.0 / twice))
