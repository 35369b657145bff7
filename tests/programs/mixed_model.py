"""A linear mixed model with random intercepts: REML by profiling out the fixed effects."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass

import numpy as np


@dataclass
class Fit:
    beta: np.ndarray
    sigma2: float
    deviance: float
    blups: dict

    def summary(self, names=None, digits=3):
        names = names or [f"x{i}" for i in range(len(self.beta))]
        lines = [f"{name:>10s} {b:.{digits}f}" for name, b in zip(names, self.beta)]
        return "\n".join(lines)


class MixedModel:
    def __init__(self, y, X, groups, reml=True):
        self.y, self.X = np.asarray(y, dtype=float), np.asarray(X, dtype=float)
        self.reml = reml
        self.members = defaultdict(list)
        for i, g in enumerate(groups):
            self.members[g].append(i)

    @property
    def dof(self):
        n, p = self.X.shape
        return n - p if self.reml else n

    def profile(self, log_ratio):
        """Minus twice the profiled log-likelihood, as a fit."""
        ratio = math.exp(log_ratio)
        p = self.X.shape[1]
        xtx, xty, yty, logdet = np.zeros((p, p)), np.zeros(p), 0.0, 0.0
        for rows in self.members.values():
            Xg, yg = self.X[rows], self.y[rows]
            m = len(rows)
            shrink = ratio / (1.0 + m * ratio)
            sx, sy = Xg.sum(axis=0), yg.sum()
            xtx += Xg.T @ Xg - shrink * np.outer(sx, sx)
            xty += Xg.T @ yg - shrink * sx * sy
            yty += yg @ yg - shrink * sy**2
            logdet += math.log1p(m * ratio)
        beta = np.linalg.solve(xtx, xty)
        rss = yty - beta @ xty
        sigma2 = rss / self.dof
        deviance = self.dof * math.log(sigma2) + logdet
        if self.reml:
            deviance += np.linalg.slogdet(xtx)[1]
        return Fit(beta, sigma2, deviance, self.predict_groups(beta, ratio))

    def predict_groups(self, beta, ratio):
        effects = {}
        for g, rows in self.members.items():
            residual = self.y[rows] - self.X[rows] @ beta
            effects[g] = ratio * residual.sum() / (1.0 + len(rows) * ratio)
        return effects


def objective(y, log_ratio):
    t = np.array([0.0, 1.0, 2.0, 0.0, 1.0, 2.0, 0.5, 1.5])
    X = np.column_stack([np.ones_like(t), t])
    model = MixedModel(y, X, ["a", "a", "a", "b", "b", "b", "c", "c"])
    fit = model.profile(log_ratio)
    spread = sum(effect**2 for effect in fit.blups.values())
    if len(fit.summary(["one", "time"])) > 10_000:
        raise RuntimeError("too long")
    return fit.deviance + spread + 0.1 * fit.beta @ fit.beta


ARGUMENTS = (np.array([1.1, 1.9, 3.2, 0.4, 1.1, 2.3, 1.6, 2.4]), 0.3)
