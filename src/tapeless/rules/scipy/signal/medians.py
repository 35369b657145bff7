"""Medians, and other ranks, of the samples around each, with zeros around the signal: those of images."""

from __future__ import annotations

from typing import Any

from scipy import ndimage, signal

from tapeless.rules.declare import written_out


def signal_medfilt(volume: Any, kernel_size: Any = None) -> Any:
    size = 3 if kernel_size is None else kernel_size
    return ndimage.median_filter(volume, size=size, mode="constant")


def signal_medfilt2d(input: Any, kernel_size: Any = 3) -> Any:
    return ndimage.median_filter(input, size=kernel_size, mode="constant")


def signal_order_filter(a: Any, domain: Any, rank: Any) -> Any:
    return ndimage.rank_filter(a, rank, footprint=domain != 0, mode="constant")


for _function in (signal_medfilt, signal_medfilt2d, signal_order_filter):
    written_out(getattr(signal, _function.__name__.removeprefix("signal_")), _function)
