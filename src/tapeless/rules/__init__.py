"""The derivatives of Python's and NumPy's functions, one file per family."""

from tapeless.rules import (
    creation,
    draws,
    fft,
    helpers,
    linalg,
    piecewise_constant,
    polynomials,
    products,
    python,
    reductions,
    scipy,
    selection,
    shaping,
    solutions,
    statistics,
    stores,
    ufunc_methods,
    ufuncs,
    windows,
    written,
)
from tapeless.rules.declare import freeze_built_in

freeze_built_in()

__all__ = [
    "creation",
    "draws",
    "fft",
    "helpers",
    "linalg",
    "piecewise_constant",
    "polynomials",
    "products",
    "python",
    "reductions",
    "scipy",
    "selection",
    "shaping",
    "solutions",
    "statistics",
    "stores",
    "ufunc_methods",
    "ufuncs",
    "windows",
    "written",
]
