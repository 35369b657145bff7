"""Hueckel theory with a self-consistent charge correction, for a ring with a substituent."""

import warnings

import numpy as np


class NotConverged(UserWarning):
    pass


class Molecule:
    """Atoms with their Coulomb integrals, bonds with their resonance integrals."""

    def __init__(self):
        self.alpha = []
        self.bonds = {}

    def atom(self, alpha=0.0):
        self.alpha.append(alpha)
        return len(self.alpha) - 1

    def bond(self, i, j, beta=-1.0):
        key = (i, j) if i < j else (j, i)
        if key in self.bonds:
            raise KeyError(f"bond {key} is there already")
        self.bonds[key] = beta

    @classmethod
    def ring(cls, n, beta=-1.0):
        molecule = cls()
        atoms = [molecule.atom() for _ in range(n)]
        for i in atoms:
            molecule.bond(i, (i + 1) % n, beta)
        return molecule

    def hamiltonian(self, charges=None, omega=0.0):
        n = len(self.alpha)
        H = np.zeros((n, n))
        for i in range(n):
            H[i, i] = self.alpha[i]
            if charges is not None:
                H[i, i] -= omega * charges[i]
        for (i, j), beta in self.bonds.items():
            H[i, j] = H[j, i] = beta
        return H


class Solver:
    def __init__(self, molecule, electrons, omega=0.3, mixing=0.5, max_iter=4, tol=1e-10):
        self.molecule = molecule
        self.electrons = electrons
        self.omega = omega
        self.mixing = mixing
        self.max_iter = max_iter
        self.tol = tol
        self.history = []

    def occupations(self, n):
        occupation = np.zeros(n)
        occupation[: self.electrons // 2] = 2.0
        if self.electrons % 2:
            occupation[self.electrons // 2] = 1.0
        return occupation

    def run(self):
        n = len(self.molecule.alpha)
        charges = np.zeros(n)
        energy = None
        for iteration in range(self.max_iter):
            energies, C = np.linalg.eigh(self.molecule.hamiltonian(charges, self.omega))
            occupation = self.occupations(n)
            density = (C * occupation) @ C.T
            new = 1.0 - np.diag(density)
            energy = energies @ occupation
            change = np.max(np.abs(new - charges))
            charges = charges + self.mixing * (new - charges)
            self.history.append(energy)
            if change < self.tol:
                break
        else:
            warnings.warn("charges did not converge", NotConverged)
        return energy, charges, density


def objective(alpha, beta, omega):
    molecule = Molecule.ring(5, beta=-1.1)
    side = molecule.atom(alpha)
    molecule.bond(0, side, beta)
    solver = Solver(molecule, electrons=6, omega=omega)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        energy, charges, density = solver.run()
    dipole = charges @ np.array([0.3, -0.2, 0.1, 0.5, -0.4, 1.0])
    return energy + dipole**2 + density[0, side] + 0.1 * (solver.history[0] - solver.history[-1])


ARGUMENTS = (-0.4, -0.8, 0.25)
