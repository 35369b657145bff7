"""Splines that pass near their values: of least squares, on given knots, or with a given penalty.

Both are linear in the values. How much is smoothed, and where the knots lie, is held fixed; a function
that chooses it by the values is refused.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import interpolate

from tapeless.errors import GradientError
from tapeless.rules.declare import register_gradient, written_out
from tapeless.rules.reasons import no_derivative
from tapeless.rules.results import shapes
from tapeless.rules.scipy.splines import Spline
from tapeless.runtime.interpolation import held_knots, held_penalty

no_derivative(
    "a smoothing spline is differentiated in its values, not in its penalty",
    held_penalty,
    parameter="lam",
)


@register_gradient(held_penalty, kind=shapes.same_shape)
def held_penalty_rule(y: Any, lam: Any) -> Any:
    values = held_penalty(y, lam)

    def grad(values_bar: Any) -> Any:
        return values_bar, None

    def jvp(y_dot: Any) -> Any:
        return y_dot

    return values, grad, jvp


def interpolate_make_smoothing_spline(
    x: Any, y: Any, w: Any = None, lam: Any = None, *, axis: Any = 0
) -> Any:
    """The spline that is nearest to the values, with a penalty on its curvature, is linear in them."""
    if lam is None or axis != 0:
        raise GradientError(
            "make_smoothing_spline is differentiated along axis 0, with a penalty that is given",
            fix="give `lam`: without it the values choose how much is smoothed",
        )
    options = {"lam": lam, "w": w}
    values = held_penalty(np.asarray(y, dtype=float), lam)
    return Spline(("make_smoothing_spline", options), held_knots(x, w=w), values)


def interpolate_lsq_univariate(
    x: Any, y: Any, t: Any, w: Any = None, bbox: Any = (None, None), k: Any = 3, ext: Any = 0,
    check_finite: Any = False,
) -> Any:  # fmt: skip
    """The knots within are given, and those at the ends are the outermost places."""
    if ext != 0 or bbox[0] is not None or bbox[1] is not None:
        raise GradientError(
            "LSQUnivariateSpline is differentiated for ext=0, and without bbox",
            fix="leave them out, or take make_lsq_spline with all its knots",
        )
    ends = np.ones(k + 1)
    knots = np.concatenate((x[0] * ends, t, x[-1] * ends))
    options = {"t": knots, "k": k, "w": w}
    return Spline(("make_lsq_spline", options), held_knots(x, t, w), np.asarray(y, dtype=float))


written_out(interpolate.make_smoothing_spline, interpolate_make_smoothing_spline)
written_out(interpolate.LSQUnivariateSpline, interpolate_lsq_univariate)
