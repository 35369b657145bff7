"""Distances between points, written out; where two points agree a distance has the derivative 0."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial import distance

from tapeless.errors import GradientError
from tapeless.rules.declare import written_out
from tapeless.runtime import divide_or_zero

_METRICS = (
    "distances are differentiated for the metrics 'euclidean', 'sqeuclidean', 'cityblock', "
    "'chebyshev', 'minkowski', 'cosine', 'correlation', 'canberra' and 'braycurtis'"
)


def between(a: Any, b: Any, metric: Any, p: Any) -> Any:
    """Return the distances between points, the last axis being their coordinates."""
    if metric == "correlation":
        a = a - np.mean(a, axis=-1, keepdims=True)
        b = b - np.mean(b, axis=-1, keepdims=True)
    if metric in ("cosine", "correlation"):
        lengths = np.sum(a * a, axis=-1) * np.sum(b * b, axis=-1)
        return 1.0 - np.sum(a * b, axis=-1) / np.sqrt(lengths)
    if metric == "braycurtis":
        return np.sum(np.abs(a - b), axis=-1) / np.sum(np.abs(a + b), axis=-1)
    if metric == "canberra":
        return np.sum(divide_or_zero(np.abs(a - b), np.abs(a) + np.abs(b)), axis=-1)
    if metric == "sqeuclidean":
        return np.sum((a - b) ** 2, axis=-1)
    if metric == "cityblock":
        return np.sum(np.abs(a - b), axis=-1)
    if metric == "chebyshev":
        return np.max(np.abs(a - b), axis=-1)
    if metric == "minkowski" and p != 2:
        return np.sum(np.abs(a - b) ** p, axis=-1) ** (1.0 / p)
    if metric not in ("euclidean", "minkowski"):
        raise GradientError(_METRICS)
    return np.linalg.norm(a - b, axis=-1)


def distance_cdist(
    XA: Any, XB: Any, metric: Any = "euclidean", *, out: Any = None, p: Any = 2
) -> Any:
    return between(XA[:, None, :], XB[None, :, :], metric, p)


def distance_pdist(X: Any, metric: Any = "euclidean", *, out: Any = None, p: Any = 2) -> Any:
    first, second = np.triu_indices(np.shape(X)[0], 1)
    return between(X[first], X[second], metric, p)


def distance_squareform(X: Any, force: Any = "no", checks: Any = True) -> Any:
    if np.ndim(X) == 2:
        first, second = np.triu_indices(np.shape(X)[0], 1)
        return X[first, second]
    size = int(np.ceil(np.sqrt(2.0 * np.shape(X)[0])))
    place = np.zeros((size, size), dtype=int)
    first, second = np.triu_indices(size, 1)
    place[first, second] = np.arange(len(first))
    return np.where(np.eye(size) == 1.0, 0.0, X[place + place.T])


def distance_euclidean(u: Any, v: Any, w: Any = None) -> Any:
    return np.linalg.norm(u - v if w is None else np.sqrt(w) * (u - v))


def distance_sqeuclidean(u: Any, v: Any, w: Any = None) -> Any:
    d = u - v
    return np.sum(d * d) if w is None else np.sum(w * d * d)


def distance_cityblock(u: Any, v: Any, w: Any = None) -> Any:
    d = np.abs(u - v)
    return np.sum(d) if w is None else np.sum(w * d)


def distance_cosine(u: Any, v: Any, w: Any = None) -> Any:
    if w is None:
        return 1.0 - np.sum(u * v) / np.sqrt(np.sum(u * u) * np.sum(v * v))
    return 1.0 - np.sum(w * u * v) / np.sqrt(np.sum(w * u * u) * np.sum(w * v * v))


def distance_mahalanobis(u: Any, v: Any, VI: Any) -> Any:
    return np.sqrt((u - v) @ VI @ (u - v))


for _function in (
    distance_cdist, distance_pdist, distance_squareform, distance_euclidean, distance_sqeuclidean,
    distance_cityblock, distance_cosine, distance_mahalanobis,
):  # fmt: skip
    written_out(getattr(distance, _function.__name__.removeprefix("distance_")), _function)
