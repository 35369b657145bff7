"""The classes of `numpy.polynomial`, written out as named tuples.

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
from tapeless.rules.results.signals import like
from tapeless.runtime import series_at
from tapeless.source.loader import load

CLASSES = {
    "poly": np.polynomial.Polynomial, "cheb": np.polynomial.Chebyshev,
    "leg": np.polynomial.Legendre, "lag": np.polynomial.Laguerre,
    "herm": np.polynomial.Hermite, "herme": np.polynomial.HermiteE,
}  # fmt: skip
LINES = {"herm": "[offset, 0.5 * scale]", "lag": "[offset + scale, -scale]"}


# Of the recurrence of Clenshaw from the highest coefficient on, as NumPy has it: what `before` and `last`
# become at `nd`, and the function of degree 1.
RECURRENCES = {
    "poly": ("value", "before + last * x", "x"),
    "cheb": ("value - last", "before + last * (2.0 * x)", "x"),
    "leg": (
        "value - last * ((nd - 1) / nd)", "before + last * (x * ((2 * nd - 1) / nd))", "x",
    ),
    "lag": (
        "value - last * ((nd - 1) / nd)", "before + last * ((2 * nd - 1 - x) / nd)", "1.0 - x",
    ),
    "herm": ("value - last * (2.0 * (nd - 1))", "before + last * (2.0 * x)", "2.0 * x"),
    "herme": ("value - last * (nd - 1.0)", "before + last * x", "x"),
}  # fmt: skip


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
ENDS_{p} = tuple({N}.domain.tolist())


def {p}line(offset, scale):
    return np.stack({line})


def {p}fromroots(roots):
    c = np.ones(1)
    for root in roots:
        c = {m}.{p}mul(c, {p}line(-root, 1.0))
    return c


def {p}div(c1, c2):
    rest, divisor = np.atleast_1d(c1), np.atleast_1d(c2)
    if len(divisor) == 1:
        return rest / divisor[0], 0.0 * rest[:1]
    if len(rest) < len(divisor):
        return 0.0 * rest[:1], rest
    parts = []
    for i in range(len(rest) - len(divisor), -1, -1):
        multiple = {m}.{p}mul(np.eye(i + 1)[i], divisor)
        parts.append(rest[-1] / multiple[-1])
        rest = rest[:-1] - parts[-1] * multiple[:-1]
    return np.stack(parts[::-1]), {m}.{p}add(rest, np.zeros(1))


def composed_{p}(c, x):
    if len(c) == 1:
        return x.constant_one(c[0])
    before, last = x.constant_one(c[-2]), x.constant_one(c[-1])
    for nd in range(len(c) - 1, 1, -1):
        value = x.constant_one(c[nd - 2])
        before, last = {before}, {last}
    return before + last * ({first})


def {p}fit(x, y, deg, rcond=None, full=False, w=None):
    if full or np.ndim(deg) != 0:
        raise GradientError(REFUSED_FIT, fix=ONE_DEGREE)
    return weighed_fit({m}.{p}vander(x, deg), y, rcond, w)


class {N}Series(NamedTuple):
    symbol: Any
    coef: Any
    given_domain: Any
    given_window: Any

    __array_ufunc__ = None

    @property
    def domain(self):
        return np.array(ENDS_{p}) if self.given_domain is None else self.given_domain

    @property
    def window(self):
        return np.array(ENDS_{p}) if self.given_window is None else self.given_window

    def __len__(self):
        return len(self.coef)

    def __call__(self, arg):
        place = mapped(arg, self.given_domain, self.given_window, ENDS_{p})
        if isinstance(place, SERIES):
            return composed_{p}(self.coef, place)
        return {m}.{p}val(place, self.coef)

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

    def __floordiv__(self, other):
        return {p}_like(self, {p}div(self.coef, {p}coefficients(self, other))[0])

    def __mod__(self, other):
        return {p}_like(self, {p}div(self.coef, {p}coefficients(self, other))[1])

    def __divmod__(self, other):
        quotient, rest = {p}div(self.coef, {p}coefficients(self, other))
        return {p}_like(self, quotient), {p}_like(self, rest)

    def convert(self, domain=None, kind=None, window=None):
        if kind is None:
            return self({p}_identity(domain, window, self.symbol))
        return self(kind.identity(domain, window, self.symbol))

    def copy(self):
        return self

    def constant_one(self, value):
        return {p}_like(self, np.stack([value]))

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


def {p}_cast(series, domain=None, window=None):
    return series({p}_identity(domain, window))


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


def _text_of(prefix: str, cls: Any) -> str:
    """Return the text that stands for a class."""
    before, last, first = RECURRENCES[prefix]
    known = {
        "{p}": prefix, "{N}": cls.__name__, "{m}": _short_name(BASES[prefix]),
        "{line}": LINES.get(prefix, "[offset, scale]"),
        "{before}": before, "{last}": last, "{first}": first,
    }  # fmt: skip
    text = _TEXT
    for key, meaning in known.items():
        text = text.replace(key, meaning)
    return text


def _short_name(module: Any) -> str:
    return str(module.__name__.rpartition(".")[2])


def _declare(prefix: str, cls: Any) -> None:
    """Let the functions of the text stand for a class, and for what makes objects of it."""
    written_out(cls, _MADE[f"{prefix}_series"], always=True)
    for label in ("fit", "identity", "basis", "cast"):
        written_out(getattr(cls, label), _MADE[f"{prefix}_{label}"], always=True)
    written_out(cls.fromroots, _MADE[f"{prefix}_from_roots"], always=True)
    for label in ("fit", "fromroots", "line"):
        written_out(getattr(BASES[prefix], prefix + label), _MADE[prefix + label])


_ALL = f"SERIES = ({', '.join(cls.__name__ + 'Series' for cls in CLASSES.values())})\n"
_GIVEN = {
    **_NAMES,
    **{_short_name(module): module for module in BASES.values()},
    **{cls.__name__: cls for cls in CLASSES.values()},
}
_MADE = load(  # kept as long as its text is read
    "".join(_text_of(prefix, cls) for prefix, cls in CLASSES.items()) + _ALL, __name__, _GIVEN
)
globals().update({key: _MADE[key] for key in set(_MADE) - set(_GIVEN)})
for _prefix, _cls in CLASSES.items():
    _declare(_prefix, _cls)


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


written_out(np.polynomial.Polynomial.__call__, call_of_given)  # that of all six classes
