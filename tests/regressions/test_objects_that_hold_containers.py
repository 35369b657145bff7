"""Second derivatives where objects hold containers, and where what a call kept may be None."""

from dataclasses import dataclass, field

import numpy as np

import tapeless as tl
from tests import laws
from tests.laws import check_second_order

ARGUMENTS = (np.array([0.3, 0.7, -0.2]), 0.4)


@dataclass(frozen=True)
class View:
    weights: dict
    expected: float

    def row(self, assets):
        made = np.zeros(len(assets))
        for label, w in self.weights.items():
            made[assets.index(label)] = w
        return made


class Model:
    def __init__(self, assets, tau):
        self.assets, self.tau = list(assets), tau
        self.views = []
        self.known = None

    def add(self, view):
        self.views.append(view)
        return self

    def posterior(self):
        if self.known is None:
            rows = np.array([view.row(self.assets) for view in self.views])
            expected = np.array([view.expected for view in self.views])
            self.known = rows.T @ (expected**2 * self.tau)
        return self.known


def views_with_weights(x, tau):
    model = Model(["a", "b", "c"], tau)
    model.add(View({"a": 1.0, "b": -0.5}, x[0])).add(View({"c": 2.0}, expected=x[1]))
    return np.sum(model.posterior() ** 2) + model.posterior()[0] * tau


def test_objects_in_a_list():
    tl.check_grads(views_with_weights, *ARGUMENTS, order=1, replay=True)
    check_second_order(views_with_weights, ARGUMENTS, (0, 1), np.random.default_rng(0), twice=False)


@dataclass
class Filter:
    floor: float
    noise: float | None = None
    stats: dict = field(default_factory=dict)

    def fit(self, x):
        self.noise = np.mean(x**2) + self.floor
        self.stats["noise"] = self.noise * 2.0
        return self

    def gain(self, x):
        if self.noise is None:
            self.fit(x)
        self.stats["last"] = np.sum(x / self.noise)
        return x / (1.0 + self.noise)


def fitted_before(x, floor):
    cleaner = Filter(floor)
    y = cleaner.fit(x * 0.5).gain(x)
    return np.sum(y**2) * cleaner.stats["noise"] + cleaner.stats["last"]


def fitted_within(x, floor):
    cleaner = Filter(floor)
    y = cleaner.gain(x)
    return np.sum(y**2) * cleaner.stats["noise"] + cleaner.stats["last"]


def test_what_a_call_kept_or_none():
    laws.check_orders(fitted_within, *ARGUMENTS)
    tl.check_grads(fitted_before, *ARGUMENTS, order=1, replay=True)
    check_second_order(fitted_before, ARGUMENTS, (0, 1), np.random.default_rng(0), twice=False)
