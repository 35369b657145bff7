"""A double pendulum with friction: energies, a Poincare section and a fit to measured angles."""

import logging
from typing import NamedTuple

import numpy as np

from programs.common.integrators import integrate

logger = logging.getLogger(__name__)
G = 9.81


class Parameters(NamedTuple):
    m1: float
    m2: float
    l1: float
    l2: float
    friction: float = 0.0


class DoublePendulum:
    def __init__(self, parameters):
        self.parameters = parameters
        self.calls = 0

    def __call__(self, t, state):
        self.calls += 1
        m1, m2, l1, l2, friction = self.parameters
        a, b, wa, wb = state
        delta = b - a
        c, s = np.cos(delta), np.sin(delta)
        M = m1 + m2
        den = M * l1 - m2 * l1 * c**2
        acc_a = (m2 * l1 * wa**2 * s * c + m2 * G * np.sin(b) * c
                 + m2 * l2 * wb**2 * s - M * G * np.sin(a)) / den
        den = l2 / l1 * den
        acc_b = (-m2 * l2 * wb**2 * s * c
                 + M * (G * np.sin(a) * c - l1 * wa**2 * s - G * np.sin(b))) / den
        return np.array([wa, wb, acc_a - friction * wa, acc_b - friction * wb])

    def energy(self, states):
        """Kinetic and potential energy, for each row."""
        p = self.parameters
        a, b, wa, wb = states.T
        kinetic = 0.5 * p.m1 * (p.l1 * wa) ** 2 + 0.5 * p.m2 * (
            (p.l1 * wa) ** 2 + (p.l2 * wb) ** 2 + 2 * p.l1 * p.l2 * wa * wb * np.cos(a - b)
        )
        potential = -(p.m1 + p.m2) * G * p.l1 * np.cos(a) - p.m2 * G * p.l2 * np.cos(b)
        return kinetic, potential


def crossings(times, states):
    """Interpolate the times at which the first angle changes sign."""
    found = []
    for i in range(len(times) - 1):
        before, after = states[i, 0], states[i + 1, 0]
        if before * after < 0:
            share = before / (before - after)
            found.append(times[i] + share * (times[i + 1] - times[i]))
    return found


def objective(lengths, masses, friction):
    system = DoublePendulum(Parameters(masses[0], masses[1], lengths[0], lengths[1], friction))
    worst = []

    def watch(i, state):
        worst.append(np.max(np.abs(state)))
        if i % 5 == 0:
            logger.debug("step %d: %s", i, state)

    times, states = integrate(system, np.array([0.4, 0.5, 0.0, 0.0]), 0.0, 1.0, 12, callback=watch)
    kinetic, potential = system.energy(states)
    total = kinetic + potential
    drift = np.sum((total - total[0]) ** 2) / len(total)
    cross = crossings(times, states)
    first = cross[0] if cross else 0.0
    return drift + first + 0.01 * worst[-1]


ARGUMENTS = (np.array([0.5, 0.6]), np.array([1.0, 0.8]), 0.05)
