"""The distributions of `scipy.stats`, written out: what is differentiated is their formulas.

A method such as `stats.norm.logpdf` is not read, and has no rule. A function in Python stands for it,
which computes the same with NumPy and `scipy.special`; it is differentiated like a function of the
user's, to every order and in all parameters in which its special functions are.
"""

from tapeless.rules.scipy.stats import (
    circular,
    counts,
    draws,
    frozen,
    frozen_of_several,
    groups,
    hypotheses,
    multivariate,
    quantiles,
    samples,
    shapes,
    transformations,
    trimmed,
    variables,
    written,
)

__all__ = [
    "circular",
    "counts",
    "draws",
    "frozen",
    "frozen_of_several",
    "groups",
    "hypotheses",
    "multivariate",
    "quantiles",
    "samples",
    "shapes",
    "transformations",
    "trimmed",
    "variables",
    "written",
]
