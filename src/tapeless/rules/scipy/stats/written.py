"""Methods of distributions as texts, made of the standard formulas of each.

A distribution is given by formulas in the standard variable `z`, or in the probability `q`, and its
shape parameters, as SciPy documents them. The text of a method shifts and scales them:

    def norm_logpdf(x, loc=0.0, scale=1.0):
        scale = np.where(scale > 0, scale, np.nan)
        z = (x - loc) / scale
        return (-0.5 * z**2 - 0.5 * math.log(2.0 * math.pi)) - np.log(scale)

Outside of the support a density is 0, and its formula is computed at a place inside. What SciPy calls
invalid gives nan.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special, stats

from tapeless.rules.declare import written_out
from tapeless.rules.scipy.stats.formulas import CONTINUOUS, DISCRETE, Continuous, Discrete
from tapeless.runtime.distributions import log_normal_mass, scaled_log1p_of
from tapeless.source.loader import load

_NAMES = {
    "np": np,
    "special": special,
    "math": math,
    "log_normal_mass": log_normal_mass,
    "scaled_log1p_of": scaled_log1p_of,
}
_MODULES: list[dict[str, Any]] = []  # whose texts are kept as long as they are read


def _declare(name: str, text: str) -> None:
    """Let each function of a text stand for the method that it is named after."""
    module = load(text, f"tapeless.rules.scipy.stats.{name}", _NAMES)
    _MODULES.append(module)
    for key, function in module.items():
        owner, _, method = key.rpartition("_")
        if owner == name and callable(function):
            written_out(getattr(getattr(stats, name), method), function)


def continuous_text(name: str, known: Continuous) -> str:
    """Write the methods of a continuous distribution.

    Examples
    --------
    >>> print(continuous_text("norm", Continuous(ppf="special.ndtri(q)")), end="")
    def norm_ppf(q, loc=0.0, scale=1.0):
        scale = np.where(scale > 0, scale, np.nan)
        q = np.where((q >= 0) & (q <= 1), q, np.nan)
        return loc + scale * (special.ndtri(q))
    """
    parameters = "".join(f"{key}, " for key in known.shapes)
    conditions = " & ".join(["(scale > 0)", *(f"({c})" for c in known.valid)])
    if not known.valid:
        conditions = "scale > 0"
    head = f"{parameters}loc=0.0, scale=1.0):\n    scale = np.where({conditions}, scale, np.nan)\n"
    written = []
    for method, lines in _density_lines(known).items():
        written.append(f"def {name}_{method}(x, {head}    z = (x - loc) / scale\n{lines}")
    for method, formula in known.probabilities():
        clipped = f"    z = {known.clipped}\n" if known.clipped else ""
        body = f"    z = (x - loc) / scale\n{clipped}    return {formula}\n"
        written.append(f"def {name}_{method}(x, {head}{body}")
    for method, formula in known.quantiles():
        inside = "    q = np.where((q >= 0) & (q <= 1), q, np.nan)\n"
        written.append(
            f"def {name}_{method}(q, {head}{inside}    return loc + scale * ({formula})\n"
        )
    return "\n\n".join(written)


def _density_lines(known: Continuous) -> dict[str, str]:
    """Write how a density, and its logarithm, follow from the standard logarithm."""
    if not known.logpdf:
        return {}
    if not known.support:
        log = f"({known.logpdf}) - np.log(scale)"
        return {"logpdf": f"    return {log}\n", "pdf": f"    return np.exp({log})\n"}
    first = f"    inside = {known.support}\n    z = np.where(inside, z, {known.interior})\n"
    outside = f"np.where(inside, {known.logpdf}, np.where(np.isnan(scale), np.nan, -np.inf))"
    return {
        "logpdf": f"{first}    return {outside} - np.log(scale)\n",
        "pdf": f"{first}    return np.where(inside, np.exp({known.logpdf}), 0.0) / scale\n",
    }


def discrete_text(name: str, known: Discrete) -> str:
    """Write the methods of a discrete distribution.

    Examples
    --------
    >>> known = Discrete(("mu",), ("mu >= 0",), "", "", cdf="special.pdtr(k, mu)")
    >>> print(discrete_text("poisson", known), end="")
    def poisson_cdf(k, mu, loc=0):
        k = np.floor(k - loc)
        known = np.where(mu >= 0, 1.0, np.nan)
        inside = k >= 0
        k = np.maximum(k, 0)
        return known * np.where(inside, special.pdtr(k, mu), 0.0)
    """
    head = f"k, {''.join(f'{key}, ' for key in known.shapes)}loc=0):\n"
    valid = f"    known = np.where({' & '.join(f'({c})' for c in known.valid)}, 1.0, np.nan)\n"
    if len(known.valid) == 1:
        valid = f"    known = np.where({known.valid[0]}, 1.0, np.nan)\n"
    written = []
    if known.logpmf:
        body = f"    k = k - loc\n    inside = {known.support}\n{valid}"
        body += f"    k = np.where(inside, k, {known.interior})\n"
        log = f"    return known * np.where(inside, {known.logpmf}, -np.inf)\n"
        plain = f"    return known * np.where(inside, np.exp({known.logpmf}), 0.0)\n"
        written += [f"def {name}_logpmf({head}{body}{log}", f"def {name}_pmf({head}{body}{plain}"]
    for method, formula, below in (("cdf", known.cdf, 0.0), ("sf", known.sf, 1.0)):
        if formula:
            body = f"    k = np.floor(k - loc)\n{valid}    inside = k >= {known.first}\n"
            body += f"    k = np.maximum(k, {known.first})\n"
            body += f"    return known * np.where(inside, {formula}, {below})\n"
            written.append(f"def {name}_{method}({head}{body}")
    return "\n\n".join(written)


for _name, _known in CONTINUOUS.items():
    if hasattr(stats, _name):
        _declare(_name, continuous_text(_name, _known))
for _name, _found in DISCRETE.items():
    _declare(_name, discrete_text(_name, _found))
