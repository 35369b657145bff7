"""Waves on a line by finite differences in time: a soft source, layers, an absorbing end, a receiver."""

import enum
from dataclasses import dataclass

import numpy as np


class Boundary(enum.Enum):
    REFLECTING = "reflecting"
    ABSORBING = "absorbing"
    PERIODIC = "periodic"


@dataclass
class Layer:
    start: int
    stop: int
    speed: float


class Medium:
    def __init__(self, n, background=1.0):
        self.speed = np.full(n, background)

    def add(self, layer):
        if layer.stop > len(self.speed):
            raise IndexError(f"layer ends at {layer.stop}, grid at {len(self.speed)}")
        self.speed[layer.start : layer.stop] = layer.speed
        return self


class Wave:
    """Keeps two time levels and steps them in place."""

    def __init__(self, medium, dx=1.0, courant=0.5, left=Boundary.REFLECTING, right=Boundary.ABSORBING):
        self.c = medium.speed
        self.dt = courant * dx
        self.r2 = (self.c * self.dt / dx) ** 2
        self.u = np.zeros(len(self.c))
        self.old = np.zeros(len(self.c))
        self.left, self.right = left, right
        self.time = 0.0

    def apply_boundaries(self, new):
        if self.left is Boundary.PERIODIC:
            new[0] = new[-2]
        elif self.left is Boundary.REFLECTING:
            new[0] = 0.0
        if self.right is Boundary.ABSORBING:
            r = np.sqrt(self.r2[-1])
            new[-1] = self.u[-2] + (r - 1) / (r + 1) * (new[-2] - self.u[-1])
        elif self.right is Boundary.REFLECTING:
            new[-1] = 0.0

    def step(self, source=None):
        new = np.empty_like(self.u)
        new[1:-1] = (
            2 * self.u[1:-1]
            - self.old[1:-1]
            + self.r2[1:-1] * (self.u[2:] - 2 * self.u[1:-1] + self.u[:-2])
        )
        self.apply_boundaries(new)
        if source is not None:
            at, value = source(self.time)
            new[at] += value
        self.old, self.u = self.u, new
        self.time += self.dt


def ricker(at, frequency, delay=4.0):
    """A Ricker wavelet at a point of the grid."""

    def source(t):
        a = (np.pi * frequency * (t - delay)) ** 2
        return at, (1.0 - 2.0 * a) * np.exp(-a)

    return source


def record(wave, source, receiver, n_steps):
    trace = np.zeros(n_steps)
    for k in range(n_steps):
        wave.step(source if k < 20 else None)
        trace[k] = wave.u[receiver]
    return trace


def objective(speeds, frequency):
    medium = Medium(14)
    for i, speed in enumerate(speeds):
        medium.add(Layer(4 + 4 * i, 8 + 4 * i, speed))
    wave = Wave(medium)
    trace = record(wave, ricker(3, frequency), receiver=10, n_steps=24)
    energy = np.sum(trace**2)
    return energy + 0.1 * np.sum(np.diff(trace) ** 2) + 0.05 * np.sum(wave.u * wave.old)


ARGUMENTS = (np.array([0.8, 1.3]), 0.12)
