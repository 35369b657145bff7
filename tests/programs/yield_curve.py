"""A Nelson-Siegel curve fitted to the prices of bonds, with durations and a penalty."""

import math
from dataclasses import dataclass, field
from enum import Enum
from typing import Iterator, List, Tuple

import numpy as np


class Frequency(Enum):
    ANNUAL = 1
    SEMIANNUAL = 2


@dataclass
class Bond:
    maturity: float
    coupon: float
    price: float
    frequency: Frequency = Frequency.ANNUAL
    face: float = 100.0

    def cashflows(self) -> Iterator[Tuple[float, float]]:
        """Give the times and amounts of what is paid."""
        n = self.frequency.value
        payments = int(round(self.maturity * n))
        for k in range(1, payments + 1):
            amount = self.face * self.coupon / n
            if k == payments:
                amount += self.face
            yield k / n, amount


@dataclass
class Curve:
    level: float
    slope: float
    curvature: float
    tau: float = 1.8

    def rate(self, t):
        if t <= 0:
            return self.level + self.slope
        x = t / self.tau
        loading = (1.0 - math.exp(-x)) / x
        return self.level + self.slope * loading + self.curvature * (loading - math.exp(-x))

    def discount(self, t):
        return math.exp(-self.rate(t) * t)


@dataclass
class Report:
    residuals: List[float] = field(default_factory=list)
    durations: List[float] = field(default_factory=list)

    def add(self, residual, duration):
        self.residuals.append(residual)
        self.durations.append(duration)

    @property
    def rmse(self):
        return math.sqrt(sum(r * r for r in self.residuals) / len(self.residuals))


def price(bond, curve):
    total, weighted = 0.0, 0.0
    for t, amount in bond.cashflows():
        present = amount * curve.discount(t)
        total += present
        weighted += t * present
    return total, weighted / total


def fit_report(bonds, curve):
    report = Report()
    for bond in bonds:
        model, duration = price(bond, curve)
        report.add((model - bond.price) / duration, duration)
    return report


BONDS = [
    Bond(1.0, 0.02, 99.2),
    Bond(2.0, 0.025, 98.9, Frequency.SEMIANNUAL),
    Bond(3.0, 0.03, 99.5),
]


def objective(parameters):
    level, slope, curvature, log_tau = parameters
    curve = Curve(level, slope, curvature, tau=math.exp(log_tau))
    report = fit_report(BONDS, curve)
    forward = [curve.rate(t) for t in (0.5, 1.0, 2.0, 5.0)]
    rough = np.sum(np.diff(forward, n=2) ** 2)
    return report.rmse + 10.0 * rough + 0.01 * max(report.durations)


ARGUMENTS = (np.array([0.035, -0.01, 0.005, 0.5]),)
