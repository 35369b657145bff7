"""A titration curve: the charge balance is solved for the pH by Newton's method with bisection."""

import functools
import math

import numpy as np

KW = 1e-14


class ConvergenceError(RuntimeError):
    def __init__(self, iterations):
        super().__init__(f"no pH after {iterations} iterations")
        self.iterations = iterations


@functools.lru_cache(maxsize=None)
def volumes(n, end):
    return tuple(end * k / (n - 1) for k in range(n))


class Acid:
    """A polyprotic acid by its pKa values."""

    def __init__(self, name, pkas):
        self.name = name
        self.pkas = list(pkas)

    def fractions(self, h):
        """Shares of the species, from the fully protonated one on."""
        terms = [1.0]
        for pka in self.pkas:
            terms.append(terms[-1] * 10.0 ** (-pka) / h)
        total = sum(terms)
        return [term / total for term in terms]

    def charge(self, h):
        return -sum(k * share for k, share in enumerate(self.fractions(h)))


def imbalance(ph, acid, c_acid, c_base):
    h = 10.0 ** (-ph)
    return h - KW / h + c_base + c_acid * acid.charge(h)


def solve_ph(acid, c_acid, c_base, low=0.0, high=14.0, tol=1e-12, max_iter=60):
    ph = 7.0
    iterations = 0
    while iterations < max_iter:
        iterations += 1
        value = imbalance(ph, acid, c_acid, c_base)
        if abs(value) < tol:
            return ph
        if value > 0:
            low = ph
        else:
            high = ph
        step = 1e-4
        slope = (imbalance(ph + step, acid, c_acid, c_base) - value) / step
        guess = ph - value / slope if slope != 0 else math.nan
        ph = guess if low < guess < high else 0.5 * (low + high)
    raise ConvergenceError(max_iter)


class Titration:
    def __init__(self, acid, concentration, volume=20.0, titrant=0.1):
        self.acid = acid
        self.concentration = concentration
        self.volume = volume
        self.titrant = titrant

    def curve(self, n=4, end=15.0):
        phs = []
        for v in volumes(n, end):
            total = self.volume + v
            c_acid = self.concentration * self.volume / total
            c_base = self.titrant * v / total
            ph = solve_ph(self.acid, c_acid, c_base)
            # one more Newton step, so that the answer is smooth in what it depends on
            step = 1e-4
            value = imbalance(ph, self.acid, c_acid, c_base)
            slope = (imbalance(ph + step, self.acid, c_acid, c_base)
                     - imbalance(ph - step, self.acid, c_acid, c_base)) / (2 * step)
            phs.append(ph - value / slope)
        return np.array(phs)


def objective(pkas, concentration):
    curve = Titration(Acid("malonic", pkas), concentration).curve()
    measured = np.array([2.2, 2.7, 3.6, 5.3])
    return np.sum((curve - measured) ** 2) + 0.1 * (concentration - 0.05) ** 2


ARGUMENTS = (np.array([2.9, 5.6]), 0.06)
