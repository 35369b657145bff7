"""Tests of whether counts are as expected, written out.

All are of one family of distances between what is counted and what is expected (Cressie and Read 1984),
whose member of power 1 is that of Pearson.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special, stats

from tapeless.errors import GradientError
from tapeless.rules.declare import built_in_zero, written_out
from tapeless.rules.scipy.stats.hypotheses import Tested

_POWERS = {
    "pearson": 1.0, "log-likelihood": 0.0, "freeman-tukey": -0.5, "mod-log-likelihood": -1.0,
    "neyman": -2.0, "cressie-read": 2 / 3,
}  # fmt: skip
_COUNTS = "tests of counts are differentiated for nan_policy='propagate'"


@dataclass
class TestedTable(Tested):
    """What `chi2_contingency` returns: four numbers."""

    dof: Any
    expected_freq: Any

    def __iter__(self) -> Any:
        return iter((self.statistic, self.pvalue, self.dof, self.expected_freq))

    def __getitem__(self, place: Any) -> Any:
        return (self.statistic, self.pvalue, self.dof, self.expected_freq)[place]

    def __len__(self) -> int:
        return 4


def check_sums(f_obs: Any, f_exp: Any, axis: Any) -> None:
    """Refuse, as SciPy does, to compare counts whose sums differ."""
    sums = np.sum(f_obs + 0.0 * f_exp, axis=axis), np.sum(f_exp + 0.0 * f_obs, axis=axis)
    single = np.result_type(f_obs, f_exp) == np.float32
    limit = np.finfo(np.float32 if single else float).eps ** 0.5
    if np.any(np.abs(sums[0] - sums[1]) > limit * np.minimum(*sums)):
        raise ValueError("For each axis slice, the sum of the observed frequencies must agree")


built_in_zero(check_sums, pure=False)


def differences(f_obs: Any, f_exp: Any, power: Any) -> Any:
    """Return by how much each count is apart from what is expected."""
    if power == 1:
        return (f_obs - f_exp) ** 2 / f_exp
    if power == 0:
        return 2.0 * special.xlogy(f_obs, f_obs / f_exp)
    if power == -1:
        return 2.0 * special.xlogy(f_exp, f_exp / f_obs)
    return f_obs * ((f_obs / f_exp) ** power - 1.0) / (0.5 * power * (power + 1.0))


def stats_power_divergence(
    f_obs: Any, f_exp: Any = None, ddof: Any = 0, axis: Any = 0, lambda_: Any = None, *,
    nan_policy: Any = "propagate", keepdims: Any = False,
) -> Any:  # fmt: skip
    power = "pearson" if lambda_ is None else lambda_
    return compared(f_obs, f_exp, ddof, axis, power, True, nan_policy, keepdims)


def compared(
    f_obs: Any, f_exp: Any, ddof: Any, axis: Any, power: Any, sum_check: Any, nan_policy: Any,
    keepdims: Any,
) -> Any:  # fmt: skip
    """Return the result of a test whether counts are as expected."""
    if nan_policy != "propagate":
        raise GradientError(_COUNTS)
    if isinstance(power, str):
        power = _POWERS[power]
    counts = np.asarray(f_obs)
    expected = np.mean(counts, axis=axis, keepdims=True) if f_exp is None else np.asarray(f_exp)
    if f_exp is not None and sum_check:
        check_sums(counts, expected, axis)
    terms = differences(counts, expected, power)
    statistic = np.sum(terms, axis=axis, keepdims=keepdims)
    size = np.size(terms) if axis is None else np.shape(terms)[axis]
    return Tested(statistic, special.chdtrc(size - 1.0 - ddof, statistic))


def stats_chisquare(
    f_obs: Any, f_exp: Any = None, ddof: Any = 0, axis: Any = 0, *, sum_check: Any = True,
    nan_policy: Any = "propagate", keepdims: Any = False,
) -> Any:  # fmt: skip
    return compared(f_obs, f_exp, ddof, axis, "pearson", sum_check, nan_policy, keepdims)


def expected_of(observed: Any) -> Any:
    """Return the counts that rows and columns would give if they were independent."""
    dims, total = np.ndim(observed), np.sum(observed)
    expected = total
    for k in range(dims):
        others = tuple([j for j in range(dims) if j != k])
        expected = expected * (np.sum(observed, axis=others, keepdims=True) / total)
    return expected


def stats_chi2_contingency(
    observed: Any, correction: Any = True, lambda_: Any = None, *, method: Any = None
) -> Any:
    """Where there is one degree of freedom, counts are moved by a half to what is expected (Yates)."""
    if method is not None:
        raise GradientError("chi2_contingency is differentiated for no method")
    counts = np.asarray(observed, dtype=float)
    expected = expected_of(counts)
    dof = np.size(counts) - sum(np.shape(counts)) + np.ndim(counts) - 1
    if dof == 0:
        return TestedTable(0.0, 1.0, dof, expected)
    if dof == 1 and correction:
        apart = expected - counts
        counts = counts + np.sign(apart) * np.minimum(0.5, np.abs(apart))
    power = "pearson" if lambda_ is None else lambda_
    ddof = np.size(counts) - 1 - dof
    tested = compared(counts, expected, ddof, None, power, False, "propagate", False)
    return TestedTable(tested.statistic, tested.pvalue, dof, expected)


written_out(stats.chi2_contingency, stats_chi2_contingency, of_arrays=True)
written_out(stats.chisquare, stats_chisquare)
written_out(stats.power_divergence, stats_power_divergence)
