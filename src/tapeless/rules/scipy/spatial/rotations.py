"""Rotations in space, written out: a rotation is a quaternion `(x, y, z, w)` of length 1.

`Rotation.from_rotvec(v)` makes an object of the class `Turn` below, whose methods are those of
`Rotation`. Sines over angles are functions of the squared angle, with series near 0: so all orders are
right at the identity, where an angle itself has no slope.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation, Slerp

from tapeless.errors import GradientError
from tapeless.rules.declare import built_in_zero, written_out
from tapeless.rules.results import places
from tapeless.runtime.rotations import (
    axes_of,
    interval_of_time,
    is_rotation,
    largest_part,
    quaternion_of,
)

built_in_zero(quaternion_of)
built_in_zero(largest_part)
built_in_zero(axes_of, is_rotation)
built_in_zero(interval_of_time, kind=places.among_sorted)


def composed(p: Any, q: Any) -> Any:
    """Return the quaternion of a rotation after another: Hamilton's product."""
    u, v, a, b = p[..., :3], q[..., :3], p[..., 3:], q[..., 3:]
    axis = a * v + b * u + np.cross(u, v)
    return np.concatenate([axis, a * b - np.sum(u * v, axis=-1, keepdims=True)], axis=-1)


def turned(q: Any, vectors: Any) -> Any:
    """Return vectors that are rotated."""
    axis, w = q[..., :3], q[..., 3:]
    t = 2.0 * np.cross(axis, vectors)
    return vectors + w * t + np.cross(axis, t)


def inverted(q: Any) -> Any:
    """Return the quaternion of the inverse."""
    return q * np.array([-1.0, -1.0, -1.0, 1.0])


def of_shorter_way(q: Any) -> Any:
    """Return that of the two quaternions of a rotation whose angle is at most a half turn."""
    return np.where(q[..., 3:] < 0.0, -q, q)


def matrix_of(q: Any) -> Any:
    """Return the matrix of a rotation: its columns are the axes that are rotated."""
    return np.swapaxes(turned(np.expand_dims(q, -2), np.eye(3)), -1, -2)


def rotation_vector_of(q: Any) -> Any:
    """Return the axis times the angle; near 0 by the series of the arc tangent."""
    q = of_shorter_way(q)
    axis, w = q[..., :3], q[..., 3:]
    squared = np.sum(axis * axis, axis=-1, keepdims=True)
    near = squared < 1e-6
    length = np.sqrt(np.where(near, 1.0, squared))
    t = np.where(near, squared / np.where(near, w * w, 1.0), 0.0)
    series = (1.0 - t * (1.0 / 3.0 - t * (0.2 - t / 7.0))) / np.where(near, w, 1.0)
    return 2.0 * axis * np.where(near, series, np.arctan2(length, w) / length)


def angles_of(q: Any, seq: Any) -> Any:
    """Return Euler's angles by quaternions, after Bernardes and Viollet (2022)."""
    i, j, k, sign, symmetric, intrinsic = axes_of(seq)
    x, y, z, w = q[..., i], q[..., j], q[..., k] * sign, q[..., 3]
    if symmetric:
        a, b, c, d = w, x, y, q[..., 3 - i - j] * sign
    else:
        a, b, c, d = w - y, x + z, y + w, z - x
    middle = 2.0 * np.arctan2(np.sqrt(c * c + d * d), np.sqrt(a * a + b * b))
    half_sum, half_difference = np.arctan2(b, a), np.arctan2(d, c)
    first, last = half_sum - half_difference, half_sum + half_difference
    if not symmetric:
        last, middle = last * sign, middle - 0.5 * math.pi
    angles = [last, middle, first] if intrinsic else [first, middle, last]
    found = np.stack(angles, axis=-1)
    return found - 2.0 * math.pi * np.round(found / (2.0 * math.pi))


