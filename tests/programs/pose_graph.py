"""A pose graph on the plane: poses compose by an operator, edges are weighted by a robust kernel."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np


def wrap(angle):
    """Bring an angle into (-pi, pi]."""
    while angle > math.pi:
        angle -= 2.0 * math.pi
    while angle <= -math.pi:
        angle += 2.0 * math.pi
    return angle


class SE2:
    """A pose on the plane; `a * b` is b seen from a."""

    __slots__ = ("x", "y", "theta")

    def __init__(self, x=0.0, y=0.0, theta=0.0):
        self.x = x
        self.y = y
        self.theta = theta

    def __mul__(self, other: SE2) -> SE2:
        c, s = math.cos(self.theta), math.sin(self.theta)
        return SE2(
            self.x + c * other.x - s * other.y,
            self.y + s * other.x + c * other.y,
            wrap(self.theta + other.theta),
        )

    def inverse(self) -> SE2:
        c, s = math.cos(self.theta), math.sin(self.theta)
        return SE2(-c * self.x - s * self.y, s * self.x - c * self.y, -self.theta)

    def __repr__(self):
        return f"SE2({self.x:.3f}, {self.y:.3f}, {self.theta:.3f})"

    def log(self):
        return np.array([self.x, self.y, self.theta])


@dataclass
class Edge:
    source: int
    target: int
    measurement: SE2
    information: np.ndarray

    def error(self, poses):
        predicted = poses[self.source].inverse() * poses[self.target]
        return (self.measurement.inverse() * predicted).log()


class PoseGraph:
    def __init__(self, kernel="cauchy", width=1.0):
        self.poses = []
        self.edges = []
        self.kernel = kernel
        self.width = width

    def add_pose(self, pose):
        self.poses.append(pose)
        return len(self.poses) - 1

    def connect(self, i, j, measurement, sigma=(0.1, 0.1, 0.05)):
        information = np.diag([1.0 / s**2 for s in sigma])
        self.edges.append(Edge(i, j, measurement, information))

    def robust(self, chi2):
        if self.kernel is None:
            return chi2
        elif self.kernel == "cauchy":
            return self.width**2 * math.log(1.0 + chi2 / self.width**2)
        else:
            raise ValueError(f"unknown kernel {self.kernel!r}")

    def chi2(self):
        total = 0.0
        for edge in self.edges:
            e = edge.error(self.poses)
            total += self.robust(e @ edge.information @ e)
        return total


def objective(flat):
    graph = PoseGraph(width=2.0)
    for row in flat:
        graph.add_pose(SE2(row[0], row[1], row[2]))
    step = SE2(1.0, 0.0, math.pi / 2)
    for i in range(3):
        graph.connect(i, i + 1, step)
    graph.connect(3, 0, step, sigma=(0.2, 0.2, 0.1))
    anchor = graph.poses[0]
    return graph.chi2() + 100.0 * (anchor.x**2 + anchor.y**2 + anchor.theta**2)


ARGUMENTS = (
    np.array([[0.02, -0.01, 0.03], [1.05, 0.1, 1.5], [0.9, 1.1, 3.0], [-0.1, 0.95, -1.6]]),
)
