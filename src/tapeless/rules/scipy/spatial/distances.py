"""Distances between points, written out; where two points agree a distance has the derivative 0."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import spatial, special
from scipy.spatial import distance

from tapeless.errors import GradientError
from tapeless.rules.declare import written_out
from tapeless.runtime import divide_or_zero

_METRICS = (
    "distances are differentiated for the metrics 'euclidean', 'sqeuclidean', 'seuclidean', "
    "'mahalanobis', 'cityblock', 'chebyshev', 'minkowski', 'cosine', 'correlation', 'canberra' and "
    "'braycurtis'"
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
        return positive_root(np.sum(np.abs(a - b) ** p, axis=-1), p)
    if metric not in ("euclidean", "minkowski"):
        raise GradientError(_METRICS)
    return np.linalg.norm(a - b, axis=-1)


def positive_root(s: Any, p: Any) -> Any:
    """Return a root of a sum that is not negative; where it is zero the root has the derivative 0."""
    return np.where(s == 0.0, 0.0, np.where(s == 0.0, 1.0, s) ** (1.0 / p))


def weighed(a: Any, b: Any, metric: Any, p: Any, w: Any) -> Any:
    """Return the distances between points whose coordinates count as much as weights say."""
    if metric == "correlation":
        a = a - np.expand_dims(a @ w, -1) / np.sum(w)
        b = b - np.expand_dims(b @ w, -1) / np.sum(w)
    if metric in ("cosine", "correlation"):
        lengths = np.sum(w * a * a, axis=-1) * np.sum(w * b * b, axis=-1)
        return 1.0 - np.sum(w * a * b, axis=-1) / np.sqrt(lengths)
    if metric == "braycurtis":
        return np.sum(w * np.abs(a - b), axis=-1) / np.sum(w * np.abs(a + b), axis=-1)
    if metric == "canberra":
        return np.sum(w * divide_or_zero(np.abs(a - b), np.abs(a) + np.abs(b)), axis=-1)
    if metric == "sqeuclidean":
        return np.sum(w * (a - b) ** 2, axis=-1)
    if metric == "cityblock":
        return np.sum(w * np.abs(a - b), axis=-1)
    if metric == "chebyshev":
        return np.max(np.where(w > 0.0, np.abs(a - b), 0.0), axis=-1)
    if metric == "minkowski" and p != 2:
        return positive_root(np.sum(w * np.abs(a - b) ** p, axis=-1), p)
    if metric not in ("euclidean", "minkowski"):
        raise GradientError(_METRICS)
    return positive_root(np.sum(w * (a - b) ** 2, axis=-1), 2)


def of_metric(
    a: Any, b: Any, points: Any, metric: Any, p: Any, w: Any, V: Any, VI: Any
) -> Any:  # fmt: skip
    """Return the distances between points; where the metric is that of a sample, that of all `points`."""
    if metric == "seuclidean":
        variances = np.var(points, axis=0, ddof=1) if V is None else np.asarray(V)
        return weighed(a, b, "euclidean", 2, 1.0 / variances)
    if metric == "mahalanobis":
        inverse = np.linalg.inv(np.cov(points.T)) if VI is None else np.asarray(VI)
        return positive_root(np.sum(((a - b) @ inverse) * (a - b), axis=-1), 2)
    if w is None:
        return between(a, b, metric, p)
    return weighed(a, b, metric, p, np.asarray(w))


def distance_cdist(
    XA: Any, XB: Any, metric: Any = "euclidean", *, out: Any = None, p: Any = 2, w: Any = None,
    V: Any = None, VI: Any = None,
) -> Any:  # fmt: skip
    first, second = np.asarray(XA), np.asarray(XB)
    points = np.concatenate([first, second]) if V is None and VI is None else first
    return of_metric(first[:, None, :], second[None, :, :], points, metric, p, w, V, VI)


def distance_pdist(
    X: Any, metric: Any = "euclidean", *, out: Any = None, p: Any = 2, w: Any = None,
    V: Any = None, VI: Any = None,
) -> Any:  # fmt: skip
    points = np.asarray(X)
    first, second = np.triu_indices(np.shape(points)[0], 1)
    return of_metric(points[first], points[second], points, metric, p, w, V, VI)


def distance_minkowski(u: Any, v: Any, p: Any = 2, w: Any = None) -> Any:
    return of_metric(np.asarray(u), np.asarray(v), None, "minkowski", p, w, None, None)


def distance_chebyshev(u: Any, v: Any, w: Any = None) -> Any:
    return of_metric(np.asarray(u), np.asarray(v), None, "chebyshev", 2, w, None, None)


def distance_seuclidean(u: Any, v: Any, V: Any) -> Any:
    return weighed(np.asarray(u), np.asarray(v), "euclidean", 2, 1.0 / np.asarray(V))


def distance_canberra(u: Any, v: Any, w: Any = None) -> Any:
    return of_metric(np.asarray(u), np.asarray(v), None, "canberra", 2, w, None, None)


def distance_braycurtis(u: Any, v: Any, w: Any = None) -> Any:
    return of_metric(np.asarray(u), np.asarray(v), None, "braycurtis", 2, w, None, None)


def distance_correlation(u: Any, v: Any, w: Any = None, centered: Any = True) -> Any:
    metric = "correlation" if centered else "cosine"
    return of_metric(np.asarray(u), np.asarray(v), None, metric, 2, w, None, None)


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


def distance_jensenshannon(
    p: Any, q: Any, base: Any = None, *, axis: Any = 0, keepdims: Any = False
) -> Any:
    """The root of the mean entropy of two distributions relative to their mean."""
    p, q = np.asarray(p), np.asarray(q)
    p, q = p / np.sum(p, axis=axis, keepdims=True), q / np.sum(q, axis=axis, keepdims=True)
    middle = 0.5 * (p + q)
    entropies = special.rel_entr(p, middle) + special.rel_entr(q, middle)
    mean = 0.5 * np.sum(entropies, axis=axis, keepdims=keepdims)
    return positive_root(mean if base is None else mean / np.log(base), 2)


def spatial_minkowski_distance(x: Any, y: Any, p: Any = 2.0) -> Any:
    return between(np.asarray(x), np.asarray(y), "chebyshev" if p == np.inf else "minkowski", p)


def spatial_distance_matrix(x: Any, y: Any, p: Any = 2.0, threshold: Any = 1000000) -> Any:
    return spatial_minkowski_distance(np.asarray(x)[:, None, :], np.asarray(y)[None, :, :], p)


written_out(spatial.distance_matrix, spatial_distance_matrix)
written_out(spatial.minkowski_distance, spatial_minkowski_distance)
for _function in (
    distance_cdist, distance_pdist, distance_squareform, distance_euclidean, distance_sqeuclidean,
    distance_cityblock, distance_cosine, distance_mahalanobis, distance_minkowski,
    distance_chebyshev, distance_seuclidean, distance_canberra, distance_braycurtis,
    distance_correlation, distance_jensenshannon,
):  # fmt: skip
    written_out(getattr(distance, _function.__name__.removeprefix("distance_")), _function)