class Turn(NamedTuple):
    """A rotation, or several, that may vary."""

    q: Any

    def as_quat(self, canonical: Any = False, *, scalar_first: Any = False) -> Any:
        """Return the quaternion."""
        q = of_shorter_way(self.q) if canonical else np.array(self.q)
        return np.roll(q, 1, axis=-1) if scalar_first else q

    def as_matrix(self) -> Any:
        """Return the matrix."""
        return matrix_of(self.q)

    def as_rotvec(self, degrees: Any = False) -> Any:
        """Return the axis times the angle."""
        found = rotation_vector_of(self.q)
        return np.rad2deg(found) if degrees else found

    def as_mrp(self) -> Any:
        """Return the axis times the tangent of a quarter of the angle."""
        q = of_shorter_way(self.q)
        return q[..., :3] / (1.0 + q[..., 3:])

    def as_euler(self, seq: Any, degrees: Any = False) -> Any:
        """Return the angles about three axes."""
        found = angles_of(self.q, seq)
        return np.rad2deg(found) if degrees else found

    def apply(self, vectors: Any, inverse: Any = False) -> Any:
        """Return vectors that are rotated."""
        return turned(inverted(self.q) if inverse else self.q, vectors)

    def inv(self) -> Any:
        """Return the inverse."""
        return Turn(inverted(self.q))

    def magnitude(self) -> Any:
        """Return the angle."""
        axis = np.sqrt(np.sum(self.q[..., :3] ** 2, axis=-1))
        return 2.0 * np.arctan2(axis, np.abs(self.q[..., 3]))

    def __mul__(self, other: Any) -> Any:
        """Return this rotation after another."""
        return Turn(composed(self.q, other.as_quat()))

    def __pow__(self, n: Any) -> Any:
        """Return the rotation about the same axis by the angle times a number."""
        return rotation_from_rotvec(n * rotation_vector_of(self.q))


class Between(NamedTuple):
    """Rotations at some times, and those from each to the next about a fixed axis."""

    times: Any
    q: Any
    turns: Any

    def __call__(self, times: Any) -> Any:
        """Return the rotation at a time, or at each of several."""
        i = interval_of_time(self.times, times)
        share = (times - self.times[i]) / (self.times[i + 1] - self.times[i])
        turn = rotation_from_rotvec(self.turns[i] * np.expand_dims(share, -1))
        return Turn(composed(self.q[i], turn.q))


def rotation_from_quat(quat: Any, *, scalar_first: Any = False) -> Any:
    q = np.roll(quat, -1, axis=-1) if scalar_first else np.asarray(quat)
    return Turn(q / np.sqrt(np.sum(q * q, axis=-1, keepdims=True)))


def rotation_from_rotvec(rotvec: Any, degrees: Any = False) -> Any:
    v = np.deg2rad(rotvec) if degrees else np.asarray(rotvec)
    squared = np.sum(v * v, axis=-1, keepdims=True)
    near = squared < 1e-6
    angle = np.sqrt(np.where(near, 1.0, squared))
    small = np.where(near, squared, 0.0)
    sine = np.where(near, 0.5 - small * (1.0 / 48.0 - small / 3840.0), np.sin(0.5 * angle) / angle)
    cosine = np.where(near, 1.0 - small * (0.125 - small / 384.0), np.cos(0.5 * angle))
    return Turn(np.concatenate([sine * v, cosine], axis=-1))


