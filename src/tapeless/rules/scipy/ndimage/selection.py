"""Filters that choose a sample around each: the largest, the median; and what is made of these.

Where several samples have the value that was chosen, they share the cotangent.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import ndimage

from tapeless.errors import GradientError
from tapeless.rules.declare import built_in_zero, held_fixed, written_out
from tapeless.rules.reasons import no_derivative
from tapeless.rules.results import signals
from tapeless.rules.scipy.ndimage.filters import axes_of, each, origins_of, spread
from tapeless.runtime import valued
from tapeless.runtime.images import chosen

built_in_zero(chosen, kind=signals.places_and_shares)
built_in_zero(
    ndimage.label, ndimage.find_objects, ndimage.binary_erosion, ndimage.binary_dilation,
    ndimage.binary_opening, ndimage.binary_closing, ndimage.binary_fill_holes,
    ndimage.binary_propagation, ndimage.binary_hit_or_miss, ndimage.maximum_position,
    ndimage.minimum_position,
)  # fmt: skip
no_derivative(
    "the distances between places jump where truth values change: give it a mask, such as x > 0",
    ndimage.distance_transform_edt,
    ndimage.distance_transform_cdt,
    ndimage.distance_transform_bf,
)
_OUTPUT = "filters that choose are differentiated without output"
_LIKE = signals.like(0, "input")


def window_on(dims: Any, axes: Any, size: Any, footprint: Any, origin: Any) -> Any:
    """Return size, footprint and origin along all axes of a window that is given along some."""
    along = axes_of(dims, axes)
    if footprint is not None:
        return None, spread(np.asarray(footprint), dims, along), origins_of(dims, along, origin)
    sizes = [1] * dims
    for axis, one in zip(along, each(size, len(along)), strict=True):
        sizes[axis] = int(one)
    return tuple(sizes), None, origins_of(dims, along, origin)


built_in_zero(window_on, pure=True)


def picked(x: Any, y: Any, size: Any, footprint: Any, mode: Any, cval: Any, origin: Any) -> Any:
    """Return the values `y` that a filter has chosen of `x`."""
    places, shares = chosen(x, y, size, footprint, mode, cval, origin)
    entries = np.pad(np.ravel(x), (0, 1), constant_values=cval)
    return valued(y, np.sum(shares * entries[places], axis=-1))


def _write_filter(function: Any) -> None:
    """Write out a filter that chooses by nothing but the values."""
    value = held_fixed(function, kind=_LIKE)

    def choosing_filter(
        input: Any, size: Any = None, footprint: Any = None, output: Any = None,
        mode: Any = "reflect", cval: Any = 0.0, origin: Any = 0, *, axes: Any = None,
    ) -> Any:  # fmt: skip
        if output is not None:
            raise GradientError(_OUTPUT)
        if axes is not None:
            size, footprint, origin = window_on(np.ndim(input), axes, size, footprint, origin)
        y = value(input, size, footprint, None, mode, cval, origin)
        return picked(input, y, size, footprint, mode, cval, origin)

    written_out(function, choosing_filter)


def _write_filter_by_rank(function: Any, parameter: str) -> None:
    """Write out a filter that chooses by a rank, or a share of all."""
    value = held_fixed(function, kind=_LIKE)

    def of_rank(
        input: Any, rank: Any, size: Any = None, footprint: Any = None, output: Any = None,
        mode: Any = "reflect", cval: Any = 0.0, origin: Any = 0, *, axes: Any = None,
    ) -> Any:  # fmt: skip
        if output is not None:
            raise GradientError(_OUTPUT)
        if axes is not None:
            size, footprint, origin = window_on(np.ndim(input), axes, size, footprint, origin)
        y = value(input, rank, size, footprint, None, mode, cval, origin)
        return picked(input, y, size, footprint, mode, cval, origin)

    def of_share(
        input: Any, percentile: Any, size: Any = None, footprint: Any = None, output: Any = None,
        mode: Any = "reflect", cval: Any = 0.0, origin: Any = 0, *, axes: Any = None,
    ) -> Any:  # fmt: skip
        if output is not None:
            raise GradientError(_OUTPUT)
        if axes is not None:
            size, footprint, origin = window_on(np.ndim(input), axes, size, footprint, origin)
        y = value(input, percentile, size, footprint, None, mode, cval, origin)
        return picked(input, y, size, footprint, mode, cval, origin)

    written_out(function, of_rank if parameter == "rank" else of_share)


for _function in (ndimage.maximum_filter, ndimage.minimum_filter, ndimage.median_filter):
    _write_filter(_function)
_write_filter_by_rank(ndimage.rank_filter, "rank")
_write_filter_by_rank(ndimage.percentile_filter, "percentile")


def along(x: Any, size: Any, axis: Any) -> Any:
    """Return the size of a window along one axis of `x`."""
    sizes = [1] * np.ndim(x)
    sizes[axis] = size
    return tuple(sizes)


def origin_along(x: Any, origin: Any, axis: Any) -> Any:
    origins = [0] * np.ndim(x)
    origins[axis] = origin
    return tuple(origins)


def ndimage_maximum_filter1d(
    input: Any, size: Any, axis: Any = -1, output: Any = None, mode: Any = "reflect",
    cval: Any = 0.0, origin: Any = 0,
) -> Any:  # fmt: skip
    if output is not None:
        raise GradientError(_OUTPUT)
    window, at = along(input, size, axis), origin_along(input, origin, axis)
    return ndimage.maximum_filter(input, size=window, mode=mode, cval=cval, origin=at)


def ndimage_minimum_filter1d(
    input: Any, size: Any, axis: Any = -1, output: Any = None, mode: Any = "reflect",
    cval: Any = 0.0, origin: Any = 0,
) -> Any:  # fmt: skip
    if output is not None:
        raise GradientError(_OUTPUT)
    window, at = along(input, size, axis), origin_along(input, origin, axis)
    return ndimage.minimum_filter(input, size=window, mode=mode, cval=cval, origin=at)


# Grey images, of flat structures


def refuse_structure(structure: Any, origin: Any, output: Any, axes: Any) -> None:
    if structure is not None or output is not None or axes is not None or np.any(origin != 0):
        raise GradientError(
            "grey morphology is differentiated for flat structures in the middle",
            fix="give it size or footprint alone",
        )


def mirrored(footprint: Any) -> Any:
    return None if footprint is None else np.flip(footprint)


def origin_of_mirrored(x: Any, size: Any, footprint: Any) -> Any:
    """Return by how much a mirrored window of even size is off its middle."""
    sizes = np.broadcast_to(size, np.ndim(x)) if footprint is None else np.shape(footprint)
    return tuple([0 if n % 2 == 1 else -1 for n in sizes])


built_in_zero(origin_of_mirrored)


def ndimage_grey_erosion(
    input: Any, size: Any = None, footprint: Any = None, structure: Any = None, output: Any = None,
    mode: Any = "reflect", cval: Any = 0.0, origin: Any = 0, *, axes: Any = None,
) -> Any:  # fmt: skip
    refuse_structure(structure, origin, output, axes)
    return ndimage.minimum_filter(input, size, footprint, mode=mode, cval=cval)


def ndimage_grey_dilation(
    input: Any, size: Any = None, footprint: Any = None, structure: Any = None, output: Any = None,
    mode: Any = "reflect", cval: Any = 0.0, origin: Any = 0, *, axes: Any = None,
) -> Any:  # fmt: skip
    refuse_structure(structure, origin, output, axes)
    at = origin_of_mirrored(input, size, footprint)
    return ndimage.maximum_filter(input, size, mirrored(footprint), mode=mode, cval=cval, origin=at)


def ndimage_grey_opening(
    input: Any, size: Any = None, footprint: Any = None, structure: Any = None, output: Any = None,
    mode: Any = "reflect", cval: Any = 0.0, origin: Any = 0, *, axes: Any = None,
) -> Any:  # fmt: skip
    refuse_structure(structure, origin, output, axes)
    eroded = ndimage.grey_erosion(input, size, footprint, mode=mode, cval=cval)
    return ndimage.grey_dilation(eroded, size, footprint, mode=mode, cval=cval)


def ndimage_grey_closing(
    input: Any, size: Any = None, footprint: Any = None, structure: Any = None, output: Any = None,
    mode: Any = "reflect", cval: Any = 0.0, origin: Any = 0, *, axes: Any = None,
) -> Any:  # fmt: skip
    refuse_structure(structure, origin, output, axes)
    dilated = ndimage.grey_dilation(input, size, footprint, mode=mode, cval=cval)
    return ndimage.grey_erosion(dilated, size, footprint, mode=mode, cval=cval)


def ndimage_morphological_gradient(
    input: Any, size: Any = None, footprint: Any = None, structure: Any = None, output: Any = None,
    mode: Any = "reflect", cval: Any = 0.0, origin: Any = 0, *, axes: Any = None,
) -> Any:  # fmt: skip
    refuse_structure(structure, origin, output, axes)
    dilated = ndimage.grey_dilation(input, size, footprint, mode=mode, cval=cval)
    return dilated - ndimage.grey_erosion(input, size, footprint, mode=mode, cval=cval)


def ndimage_white_tophat(
    input: Any, size: Any = None, footprint: Any = None, structure: Any = None, output: Any = None,
    mode: Any = "reflect", cval: Any = 0.0, origin: Any = 0, *, axes: Any = None,
) -> Any:  # fmt: skip
    refuse_structure(structure, origin, output, axes)
    return input - ndimage.grey_opening(input, size, footprint, mode=mode, cval=cval)


def ndimage_black_tophat(
    input: Any, size: Any = None, footprint: Any = None, structure: Any = None, output: Any = None,
    mode: Any = "reflect", cval: Any = 0.0, origin: Any = 0, *, axes: Any = None,
) -> Any:  # fmt: skip
    refuse_structure(structure, origin, output, axes)
    return ndimage.grey_closing(input, size, footprint, mode=mode, cval=cval) - input


for _function in (
    ndimage_maximum_filter1d, ndimage_minimum_filter1d, ndimage_grey_erosion, ndimage_grey_dilation,
    ndimage_grey_opening, ndimage_grey_closing, ndimage_morphological_gradient,
    ndimage_white_tophat, ndimage_black_tophat,
):  # fmt: skip
    written_out(getattr(ndimage, _function.__name__.removeprefix("ndimage_")), _function)
