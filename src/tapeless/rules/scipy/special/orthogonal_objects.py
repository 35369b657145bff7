"""Orthogonal polynomials as objects, written out: `special.legendre(n)` and its like.

They are those of `np.poly1d`, but for their values: these come from the recurrence of the family, as
the powers of a high degree cancel. Degree and weight are constants.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from tapeless.errors import GradientError
from tapeless.kinds import Kind
from tapeless.rules.declare import built_in_zero, register_gradient, written_out
from tapeless.rules.poly1d import Poly1d
from tapeless.rules.reasons import no_derivative
from tapeless.rules.results import series
from tapeless.rules.results.call import Call
from tapeless.runtime import series_at
from tapeless.source.loader import load

_WEIGHT = "an orthogonal polynomial is differentiated in its argument, not in its degree or weight"


def coefficients_of(maker: Any, n: Any, first: Any = None, second: Any = None) -> Any:
    """Return the coefficients of the polynomial that a function of SciPy makes."""
    return maker(*[given for given in (n, first, second) if given is not None]).coeffs


def weights_of(maker: Any, n: Any, first: Any = None, second: Any = None) -> Any:
    """Return the places and weights of the quadrature that belongs to such a polynomial."""
    return maker(*[given for given in (n, first, second) if given is not None]).weights


for _parameter in ("n", "first", "second"):
    no_derivative(_WEIGHT, coefficients_of, parameter=_parameter)
    no_derivative(_WEIGHT, weights_of, parameter=_parameter)


@register_gradient(coefficients_of, kind=series.one_series)
def coefficients_of_rule(maker: Any, n: Any, first: Any = None, second: Any = None) -> Any:
    c = coefficients_of(maker, n, first, second)

    def grad(c_bar: Any) -> Any:
        return None, None, None, None

    return c, grad


def quadrature(call: Call) -> Kind:
    """Return the kind of three numbers for each root."""
    return call.array((call.size("n"), 3))


@register_gradient(weights_of, kind=quadrature)
def weights_of_rule(maker: Any, n: Any, first: Any = None, second: Any = None) -> Any:
    w = weights_of(maker, n, first, second)

    def grad(w_bar: Any) -> Any:
        return None, None, None, None

    return w, grad


def polynomial(coeffs: Any, values: Any, weights: Any, monic: Any) -> Any:
    """Return a polynomial of some values, divided by its first coefficient if that is to be 1."""
    if not monic:
        return Poly1d("x", coeffs, values, weights)
    first = coeffs[0]
    return Poly1d("x", coeffs / first, lambda x: values(x) / first, weights)


_TEXT = """
def special_{name}(n{given}, monic=False):
    c = coefficients_of(special.{name}, n{passed})
    weights = weights_of(special.{name}, n{passed})
    return polynomial(c, lambda x: special.eval_{name}(n{passed}, x), weights, monic)
"""
_FAMILIES = {
    "legendre": (), "chebyt": (), "chebyu": (), "chebyc": (), "chebys": (), "sh_legendre": (),
    "sh_chebyt": (), "sh_chebyu": (), "laguerre": (), "hermite": (), "hermitenorm": (),
    "genlaguerre": ("alpha",), "gegenbauer": ("alpha",), "jacobi": ("alpha", "beta"),
    "sh_jacobi": ("p", "q"),
}  # fmt: skip
_NAMES = {
    "coefficients_of": coefficients_of, "polynomial": polynomial, "special": special,
    "weights_of": weights_of,
}  # fmt: skip
_MODULES: list[dict[str, Any]] = []  # whose texts are kept as long as they are read
for _name, _given in _FAMILIES.items():
    _passed = "".join(f", {key}" for key in _given)
    _made = load(_TEXT.format(name=_name, given=_passed, passed=_passed), __name__, _NAMES)
    _MODULES.append(_made)
    globals()[f"special_{_name}"] = _made[f"special_{_name}"]
    written_out(getattr(special, _name), _made[f"special_{_name}"], always=True)


def powers_of(p: Any) -> Any:
    """Return a polynomial by its powers, unless they cancel at its degree."""
    if p.order > 15:
        raise GradientError(
            "a polynomial of degree above 15 loses digits by its coefficients",
            fix="make it within the function: special.legendre(n)(x)",
        )
    return np.poly1d(p.coeffs)


built_in_zero(powers_of)


def call_of_given(self: Any, v: Any) -> Any:
    """Call one that was made outside: of its family nothing is known, so its slope is one of powers."""
    return series_at(powers_of(self), v)


written_out(type(special.legendre(1)).__call__, call_of_given)
