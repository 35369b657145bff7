"""Fits an SEIR model to case counts, with scipy's solve_ivp and parameters as a dict."""

import numpy as np
from scipy.integrate import solve_ivp

COMPARTMENTS = ("S", "E", "I", "R")


def seir(t, y, beta, sigma, gamma, N):
    S, E, I, R = y
    new = beta * S * I / N
    return np.array([-new, new - sigma * E, sigma * E - gamma * I, gamma * I])


class EpidemicModel:
    def __init__(self, population=1000.0, initial_infected=5.0, **rates):
        self.N = population
        self.I0 = initial_infected
        self.rates = dict(beta=0.8, sigma=0.4, gamma=0.2)
        self.rates.update(rates)

    @property
    def R0(self):
        return self.rates["beta"] / self.rates["gamma"]

    def initial_state(self):
        return np.array([self.N - self.I0, 0.0, self.I0, 0.0])

    def run(self, t_end, n=6):
        t_eval = np.linspace(0, t_end, n)
        r = self.rates
        solution = solve_ivp(
            seir,
            (0.0, t_end),
            self.initial_state(),
            args=(r["beta"], r["sigma"], r["gamma"], self.N),
            t_eval=t_eval,
            rtol=1e-8,
            atol=1e-8,
        )
        return {name: solution.y[i] for i, name in enumerate(COMPARTMENTS)}


def objective(beta, gamma):
    model = EpidemicModel(beta=beta, gamma=gamma)
    result = model.run(10.0)
    cases = np.array([5.0, 4.0, 6.0, 9.0, 15.0, 22.0])
    residual = (result["I"] - cases) / np.sqrt(cases)
    penalty = 0.01 * (model.R0 - 3.0) ** 2
    return np.sum(residual**2) / len(cases) + penalty


ARGUMENTS = (0.7, 0.25)
