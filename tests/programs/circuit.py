"""Modified nodal analysis of a circuit whose elements are dataclasses."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np


class Unit(enum.Enum):
    OHM = "Ohm"
    FARAD = "F"
    HENRY = "H"


@dataclass
class Element:
    name: str
    a: int
    b: int
    unit: ClassVar[Unit] = Unit.OHM

    def admittance(self, omega: float) -> complex:
        raise NotImplementedError

    def stamp(self, Y, omega):
        y = self.admittance(omega)
        for i, j, s in ((self.a, self.a, 1), (self.b, self.b, 1), (self.a, self.b, -1), (self.b, self.a, -1)):
            if i > 0 and j > 0:
                Y[i - 1, j - 1] += s * y


@dataclass
class Resistor(Element):
    resistance: float = 1.0

    def admittance(self, omega):
        return 1.0 / self.resistance


@dataclass
class Capacitor(Element):
    capacitance: float = 1e-6
    unit: ClassVar[Unit] = Unit.FARAD

    def admittance(self, omega):
        return 1j * omega * self.capacitance


@dataclass
class Inductor(Element):
    inductance: float = 1e-3
    unit: ClassVar[Unit] = Unit.HENRY

    def admittance(self, omega):
        return 1.0 / (1j * omega * self.inductance)


@dataclass
class Circuit:
    elements: list[Element] = field(default_factory=list)
    source: int = 1

    def add(self, *elements: Element) -> Circuit:
        self.elements.extend(elements)
        return self

    @property
    def n_nodes(self) -> int:
        return max(max(e.a, e.b) for e in self.elements)

    def solve(self, omega):
        Y = np.zeros((self.n_nodes, self.n_nodes), dtype=complex)
        for element in self.elements:
            element.stamp(Y, omega)
        current = np.zeros(self.n_nodes, dtype=complex)
        current[self.source - 1] = 1.0
        return np.linalg.solve(Y, current)

    def gain(self, omega, node):
        v = self.solve(omega)
        return np.abs(v[node - 1] / v[self.source - 1])


def objective(r, c, l):
    circuit = Circuit().add(
        Resistor("R1", 1, 2, resistance=r),
        Capacitor("C1", 2, 0, capacitance=c),
        Inductor("L1", 2, 3, inductance=l),
        Resistor("R2", 3, 0, 50.0),
        Resistor("R0", 1, 0, 1e3),
    )
    target = {100.0: 0.8, 1000.0: 0.4, 5000.0: 0.1}
    total = 0.0
    for omega, wanted in target.items():
        error = circuit.gain(omega, 3) - wanted
        total += error**2
    return total


ARGUMENTS = (100.0, 2e-6, 0.01)
