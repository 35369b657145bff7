"""Kinds of random draws: the method of a generator and its `size` say what comes out.

A draw is a constant to the derivative, but for the parameters that have a rule. Its rank matters, for
what is computed from it is often changed in place.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from tapeless.analysis.inert import GENERATORS, is_generator
from tapeless.analysis.interpret.call_sites import CallSite
from tapeless.analysis.interpret.state import Interpreter
from tapeless.externals import is_one_of
from tapeless.kinds import Array, Inert, Integer, Kind, Real, Tuple
from tapeless.ranks import literal
from tapeless.rules.results.call import Call, shape_literal
from tapeless.rules.results.draws import drawn_with

# the place of `size` among the positional arguments
_REALS = {
    **dict.fromkeys(["random", "random_sample", "ranf", "sample", "standard_normal",
                     "standard_exponential", "standard_cauchy"], 0),
    **dict.fromkeys(["exponential", "rayleigh", "standard_gamma", "chisquare", "standard_t", "pareto",
                     "weibull", "power"], 1),
    **dict.fromkeys(["normal", "uniform", "lognormal", "laplace", "logistic", "gumbel", "gamma", "beta",
                     "f", "vonmises", "wald", "noncentral_chisquare"], 2),
    "triangular": 3,
}  # fmt: skip
_INTEGERS = {
    **dict.fromkeys(["poisson", "geometric", "zipf", "logseries"], 1),
    **dict.fromkeys(["integers", "randint", "binomial", "negative_binomial"], 2),
    "hypergeometric": 3,
}  # fmt: skip


# draws of Python's `random`, by the name of the draw of NumPy's that gives the same kind
_OF_PYTHON = {
    **dict.fromkeys(["random", "gauss", "normalvariate", "uniform", "betavariate", "expovariate",
                     "gammavariate", "lognormvariate", "paretovariate", "triangular",
                     "vonmisesvariate", "weibullvariate"], "real"),
    **dict.fromkeys(["randint", "randrange", "getrandbits"], "integer"),
}  # fmt: skip


def drawing_method(kind: Kind, method: str) -> Any:
    """Return the method of a class of NumPy's generators, None for any other method."""
    if not isinstance(kind, Inert) or not is_generator(kind) or kind.what == "Random":
        return None
    return getattr(getattr(np.random, kind.what), method, None)


def makes_generator(found: Any) -> str | None:
    """Return the name of the class of generators that a function makes, None for other functions."""
    if found is np.random.default_rng:
        return "Generator"
    known = is_one_of(found, GENERATORS)
    return str(found.__name__) if known else None


def draw_of_python(method: str) -> str:
    """Return the name of a draw of NumPy's that gives the same kind as one of Python's `random`."""
    return _OF_PYTHON.get(method, method)


def draws_from(found: Any) -> str | None:
    """Return the name of a draw of NumPy's global generator: `np.random.randn`."""
    owner = getattr(found, "__self__", None)
    if isinstance(owner, random.Random):
        return _OF_PYTHON.get(found.__name__)
    return str(found.__name__) if isinstance(owner, np.random.RandomState) else None


def draw(interpreter: Interpreter, method: str, site: CallSite) -> Kind | None:
    """Interpret a draw whose parameters are constants."""
    keywords = {key: value.kind for key, value in site.named.items()}
    kinds = [value.kind for value in site.values]
    point, region = interpreter.point(site.tree), interpreter.fresh(site.tree)
    return drawn(method, Call(kinds, keywords, point, region))


def drawn(method: str, call: Call) -> Kind | None:
    """Return the kind of a draw, None where the method is not known."""
    if method in ("real", "integer"):
        return Real() if method == "real" else Integer()
    if method in ("rand", "randn"):
        return _of_size(Tuple(tuple(call.args)), "f8", call) if call.args else Real()
    if method in ("permutation", "choice") and call.args:
        return _from_pool(method, call)
    if method == "multivariate_normal":
        return _of_vectors(call)
    place = _REALS.get(method, _INTEGERS.get(method))
    if place is None:
        return None
    code = "i" if method in _INTEGERS else "?" if "dtype" in call.keywords else "f8"
    return drawn_with(place, code)(call)


def _of_vectors(call: Call) -> Kind:
    """Return the kind of drawn vectors, one or an array of them."""
    size = call.argument(2, "size")
    dims = () if literal(size) is None else shape_literal(size, call)
    return call.unknown if dims is None else Array((*dims, call.size("n")), "f8", call.region)


def _of_size(size: Kind, code: str, call: Call) -> Kind:
    dims = shape_literal(size, call)
    return call.unknown if dims is None else Array(dims, code, call.region)


def _from_pool(method: str, call: Call) -> Kind:
    """Of an array, its entries along the first axis; of an integer, those of `arange`."""
    pool = call.args[0]
    if not isinstance(pool, (Array, Integer)) or "axis" in call.keywords:
        return call.unknown
    code, inner = ("i", ()) if isinstance(pool, Integer) else (pool.dtype, pool.dims[1:])
    if method == "permutation":
        return Array((call.size("pool"), *inner), code, call.region)
    size = call.argument(1, "size")
    if literal(size) is None:
        return call.array(inner, code)
    dims = shape_literal(size, call)
    return call.unknown if dims is None else Array((*dims, *inner), code, call.region)
