"""Methods of distributions as texts, made of the standard formulas of each.

A distribution is given by formulas in the standard variable `z`, or in the probability `q`, and its
shape parameters, as SciPy documents them. The text of a method shifts and scales them:

    def norm_logpdf(x, loc=0.0, scale=1.0):
        scale = positive(scale)
        z = (x - loc) / scale
        return (-0.5 * z**2 - 0.9189385332046727) - np.log(scale)

Outside of the support a density is 0, and its formula is computed at a place inside. What SciPy calls
invalid gives nan.
"""

from __future__ import annotations

import ast
import math
from typing import Any

import numpy as np
from scipy import special, stats

from tapeless.rules.declare import elementwise, written_out
from tapeless.rules.results.entrywise import real_elementwise
from tapeless.rules.scipy.stats.formulas import CONTINUOUS, DISCRETE, Continuous, Discrete
from tapeless.rules.scipy.stats.more_formulas import MORE
from tapeless.runtime.distributions import (
    log_normal_mass,
    mass_on_circle,
    positive,
    probability,
    quantile_on_circle,
    scaled_log1p_of,
    skew_normal_quantile,
    truncated_normal_quantile,
)
from tapeless.source.loader import load

_NAMES = {
    "np": np,
    "special": special,
    "math": math,
    "log_normal_mass": log_normal_mass,
    "mass_on_circle": mass_on_circle,
    "positive": positive,
    "probability": probability,
    "quantile_on_circle": quantile_on_circle,
    "scaled_log1p_of": scaled_log1p_of,
    "skew_normal_quantile": skew_normal_quantile,
    "truncated_normal_quantile": truncated_normal_quantile,
}
_AT_ENDS = {
    "cdf": ("0.0", "1.0"),
    "sf": ("1.0", "0.0"),
    "logcdf": ("-np.inf", "0.0"),
    "logsf": ("0.0", "-np.inf"),
}
_MODULES: list[dict[str, Any]] = []  # whose texts are kept as long as they are read


@elementwise(positive, kind=real_elementwise, total=True, says_more=True)
def positive_partial(y: Any, x: Any) -> Any:
    return 1.0


@elementwise(probability, kind=real_elementwise, total=True, says_more=True)
def probability_partial(y: Any, q: Any) -> Any:
    return 1.0


class _Numbers(ast.NodeTransformer):
    """Computes what is made of literals and functions of `math`."""

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
        if isinstance(node, (ast.Call, ast.BinOp)) and names <= {"math"}:
            return ast.Constant(eval(ast.unparse(node), {"math": math}))
        return node


def with_numbers(text: str) -> str:
    """Return a text with its constants as numbers: they are not computed at every call.

    Examples
    --------
    >>> with_numbers("z = 0.5 * math.log(2.0 * math.pi) * x")
    'z = 0.9189385332046727 * x'
    """
    return ast.unparse(_Numbers().visit(ast.parse(text)))


def _declare(name: str, text: str) -> None:
    """Let each function of a text stand for the method that it is named after."""
    module = load(with_numbers(text), __name__, _NAMES)
    _MODULES.append(module)
    for key, function in module.items():
        owner, _, method = key.rpartition("_")
        if owner == name and callable(function):
            globals()[key] = function  # what is written imports it from here
            distribution = getattr(stats, name)
            written_out(getattr(distribution, method), function, of_arrays=True)
            written_out(
                (type(distribution), method), function
            )  # of the copy that a frozen one holds


