"""Black-Litterman posterior returns and the utility of the portfolio that follows."""

from collections import OrderedDict
from dataclasses import dataclass
from typing import Dict, List, Optional

import numpy as np


@dataclass(frozen=True)
class View:
    """A view: long some assets, short others, with an expected return."""

    weights: Dict[str, float]
    ret: float
    confidence: float = 0.5

    def row(self, assets: List[str]):
        p = np.zeros(len(assets))
        for name, w in self.weights.items():
            p[assets.index(name)] = w
        return p


class BlackLitterman:
    def __init__(self, cov, market_weights, assets, tau=0.05, risk_aversion=2.5, views=None):
        assert cov.shape[0] == cov.shape[1] == len(assets)
        self.cov = cov
        self.market_weights = np.asarray(market_weights)
        self.assets = list(assets)
        self.tau = tau
        self.delta = risk_aversion
        self.views = views if views is not None else []
        self._posterior = None

    def add_view(self, view):
        if not isinstance(view, View):
            raise TypeError("expected a View")
        self.views.append(view)
        return self

    @property
    def prior(self):
        return self.delta * self.cov @ self.market_weights

    def posterior(self):
        if self._posterior is not None:
            return self._posterior
        P = np.array([v.row(self.assets) for v in self.views])
        q = np.array([v.ret for v in self.views])
        omega = np.diag(np.diag(P @ (self.tau * self.cov) @ P.T))
        conf = np.array([v.confidence for v in self.views])
        omega = omega * ((1.0 - conf) / conf)
        A = self.tau * self.cov
        middle = np.linalg.inv(P @ A @ P.T + omega)
        mean = self.prior + A @ P.T @ middle @ (q - P @ self.prior)
        cov = self.cov + A - A @ P.T @ middle @ P @ A
        self._posterior = mean, cov
        return self._posterior

    def weights(self, budget: Optional[float] = 1.0):
        mean, cov = self.posterior()
        w = np.linalg.solve(self.delta * cov, mean)
        if budget is not None:
            w = w * (budget / w.sum())
        return OrderedDict(zip(self.assets, w))

    def utility(self):
        mean, cov = self.posterior()
        w = np.array(list(self.weights().values()))
        return w @ mean - 0.5 * self.delta * w @ cov @ w


ASSETS = ["stocks", "bonds", "gold"]


def objective(view_returns, tau):
    vol = np.array([0.2, 0.08, 0.15])
    corr = np.array([[1.0, 0.1, 0.0], [0.1, 1.0, 0.2], [0.0, 0.2, 1.0]])
    model = BlackLitterman(np.outer(vol, vol) * corr, [0.5, 0.3, 0.2], ASSETS, tau=tau)
    model.add_view(View({"stocks": 1.0}, view_returns[0]))
    model.add_view(View({"bonds": 1.0, "gold": -1.0}, ret=view_returns[1], confidence=0.7))
    return model.utility() * 10.0


ARGUMENTS = (np.array([0.08, 0.01]), 0.05)
