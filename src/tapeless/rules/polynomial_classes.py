"""The classes of `numpy.polynomial`, and `np.poly1d`, written out as named tuples.

    class ChebyshevSeries(NamedTuple):
        symbol: Any
        coef: Any
        given_domain: Any
        given_window: Any

        def __call__(self, arg):
            offset, scale = mapparms(self)
            return chebyshev.chebval(offset + scale * arg, self.coef)

The six classes of series differ in their functions, so their texts are made of one. Such an object
stands for the one of NumPy wherever a program makes one, also of numbers: what it is called with may
vary. One that was made outside is constant, and called by its coefficients.

A domain that was not given is None: then nothing is mapped. The first field is a text, so that a loop
over the fields, which NumPy has none of, finds no numbers.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tapeless.errors import GradientError
from tapeless.rules.declare import built_in_zero, register_gradient, written_out
from tapeless.rules.polynomial_series import BASES
from tapeless.rules.results import series
from tapeless.rules.results.signals import like
from tapeless.rules.traits import traits
from tapeless.runtime import filled_up, from_first_that_counts, lowest_of, series_at
from tapeless.source.loader import load

CLASSES = {
    "poly": np.polynomial.Polynomial, "cheb": np.polynomial.Chebyshev,
    "leg": np.polynomial.Legendre, "lag": np.polynomial.Laguerre,
    "herm": np.polynomial.Hermite, "herme": np.polynomial.HermiteE,
}  # fmt: skip
LINES = {"herm": "[offset, 0.5 * scale]", "lag": "[offset + scale, -scale]"}


def mapping(old: Any, new: Any) -> Any:
    """Return offset and scale of the line that takes the ends of one interval to those of another."""
    length = old[1] - old[0]
    return (old[1] * new[0] - old[0] * new[1]) / length, (new[1] - new[0]) / length


def scale_of(old: Any, new: Any, ends: Any) -> Any:
    """Return how much longer an interval is than another; None stands for the basis's own ends."""
    if old is None and new is None:
        return 1.0
    return mapping(ends if old is None else old, ends if new is None else new)[1]


def mapped(x: Any, old: Any, new: Any, ends: Any) -> Any:
    """Map places from an interval to another one."""
    if old is None and new is None:
        return x
    offset, scale = mapping(ends if old is None else old, ends if new is None else new)
    return offset + scale * x


def ends_of(domain: Any) -> Any:
    """Return the ends of an interval as an array, None for the basis's own."""
    return None if domain is None else np.array(domain)


def interval_of(x: Any, domain: Any) -> Any:
    """Return the interval that a series is made on: that of the places, the basis's own, or a given one."""
    if domain is None:
        return np.stack([np.min(x), np.max(x)])
    if isinstance(domain, tuple) and len(domain) == 0:
        return None
    return np.array(domain)


def check_alike(what: str, one: Any, other: Any, ends: Any) -> None:
    """Refuse, as NumPy does, to combine series of different domains or windows."""
    if not np.array_equal(ends if one is None else one, ends if other is None else other):
        raise TypeError(f"{what} differ")


built_in_zero(check_alike, pure=False)


def weighed_fit(basis: Any, y: Any, rcond: Any, w: Any) -> Any:
    """Return the coefficients of least squares, with columns of equal length, as NumPy has them."""
    rows = basis if w is None else basis * np.expand_dims(w, 1)
    values = y
    if w is not None:
        values = y * np.reshape(w, np.shape(w) + (1,) * (np.ndim(y) - 1))
    lengths = np.sqrt(np.sum(rows * rows, axis=0))
    lengths = np.where(lengths == 0.0, 1.0, lengths)
    least = len(basis) * np.finfo(basis.dtype).eps if rcond is None else rcond
    c = np.linalg.lstsq(rows / lengths, values, least)[0]
    return c / np.reshape(lengths, np.shape(lengths) + (1,) * (np.ndim(y) - 1))


