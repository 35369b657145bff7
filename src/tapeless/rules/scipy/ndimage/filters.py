"""Linear filters of images, written out: an image is extended beyond its edges, and correlated."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import ndimage, signal

from tapeless.errors import GradientError
from tapeless.rules.declare import built_in_zero, written_out

_FILTERS = "filters are differentiated without output"


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


def window_at(x: Any, weights: Any, origins: Any, mode: Any, cval: Any) -> Any:
    """Correlate with weights whose centre is moved by an origin for each axis."""
    widths = [
        (n // 2 + origins[k], n - 1 - n // 2 - origins[k]) for k, n in enumerate(np.shape(weights))
    ]
    return signal.correlate(extended(x, widths, mode, cval), weights, mode="valid")


def axes_of(dims: Any, axes: Any) -> Any:
    """Return the axes that are asked for, counted from the first; all where none are."""
    if axes is None:
        return tuple(range(dims))
    given = (axes,) if np.ndim(axes) == 0 else axes
    return tuple([int(axis) % dims for axis in given])


def each(value: Any, count: Any) -> Any:
    """Return one value, or a sequence of them, as a tuple of so many."""
    if isinstance(value, str) or value is None or np.ndim(value) == 0:
        return (value,) * count
    if len(value) != count:
        raise RuntimeError("sequence argument must have length equal to input rank")
    return tuple(value)


def origins_of(dims: Any, axes: Any, origin: Any) -> Any:
    """Return an origin for each axis, 0 for those that are left out."""
    found = [0] * dims
    for axis, one in zip(axes, each(origin, len(axes)), strict=True):
        found[axis] = int(one)
    return tuple(found)


built_in_zero(axes_of, each, origins_of, pure=True)


def spread(weights: Any, dims: Any, axes: Any) -> Any:
    """Return weights with an axis of length 1 for each that is left out."""
    if len(axes) == dims:
        return weights
    shape, sizes = [1] * dims, list(np.shape(weights))
    for axis, size in zip(sorted(axes), sizes, strict=True):
        shape[axis] = size
    return np.reshape(weights, tuple(shape))


def ndimage_correlate(
    input: Any, weights: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
    origin: Any = 0, *, axes: Any = None,
) -> Any:  # fmt: skip
    if output is not None:
        raise GradientError(_FILTERS)
    dims = np.ndim(input)
    along = axes_of(dims, axes)
    origins = origins_of(dims, along, origin)
    return window_at(input, spread(weights, dims, along), origins, mode, cval)


def opposite(origins: Any, sizes: Any) -> Any:
    """Return the origins of weights that are turned round: the centre of an even number moves."""
    return tuple([-o - 1 + n % 2 for o, n in zip(origins, sizes, strict=True)])


built_in_zero(opposite, pure=True)


def ndimage_convolve(
    input: Any, weights: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
    origin: Any = 0, *, axes: Any = None,
) -> Any:  # fmt: skip
    if output is not None:
        raise GradientError(_FILTERS)
    dims = np.ndim(input)
    along = axes_of(dims, axes)
    turned = np.flip(spread(weights, dims, along))
    origins = opposite(origins_of(dims, along, origin), np.shape(turned))
    return window_at(input, turned, origins, mode, cval)


def along_axis(x: Any, weights: Any, axis: Any, mode: Any, cval: Any, origin: Any = 0) -> Any:
    """Correlate along one axis."""
    dims = np.ndim(x)
    size = np.shape(weights)[0]
    widths = [(0, 0)] * dims
    widths[axis] = (size // 2 + origin, size - 1 - size // 2 - origin)
    shape = [1] * dims
    shape[axis] = size
    window = np.reshape(weights, tuple(shape))
    return signal.correlate(extended(x, widths, mode, cval), window, mode="valid")


def ndimage_correlate1d(
    input: Any, weights: Any, axis: Any = -1, output: Any = None, mode: Any = "reflect",
    cval: Any = 0.0, origin: Any = 0,
) -> Any:  # fmt: skip
    if output is not None:
        raise GradientError(_FILTERS)
    return along_axis(input, weights, axis, mode, cval, origin)


def ndimage_convolve1d(
    input: Any, weights: Any, axis: Any = -1, output: Any = None, mode: Any = "reflect",
    cval: Any = 0.0, origin: Any = 0,
) -> Any:  # fmt: skip
    if output is not None:
        raise GradientError(_FILTERS)
    at = -origin - 1 + np.shape(weights)[0] % 2
    return along_axis(input, np.flip(weights), axis, mode, cval, at)


def gaussian_weights(sigma: Any, order: Any, radius: Any) -> Any:
    """Return the samples of a Gaussian of sum 1, or of a derivative of it, to be correlated with.

    A derivative is the Gaussian p times a polynomial: of q p it is (q' - q x / sigma**2) p.
    """
    x = np.arange(-radius, radius + 1)
    weights = np.exp(-0.5 * (x / sigma) ** 2)
    weights = weights / np.sum(weights)
    if order == 0:
        return weights
    lowered = np.diag(np.arange(1.0, order + 1.0), 1)  # the derivative of a polynomial
    raised = np.diag(np.ones(order), -1)  # a polynomial times x
    factors = np.eye(order + 1)[0]
    for _ in range(order):
        factors = lowered @ factors - raised @ factors / sigma**2
    powers = np.reshape(-1.0 * x, (-1, 1)) ** np.arange(order + 1)
    return powers @ factors * weights


def reach(sigma: Any, truncate: Any, radius: Any) -> Any:
    """Return by how many samples a Gaussian reaches to each side."""
    return int(truncate * float(sigma) + 0.5) if radius is None else int(radius)


built_in_zero(reach, pure=True)


def ndimage_gaussian_filter1d(
    input: Any, sigma: Any, axis: Any = -1, order: Any = 0, output: Any = None,
    mode: Any = "reflect", cval: Any = 0.0, truncate: Any = 4.0, *, radius: Any = None,
) -> Any:  # fmt: skip
    if output is not None:
        raise GradientError(_FILTERS)
    weights = gaussian_weights(sigma, order, reach(sigma, truncate, radius))
    return along_axis(input, weights, axis, mode, cval)


def ndimage_gaussian_filter(
    input: Any, sigma: Any, order: Any = 0, output: Any = None, mode: Any = "reflect",
    cval: Any = 0.0, truncate: Any = 4.0, *, radius: Any = None, axes: Any = None,
) -> Any:  # fmt: skip
    if output is not None:
        raise GradientError(_FILTERS)
    along = axes_of(np.ndim(input), axes)
    orders, modes = each(order, len(along)), each(mode, len(along))
    sigmas, radii = np.broadcast_to(sigma, (len(along),)), each(radius, len(along))
    for k in range(len(along)):
        if sigmas[k] > 1e-15:
            weights = gaussian_weights(sigmas[k], orders[k], reach(sigmas[k], truncate, radii[k]))
            input = along_axis(input, weights, along[k], modes[k], cval)
    return input


def ndimage_gaussian_laplace(
    input: Any, sigma: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0, *,
    axes: Any = None,
) -> Any:  # fmt: skip
    if output is not None or axes is not None:
        raise GradientError(_FILTERS)
    dims, total = np.ndim(input), np.zeros(np.shape(input))
    modes = each(mode, dims)
    for axis in range(dims):
        bent = ndimage_gaussian_filter(input, sigma, 2 * np.eye(dims, dtype=int)[axis], None,
                                       modes[axis], cval)  # fmt: skip
        total = total + bent
    return total


def ndimage_gaussian_gradient_magnitude(
    input: Any, sigma: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0, *,
    axes: Any = None,
) -> Any:  # fmt: skip
    if output is not None or axes is not None:
        raise GradientError(_FILTERS)
    dims, total = np.ndim(input), np.zeros(np.shape(input))
    modes = each(mode, dims)
    for axis in range(dims):
        slope = ndimage_gaussian_filter(input, sigma, np.eye(dims, dtype=int)[axis], None,
                                        modes[axis], cval)  # fmt: skip
        total = total + slope**2
    return np.sqrt(total)


def ndimage_uniform_filter1d(
    input: Any, size: Any, axis: Any = -1, output: Any = None, mode: Any = "reflect",
    cval: Any = 0.0, origin: Any = 0,
) -> Any:  # fmt: skip
    if output is not None:
        raise GradientError(_FILTERS)
    return along_axis(input, np.full(size, 1.0 / size), axis, mode, cval, origin)


def ndimage_uniform_filter(
    input: Any, size: Any = 3, output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
    origin: Any = 0, *, axes: Any = None,
) -> Any:  # fmt: skip
    if output is not None:
        raise GradientError(_FILTERS)
    along = axes_of(np.ndim(input), axes)
    sizes, modes = each(size, len(along)), each(mode, len(along))
    origins = each(origin, len(along))
    for k in range(len(along)):
        if sizes[k] > 1:
            weights = np.full(sizes[k], 1.0 / sizes[k])
            input = along_axis(input, weights, along[k], modes[k], cval, origins[k])
    return input


def ndimage_laplace(
    input: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0, *, axes: Any = None
) -> Any:
    if output is not None:
        raise GradientError(_FILTERS)
    along = axes_of(np.ndim(input), axes)
    modes, weights = each(mode, len(along)), np.array([1.0, -2.0, 1.0])
    total = along_axis(input, weights, along[0], modes[0], cval)
    for k in range(1, len(along)):
        total = total + along_axis(input, weights, along[k], modes[k], cval)
    return total


def slope_along(input: Any, axis: Any, across: Any, mode: Any, cval: Any) -> Any:
    """Return differences along an axis, of what is weighed across it."""
    modes = each(mode, np.ndim(input))
    slope = along_axis(input, np.array([-1.0, 0.0, 1.0]), axis, modes[axis], cval)
    for other in range(np.ndim(input)):
        if other != axis % np.ndim(input):
            slope = along_axis(slope, across, other, modes[other], cval)
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
    ndimage_gaussian_filter1d, ndimage_gaussian_filter, ndimage_gaussian_laplace,
    ndimage_gaussian_gradient_magnitude, ndimage_uniform_filter1d, ndimage_uniform_filter,
    ndimage_laplace, ndimage_sobel, ndimage_prewitt,
):  # fmt: skip
    written_out(getattr(ndimage, _function.__name__.removeprefix("ndimage_")), _function)
