"""Peaks: their places are constant, and their heights, prominences and widths vary, written out.

A peak is one for small changes of the signal, so places, bases and plateaus do not change. A width
ends where the line between two samples crosses a level.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import signal

from tapeless.errors import GradientError
from tapeless.kinds import Tuple
from tapeless.rules.declare import built_in_zero, written_out
from tapeless.rules.results.call import Call
from tapeless.runtime.peaks import bases_of, crossings_of, peaks_of, plateaus_of


def places(call: Call) -> Any:
    """Return the kind of the places of peaks."""
    return call.array((call.size("peaks"),), "i")


def places_twice(call: Call) -> Any:
    """Return the kind of two places for each peak."""
    return Tuple((places(call),) * 2)


def places_thrice(call: Call) -> Any:
    """Return the kind of three integers for each peak."""
    return Tuple((places(call),) * 3)


built_in_zero(peaks_of, kind=places)
built_in_zero(bases_of, crossings_of, kind=places_twice)
built_in_zero(plateaus_of, kind=places_thrice)
built_in_zero(signal.argrelextrema, signal.argrelmax, signal.argrelmin, signal.find_peaks_cwt)


def prominences_of(x: Any, peaks: Any, left: Any, right: Any) -> Any:
    """Return by how much peaks stand out above the higher one of their bases."""
    return x[peaks] - np.maximum(x[left], x[right])


def share_of_step(x: Any, level: Any, place: Any, inner: Any) -> Any:
    """Return which share of the step from a place to one nearer to the peak lies below a level."""
    below = x[place] < level
    step = np.where(below, x[inner] - x[place], 1.0)
    return np.where(below, (level - x[place]) / step, 0.0)


def widths_of(x: Any, peaks: Any, prominences: Any, left: Any, right: Any, share: Any) -> Any:
    """Return the width of each peak, the level where it is measured, and its two ends."""
    levels = x[peaks] - prominences * share
    before, after = crossings_of(x, peaks, levels, left, right)
    first = before + share_of_step(x, levels, before, np.minimum(before + 1, len(x) - 1))
    last = after - share_of_step(x, levels, after, np.maximum(after - 1, 0))
    return last - first, levels, first, last


def signal_find_peaks(
    x: Any, height: Any = None, threshold: Any = None, distance: Any = None,
    prominence: Any = None, width: Any = None, wlen: Any = None, rel_height: Any = 0.5,
    plateau_size: Any = None,
) -> Any:  # fmt: skip
    x = np.asarray(x, dtype=float)
    peaks = peaks_of(
        x, height, threshold, distance, prominence, width, wlen, rel_height, plateau_size
    )
    found = {}
    if plateau_size is not None:
        sizes, first, last = plateaus_of(x, peaks)
        found["plateau_sizes"], found["left_edges"], found["right_edges"] = sizes, first, last
    if height is not None:
        found["peak_heights"] = x[peaks]
    if threshold is not None:
        found["left_thresholds"] = x[peaks] - x[peaks - 1]
        found["right_thresholds"] = x[peaks] - x[peaks + 1]
    if prominence is not None or width is not None:
        left, right = bases_of(x, peaks, wlen)
        prominences = prominences_of(x, peaks, left, right)
        found["prominences"], found["left_bases"], found["right_bases"] = prominences, left, right
        if width is not None:
            wide, levels, begin, end = widths_of(x, peaks, prominences, left, right, rel_height)
            found["widths"], found["width_heights"] = wide, levels
            found["left_ips"], found["right_ips"] = begin, end
    return peaks, found


def signal_peak_prominences(x: Any, peaks: Any, wlen: Any = None) -> Any:
    x, peaks = np.asarray(x, dtype=float), np.asarray(peaks, dtype=int)
    left, right = bases_of(x, peaks, wlen)
    return prominences_of(x, peaks, left, right), left, right


def signal_peak_widths(
    x: Any, peaks: Any, rel_height: Any = 0.5, prominence_data: Any = None, wlen: Any = None
) -> Any:
    if prominence_data is not None:
        raise GradientError(
            "peak_widths is differentiated without prominence_data",
            fix="leave it out: it is computed with the widths",
        )
    x, peaks = np.asarray(x, dtype=float), np.asarray(peaks, dtype=int)
    left, right = bases_of(x, peaks, wlen)
    prominences = prominences_of(x, peaks, left, right)
    return widths_of(x, peaks, prominences, left, right, rel_height)


for _function in (signal_find_peaks, signal_peak_prominences, signal_peak_widths):
    written_out(getattr(signal, _function.__name__.removeprefix("signal_")), _function)