_TEXT = """
ENDS_{p} = tuple(cls.domain.tolist())


def {p}line(offset, scale):
    return np.stack({line})


def {p}fromroots(roots):
    c = np.ones(1)
    for root in roots:
        c = {m}.{p}mul(c, {p}line(-root, 1.0))
    return c


def {p}fit(x, y, deg, rcond=None, full=False, w=None):
    if full or np.ndim(deg) != 0:
        raise GradientError(REFUSED_FIT, fix=ONE_DEGREE)
    return weighed_fit({m}.{p}vander(x, deg), y, rcond, w)


class {N}Series(NamedTuple):
    symbol: Any
    coef: Any
    given_domain: Any
    given_window: Any

    @property
    def domain(self):
        return np.array(ENDS_{p}) if self.given_domain is None else self.given_domain

    @property
    def window(self):
        return np.array(ENDS_{p}) if self.given_window is None else self.given_window

    def __len__(self):
        return len(self.coef)

    def __call__(self, arg):
        return {m}.{p}val(mapped(arg, self.given_domain, self.given_window, ENDS_{p}), self.coef)

    def __neg__(self):
        return {p}_like(self, -self.coef)

    def __pos__(self):
        return self

    def __add__(self, other):
        return {p}_like(self, {m}.{p}add(self.coef, {p}coefficients(self, other)))

    def __radd__(self, other):
        return {p}_like(self, {m}.{p}add({p}coefficients(self, other), self.coef))

    def __sub__(self, other):
        return {p}_like(self, {m}.{p}sub(self.coef, {p}coefficients(self, other)))

    def __rsub__(self, other):
        return {p}_like(self, {m}.{p}sub({p}coefficients(self, other), self.coef))

    def __mul__(self, other):
        return {p}_like(self, {m}.{p}mul(self.coef, {p}coefficients(self, other)))

    def __rmul__(self, other):
        return {p}_like(self, {m}.{p}mul({p}coefficients(self, other), self.coef))

    def __truediv__(self, other):
        return {p}_like(self, self.coef / other)

    def __pow__(self, other):
        coef = np.ones(1)
        for _ in range(other):
            coef = {m}.{p}mul(coef, self.coef)
        return {p}_like(self, coef)

    def copy(self):
        return self

    def degree(self):
        return len(self.coef) - 1

    def truncate(self, size):
        return {p}_like(self, self.coef[:size])

    def cutdeg(self, deg):
        return {p}_like(self, self.coef[: deg + 1])

    def mapparms(self):
        return mapping(self.domain, self.window)

    def deriv(self, m=1):
        scale = scale_of(self.given_domain, self.given_window, ENDS_{p})
        return {p}_like(self, {m}.{p}der(self.coef, m, scale))

    def integ(self, m=1, k=[], lbnd=None):
        scale = scale_of(self.given_domain, self.given_window, ENDS_{p})
        start = 0.0
        if lbnd is not None:
            start = mapped(lbnd, self.given_domain, self.given_window, ENDS_{p})
        coef, constants = self.coef, np.atleast_1d(k)
        for i in range(m):
            coef = {m}.{p}int(coef, 1, constants[i : i + 1], start, 1.0 / scale)
        return {p}_like(self, coef)

    def roots(self):
        found = {m}.{p}roots(self.coef)
        return mapped(found, self.given_window, self.given_domain, ENDS_{p})

    def linspace(self, n=100, domain=None):
        ends = self.domain if domain is None else domain
        x = np.linspace(ends[0], ends[1], n)
        return x, self(x)


def {p}_like(p, coef):
    return {N}Series(p.symbol, coef, p.given_domain, p.given_window)


def {p}coefficients(p, other):
    if isinstance(other, {N}Series):
        if p.given_domain is not None or other.given_domain is not None:
            check_alike("Domains", p.given_domain, other.given_domain, ENDS_{p})
        if p.given_window is not None or other.given_window is not None:
            check_alike("Windows", p.given_window, other.given_window, ENDS_{p})
        return other.coef
    return other


def {p}_series(coef, domain=None, window=None, symbol="x"):
    return {N}Series(symbol, np.array(coef), ends_of(domain), ends_of(window))


def {p}_fit(
    x, y, deg, domain=None, rcond=None, full=False, w=None, window=None, symbol="x"
):
    domain = interval_of(x, domain)
    place = mapped(x, domain, window, ENDS_{p})
    coef = {p}fit(place, y, deg, rcond, full, w)
    return {N}Series(symbol, coef, ends_of(domain), ends_of(window))


def {p}_from_roots(roots, domain=(), window=None, symbol="x"):
    ends = interval_of(roots, domain)
    scale = scale_of(ends, window, ENDS_{p})
    coef = {p}fromroots(mapped(roots, ends, window, ENDS_{p})) / scale ** len(roots)
    return {N}Series(symbol, coef, ends, ends_of(window))


def {p}_identity(domain=None, window=None, symbol="x"):
    offset = mapped(0.0, window, domain, ENDS_{p})
    scale = scale_of(window, domain, ENDS_{p})
    return {N}Series(symbol, {p}line(offset, scale), ends_of(domain), ends_of(window))


def {p}_basis(deg, domain=None, window=None, symbol="x"):
    return {N}Series(symbol, np.eye(deg + 1)[deg], ends_of(domain), ends_of(window))


"""

