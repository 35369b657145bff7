"""Bundle adjustment with camera and point objects, and a robust loss."""

from dataclasses import dataclass
from typing import List

import numpy as np


def skew(w):
    return np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])


def rodrigues(w):
    theta = np.sqrt(w @ w + 1e-12)
    K = skew(w / theta)
    return np.eye(3) + np.sin(theta) * K + (1 - np.cos(theta)) * K @ K


@dataclass
class Camera:
    rotation: np.ndarray
    translation: np.ndarray
    focal: float
    distortion: float = 0.0

    @classmethod
    def from_vector(cls, v):
        return cls(rotation=rodrigues(v[:3]), translation=v[3:6], focal=v[6])

    def project(self, X):
        p = self.rotation @ X + self.translation
        u = p[:2] / p[2]
        r2 = u @ u
        return self.focal * (1 + self.distortion * r2) * u


@dataclass
class Observation:
    camera: int
    point: int
    xy: np.ndarray
    weight: float = 1.0


class Problem:
    def __init__(self, observations: List[Observation], loss="huber", delta=0.5):
        self.observations = observations
        self.delta = delta
        self.rho = {"l2": self.squared, "huber": self.huber}[loss]

    def squared(self, r):
        return 0.5 * r**2

    def huber(self, r):
        a = np.abs(r)
        return np.where(a <= self.delta, 0.5 * r**2, self.delta * (a - 0.5 * self.delta))

    def cost(self, cameras, points):
        total = 0.0
        for obs in self.observations:
            residual = cameras[obs.camera].project(points[obs.point]) - obs.xy
            total += obs.weight * np.sum(self.rho(residual))
        return total


def objective(poses, points):
    cameras = [Camera.from_vector(v) for v in poses]
    measured = [(0, 0, 0.1, 0.2), (0, 1, -0.1, 0.1), (1, 0, 0.15, 0.1), (1, 1, -0.2, 0.3)]
    observations = [Observation(c, p, np.array([x, y])) for c, p, x, y in measured]
    observations[0].weight = 2.0
    return Problem(observations).cost(cameras, points)


ARGUMENTS = (
    np.array([[0.1, 0.2, -0.1, 0.0, 0.1, 2.0, 1.1], [-0.2, 0.1, 0.05, 0.2, 0.0, 2.2, 0.9]]),
    np.array([[0.3, 0.2, 1.0], [-0.4, 0.5, 1.3]]),
)
