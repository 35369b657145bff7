"""Means and spreads of the module `statistics`, of arrays and lists."""

import statistics

import numpy as np
import pytest

from tapeless.testing import check_grads

X = np.array([0.3, 0.9, 1.4, 2.2, 3.1])


def means(x):
    pair = statistics.mean([x[0], x[1] ** 2])
    weighted = statistics.fmean([x[0], x[1]], weights=[1.0, 2.0])
    return pair * weighted * statistics.fmean(x) * statistics.geometric_mean(list(x))


def spreads(x):
    around = statistics.pvariance(x, 1.0) * statistics.variance([v * v for v in x])
    return around + statistics.pstdev(list(x)) * statistics.stdev(x) + statistics.median(x) ** 2


@pytest.mark.parametrize("f", [means, spreads])
def test_of_samples(f):
    check_grads(f, X, order=1, replay=True)


def test_second_order():
    check_grads(lambda x: statistics.stdev(x) * statistics.mean(x), X, order=2)
