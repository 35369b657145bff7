"""Statistics that outliers do not move far, and distances between samples, written out.

Which entries lie within limits, and how two samples interleave, jumps where entries pass one another.
Between the jumps it is constant.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import stats

from tapeless.errors import GradientError
from tapeless.rules.declare import built_in_zero, written_out

_ALL = "statistics of samples are differentiated for nan_policy='propagate'"
_MEDIANS = "median_abs_deviation is differentiated around the median"


def is_within(a: Any, limits: Any, inclusive: Any) -> Any:
    """Say which entries lie within limits, of which None stands for no limit."""
    kept = np.ones(np.shape(a), dtype=bool)
    if limits is None:
        return kept
    if limits[0] is not None:
        kept = kept & ((a >= limits[0]) if inclusive[0] else (a > limits[0]))
    if limits[1] is not None:
        kept = kept & ((a <= limits[1]) if inclusive[1] else (a < limits[1]))
    return kept


built_in_zero(is_within)


def stats_tmean(
    a: Any, limits: Any = None, inclusive: Any = (True, True), axis: Any = None, *,
    nan_policy: Any = "propagate", keepdims: Any = False,
) -> Any:  # fmt: skip
    if nan_policy != "propagate":
        raise GradientError(_ALL)
    kept = is_within(np.asarray(a), limits, inclusive)
    total = np.sum(np.where(kept, a, 0.0), axis=axis, keepdims=keepdims)
    return total / np.sum(kept, axis=axis, keepdims=keepdims)


def stats_tvar(
    a: Any, limits: Any = None, inclusive: Any = (True, True), axis: Any = 0, ddof: Any = 1, *,
    nan_policy: Any = "propagate", keepdims: Any = False,
) -> Any:  # fmt: skip
    middle = stats_tmean(a, limits, inclusive, axis, nan_policy=nan_policy, keepdims=True)
    kept = is_within(np.asarray(a), limits, inclusive)
    apart = np.where(kept, a - middle, 0.0)
    squares = np.sum(apart * apart, axis=axis, keepdims=keepdims)
    return squares / (np.sum(kept, axis=axis, keepdims=keepdims) - ddof)


def stats_tstd(
    a: Any, limits: Any = None, inclusive: Any = (True, True), axis: Any = 0, ddof: Any = 1, *,
    nan_policy: Any = "propagate", keepdims: Any = False,
) -> Any:  # fmt: skip
    return np.sqrt(
        stats_tvar(a, limits, inclusive, axis, ddof, nan_policy=nan_policy, keepdims=keepdims)
    )


def stats_tsem(
    a: Any, limits: Any = None, inclusive: Any = (True, True), axis: Any = 0, ddof: Any = 1, *,
    nan_policy: Any = "propagate", keepdims: Any = False,
) -> Any:  # fmt: skip
    kept = is_within(np.asarray(a), limits, inclusive)
    spread = stats_tvar(a, limits, inclusive, axis, ddof, nan_policy=nan_policy, keepdims=keepdims)
    return np.sqrt(spread / np.sum(kept, axis=axis, keepdims=keepdims))


def stats_median_abs_deviation(
    x: Any, axis: Any = 0, center: Any = None, scale: Any = 1.0, nan_policy: Any = "propagate", *,
    keepdims: Any = False,
) -> Any:  # fmt: skip
    """Return the median of the distances from the median, in units of `scale`."""
    if nan_policy != "propagate":
        raise GradientError(_ALL)
    if center is not None and center is not np.median:
        raise GradientError(_MEDIANS, fix="leave `center` out")
    unit = 0.6744897501960817 if isinstance(scale, str) else scale
    apart = np.abs(x - np.median(x, axis=axis, keepdims=True))
    return np.median(apart, axis=axis, keepdims=keepdims) / unit


def shares_below(values: Any, places: Any) -> Any:
    """Return the share of a sample that does not lie above each of some places."""
    return np.searchsorted(np.sort(values), places, side="right") / len(values)


built_in_zero(shares_below)
_EQUALLY = "distances of distributions are differentiated between samples that are not weighed"


def differences_of_shares(u: Any, v: Any) -> Any:
    """Return how far two distribution functions are apart, and how long they stay so."""
    places = np.sort(np.concatenate((np.asarray(u), np.asarray(v))))
    return shares_below(u, places[:-1]) - shares_below(v, places[:-1]), np.diff(places)


def stats_wasserstein_distance(
    u_values: Any, v_values: Any, u_weights: Any = None, v_weights: Any = None
) -> Any:
    """Return the area between the distribution functions; see Ramdas et al., 2015."""
    if u_weights is not None or v_weights is not None:
        raise GradientError(_EQUALLY, fix="leave the weights out, or repeat the values")
    apart, lengths = differences_of_shares(u_values, v_values)
    return np.sum(np.abs(apart) * lengths)


def stats_energy_distance(
    u_values: Any, v_values: Any, u_weights: Any = None, v_weights: Any = None
) -> Any:
    """Return the distance of the distribution functions in squares; see Szekely, 2002."""
    if u_weights is not None or v_weights is not None:
        raise GradientError(_EQUALLY, fix="leave the weights out, or repeat the values")
    apart, lengths = differences_of_shares(u_values, v_values)
    return np.sqrt(2.0 * np.sum(apart**2 * lengths))


for _function in (
    stats_tmean, stats_tvar, stats_tstd, stats_tsem, stats_median_abs_deviation,
    stats_wasserstein_distance, stats_energy_distance,
):  # fmt: skip
    written_out(getattr(stats, _function.__name__.removeprefix("stats_")), _function)
