"""Solutions of equations: the derivative of the implicit function, by a step of Newton's method."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeless.rules.declare import register_gradient
from tapeless.rules.results import shapes
from tapeless.runtime import at_root, transpose, valued


@register_gradient(at_root, kind=shapes.same_shape)
def at_root_rule(x: Any, residual: Any, slope: Any) -> Any:
    """The residual is zero, so that the step does not depend on the slope."""
    y = at_root(x, residual, slope)

    def grad(y_bar: Any) -> Any:
        if np.ndim(slope) == np.ndim(y_bar):
            return y_bar, -y_bar / slope, None
        return y_bar, -np.linalg.solve(transpose(slope), y_bar), None

    def jvp(x_dot: Any, residual_dot: Any, slope_dot: Any) -> Any:
        if np.ndim(slope) == np.ndim(x):
            return x_dot - residual_dot / slope
        return x_dot - np.linalg.solve(slope, residual_dot)

    return y, grad, jvp


@register_gradient(valued, kind=shapes.same_shape)
def valued_rule(y: Any, formula: Any) -> Any:
    """The derivative is that of the formula alone."""
    z = valued(y, formula)

    def grad(z_bar: Any) -> Any:
        return None, z_bar

    def jvp(y_dot: Any, formula_dot: Any) -> Any:
        return formula_dot

    return z, grad, jvp
