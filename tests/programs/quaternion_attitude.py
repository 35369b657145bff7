"""Attitude of a satellite: quaternions with operators, a torque-free tumble, and star-tracker residuals."""

from __future__ import annotations

import logging
import math
from dataclasses import dataclass, field
from typing import ClassVar, Iterator

import numpy as np

logger = logging.getLogger(__name__)


@dataclass
class Vec3:
    x: float
    y: float
    z: float

    def __add__(self, o: "Vec3") -> "Vec3":
        return Vec3(self.x + o.x, self.y + o.y, self.z + o.z)

    def __sub__(self, o: "Vec3") -> "Vec3":
        return self + (-o)

    def __neg__(self):
        return Vec3(-self.x, -self.y, -self.z)

    def __mul__(self, s):
        if isinstance(s, Vec3):
            return self.dot(s)
        return Vec3(self.x * s, self.y * s, self.z * s)

    __rmul__ = __mul__

    def __truediv__(self, s: float) -> "Vec3":
        return self * (1.0 / s)

    def __iter__(self) -> Iterator[float]:
        yield self.x
        yield self.y
        yield self.z

    def dot(self, o: "Vec3") -> float:
        return sum(a * b for a, b in zip(self, o))

    def cross(self, o: "Vec3") -> "Vec3":
        return Vec3(
            self.y * o.z - self.z * o.y,
            self.z * o.x - self.x * o.z,
            self.x * o.y - self.y * o.x,
        )

    def __abs__(self) -> float:
        return math.sqrt(self.dot(self))


@dataclass
class Quaternion:
    w: float
    v: Vec3
    count: ClassVar[int] = 0

    @classmethod
    def identity(cls) -> "Quaternion":
        return cls(1.0, Vec3(0.0, 0.0, 0.0))

    def __mul__(self, other: "Quaternion") -> "Quaternion":
        return Quaternion(
            self.w * other.w - self.v * other.v,
            self.w * other.v + other.w * self.v + self.v.cross(other.v),
        )

    @property
    def conjugate(self) -> "Quaternion":
        return Quaternion(self.w, -self.v)

    @property
    def norm(self) -> float:
        return math.sqrt(self.w**2 + self.v * self.v)

    def normalized(self) -> "Quaternion":
        n = self.norm
        return Quaternion(self.w / n, self.v / n)

    def rotate(self, u: Vec3) -> Vec3:
        return (self * Quaternion(0.0, u) * self.conjugate).v


@dataclass
class Satellite:
    inertia: tuple[float, float, float]
    rate: Vec3
    attitude: Quaternion = field(default_factory=Quaternion.identity)
    log: list[str] = field(default_factory=list)

    def _accelerations(self, w: Vec3) -> Vec3:
        i1, i2, i3 = self.inertia
        return Vec3((i2 - i3) / i1 * w.y * w.z, (i3 - i1) / i2 * w.z * w.x, (i1 - i2) / i3 * w.x * w.y)

    def step(self, dt: float) -> None:
        mid = self.rate + self._accelerations(self.rate) * (0.5 * dt)
        self.rate = self.rate + self._accelerations(mid) * dt
        spin = Quaternion(0.0, self.rate)
        q, dq = self.attitude, self.attitude * spin
        self.attitude = Quaternion(q.w + 0.5 * dt * dq.w, q.v + (0.5 * dt) * dq.v).normalized()
        self.log.append(f"|w| = {abs(self.rate):.3f}")


STARS = [Vec3(1.0, 0.0, 0.0), Vec3(0.0, 0.6, 0.8), Vec3(-0.6, 0.8, 0.0)]


def objective(rate: np.ndarray, inertia: np.ndarray, weight: float) -> float:
    sat = Satellite(tuple(inertia), Vec3(*rate))
    total = 0.0
    for k in range(8):
        sat.step(0.1)
        if k % 2:
            continue
        for star in STARS:
            seen = sat.attitude.rotate(star)
            miss = seen - Vec3(0.3, 0.4, 0.5)
            total += weight * (miss * miss) / (1.0 + abs(miss))
    logger.debug("final: %s", sat.log[-1])
    return total


ARGUMENTS = (np.array([0.3, -0.2, 0.5]), np.array([1.0, 1.5, 2.2]), 0.7)
