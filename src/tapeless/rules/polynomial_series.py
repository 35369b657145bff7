"""Series of polynomials in the six bases of `numpy.polynomial`, the coefficient of degree 0 first.

The bases differ in their functions alone: one rule serves all. The value of a series is linear in its
coefficients, and its derivative in the place is the value of the differentiated series. Derivatives and
integrals of series are linear maps of the coefficients, with a matrix that is the map of the identity.
Products are bilinear, and symmetric: with `phi_i phi_j = sum_k s[i, j, k] phi_k` the cotangent of each
factor is a sum over the cotangent of the product and the other factor.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.polynomial import chebyshev, hermite, hermite_e, laguerre, legendre, polynomial

from tapeless.errors import GradientError
from tapeless.rules.declare import importable_as, register_gradient, written_out
from tapeless.rules.results import series
from tapeless.rules.traits import traits
from tapeless.runtime import (
    basis_at,
    filled_up,
    lowest_of,
    product_bar,
    series_slope,
    unbroadcast,
)

BASES = {
    "poly": polynomial, "cheb": chebyshev, "leg": legendre, "lag": laguerre, "herm": hermite,
    "herme": hermite_e,
}  # fmt: skip

_ONCE = "series are integrated once in a call, and along the first axis"
_AGAIN = "call the function again for each integral, and move the axis"

traits(filled_up, lowest_of, product_bar, says_more=True)


def _register_values(value: Any, table: Any, slope: Any) -> None:
    """Register the rules of the values of series, and of the functions of a basis."""

    @importable_as(f"series_{value.__name__}")
    @register_gradient(value, kind=series.series_value)
    def series_value(x: Any, c: Any, tensor: Any = True) -> Any:
        """The value of the differentiated series in x; the functions of the basis in c."""
        y = value(x, c, tensor)

        def grad(y_bar: Any) -> Any:
            if np.ndim(c) == 1:
                return y_bar * value(x, slope(c)), np.ravel(y_bar) @ basis_at(table, x, c), None
            x_bar = unbroadcast(y_bar * value(x, slope(c), tensor), x)
            terms = np.reshape(basis_at(table, x, c).T, (len(c), *np.shape(x)))
            if tensor:
                own, behind = tuple(range(1, np.ndim(x) + 1)), tuple(range(-np.ndim(x), 0))
                return x_bar, np.tensordot(terms, y_bar, axes=(own, behind)), None
            return x_bar, np.stack([unbroadcast(term * y_bar, c[0]) for term in terms]), None

        def jvp(x_dot: Any, c_dot: Any) -> Any:
            return value(x, slope(c), tensor) * x_dot + value(x, c_dot, tensor)

        return y, grad, jvp

    @importable_as(f"series_{table.__name__}")
    @register_gradient(table, kind=series.table_of_powers)
    def series_table(x: Any, deg: Any) -> Any:
        """Each row depends on its number alone."""
        y = table(x, deg)

        def grad(y_bar: Any) -> Any:
            return np.sum(y_bar * series_slope(y, slope), axis=-1), None

        def jvp(x_dot: Any) -> Any:
            return series_slope(y, slope) * np.expand_dims(x_dot, -1)

        return y, grad, jvp


def _register_derivative(slope: Any) -> None:
    """Register the rule of the derivatives of series."""

    @importable_as(f"series_{slope.__name__}")
    @register_gradient(slope, kind=series.several_series, selects=True)
    def series_derivative(c: Any, m: Any = 1, scl: Any = 1, axis: Any = 0) -> Any:
        """Linear: its matrix holds the derivatives of the basis."""
        y = slope(c, m, scl, axis)

        def grad(y_bar: Any) -> Any:
            matrix = slope(np.eye(np.shape(c)[axis], dtype=y_bar.dtype), m, scl)
            scl_bar = np.sum(y_bar * y) * m / scl
            if np.ndim(c) == 1:
                return y_bar @ matrix, None, scl_bar, None
            c_bar = np.moveaxis(np.tensordot(y_bar, matrix, axes=(axis, 0)), -1, axis)
            return c_bar, None, scl_bar, None

        def jvp(c_dot: Any, scl_dot: Any) -> Any:
            return slope(c_dot, m, scl, axis) + y * (m * scl_dot / scl)

        return y, grad, jvp


def _register_integral(value: Any, integral: Any) -> None:
    """Register the rule of the integrals of series."""

    @importable_as(f"series_{integral.__name__}")
    @register_gradient(integral, kind=series.several_series)
    def series_integral(
        c: Any, m: Any = 1, k: Any = [], lbnd: Any = 0, scl: Any = 1, axis: Any = 0,  # noqa: B006
    ) -> Any:  # fmt: skip
        """Linear in the coefficients: its matrix holds the integrals of the basis.

        The constant k and the value at the lower bound move the coefficient of degree 0.
        """
        if m != 1 or axis != 0:
            raise GradientError(_ONCE, fix=_AGAIN)
        y = integral(c, m, k, lbnd, scl, axis)
        constant = np.sum(k)

        def grad(y_bar: Any) -> Any:
            matrix = integral(np.eye(len(c), dtype=y_bar.dtype), 1, [], lbnd, scl)
            if np.ndim(c) == 1:
                c_bar = lowest_of(y_bar, np.shape(matrix)[:1]) @ matrix
            else:
                c_bar = np.tensordot(matrix, y_bar, axes=(0, 0))
            lifted_bar = np.sum(y_bar[0])
            k_bar = np.full(np.shape(k), lifted_bar)
            lbnd_bar = -scl * np.sum(y_bar[0] * value(lbnd, c))
            scl_bar = (np.sum(y_bar * y) - lifted_bar * constant) / scl
            return (
                c_bar,
                None,
                list(k_bar) if isinstance(k, list) else k_bar,
                lbnd_bar,
                scl_bar,
                None,
            )

        def jvp(c_dot: Any, k_dot: Any, lbnd_dot: Any, scl_dot: Any) -> Any:
            moved = integral(c_dot, 1, [], lbnd, scl)
            if np.ndim(c) == 1:
                moved = filled_up(moved, len(y))
            lifted = np.sum(k_dot) - scl * value(lbnd, c) * lbnd_dot - constant * scl_dot / scl
            first = np.eye(len(y), dtype=y.dtype)[0]
            return moved + y * (scl_dot / scl) + np.multiply.outer(first, lifted)

        return y, grad, jvp


def _register_roots(roots: Any, value: Any, table: Any, slope: Any) -> None:
    """Register the rule of the roots of a series: r moves by -sum dc[k] phi_k(r) / p'(r)."""

    @importable_as(f"series_{roots.__name__}")
    @register_gradient(roots, kind=series.roots)
    def series_roots(c: Any) -> Any:
        r = roots(c)
        real = not np.iscomplexobj(c)

        def grad(r_bar: Any) -> Any:
            weights = -r_bar / value(r, slope(c))
            c_bar = weights @ table(r, len(c) - 1)
            return np.real(c_bar) if real else c_bar

        def jvp(c_dot: Any) -> Any:
            return -value(r, c_dot) / value(r, slope(c))

        return r, grad, jvp


