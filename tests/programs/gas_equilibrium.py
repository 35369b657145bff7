"""Gas equilibrium by element balances: species parsed from formulas, Newton in logarithms, a mixture's enthalpy."""

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Dict, List

import numpy as np

R = 8.314e-3
_TOKEN = re.compile(r"([A-Z][a-z]?)(\d*)")


def parse(formula: str) -> Counter:
    counts: Counter = Counter()
    for element, digits in _TOKEN.findall(formula):
        counts[element] += int(digits or 1)
    return counts


@dataclass
class Species:
    formula: str
    enthalpy: float
    entropy: float
    elements: Counter = field(init=False, repr=False)

    def __post_init__(self):
        self.elements = parse(self.formula)

    def gibbs(self, temperature):
        return self.enthalpy - temperature * self.entropy

    def __hash__(self):
        return hash(self.formula)

    def __lt__(self, other):
        return self.formula < other.formula


class ConvergenceError(RuntimeError):
    pass


class Mixture:
    def __init__(self, species: List[Species], temperature: float, pressure=1.0):
        self.species = sorted(species)
        self.T, self.p = temperature, pressure
        names = sorted({e for s in self.species for e in s.elements})
        self.A = np.array([[s.elements.get(e, 0) for s in self.species] for e in names], dtype=float)
        self.names = names
        self.moles = None

    def potentials(self):
        return np.array([s.gibbs(self.T) / (R * self.T) for s in self.species]) + np.log(self.p)

    def solve(self, totals: Dict[str, float], tol=1e-11, maxiter=50):
        b = np.array([totals[e] for e in self.names])
        g = self.potentials()
        ln_n = np.full(len(self.species), np.log(0.1))
        ln_total = 0.0
        for iteration in range(1, maxiter + 1):
            n = np.exp(ln_n)
            total = np.exp(ln_total)
            mu = g + ln_n - ln_total
            m = len(b)
            K = np.zeros((m + 1, m + 1))
            K[:m, :m] = (self.A * n) @ self.A.T
            K[:m, m] = K[m, :m] = self.A @ n
            K[m, m] = n.sum() - total
            rhs = np.empty(m + 1)
            rhs[:m] = b - self.A @ n + self.A @ (n * mu)
            rhs[m] = total - n.sum() + n @ mu
            x = np.linalg.solve(K, rhs)
            d = self.A.T @ x[:-1] + x[-1] - mu
            damp = min(1.0, 2.0 / max(np.abs(d).max(), abs(x[-1]), 1e-12))
            ln_n = ln_n + damp * d
            ln_total += damp * x[-1]
            if np.max(np.abs(d)) < tol:
                break
        else:
            raise ConvergenceError(f"{iteration} iterations")
        self.moles = dict(zip((s.formula for s in self.species), np.exp(ln_n)))
        return self

    @property
    def enthalpy(self):
        return sum(self.moles[s.formula] * s.enthalpy for s in self.species)

    def fraction(self, formula):
        return self.moles[formula] / sum(self.moles.values())

    def __getitem__(self, formula):
        try:
            return self.moles[formula]
        except KeyError:
            raise KeyError(f"no {formula} in this mixture") from None


def objective(temperature, steam, dh):
    data = [("CH4", -74.8 + dh[0], 0.186), ("H2O", -241.8 + dh[1], 0.189), ("CO", -110.5, 0.198),
            ("CO2", -393.5, 0.214), ("H2", 0.0, 0.131)]
    mix = Mixture([Species(*row) for row in data], temperature * 1000.0, pressure=1.5)
    totals = {"C": 1.0, "H": 4.0 + 2 * steam, "O": steam}
    mix.solve(totals)
    for name, n in mix.moles.items():
        assert n > 0, f"{name}: {n}"
    return mix["H2"] ** 2 - 0.5 * mix.fraction("CO2") + 1e-3 * mix.enthalpy


ARGUMENTS = (1.05, 2.0, np.array([0.5, -0.3]))