def continuous_text(name: str, known: Continuous) -> str:
    """Write the methods of a continuous distribution.

    Examples
    --------
    >>> print(continuous_text("norm", Continuous(ppf="special.ndtri(q)")), end="")
    def norm_ppf(q, loc=0.0, scale=1.0):
        scale = positive(scale)
        q = probability(q)
        return loc + scale * (special.ndtri(q))
    <BLANKLINE>
    <BLANKLINE>
    def norm_median(loc=0.0, scale=1.0):
        return norm_ppf(0.5, loc, scale)
    <BLANKLINE>
    <BLANKLINE>
    def norm_interval(confidence, loc=0.0, scale=1.0):
        tail = 0.5 * (1.0 - confidence)
        return norm_ppf(tail, loc, scale), norm_ppf(1.0 - tail, loc, scale)
    """
    parameters = "".join(f"{key}, " for key in known.shapes)
    conditions = " & ".join(["(scale > 0)", *(f"({c})" for c in known.valid)])
    valid = f"np.where({conditions}, scale, np.nan)" if known.valid else "positive(scale)"
    head = f"{parameters}loc=0.0, scale=1.0):\n    scale = {valid}\n"
    written = []
    for method, lines in _density_lines(known).items():
        written.append(f"def {name}_{method}(x, {head}    z = (x - loc) / scale\n{lines}")
    for method, formula in known.probabilities():
        lines = _probability_lines(known, method, formula)
        written.append(f"def {name}_{method}(x, {head}    z = (x - loc) / scale\n{lines}")
    for method, formula in known.quantiles():
        inside = "    q = probability(q)\n"
        written.append(
            f"def {name}_{method}(q, {head}{inside}    return loc + scale * ({formula})\n"
        )
    for method, formula in known.moments():
        written.append(f"def {name}_{method}({head}    return {formula}\n")
    return "\n\n".join([*written, *_derived(name, known)])


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


def _probability_lines(known: Continuous, method: str, formula: str) -> str:
    """Write how a probability follows from its formula: brought to an end of the support outside, or told."""
    if known.clipped or not known.support:
        clipped = f"    z = {known.clipped}\n" if known.clipped else ""
        return f"{clipped}    return {formula}\n"
    below, above = _AT_ENDS[method]
    beyond = f"np.where(z < {known.interior}, {below}, np.where(np.isnan(z), np.nan, {above}))"
    return (
        f"    inside = {known.support}\n    outside = {beyond}\n"
        f"    z = np.where(inside, z, {known.interior})\n"
        f"    return np.where(inside, {formula}, outside)\n"
    )


def _derived(name: str, known: Continuous | Discrete) -> list[str]:
    """Write what follows from other methods: the standard deviation, median and intervals."""
    last = ["loc", "scale"] if isinstance(known, Continuous) else ["loc"]
    passed = ", ".join([*known.shapes, *last])
    defaults = ", ".join([*known.shapes, "loc=0.0, scale=1.0" if "scale" in last else "loc=0"])
    written = []
    if known.var:
        written.append(f"def {name}_std({defaults}):\n    return np.sqrt({name}_var({passed}))\n")
    if isinstance(known, Continuous) and known.ppf:
        written.append(f"def {name}_median({defaults}):\n    return {name}_ppf(0.5, {passed})\n")
        ends = f"{name}_ppf(tail, {passed}), {name}_ppf(1.0 - tail, {passed})"
        written.append(
            f"def {name}_interval(confidence, {defaults}):\n"
            f"    tail = 0.5 * (1.0 - confidence)\n    return {ends}\n"
        )
    return written


def discrete_text(name: str, known: Discrete) -> str:
    """Write the methods of a discrete distribution.

    Examples
    --------
    >>> known = Discrete(("mu",), ("mu >= 0",), "", "", cdf="special.pdtr(k, mu)")
    >>> print(discrete_text("poisson", known).partition("\\n\\n")[0])
    def poisson_cdf(k, mu, loc=0):
        k = np.floor(k - loc)
        known = np.where(mu >= 0, 1.0, np.nan)
        inside = k >= 0
        k = np.maximum(k, 0)
        return known * np.where(inside, special.pdtr(k, mu), 0.0)
    """
    shapes = "".join(f"{key}, " for key in known.shapes)
    head = f"k, {shapes}loc=0):\n"
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
            found = f"known * np.where(inside, {formula}, {below})"
            written.append(f"def {name}_{method}({head}{body}    return {found}\n")
            written.append(f"def {name}_log{method}({head}{body}    return np.log({found})\n")
    for method, formula in (("mean", known.mean), ("var", known.var), ("entropy", known.entropy)):
        if formula:
            moved = f"loc + {formula}" if method == "mean" else formula
            written.append(
                f"def {name}_{method}({shapes}loc=0):\n{valid}    return known * ({moved})\n"
            )
    return "\n\n".join([*written, *_derived(name, known)])


for _name, _known in (CONTINUOUS | MORE).items():
    if hasattr(stats, _name):
        _declare(_name, continuous_text(_name, _known))
for _name, _found in DISCRETE.items():
    _declare(_name, discrete_text(_name, _found))