def _register_arithmetic(add: Any, subtract: Any, multiply: Any) -> None:
    """Register the rules of sums and products of series."""

    @importable_as(f"series_{add.__name__}")
    @register_gradient(add, kind=series.one_series)
    def series_sum(c1: Any, c2: Any) -> Any:
        """The lowest coefficients stand side by side."""
        y = add(c1, c2)

        def grad(y_bar: Any) -> Any:
            return lowest_of(y_bar, np.shape(c1)), lowest_of(y_bar, np.shape(c2))

        def jvp(c1_dot: Any, c2_dot: Any) -> Any:
            return filled_up(c1_dot, len(y)) + filled_up(c2_dot, len(y))

        return y, grad, jvp

    @importable_as(f"series_{subtract.__name__}")
    @register_gradient(subtract, kind=series.one_series)
    def series_difference(c1: Any, c2: Any) -> Any:
        """The lowest coefficients stand side by side."""
        y = subtract(c1, c2)

        def grad(y_bar: Any) -> Any:
            return lowest_of(y_bar, np.shape(c1)), -lowest_of(y_bar, np.shape(c2))

        def jvp(c1_dot: Any, c2_dot: Any) -> Any:
            return filled_up(c1_dot, len(y)) - filled_up(c2_dot, len(y))

        return y, grad, jvp

    @importable_as(f"series_{multiply.__name__}")
    @register_gradient(multiply, kind=series.one_series)
    def series_product(c1: Any, c2: Any) -> Any:
        """Bilinear and symmetric."""
        y = multiply(c1, c2)

        def grad(y_bar: Any) -> Any:
            c1_bar = product_bar(multiply, y_bar, c2, np.shape(c1))
            return c1_bar, product_bar(multiply, y_bar, c1, np.shape(c2))

        def jvp(c1_dot: Any, c2_dot: Any) -> Any:
            by_first = filled_up(multiply(c1_dot, c2), len(y))
            return by_first + filled_up(multiply(c1, c2_dot), len(y))

        return y, grad, jvp


