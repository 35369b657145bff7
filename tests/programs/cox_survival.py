"""Cox's partial likelihood with ties by Breslow or Efron, ridge penalty and baseline hazard."""

import warnings

import numpy as np


class CoxPH:
    """Proportional hazards; data are sorted by time once."""

    TIES = ("breslow", "efron")

    def __init__(self, ties="efron", penalizer=0.0):
        if ties not in self.TIES:
            raise ValueError(f"ties must be one of {self.TIES}")
        self.ties = ties
        self.penalizer = penalizer
        self._fitted = None

    def set_data(self, X, durations, events):
        order = np.argsort(-durations)
        self.X = X[order]
        self.durations = durations[order]
        self.events = events[order].astype(bool)
        if not self.events.any():
            warnings.warn("no events")
        return self

    def log_partial_likelihood(self, beta):
        eta = self.X @ beta
        risk = np.exp(eta)
        total, loglik = 0.0, 0.0
        i, n = 0, len(eta)
        while i < n:
            j = i
            tied_risk, tied_eta, deaths = 0.0, 0.0, 0
            while j < n and self.durations[j] == self.durations[i]:
                total += risk[j]
                if self.events[j]:
                    tied_risk += risk[j]
                    tied_eta += eta[j]
                    deaths += 1
                j += 1
            i = j
            if deaths == 0:
                continue
            loglik += tied_eta
            for k in range(deaths):
                share = k / deaths if self.ties == "efron" else 0.0
                loglik -= np.log(total - share * tied_risk)
        return loglik - 0.5 * self.penalizer * np.sum(beta**2)

    def baseline(self, beta):
        risk = np.cumsum(np.exp(self.X @ beta))
        hazard = np.where(self.events, 1.0 / risk, 0.0)
        return np.cumsum(hazard[::-1])

    def newton_step(self, beta, h=1e-3):
        base = self.log_partial_likelihood(beta)
        gradient = np.zeros(len(beta))
        for k in range(len(beta)):
            moved = beta.copy()
            moved[k] += h
            gradient[k] = (self.log_partial_likelihood(moved) - base) / h
        return beta + 0.1 * gradient


def objective(beta, X):
    durations = np.array([5.0, 3.0, 3.0, 8.0, 1.0, 5.0])
    events = np.array([1, 1, 1, 0, 1, 1])
    model = CoxPH(penalizer=0.1).set_data(X, durations, events)
    plain = CoxPH(ties="breslow").set_data(X, durations, events)
    moved = model.newton_step(beta)
    survival = np.exp(-model.baseline(moved))
    return -model.log_partial_likelihood(moved) - 0.5 * plain.log_partial_likelihood(beta) + survival[-1]


ARGUMENTS = (
    np.array([0.3, -0.2]),
    np.array([[1.0, 0.2], [0.3, -0.5], [0.8, 0.1], [-0.2, 0.7], [1.5, 0.0], [0.1, -1.0]]),
)
