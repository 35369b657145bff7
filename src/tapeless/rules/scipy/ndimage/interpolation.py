"""Images between their samples: interpolation by splines, shifts, rotations, changes of size.

The values are SciPy's. Their derivative is that of the sum of B-splines, in the image and in the
coordinates.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import ndimage

from tapeless.errors import GradientError
from tapeless.rules.declare import (
    built_in_zero,
    elementwise,
    held_fixed,
    register_gradient,
    written_out,
)
from tapeless.rules.reasons import no_derivative
from tapeless.rules.results import entrywise, signals
from tapeless.rules.traits import traits
from tapeless.runtime import valued
from tapeless.runtime.images import (
    bspline,
    centred_grids,
    folded,
    grid_of,
    places_around,
    spline_filter1d_bar,
    spline_filter_bar,
)

built_in_zero(folded, kind=signals.three_like_first)
built_in_zero(places_around, kind=signals.places_of_points)
built_in_zero(grid_of, kind=signals.coordinates)
built_in_zero(centred_grids, kind=signals.two_grids)
traits(
    spline_filter_bar, spline_filter1d_bar, says_more=True, shows=(), kind=signals.like(0, "y_bar")
)
for _fn in (ndimage.geometric_transform, ndimage.generic_filter, ndimage.generic_filter1d):
    no_derivative("write it as array operations, or take map_coordinates", _fn)

_OUTPUT = "images are interpolated and differentiated without output"
_map_coordinates = held_fixed(ndimage.map_coordinates, kind=signals.mapped_points)
_affine_transform = held_fixed(ndimage.affine_transform, kind=signals.of_rank(0, "input"))
_zoom = held_fixed(ndimage.zoom, kind=signals.of_rank(0, "input"))
_shift = held_fixed(ndimage.shift, kind=signals.like(0, "input"))
_rotate = held_fixed(ndimage.rotate, kind=signals.of_rank(0, "input"))


@elementwise(bspline, kind=entrywise.of_first)
def bspline_partials(y: Any, t: Any, order: Any, nu: Any = 0) -> Any:
    return bspline(t, order, nu + 1), None, None


@register_gradient(ndimage.spline_filter, kind=signals.double_like(0, "input"), linear=True)
def ndimage_spline_filter(input: Any, order: Any = 3, *, mode: Any = "mirror") -> Any:
    """The filter runs to and fro, so that its transpose is itself but for the ends."""
    y = ndimage.spline_filter(input, order, mode=mode)

    def grad(y_bar: Any) -> Any:
        return spline_filter_bar(y_bar, order, mode), None, None

    return y, grad


@register_gradient(ndimage.spline_filter1d, kind=signals.double_like(0, "input"), linear=True)
def ndimage_spline_filter1d(
    input: Any, order: Any = 3, axis: Any = -1, *, mode: Any = "mirror"
) -> Any:
    """As `spline_filter`, along one axis."""
    y = ndimage.spline_filter1d(input, order, axis, mode=mode)

    def grad(y_bar: Any) -> Any:
        return spline_filter1d_bar(y_bar, order, axis, mode), None, None, None

    return y, grad


def between_samples(
    x: Any, coordinates: Any, order: Any, mode: Any, cval: Any, prefilter: Any
) -> Any:
    """Return the values of an image at some points."""
    if prefilter and order > 1:
        if mode in ("nearest", "grid-constant"):
            x = with_surroundings(x, mode, cval)
            coordinates = coordinates + 12
        x = ndimage.spline_filter(x, order, mode=mode)
    shape = np.shape(x)
    places = places_around(coordinates, shape, order, mode)
    weights = np.ones_like(places[..., :1], dtype=float)
    for axis in range(np.ndim(x)):
        sign, added, first = folded(coordinates[axis], shape[axis], order, mode)
        start = sign * coordinates[axis] + added - first
        along = bspline(start[..., None] - np.arange(order + 1), order)
        products = weights[..., :, None] * along[..., None, :]
        weights = np.reshape(products, (*np.shape(places)[:-1], -1))
    coefficients = np.pad(np.ravel(x), (0, 1), constant_values=cval)
    return np.sum(weights * coefficients[places], axis=-1)


def with_surroundings(x: Any, mode: Any, cval: Any) -> Any:
    """Put twelve samples around an image, as SciPy does before it filters."""
    if mode == "nearest":
        return np.pad(x, 12, mode="edge")
    return np.pad(x, 12, mode="constant", constant_values=cval)


def ndimage_map_coordinates(
    input: Any, coordinates: Any, output: Any = None, order: Any = 3, mode: Any = "constant",
    cval: Any = 0.0, prefilter: Any = True,
) -> Any:  # fmt: skip
    if output is not None:
        raise GradientError(_OUTPUT)
    points = np.asarray(coordinates)
    y = _map_coordinates(input, points, None, order, mode, cval, prefilter)
    return valued(y, between_samples(input, points, order, mode, cval, prefilter))


def ndimage_affine_transform(
    input: Any, matrix: Any, offset: Any = 0.0, output_shape: Any = None, output: Any = None,
    order: Any = 3, mode: Any = "constant", cval: Any = 0.0, prefilter: Any = True,
) -> Any:  # fmt: skip
    if output is not None:
        raise GradientError(_OUTPUT)
    y = _affine_transform(input, matrix, offset, output_shape, None, order, mode, cval, prefilter)
    dims = np.ndim(input)
    linear, moved = np.asarray(matrix), np.asarray(offset)
    if np.ndim(linear) == 1:
        linear = np.diag(linear)
    elif np.shape(linear)[1] == dims + 1:
        linear, moved = linear[:dims, :dims], linear[:dims, dims]
    points = np.transpose(np.transpose(grid_of(np.shape(y))) @ np.transpose(linear) + moved)
    return valued(y, between_samples(input, points, order, mode, cval, prefilter))


def ndimage_shift(
    input: Any, shift: Any, output: Any = None, order: Any = 3, mode: Any = "constant",
    cval: Any = 0.0, prefilter: Any = True,
) -> Any:  # fmt: skip
    if output is not None:
        raise GradientError(_OUTPUT)
    y = _shift(input, shift, None, order, mode, cval, prefilter)
    points = np.transpose(np.transpose(grid_of(np.shape(y))) - np.asarray(shift))
    return valued(y, between_samples(input, points, order, mode, cval, prefilter))


def ndimage_zoom(
    input: Any, zoom: Any, output: Any = None, order: Any = 3, mode: Any = "constant",
    cval: Any = 0.0, prefilter: Any = True, *, grid_mode: Any = False,
) -> Any:  # fmt: skip
    """The size is rounded, and is all that counts of the zoom."""
    if output is not None:
        raise GradientError(_OUTPUT)
    y = _zoom(input, zoom, None, order, mode, cval, prefilter, grid_mode=grid_mode)
    points = zoomed_points(np.shape(input), np.shape(y), grid_mode)
    return valued(y, between_samples(input, points, order, mode, cval, prefilter))


def zoomed_points(shape: Any, wanted: Any, grid_mode: Any) -> Any:
    """Return the coordinates of an image of the wanted shape in one of this shape."""
    points = grid_of(wanted)
    for axis in range(len(shape)):
        n, m = shape[axis], wanted[axis]
        if grid_mode:
            points[axis] = (points[axis] + 0.5) * (n / m) - 0.5
        elif m > 1:
            points[axis] = points[axis] * ((n - 1) / (m - 1))
    return points


def ndimage_rotate(
    input: Any, angle: Any, axes: Any = (1, 0), reshape: Any = True, output: Any = None,
    order: Any = 3, mode: Any = "constant", cval: Any = 0.0, prefilter: Any = True,
) -> Any:  # fmt: skip
    if output is not None:
        raise GradientError(_OUTPUT)
    if np.ndim(input) != 2:
        raise GradientError(
            "rotate is differentiated for images of two axes", fix="rotate one image at a time"
        )
    y = _rotate(input, angle, axes, reshape, None, order, mode, cval, prefilter)
    turn = np.pi / 180.0 * angle
    centre = 0.5 * (np.reshape(np.shape(input), (2, 1, 1)) - 1)
    grid, turned = centred_grids(np.shape(y))
    points = np.cos(turn) * grid + np.sin(turn) * turned + centre
    return valued(y, between_samples(input, points, order, mode, cval, prefilter))


for _function in (
    ndimage_map_coordinates, ndimage_affine_transform, ndimage_shift, ndimage_zoom, ndimage_rotate,
):  # fmt: skip
    written_out(getattr(ndimage, _function.__name__.removeprefix("ndimage_")), _function)
