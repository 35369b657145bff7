"""An SEIR model with age groups, a contact matrix, a lockdown and a likelihood of reported cases."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class Intervention:
    """Multiplies contacts from one day to another."""

    start: int
    end: int
    factor: float

    def active(self, day: int) -> bool:
        return self.start <= day < self.end


@dataclass
class Population:
    names: list[str]
    sizes: np.ndarray
    contacts: np.ndarray

    def __post_init__(self):
        if self.contacts.shape != (len(self.names), len(self.names)):
            raise ValueError("contact matrix does not fit the groups")
        # what the one group reports of the other must agree
        total = self.contacts * self.sizes[:, None]
        self.contacts = 0.5 * (total + total.T) / self.sizes[:, None]


@dataclass
class SEIR:
    population: Population
    beta: float
    latent: float = 3.0
    infectious: float = 5.0
    reporting: float = 0.4
    interventions: list[Intervention] = field(default_factory=list)

    def initial(self, seeds):
        S = self.population.sizes - seeds
        return S, np.zeros_like(S), seeds.copy(), np.zeros_like(S)

    def force(self, I, day):
        contacts = self.population.contacts
        scale = 1.0
        for intervention in self.interventions:
            if intervention.active(day):
                scale *= intervention.factor
        return scale * self.beta * contacts @ (I / self.population.sizes)

    def run(self, seeds, days, substeps=2):
        S, E, I, R = self.initial(seeds)
        cases = np.zeros((days, len(self.population.names)))
        h = 1.0 / substeps
        for day in range(days):
            for _ in range(substeps):
                infected = S * (1.0 - np.exp(-h * self.force(I, day)))
                onset = E * h / self.latent
                recovered = I * h / self.infectious
                S = S - infected
                E = E + infected - onset
                I = I + onset - recovered
                R = R + recovered
                cases[day] += self.reporting * onset
        return cases, R


def poisson_loglik(observed, expected):
    total = 0.0
    for o, e in zip(observed.ravel(), expected.ravel()):
        if e <= 0:
            return -math.inf
        total += o * math.log(e) - e - math.lgamma(o + 1)
    return total


def objective(log_beta, factor, durations):
    population = Population(
        ["children", "adults"], np.array([200.0, 600.0]), np.array([[6.0, 3.0], [1.5, 4.0]])
    )
    model = SEIR(population, beta=math.exp(log_beta), latent=durations[0], infectious=durations[1])
    model.interventions.append(Intervention(3, 6, factor))
    cases, removed = model.run(np.array([2.0, 5.0]), days=5)
    observed = np.array([[0, 1], [1, 1], [0, 2], [1, 2], [2, 3]])
    prior = 0.5 * (log_beta + 3.0) ** 2 + 0.5 * (factor - 0.5) ** 2 / 0.04
    return -poisson_loglik(observed, cases) + prior + 1e-3 * removed.sum()


ARGUMENTS = (-2.5, 0.6, np.array([3.0, 6.0]))
