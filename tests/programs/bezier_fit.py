"""Bezier curves: de Casteljau in place, lengths, a penalty of curvature, and a fit to sketched points."""

import itertools
from abc import ABC, abstractmethod

import numpy as np


class Curve(ABC):
    @abstractmethod
    def at(self, t):
        """Point at a parameter in [0, 1]."""

    def polyline(self, n):
        return np.stack([self.at(k / n) for k in range(n + 1)])

    def length(self, n=6):
        points = self.polyline(n)
        return sum(np.hypot(*(b - a)) for a, b in zip(points, points[1:]))


class Bezier(Curve):
    def __init__(self, control):
        self.control = control

    @property
    def degree(self):
        return len(self.control) - 1

    def at(self, t):
        p = self.control.copy()
        for r in range(1, len(p)):
            p[: len(p) - r] = (1 - t) * p[: len(p) - r] + t * p[1 : len(p) - r + 1]
        return p[0]

    def derivative(self):
        return Bezier(self.degree * np.diff(self.control, axis=0))


class Path(Curve):
    """Curves one after the other."""

    def __init__(self, segments):
        self.segments = segments

    def at(self, t):
        scaled = t * len(self.segments)
        k = min(int(scaled), len(self.segments) - 1)
        return self.segments[k].at(scaled - k)

    def corners(self):
        """How far neighbouring segments are from joining smoothly."""
        total = 0.0
        for first, second in itertools.pairwise(self.segments):
            incoming = first.derivative().at(1.0)
            outgoing = second.derivative().at(0.0)
            cross = incoming[0] * outgoing[1] - incoming[1] * outgoing[0]
            total += cross**2
        return total


def distance(point, polyline):
    best = None
    for vertex in polyline:
        d = np.sum((point - vertex) ** 2)
        if best is None or d < best:
            best = d
    return best


def curvature_energy(curve, n=4):
    first, second = curve.derivative(), curve.derivative().derivative()
    energy = 0.0
    for k in range(n):
        t = (k + 0.5) / n
        d1, d2 = first.at(t), second.at(t)
        energy += (d1[0] * d2[1] - d1[1] * d2[0]) ** 2 / (d1 @ d1) ** 3
    return energy / n


def objective(control, joint):
    middle = np.vstack([control, joint])
    tail = np.array([joint, [2.4, 0.3], [3.0, 0.0]])
    path = Path([Bezier(middle), Bezier(tail)])
    polyline = path.polyline(6)
    sketch = np.array([[0.1, 0.0], [1.0, 0.9], [2.1, 0.8], [2.9, 0.1]])
    fit = sum(distance(point, polyline) for point in sketch)
    bend = curvature_energy(path.segments[0])
    return fit + 0.1 * path.corners() + 0.01 * bend + 0.1 * path.length()


ARGUMENTS = (np.array([[0.0, 0.05], [0.6, 1.1], [1.2, 1.2]]), np.array([1.9, 0.9]))
