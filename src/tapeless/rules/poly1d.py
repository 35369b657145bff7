"""The class `np.poly1d`, written out as a named tuple of coefficients of powers, the highest first.

It stands for the class of NumPy wherever a program makes one, also of numbers, as the classes of
`numpy.polynomial` do (`polynomial_classes`). One that was made outside is constant.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tapeless.rules.declare import register_gradient, written_out
from tapeless.rules.polynomial_classes import call_of_given
from tapeless.rules.results import series
from tapeless.rules.traits import traits
from tapeless.runtime import filled_up, from_first_that_counts, lowest_of

traits(from_first_that_counts, says_more=True)


class Poly1d(NamedTuple):
    """A polynomial that may vary."""

    variable: Any
    coeffs: Any
    values: Any = None  # a function that gives them, where coefficients would lose digits
    weights: Any = None  # of an orthogonal one: its roots, and how much each counts

    def __array__(self) -> Any:
        """Return the coefficients."""
        return self.coeffs

    @property
    def c(self) -> Any:
        """Return the coefficients."""
        return self.coeffs

    @property
    def coef(self) -> Any:
        """Return the coefficients."""
        return self.coeffs

    @property
    def coefficients(self) -> Any:
        """Return the coefficients."""
        return self.coeffs

    @property
    def order(self) -> Any:
        """Return the highest power."""
        return len(self.coeffs) - 1

    @property
    def o(self) -> Any:
        """Return the highest power."""
        return len(self.coeffs) - 1

    @property
    def roots(self) -> Any:
        """Return the places where it is 0."""
        return np.roots(self.coeffs)

    @property
    def r(self) -> Any:
        """Return the places where it is 0."""
        return np.roots(self.coeffs)

    def __len__(self) -> Any:
        """Return the highest power."""
        return len(self.coeffs) - 1

    def __getitem__(self, power: Any) -> Any:
        """Return the coefficient of a power."""
        place = len(self.coeffs) - 1 - power
        return self.coeffs[place] if 0 <= place < len(self.coeffs) else 0.0

    def __call__(self, val: Any) -> Any:
        """Return its values."""
        return np.polyval(self.coeffs, val) if self.values is None else self.values(val)

    def __neg__(self) -> Any:
        """Return the negative."""
        return made_poly1d(-self.coeffs)

    def __pos__(self) -> Any:
        """Return itself."""
        return self

    def __add__(self, other: Any) -> Any:
        """Return the sum with a polynomial, a number or coefficients."""
        return made_poly1d(np.polyadd(self.coeffs, coefficients_of(other)))

    def __radd__(self, other: Any) -> Any:
        """Return the sum with a number or coefficients."""
        return made_poly1d(np.polyadd(self.coeffs, coefficients_of(other)))

    def __sub__(self, other: Any) -> Any:
        """Return the difference from a polynomial, a number or coefficients."""
        return made_poly1d(np.polysub(self.coeffs, coefficients_of(other)))

    def __rsub__(self, other: Any) -> Any:
        """Return the difference of a number or coefficients."""
        return made_poly1d(np.polysub(coefficients_of(other), self.coeffs))

    def __mul__(self, other: Any) -> Any:
        """Return the product with a polynomial, a number or coefficients."""
        factor = coefficients_of(other)
        if np.ndim(factor) == 0:
            return made_poly1d(self.coeffs * factor)
        return made_poly1d(np.polymul(self.coeffs, factor))

    def __rmul__(self, other: Any) -> Any:
        """Return the product with a number or coefficients."""
        return self * other

    def __truediv__(self, other: Any) -> Any:
        """Return the quotient by a number."""
        return made_poly1d(self.coeffs / other)

    def __pow__(self, power: Any) -> Any:
        """Return a whole power."""
        c = np.ones(1)
        for _ in range(power):
            c = np.polymul(self.coeffs, c)
        return made_poly1d(c)

    def deriv(self, m: Any = 1) -> Any:
        """Return the derivative."""
        return made_poly1d(np.polyder(self.coeffs, m))

    def integ(self, m: Any = 1, k: Any = 0) -> Any:
        """Return the integral."""
        return made_poly1d(np.polyint(self.coeffs, m, k))


def coefficients_of(other: Any) -> Any:
    """Return the coefficients of a polynomial, one made outside included; or those that are given."""
    return other.coeffs if isinstance(other, Poly1d) else np.asarray(other)


def made_poly1d(c_or_r: Any, r: Any = False, variable: Any = None) -> Any:
    """Make a polynomial of its coefficients, of which it leaves out leading zeros, or of its roots."""
    c = np.poly(c_or_r) if r else np.array(c_or_r.coeffs if isinstance(c_or_r, Poly1d) else c_or_r)
    return Poly1d("x" if variable is None else variable, from_first_that_counts(c))


@register_gradient(from_first_that_counts, kind=series.one_series)
def from_first_that_counts_rule(c: Any) -> Any:
    """Nothing is left out of what varies."""
    y = from_first_that_counts(c)

    def grad(y_bar: Any) -> Any:
        return lowest_of(y_bar, np.shape(c))

    def jvp(c_dot: Any) -> Any:
        return filled_up(c_dot, len(y))

    return y, grad, jvp


written_out(np.poly1d, made_poly1d, always=True)
written_out(np.poly1d.__call__, call_of_given)