def _write_out_several(module: Any, prefix: str, value: Any) -> None:
    """Write out series in two and three variables: the coefficients of one are series in the next."""

    def series_of_two(x: Any, y: Any, c: Any) -> Any:
        return value(y, value(x, c), tensor=False)

    def series_of_three(x: Any, y: Any, z: Any, c: Any) -> Any:
        return value(z, value(y, value(x, c), tensor=False), tensor=False)

    def grid_of_two(x: Any, y: Any, c: Any) -> Any:
        return value(y, value(x, c))

    def grid_of_three(x: Any, y: Any, z: Any, c: Any) -> Any:
        return value(z, value(y, value(x, c)))

    several: dict[str, Any] = {
        "val2d": series_of_two, "val3d": series_of_three,
        "grid2d": grid_of_two, "grid3d": grid_of_three,
    }  # fmt: skip
    for label, function in several.items():
        written_out(getattr(module, prefix + label), function, of_arrays=True)


for _prefix, _module in BASES.items():
    _value, _table, _slope, _integral, _roots, _add, _subtract, _multiply = (
        getattr(_module, _prefix + label)
        for label in ("val", "vander", "der", "int", "roots", "add", "sub", "mul")
    )
    _register_values(_value, _table, _slope)
    _register_derivative(_slope)
    _register_integral(_value, _integral)
    _register_roots(_roots, _value, _table, _slope)
    _register_arithmetic(_add, _subtract, _multiply)
    _write_out_several(_module, _prefix, _value)


# What the rules above call, for derivatives of higher order


@register_gradient(filled_up, kind=series.one_series, linear=True)
def filled_up_rule(c: Any, n: Any) -> Any:
    y = filled_up(c, n)
    shape = np.shape(c)

    def grad(y_bar: Any) -> Any:
        return lowest_of(y_bar, shape), None

    return y, grad


@register_gradient(lowest_of, kind=series.lowest, linear=True)
def lowest_of_rule(y: Any, shape: Any) -> Any:
    c = lowest_of(y, shape)
    n = len(y)

    def grad(c_bar: Any) -> Any:
        return filled_up(c_bar, n), None

    return c, grad


@register_gradient(product_bar, kind=series.lowest)
def product_bar_rule(multiply: Any, y_bar: Any, c: Any, shape: Any) -> Any:
    """Bilinear: the sums over the other indices of the same `s`."""
    g = product_bar(multiply, y_bar, c, shape)

    def grad(g_bar: Any) -> Any:
        y_bar_bar = filled_up(multiply(g_bar, c), len(y_bar))
        return None, y_bar_bar, product_bar(multiply, y_bar, g_bar, np.shape(c)), None

    def jvp(y_bar_dot: Any, c_dot: Any) -> Any:
        by_bar = product_bar(multiply, y_bar_dot, c, shape)
        return by_bar + product_bar(multiply, y_bar, c_dot, shape)

    return g, grad, jvp
