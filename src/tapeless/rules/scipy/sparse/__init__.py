"""The derivatives of `scipy.sparse`.

The cotangent of a sparse array, and its tangent, are arrays of the entries that it stores: nothing is
dense that was sparse.
"""

from tapeless.rules.scipy.sparse import (
    arithmetic,
    construction,
    creation,
    eigenpairs,
    forms,
    joining,
    matrices,
    parts,
    places,
    products,
    solves,
)

__all__ = [
    "arithmetic",
    "construction",
    "creation",
    "eigenpairs",
    "forms",
    "joining",
    "matrices",
    "parts",
    "places",
    "products",
    "solves",
]