REFUSED_FIT = "series are fitted with one highest degree, and without full="
ONE_DEGREE = "give the highest degree, and compute what else you need"
_NAMES = {
    "Any": Any, "GradientError": GradientError, "NamedTuple": NamedTuple,
    "ONE_DEGREE": ONE_DEGREE, "REFUSED_FIT": REFUSED_FIT, "check_alike": check_alike,
    "ends_of": ends_of, "interval_of": interval_of, "mapped": mapped, "mapping": mapping,
    "np": np, "scale_of": scale_of, "weighed_fit": weighed_fit,
}  # fmt: skip
_MODULES: list[dict[str, Any]] = []  # whose texts are kept as long as they are read


def _declare(prefix: str, cls: Any) -> None:
    """Let the functions of the text stand for a class, and for what makes objects of it."""
    line = LINES.get(prefix, "[offset, scale]")
    module = BASES[prefix]
    own = module.__name__.rpartition(".")[2]
    known = {"{p}": prefix, "{N}": cls.__name__, "{line}": line, "{m}": own}
    text = _TEXT
    for key, meaning in known.items():
        text = text.replace(key, meaning)
    made = load(text, __name__, {**_NAMES, own: module, "cls": cls})
    _MODULES.append(made)
    globals().update({key: made[key] for key in set(made) - set(_NAMES) - {own, "cls"}})
    written_out(cls, made[f"{prefix}_series"], always=True)
    for label in ("fit", "identity", "basis"):
        written_out(getattr(cls, label), made[f"{prefix}_{label}"], always=True)
    written_out(cls.fromroots, made[f"{prefix}_from_roots"], always=True)
    for label in ("fit", "fromroots", "line"):
        written_out(getattr(module, prefix + label), made[prefix + label])


for _prefix, _cls in CLASSES.items():
    _declare(_prefix, _cls)


# Coefficients of powers, the highest first


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


# What was made outside


@register_gradient(series_at, kind=like(1, "x"), says_more=True)
def series_at_rule(p: Any, x: Any) -> Any:
    y = series_at(p, x)

    def grad(y_bar: Any) -> Any:
        return None, y_bar * series_at(p.deriv(), x)

    def jvp(x_dot: Any) -> Any:
        return series_at(p.deriv(), x) * x_dot

    return y, grad, jvp


def call_of_given(self: Any, arg: Any) -> Any:
    """Call a polynomial that does not vary."""
    return series_at(self, arg)


written_out(np.poly1d, made_poly1d, always=True)
written_out(np.poly1d.__call__, call_of_given)
written_out(np.polynomial.Polynomial.__call__, call_of_given)  # that of all six classes
