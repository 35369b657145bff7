"""The derivatives of `scipy.special`, a file per family.

Partials are written with functions of `scipy.special` that have rules themselves, so there are
derivatives of every order. The formulas are those of the NIST Digital Library of Mathematical
Functions (DLMF), cited by number where they are not in every table. An order or a count in which
no formula is known is refused by name, and counts as a constant nowhere.
"""

import numpy as np
from scipy import special as _special

from tapeless.rules.results.special import special_function
from tapeless.rules.scipy.special import (
    bessel,
    distributions,
    elementary,
    elliptic,
    gamma,
    incomplete,
    orthogonal,
    orthogonal_objects,
)
from tapeless.rules.traits import traits, traits_of

for _fn in vars(_special).values():
    if isinstance(_fn, np.ufunc) and _fn.nout == 1 and traits_of(_fn).kind is None:
        traits(_fn, kind=special_function)

__all__ = [
    "bessel",
    "distributions",
    "elementary",
    "elliptic",
    "gamma",
    "incomplete",
    "orthogonal",
    "orthogonal_objects",
]
