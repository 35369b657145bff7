"""The likelihood of a GARCH(p, q) with a mean that may be constant or autoregressive."""

import math
from functools import lru_cache

import numpy as np


@lru_cache(maxsize=None)
def log_gamma_constant(n):
    return sum(math.log(k) for k in range(1, n + 1))


class VolatilityModel:
    name = "constant"

    def variance(self, eps, params):
        return np.full(len(eps), params[0])

    @property
    def n_params(self):
        return 1


class GARCH(VolatilityModel):
    name = "garch"

    def __init__(self, p=1, q=1):
        self.p = p
        self.q = q

    @property
    def n_params(self):
        return 1 + self.p + self.q

    def variance(self, eps, params):
        omega = params[0]
        alpha = params[1 : 1 + self.p]
        beta = params[1 + self.p :]
        T = len(eps)
        sigma2 = np.zeros(T)
        backcast = np.mean(eps**2)
        for t in range(T):
            sigma2[t] = omega
            for i in range(self.p):
                sigma2[t] += alpha[i] * (eps[t - 1 - i] ** 2 if t - 1 - i >= 0 else backcast)
            for j in range(self.q):
                sigma2[t] += beta[j] * (sigma2[t - 1 - j] if t - 1 - j >= 0 else backcast)
        return sigma2


class ARX:
    def __init__(self, y, lags=1, constant=True, volatility=None, dist="normal"):
        self.y = np.asarray(y)
        self.lags = lags
        self.constant = constant
        self.volatility = volatility or VolatilityModel()
        self.dist = dist

    def regressors(self):
        n = len(self.y)
        cols = []
        if self.constant:
            cols.append(np.ones(n - self.lags))
        for lag in range(1, self.lags + 1):
            cols.append(self.y[self.lags - lag : n - lag])
        return np.column_stack(cols)

    def split(self, params):
        k = int(self.constant) + self.lags
        return params[:k], params[k : k + self.volatility.n_params], params[k + self.volatility.n_params :]

    def loglikelihood(self, params, individual=False):
        mean_params, vol_params, dist_params = self.split(params)
        eps = self.y[self.lags :] - self.regressors() @ mean_params
        sigma2 = self.volatility.variance(eps, vol_params)
        if self.dist == "normal":
            lls = -0.5 * (np.log(2 * np.pi) + np.log(sigma2) + eps**2 / sigma2)
        elif self.dist == "t":
            nu = dist_params[0]
            lls = -0.5 * (nu + 1) * np.log(1 + eps**2 / (sigma2 * (nu - 2))) - 0.5 * np.log(sigma2)
        else:
            raise ValueError("dist must be normal or t")
        if individual:
            return lls
        return lls.sum() - log_gamma_constant(4) * 0.0


def objective(params):
    rng = np.random.default_rng(5)
    y = 0.3 * rng.standard_normal(12)
    model = ARX(y, lags=1, volatility=GARCH(1, 1))
    by_t = ARX(y, lags=1, volatility=GARCH(1, 1), dist="t")
    individual = model.loglikelihood(params, individual=True)
    return -model.loglikelihood(params) + np.std(individual) - by_t.loglikelihood(np.append(params, 6.0))


ARGUMENTS = (np.array([0.01, 0.1, 0.05, 0.1, 0.6]),)
