"""Covariances and counts, backwards.

Covariances are products of deviations from means; the means contribute nothing, since deviations sum to
zero.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeless.runtime.elementwise import conjugate
from tapeless.runtime.shapes import transpose

ONE_ROW_IS_TURNED = np.lib.NumpyVersion(np.__version__) >= "2.2.0"  # by `rowvar=False`


def variables_of(m: Any, y: Any = None, rowvar: bool = True) -> Any:
    """Return the variables whose covariances `np.cov` computes, one per row.

    Examples
    --------
    >>> variables_of(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    array([[1., 2.],
           [3., 4.]])
    """
    rows = np.atleast_2d(m)
    if not rowvar and np.ndim(m) != 1 and (ONE_ROW_IS_TURNED or np.shape(rows)[0] != 1):
        rows = np.transpose(rows)
    if y is None:
        return rows
    more = np.atleast_2d(y)
    if not rowvar and np.shape(more)[0] != 1:
        more = np.transpose(more)
    return np.concatenate([rows, more])


def variables_bars(rows_bar: Any, m: Any, y: Any = None, rowvar: bool = True) -> list[Any]:
    """Return the cotangents of `m` and `y` in ``variables_of(m, y, rowvar)``."""
    count = np.shape(variables_of(m, None, rowvar))[0]
    first, second = rows_bar[:count], rows_bar[count:]
    if not rowvar:
        first = np.transpose(first)
        second = second if np.ndim(y) < 2 or np.shape(y)[0] == 1 else np.transpose(second)
    if y is None:
        return [np.reshape(first, np.shape(m)), None]
    return [np.reshape(first, np.shape(m)), np.reshape(second, np.shape(y))]


def covariance_bar(c_bar: Any, rows: Any, ddof: int) -> Any:
    """Return the cotangent of the variables in ``np.cov(rows, ddof=ddof)``."""
    size, count = np.shape(rows)
    g = np.reshape(c_bar, (size, size))
    deviation = rows - np.mean(rows, axis=1, keepdims=True)
    return (g + transpose(conjugate(g))) @ conjugate(deviation) / (count - ddof)


def covariance_dot(rows_dot: Any, rows: Any, ddof: int) -> Any:
    """Apply the derivative of ``np.cov(rows, ddof=ddof)``."""
    deviation = rows - np.mean(rows, axis=1, keepdims=True)
    half = rows_dot @ transpose(conjugate(deviation)) / (np.shape(rows)[1] - ddof)
    return half + transpose(conjugate(half))


def weighted_deviations(rows: Any, lost: int, fweights: Any, aweights: Any) -> tuple[Any, Any, Any]:
    """Return the deviations from the weighted means, the weights, and what `np.cov` divides by."""
    counts = 1.0 if fweights is None else np.multiply(fweights, 1.0)
    w = np.ones(np.shape(rows)[1]) * counts * np.asarray(1.0 if aweights is None else aweights)
    total = np.sum(w)
    degrees = total - lost
    if aweights is not None:
        degrees = total - lost * np.sum(w * np.asarray(aweights)) / total
    return rows - np.expand_dims(rows @ w / total, 1), w, degrees


def weighted_covariance_bar(c_bar: Any, rows: Any, lost: int, fweights: Any, aweights: Any) -> Any:
    """Return the cotangent of the variables in a covariance with weights."""
    size = np.shape(rows)[0]
    g = np.reshape(c_bar, (size, size))
    deviation, w, degrees = weighted_deviations(rows, lost, fweights, aweights)
    return (g + transpose(conjugate(g))) @ conjugate(deviation) * w / degrees


def covariance_weights_bar(
    c_bar: Any, c: Any, rows: Any, lost: int, fweights: Any, aweights: Any
) -> Any:
    """Return the cotangent of `aweights` in a covariance with weights."""
    size = np.shape(rows)[0]
    g = np.reshape(c_bar, (size, size))
    deviation, w, degrees = weighted_deviations(rows, lost, fweights, aweights)
    counts = 1.0 if fweights is None else np.multiply(fweights, 1.0)
    of_weights = np.sum((transpose(g) @ deviation) * conjugate(deviation), axis=0)
    of_degrees = np.sum(g * np.reshape(c, (size, size))) * degrees_slope(w, lost, aweights)
    return np.real(of_weights - of_degrees) * counts / degrees


def weighted_covariance_dot(
    rows_dot: Any, aweights_dot: Any, c: Any, rows: Any, lost: int, fweights: Any, aweights: Any
) -> Any:
    """Apply the derivative of a covariance with weights."""
    deviation, w, degrees = weighted_deviations(rows, lost, fweights, aweights)
    half = rows_dot * w @ transpose(conjugate(deviation))
    moved = half + transpose(conjugate(half))
    if aweights is None or aweights_dot is None:
        return np.reshape(moved / degrees, np.shape(c))
    counts = 1.0 if fweights is None else np.multiply(fweights, 1.0)
    w_dot = counts * np.asarray(aweights_dot)
    moved = moved + deviation * w_dot @ transpose(conjugate(deviation))
    degrees_dot = np.sum(degrees_slope(w, lost, aweights) * w_dot)
    return np.reshape(moved / degrees, np.shape(c)) - c * degrees_dot / degrees


def degrees_slope(w: Any, lost: int, aweights: Any) -> Any:
    """Differentiate what a covariance is divided by, in `w`, where `w` is proportional to `aweights`."""
    total = np.sum(w)
    a = np.asarray(aweights)
    return 1.0 + lost * (np.sum(w * a) / total - 2.0 * a) / total


def standardized(rows: Any) -> Any:
    """Return the deviations from the mean in each row, divided by their norm, and this."""
    deviation = rows - np.mean(rows, axis=1, keepdims=True)
    size = np.sqrt(np.sum(deviation * deviation, axis=1, keepdims=True))
    return deviation / size, size


def correlation_bar(c_bar: Any, rows: Any) -> Any:
    """Return the cotangent of the variables in ``np.corrcoef(rows)``."""
    z, size = standardized(rows)
    g = np.reshape(c_bar, (len(rows), len(rows)))
    z_bar = (g + transpose(g)) @ z
    return (z_bar - z * np.sum(z_bar * z, axis=1, keepdims=True)) / size


def correlation_dot(rows_dot: Any, rows: Any) -> Any:
    """Apply the derivative of ``np.corrcoef(rows)``."""
    z, size = standardized(rows)
    centred = (rows_dot - np.mean(rows_dot, axis=1, keepdims=True)) / size
    half = (centred - z * np.sum(centred * z, axis=1, keepdims=True)) @ transpose(z)
    return half + transpose(half)


def weights_in_bins_bar(counts_bar: Any, a: Any, edges: Any) -> Any:
    """Return the cotangent of the weights in ``np.histogram(a, edges, weights=weights)``.

    Examples
    --------
    >>> weights_in_bins_bar(np.array([1.0, 2.0]), np.array([0.5, 2.0, 3.0]), np.arange(3.0))
    array([1., 2., 0.])
    """
    last = len(counts_bar) - 1
    places = np.clip(np.searchsorted(edges, a, side="right") - 1, 0, last)
    return np.where((a >= edges[0]) & (a <= edges[-1]), counts_bar[places], 0.0)


def density_bars(y_bar: Any, y: Any, edges: Any, total: Any) -> tuple[Any, Any]:
    """Return the cotangents of the counts and of the widths of the bins in their densities `y`.

    Examples
    --------
    >>> y = np.array([0.25, 0.75])
    >>> density_bars(np.array([4.0, 0.0]), y, np.arange(3.0), 4.0)
    (array([ 0.75, -0.25]), array([-1., -0.]))
    """
    widths = np.diff(edges)
    counts_bar = y_bar / (widths * total) - np.sum(y_bar * y) / total
    return counts_bar, -y_bar * y / widths


def density_dot(counts_dot: Any, widths_dot: Any, y: Any, edges: Any, total: Any) -> Any:
    """Return the tangent of the densities `y`, from those of the counts and of the widths."""
    widths = np.diff(edges)
    return counts_dot / (widths * total) - y * (np.sum(counts_dot) / total + widths_dot / widths)
