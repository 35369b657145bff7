"""Fourier transforms, backwards: spectra of real signals, and lengths that were cut or filled up.

The spectrum of a real signal has its second half as the mirrored conjugate of the first, so that only
the first is kept: an entry of it stands for two of the whole, but for the constant and, of an even
length, the middle one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple


def fitted(g: Any, shape: tuple[int, ...]) -> Any:
    """Cut `g` to a shape, or fill it up with zeros, at the end of each axis.

    Examples
    --------
    >>> fitted(np.array([[1.0, 2.0, 3.0]]), (2, 2))
    array([[1., 2.],
           [0., 0.]])
    """
    if np.shape(g) == shape:
        return g
    kept = g[tuple(slice(n) for n in shape)]
    return np.pad(kept, [(0, n - m) for n, m in zip(shape, np.shape(kept), strict=True)])


def fitted_back(g: Any, shape: tuple[int, ...], asked: Any) -> Any:
    """Undo `fitted`, for the shape that the signal had, where a length was asked for at all."""
    if asked is None:
        return g
    return fitted(g, shape)


def mirror_counts(g: Any, n: int, axis: int = -1) -> Any:
    """Return how often the entries of half a spectrum stand in the whole one of length `n`.

    Examples
    --------
    >>> mirror_counts(np.zeros(3), 4), mirror_counts(np.zeros(3), 5)
    (array([1., 2., 1.]), array([1., 2., 2.]))
    """
    size = np.shape(g)[axis]
    places = np.arange(size)
    single = (places == 0) | (2 * places == n)
    counts = np.where(single, 1.0, 2.0).astype(np.real(g).dtype)
    rank = np.ndim(g)
    return np.reshape(counts, [size if i == axis % rank else 1 for i in range(rank)])


def transposed_norm(norm: Any) -> Any:
    """Return the norm with which a transform divides where one with `norm` back does not.

    Examples
    --------
    >>> transposed_norm(None), transposed_norm("forward"), transposed_norm("ortho")
    ('forward', 'backward', 'ortho')
    """
    if norm is None or norm == "backward":
        return "forward"
    if norm == "forward":
        return "backward"
    return norm


def each_once(axes: Any, s: Any, shape: tuple[int, ...]) -> Any:
    """Return the axes of a transform to the lengths `s`, if any: each must be named once.

    Raises
    ------
    GradientError
        If an axis is named twice, so that it was cut or filled up twice.
    """
    if s is None or axes is None:
        return axes
    return normal_axes(axes, s, shape)


def normal_axes(axes: Any, s: Any, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Count the axes of a transform from the front, all different.

    Examples
    --------
    >>> normal_axes(None, None, (3, 4, 5)), normal_axes(None, (8, 8), (3, 4, 5))
    ((0, 1, 2), (1, 2))
    """
    rank = len(shape)
    if axes is None:
        axes = range(rank) if s is None else range(rank - len(s), rank)
    normal = normalize_axis_tuple(axes, rank, allow_duplicate=True)
    if len(set(normal)) < len(normal):
        from tapeless.errors import GradientError

        raise GradientError(
            "this transform along one axis twice is not differentiated", fix="name each axis once"
        )
    return normal


def rfftn_bar(y_bar: Any, shape: tuple[int, ...], s: Any, axes: Any, norm: Any) -> Any:
    """Return the cotangent of an array of this shape in ``np.fft.rfftn(array, s, axes, norm)``."""
    along = normal_axes(axes, s, shape)
    asked = [-1] * len(along) if s is None else list(s)
    lengths = [shape[i] if n == -1 else n for n, i in zip(asked, along, strict=True)]
    half = np.conj(y_bar) / mirror_counts(y_bar, lengths[-1], along[-1])
    return fitted_back(np.fft.irfftn(half, lengths, along, transposed_norm(norm)), shape, s)


def irfftn_bar(y_bar: Any, shape: tuple[int, ...], s: Any, axes: Any, norm: Any) -> Any:
    """Return the cotangent of an array of this shape in ``np.fft.irfftn(array, s, axes, norm)``."""
    along = normal_axes(axes, s, shape)
    whole = np.conj(np.fft.rfftn(y_bar, axes=along, norm=transposed_norm(norm)))
    counts = mirror_counts(whole, np.shape(y_bar)[along[-1]], along[-1])
    return fitted_back(whole * counts, shape, s)
