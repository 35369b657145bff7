"""ARIMA(p, d, q) by conditional sum of squares."""

import warnings
from typing import NamedTuple, Tuple

import numpy as np


class Order(NamedTuple):
    p: int = 1
    d: int = 0
    q: int = 0


def difference(y, d=1):
    for _ in range(d):
        y = np.diff(y)
    return y


class ARIMA:
    def __init__(self, y, order: Tuple[int, int, int] = (1, 0, 0), trend="c"):
        self.order = Order(*order)
        self.endog = np.asarray(y, dtype=np.float64)
        self.y = difference(self.endog, self.order.d)
        self.trend = trend
        if len(self.y) < 2 * sum(self.order):
            warnings.warn("short series")

    def unpack(self, params):
        i = 0
        if self.trend == "c":
            mu = params[0]
            i = 1
        else:
            mu = 0.0
        ar = params[i : i + self.order.p]
        ma = params[i + self.order.p : i + self.order.p + self.order.q]
        return mu, ar, ma

    def residuals(self, params):
        mu, ar, ma = self.unpack(params)
        p, _, q = self.order
        e = np.zeros(len(self.y))
        for t in range(p, len(self.y)):
            pred = mu
            for i in range(p):
                pred += ar[i] * self.y[t - i - 1]
            for j in range(q):
                if t - j - 1 >= 0:
                    pred += ma[j] * e[t - j - 1]
            e[t] = self.y[t] - pred
        return e[p:]

    def loglike(self, params):
        e = self.residuals(params)
        n = e.shape[0]
        sigma2 = e @ e / n
        return -0.5 * n * (np.log(2 * np.pi * sigma2) + 1)

    def forecast(self, params, steps=3):
        mu, ar, ma = self.unpack(params)
        history = list(self.y)
        out = []
        for h in range(steps):
            value = mu + sum(a * history[-i - 1] for i, a in enumerate(ar))
            history.append(value)
            out.append(value)
        forecast = np.array(out)
        if self.order.d == 1:
            forecast = self.endog[-1] + np.cumsum(forecast)
        return forecast


def objective(params):
    y = np.array([0.0, 0.4, 0.7, 0.6, 1.1, 1.3, 1.2, 1.8, 2.1])
    model = ARIMA(y, order=(2, 1, 1))
    return -model.loglike(params) + np.sum(model.forecast(params) ** 2)


ARGUMENTS = (np.array([0.2, 0.3, -0.1, 0.2]),)
