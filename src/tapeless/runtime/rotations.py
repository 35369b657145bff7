"""What rotations in space are asked that does not vary: their axes, and which part is the largest."""

from __future__ import annotations

from typing import Any

import numpy as np


def quaternion_of(rotation: Any) -> Any:
    """Return the quaternion of an object of SciPy's."""
    return np.asarray(rotation.as_quat())


def axes_of(seq: str) -> tuple[int, int, int, float, bool, bool]:
    """Return three axes, the sign of their order, whether the first comes again, and who turns along.

    Examples
    --------
    >>> axes_of("xyz"), axes_of("ZXZ")
    ((0, 1, 2, 1.0, False, False), (2, 0, 2, 1.0, True, True))
    """
    intrinsic = seq.isupper()
    i, j, k = ("xyz".index(axis) for axis in (seq.lower()[::-1] if intrinsic else seq.lower()))
    third = 3 - i - j if i == k else k
    return i, j, k, (i - j) * (j - third) * (third - i) / 2.0, i == k, intrinsic


def is_rotation(m: Any) -> bool:
    """Whether matrices are orthogonal and keep the orientation.

    Examples
    --------
    >>> is_rotation(np.eye(3)), is_rotation(2.0 * np.eye(3)), is_rotation(-np.eye(3))
    (True, False, False)
    """
    squares = np.swapaxes(m, -1, -2) @ m
    return bool(np.allclose(squares, np.eye(3), atol=1e-4) and np.all(np.linalg.det(m) > 0))


def largest_part(m: Any) -> Any:
    """Return which part of the quaternion of a rotation is the largest, with a last axis of length 1.

    Examples
    --------
    >>> largest_part(np.eye(3)), largest_part(np.diag([1.0, -1.0, -1.0]))
    (array([3]), array([0]))
    """
    diagonal = np.diagonal(m, axis1=-2, axis2=-1)
    parts = np.concatenate([diagonal, np.sum(diagonal, axis=-1, keepdims=True)], axis=-1)
    return np.argmax(parts, axis=-1)[..., np.newaxis]


def interval_of_time(times: Any, t: Any) -> Any:
    """Return in which intervals times are, those at a border in the one before.

    Raises
    ------
    ValueError
        Where a time is before the first or after the last, as by SciPy's `Slerp`.

    Examples
    --------
    >>> interval_of_time(np.array([0.0, 1.0, 3.0]), np.array([0.0, 1.0, 2.5]))
    array([0, 0, 1])
    """
    if np.any(np.less(t, times[0])) or np.any(np.greater(t, times[-1])):
        raise ValueError(f"Interpolation times must be within the range [{times[0]}, {times[-1]}].")
    return np.maximum(np.searchsorted(times, t) - 1, 0)