def rotation_from_matrix(matrix: Any, *, assume_valid: Any = False) -> Any:
    """Two steps of Newton's method from what is a rotation already: the nearest one, to second order."""
    m = np.asarray(matrix)
    if not is_rotation(m):
        raise GradientError("Rotation.from_matrix is differentiated at matrices that are rotations")
    m = m @ (1.5 * np.eye(3) - 0.5 * np.swapaxes(m, -1, -2) @ m)
    m = m @ (1.5 * np.eye(3) - 0.5 * np.swapaxes(m, -1, -2) @ m)
    xx, yy, zz = m[..., 0, 0], m[..., 1, 1], m[..., 2, 2]
    yx, zx, zy = (
        m[..., 1, 0] + m[..., 0, 1],
        m[..., 2, 0] + m[..., 0, 2],
        m[..., 2, 1] + m[..., 1, 2],
    )
    wx, wy, wz = (
        m[..., 2, 1] - m[..., 1, 2],
        m[..., 0, 2] - m[..., 2, 0],
        m[..., 1, 0] - m[..., 0, 1],
    )
    by_x = np.stack([1.0 + xx - yy - zz, yx, zx, wx], axis=-1)
    by_y = np.stack([yx, 1.0 + yy - xx - zz, zy, wy], axis=-1)
    by_z = np.stack([zx, zy, 1.0 + zz - xx - yy, wz], axis=-1)
    by_w = np.stack([wx, wy, wz, 1.0 + xx + yy + zz], axis=-1)
    part = largest_part(m)
    q = np.where(part == 0, by_x, np.where(part == 1, by_y, np.where(part == 2, by_z, by_w)))
    return Turn(q / np.sqrt(np.sum(q * q, axis=-1, keepdims=True)))


def about_axis(axis: Any, angle: Any) -> Any:
    """Return the quaternion of a rotation about one of the three axes."""
    unit = np.eye(4)
    half = 0.5 * np.expand_dims(angle, -1)
    return np.sin(half) * unit["xyz".index(axis)] + np.cos(half) * unit[3]


def rotation_from_euler(seq: Any, angles: Any, degrees: Any = False) -> Any:
    """Lower case turns about axes that stand, upper case about those that are turned along."""
    given = np.deg2rad(angles) if degrees else np.asarray(angles)
    axes = seq.lower()
    if len(seq) == 1:
        single = given[..., 0] if np.ndim(given) == 2 else given
        return Turn(about_axis(axes, single))
    q = about_axis(axes[0], given[..., 0])
    for place in range(1, len(seq)):
        further = about_axis(axes[place], given[..., place])
        q = composed(q, further) if seq.isupper() else composed(further, q)
    return Turn(q)


def rotation_from_mrp(mrp: Any) -> Any:
    v = np.asarray(mrp)
    squared = np.sum(v * v, axis=-1, keepdims=True)
    return Turn(np.concatenate([2.0 * v, 1.0 - squared], axis=-1) / (1.0 + squared))


def rotation_concatenate(rotations: Any) -> Any:
    return Turn(np.concatenate([np.reshape(each.as_quat(), (-1, 4)) for each in rotations]))


def rotations_between(times: Any, rotations: Any) -> Any:
    """Interpolate along the shortest ways on the sphere of quaternions (Shoemake 1985)."""
    q = rotations.as_quat()
    return Between(np.asarray(times), q, rotation_vector_of(composed(inverted(q[:-1]), q[1:])))


def rotation_identity(num: Any = None) -> Any:
    unit = np.array([0.0, 0.0, 0.0, 1.0])
    return Turn(unit if num is None else np.tile(unit, (num, 1)))


def apply_given(self: Any, vectors: Any, inverse: Any = False) -> Any:
    """Rotate by what was made outside."""
    q = quaternion_of(self)
    return turned(inverted(q) if inverse else q, vectors)


def given_after(self: Any, other: Any) -> Any:
    """Rotate by what was made outside after what varies."""
    return Turn(composed(quaternion_of(self), other.as_quat()))


for _name, _function in (
    ("from_quat", rotation_from_quat),
    ("from_rotvec", rotation_from_rotvec),
    ("from_matrix", rotation_from_matrix),
    ("from_mrp", rotation_from_mrp),
    ("concatenate", rotation_concatenate),
    ("from_euler", rotation_from_euler),
    ("identity", rotation_identity),
):
    written_out(getattr(Rotation, _name), _function, always=True)
written_out(Slerp, rotations_between, always=True)
written_out(Rotation.apply, apply_given)
written_out(Rotation.__mul__, given_after)
