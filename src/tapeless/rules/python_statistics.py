"""Functions of the module `statistics`, written out with those of NumPy."""

from __future__ import annotations

import statistics
from typing import Any

import numpy as np

from tapeless.rules.declare import written_out


def mean(data: Any) -> Any:
    return np.mean(np.array(list(data)))


def fmean(data: Any, weights: Any = None) -> Any:
    values = np.array(list(data))
    if weights is None:
        return np.mean(values)
    shares = np.array(list(weights))
    return np.sum(values * shares) / np.sum(shares)


def geometric_mean(data: Any) -> Any:
    return np.exp(np.mean(np.log(np.array(list(data)))))


def median(data: Any) -> Any:
    return np.median(np.array(list(data)))


def squares_around(data: Any, center: Any) -> Any:
    """Return the squares of the distances from a center, the mean if none is given."""
    values = np.array(list(data))
    return (values - (np.mean(values) if center is None else center)) ** 2


def pvariance(data: Any, mu: Any = None) -> Any:
    return np.mean(squares_around(data, mu))


def variance(data: Any, xbar: Any = None) -> Any:
    squares = squares_around(data, xbar)
    return np.sum(squares) / (len(squares) - 1)


def pstdev(data: Any, mu: Any = None) -> Any:
    return np.sqrt(np.mean(squares_around(data, mu)))


def stdev(data: Any, xbar: Any = None) -> Any:
    squares = squares_around(data, xbar)
    return np.sqrt(np.sum(squares) / (len(squares) - 1))


for _function in (
    mean, fmean, geometric_mean, median, pvariance, variance, pstdev, stdev,
):  # fmt: skip
    written_out(getattr(statistics, _function.__name__), _function)
