"""Statistics of angles, and of what comes round in another period: those of the mean direction.

See Mardia and Jupp, "Directional Statistics", 2000, chapter 2.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import stats

from tapeless.errors import GradientError
from tapeless.rules.declare import written_out

_ALL = "statistics of angles are differentiated for nan_policy='propagate'"
_TURN = 2.0 * np.pi


def mean_direction(
    samples: Any, high: Any, low: Any, axis: Any, nan_policy: Any, keepdims: Any
) -> Any:
    """Return the means of the cosines and sines of what comes round from `low` to `high`."""
    if nan_policy != "propagate":
        raise GradientError(_ALL)
    angles = np.asarray(samples) * (_TURN / (high - low))
    cosine = np.mean(np.cos(angles), axis=axis, keepdims=keepdims)
    return cosine, np.mean(np.sin(angles), axis=axis, keepdims=keepdims)


def stats_circmean(
    samples: Any, high: Any = _TURN, low: Any = 0, axis: Any = None, nan_policy: Any = "propagate",
    *, keepdims: Any = False,
) -> Any:  # fmt: skip
    cosine, sine = mean_direction(samples, high, low, axis, nan_policy, keepdims)
    period = high - low
    return np.mod(np.arctan2(sine, cosine) * (period / _TURN) - low, period) + low


def stats_circvar(
    samples: Any, high: Any = _TURN, low: Any = 0, axis: Any = None, nan_policy: Any = "propagate",
    *, keepdims: Any = False,
) -> Any:  # fmt: skip
    cosine, sine = mean_direction(samples, high, low, axis, nan_policy, keepdims)
    return 1.0 - np.hypot(cosine, sine)


def stats_circstd(
    samples: Any, high: Any = _TURN, low: Any = 0, axis: Any = None, nan_policy: Any = "propagate",
    *, normalize: Any = False, keepdims: Any = False,
) -> Any:  # fmt: skip
    cosine, sine = mean_direction(samples, high, low, axis, nan_policy, keepdims)
    spread = np.sqrt(-2.0 * np.log(np.hypot(cosine, sine)))
    return spread if normalize else spread * ((high - low) / _TURN)


for _function in (stats_circmean, stats_circvar, stats_circstd):
    written_out(getattr(stats, _function.__name__.removeprefix("stats_")), _function)
