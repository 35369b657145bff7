"""Linear filters of images, written out: an image is extended beyond its edges, and correlated."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import ndimage, signal

from tapeless.errors import GradientError
from tapeless.rules.declare import written_out

_FILTERS = "filters are differentiated without output, and for origin 0"


def extended(x: Any, widths: Any, mode: Any, cval: Any) -> Any:
    """Return an image with its surroundings, as wide as a filter reaches at each side."""
    if mode in ("constant", "grid-constant"):
        return np.pad(x, widths, mode="constant", constant_values=cval)
    if mode in ("reflect", "grid-mirror"):
        return np.pad(x, widths, mode="symmetric")
    if mode == "mirror":
        return np.pad(x, widths, mode="reflect")
    if mode == "nearest":
        return np.pad(x, widths, mode="edge")
    if mode in ("wrap", "grid-wrap"):
        return np.pad(x, widths, mode="wrap")
    raise RuntimeError("boundary mode not supported")


def ndimage_correlate(
    input: Any, weights: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
    origin: Any = 0,
) -> Any:  # fmt: skip
    if output is not None or origin != 0:
        raise GradientError(_FILTERS)
    widths = [(n // 2, n - 1 - n // 2) for n in np.shape(weights)]
    return signal.correlate(extended(input, widths, mode, cval), weights, mode="valid")


def ndimage_convolve(
    input: Any, weights: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
    origin: Any = 0,
) -> Any:  # fmt: skip
    if output is not None or origin != 0:
        raise GradientError(_FILTERS)
    widths = [(n - 1 - n // 2, n // 2) for n in np.shape(weights)]
    return signal.convolve(extended(input, widths, mode, cval), weights, mode="valid")


def along_axis(x: Any, weights: Any, axis: Any, mode: Any, cval: Any) -> Any:
    """Correlate along one axis."""
    dims = np.ndim(x)
    size = np.shape(weights)[0]
    widths = [(0, 0)] * dims
    widths[axis] = (size // 2, size - 1 - size // 2)
    shape = [1] * dims
    shape[axis] = size
    window = np.reshape(weights, tuple(shape))
    return signal.correlate(extended(x, widths, mode, cval), window, mode="valid")


def ndimage_correlate1d(
    input: Any, weights: Any, axis: Any = -1, output: Any = None, mode: Any = "reflect",
    cval: Any = 0.0, origin: Any = 0,
) -> Any:  # fmt: skip
    if output is not None or origin != 0:
        raise GradientError(_FILTERS)
    return along_axis(input, weights, axis, mode, cval)


def ndimage_convolve1d(
    input: Any, weights: Any, axis: Any = -1, output: Any = None, mode: Any = "reflect",
    cval: Any = 0.0, origin: Any = 0,
) -> Any:  # fmt: skip
    if output is not None or origin != 0 or np.shape(weights)[0] % 2 == 0:
        raise GradientError(_FILTERS, fix="take an odd number of weights")
    return along_axis(input, np.flip(weights), axis, mode, cval)


def gaussian_weights(sigma: Any, order: Any, radius: Any) -> Any:
    """Return the samples of a Gaussian, of sum 1."""
    if order != 0:
        raise GradientError("gaussian filters are differentiated for order 0")
    x = np.arange(-radius, radius + 1)
    weights = np.exp(-0.5 * (x / sigma) ** 2)
    return weights / np.sum(weights)


def ndimage_gaussian_filter1d(
    input: Any, sigma: Any, axis: Any = -1, order: Any = 0, output: Any = None,
    mode: Any = "reflect", cval: Any = 0.0, truncate: Any = 4.0, *, radius: Any = None,
) -> Any:  # fmt: skip
    if output is not None:
        raise GradientError(_FILTERS)
    size = int(truncate * float(sigma) + 0.5) if radius is None else radius
    return along_axis(input, gaussian_weights(sigma, order, size), axis, mode, cval)


def ndimage_gaussian_filter(
    input: Any, sigma: Any, order: Any = 0, output: Any = None, mode: Any = "reflect",
    cval: Any = 0.0, truncate: Any = 4.0, *, radius: Any = None, axes: Any = None,
) -> Any:  # fmt: skip
    if output is not None or axes is not None or np.ndim(radius) != 0 or not isinstance(mode, str):
        raise GradientError(
            "gaussian_filter is differentiated along all axes, with one mode and one radius",
            fix="take gaussian_filter1d",
        )
    if np.ndim(sigma) != 0:
        sigmas = np.asarray(sigma)
        for axis in range(np.ndim(input)):
            if sigmas[axis] > 1e-15:
                input = ndimage_gaussian_filter1d(
                    input, sigmas[axis], axis, order, None, mode, cval, truncate, radius=radius
                )
        return input
    size = int(truncate * float(sigma) + 0.5) if radius is None else radius
    weights = gaussian_weights(sigma, order, size)
    for axis in range(np.ndim(input)):
        input = along_axis(input, weights, axis, mode, cval)
    return input


def ndimage_uniform_filter(
    input: Any, size: Any = 3, output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
    origin: Any = 0, *, axes: Any = None,
) -> Any:  # fmt: skip
    if output is not None or origin != 0 or axes is not None or not isinstance(mode, str):
        raise GradientError(_FILTERS, fix="give one mode, origin 0, and no axes")
    if np.ndim(size) != 0:
        sizes = np.asarray(size)
        for axis in range(np.ndim(input)):
            if sizes[axis] > 1:
                weights = np.full(sizes[axis], 1.0 / sizes[axis])
                input = along_axis(input, weights, axis, mode, cval)
        return input
    weights = np.full(size, 1.0 / size)
    for axis in range(np.ndim(input)):
        input = along_axis(input, weights, axis, mode, cval)
    return input


def ndimage_laplace(
    input: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0, *, axes: Any = None
) -> Any:
    if output is not None or axes is not None:
        raise GradientError(_FILTERS)
    weights = np.array([1.0, -2.0, 1.0])
    total = along_axis(input, weights, 0, mode, cval)
    for axis in range(1, np.ndim(input)):
        total = total + along_axis(input, weights, axis, mode, cval)
    return total


def slope_along(input: Any, axis: Any, across: Any, mode: Any, cval: Any) -> Any:
    """Return differences along an axis, of what is weighed across it."""
    slope = along_axis(input, np.array([-1.0, 0.0, 1.0]), axis, mode, cval)
    for other in range(np.ndim(input)):
        if other != axis % np.ndim(input):
            slope = along_axis(slope, across, other, mode, cval)
    return slope


def ndimage_sobel(
    input: Any, axis: Any = -1, output: Any = None, mode: Any = "reflect", cval: Any = 0.0
) -> Any:
    if output is not None:
        raise GradientError(_FILTERS)
    return slope_along(input, axis, np.array([1.0, 2.0, 1.0]), mode, cval)


def ndimage_prewitt(
    input: Any, axis: Any = -1, output: Any = None, mode: Any = "reflect", cval: Any = 0.0
) -> Any:
    if output is not None:
        raise GradientError(_FILTERS)
    return slope_along(input, axis, np.array([1.0, 1.0, 1.0]), mode, cval)


for _function in (
    ndimage_correlate, ndimage_convolve, ndimage_correlate1d, ndimage_convolve1d,
    ndimage_gaussian_filter1d, ndimage_gaussian_filter, ndimage_uniform_filter, ndimage_laplace,
    ndimage_sobel, ndimage_prewitt,
):  # fmt: skip
    written_out(getattr(ndimage, _function.__name__.removeprefix("ndimage_")), _function)
