"""Tight-binding bands of a two-dimensional lattice: hoppings in a dict, an effective mass, a Fermi level."""

from functools import cached_property, lru_cache
from itertools import product
from math import cos, pi, sin, sqrt
from operator import itemgetter

import numpy as np

BOHR = 0.529
LATTICES = {
    "square": ((1.0, 0.0), (0.0, 1.0)),
    "graphene": ((1.5, sqrt(3) / 2), (1.5, -sqrt(3) / 2)),
}


class Orbital:
    __slots__ = ("label", "energy", "position")

    def __init__(self, label, energy, position=(0.0, 0.0)):
        self.label = label
        self.energy = energy
        self.position = position

    def __repr__(self):
        return f"<{self.label} at {self.position}>"


class TightBinding:
    """Bloch Hamiltonian of orbitals with hoppings."""

    def __init__(self, lattice, orbitals):
        self.vectors = np.array(LATTICES[lattice])
        self.orbitals = orbitals
        self.hoppings = {}

    def hop(self, i, j, cell, t):
        self.hoppings[i, j, cell] = self.hoppings.get((i, j, cell), 0.0) + t
        return self

    @cached_property
    def reciprocal(self):
        return 2 * pi * np.linalg.inv(self.vectors).T

    def hamiltonian(self, k):
        n = len(self.orbitals)
        h = np.zeros((n, n), dtype=complex)
        for i, orb in enumerate(self.orbitals):
            h[i, i] += orb.energy
        for (i, j, cell), t in self.hoppings.items():
            r = np.array(cell) @ self.vectors
            phase = np.exp(1j * (k @ r))
            h[i, j] += t * phase
            h[j, i] += t * np.conj(phase)
        return h

    def bands(self, k):
        return np.linalg.eigvalsh(self.hamiltonian(k))


def grid(n):
    for a, b in product(range(n), repeat=2):
        yield (a + 0.5) / n, (b + 0.25) / n


def fermi(e, mu, kT):
    return 1.0 / (np.exp((e - mu) / kT) + 1.0)


def fermi_level(energies, filling, kT=0.2, tol=1e-13):
    lo, hi = energies.min() - 1.0, energies.max() + 1.0
    mu = 0.5 * (lo + hi)
    for _ in range(60):
        occ = fermi(energies, mu, kT)
        miss = occ.mean() - filling
        slope = np.mean(occ * (1.0 - occ)) / kT
        step = -miss / slope
        mu = mu + max(min(step, 0.5), -0.5)
        if abs(miss) < tol:
            break
    else:
        raise RuntimeError("no Fermi level")
    return mu


def effective_mass(model, k, band, h=1e-2):
    up, mid, down = (model.bands(k + s * h * np.array([1.0, 0.0]))[band] for s in (1, 0, -1))
    return 1.0 / ((up - 2 * mid + down) / h**2)


def build(onsite, t1, t2):
    orbitals = [Orbital(label, e) for label, e in zip("AB", onsite)]
    model = TightBinding("graphene", orbitals)
    for cell in [(0, 0), (-1, 0), (0, -1)]:
        model.hop(0, 1, cell, -t1)
    for i in range(2):
        for cell in ((1, 0), (0, 1), (1, -1)):
            model.hop(i, i, cell, 0.5 * t2 * (1 if i else -1))
    return model


def objective(onsite, t1, t2):
    model = build(onsite, t1, t2)
    ks = [a * model.reciprocal[0] + b * model.reciprocal[1] for a, b in grid(3)]
    energies = np.array([model.bands(k) for k in ks])
    mu = fermi_level(energies, 0.45)
    total = np.sum(energies * fermi(energies, mu, 0.2)) / len(ks)
    gap = min(map(itemgetter(1), energies)) - max(map(itemgetter(0), energies))
    return total + 0.1 * gap + 0.01 * effective_mass(model, np.array([0.3, 0.1]), 1)


ARGUMENTS = (np.array([0.4, -0.3]), 1.0, 0.15)
