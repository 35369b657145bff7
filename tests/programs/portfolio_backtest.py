"""A backtest: signals, a volatility target, costs by a callback, drawdown and a smooth Sharpe ratio."""

import contextlib
import io
import json
import math
from collections import OrderedDict, namedtuple
from functools import partial
from typing import Any, Dict, Optional, Tuple

import numpy as np

CONFIG = json.loads('{"window": 5, "target": 0.1, "costs": {"linear": 0.001, "impact": 0.1}, "verbose": false}')

Trade = namedtuple("Trade", ["day", "asset", "amount", "cost"])


def ewma(x, halflife):
    alpha = 1.0 - 0.5 ** (1.0 / halflife)
    out = np.empty_like(x)
    out[0] = x[0]
    for t in range(1, len(x)):
        out[t] = (1.0 - alpha) * out[t - 1] + alpha * x[t]
    return out


def rolling(x, window, f):
    view = np.lib.stride_tricks.sliding_window_view(x, window, axis=0)
    return f(view, axis=-1)


class Signal:
    weight = 1.0

    def __call__(self, returns):
        raise NotImplementedError

    @classmethod
    def from_config(cls, cfg):
        kind = cfg.pop("kind")
        return SIGNALS[kind](**cfg)


class Momentum(Signal):
    def __init__(self, fast, slow):
        self.fast, self.slow = fast, slow

    def __call__(self, returns):
        return np.tanh(10.0 * (ewma(returns, self.fast) - ewma(returns, self.slow)))


class Reversal(Signal):
    weight = 0.5

    def __init__(self, halflife, strength=1.0):
        self.halflife = halflife
        self.strength = strength

    def __call__(self, returns):
        level = ewma(returns, self.halflife)
        return -self.strength * np.clip(level / 0.02, -1.0, 1.0)


SIGNALS = {c.__name__.lower(): c for c in (Momentum, Reversal)}


def proportional(trade, rate):
    return rate * np.sqrt(trade**2 + 1e-8)


def impact(trade, coefficient, power=1.5):
    return coefficient * (trade**2 + 1e-8) ** (power / 2)


class Account:
    def __init__(self, n_assets, models):
        self.position = np.zeros(n_assets)
        self.equity = [1.0]
        self.trades = []
        self.models = models

    def rebalance(self, day, wanted):
        delta = wanted - self.position
        cost = 0.0
        for name, model in self.models.items():
            c = model(delta)
            cost += c.sum()
        for asset, amount in enumerate(delta):
            self.trades.append(Trade(day, asset, amount, cost / len(delta)))
        self.position = wanted
        self.equity[-1] *= 1.0 - cost

    def mark(self, returns):
        self.equity.append(self.equity[-1] * (1.0 + self.position @ returns))

    @property
    def drawdown(self):
        peak, worst = self.equity[0], 0.0
        for e in self.equity[1:]:
            peak = max(peak, e)
            worst = max(worst, 1.0 - e / peak)
        return worst


def backtest(returns, signals, config: Dict[str, Any], seed: Optional[int] = None) -> Tuple[float, Account]:
    days, n = returns.shape
    raw = sum(s.weight * s(returns) for s in signals)
    vol = np.sqrt(rolling(returns, config["window"], np.var) + 1e-6)
    costs = OrderedDict(
        linear=partial(proportional, rate=config["costs"]["linear"]),
        impact=lambda d: impact(d, config["costs"]["impact"]),
    )
    account = Account(n, costs)
    for t in range(config["window"], days):
        account.rebalance(t, config["target"] * raw[t - 1] / vol[t - config["window"]] / n)
        account.mark(returns[t])
    pnl = np.diff(np.log(account.equity))
    sharpe = pnl.mean() / math.sqrt(pnl.var() + 1e-8)
    return sharpe, account


RETURNS = 0.01 * np.random.default_rng(11).normal(size=(14, 3)) + 0.001


def objective(halflives, strength):
    fast, slow, rev = halflives
    signals = [
        Signal.from_config({"kind": "momentum", "fast": fast, "slow": slow}),
        Signal.from_config({"kind": "reversal", "halflife": rev, "strength": strength}),
    ]
    with contextlib.redirect_stdout(io.StringIO()):
        sharpe, account = backtest(RETURNS, signals, CONFIG)
        print(f"Sharpe {sharpe:.2f}, {len(account.trades)} trades")
    turnover = sum(abs(t.amount) for t in account.trades)
    return -sharpe + 0.5 * account.drawdown + 1e-3 * turnover


ARGUMENTS = (np.array([1.5, 4.0, 2.0]), 0.7)
