"""The derivatives of `scipy.linalg`, a file per family.

The formulas follow from differentiating the equation that defines the value, as those for NumPy do
(M. Giles, "Collected matrix derivative results for forward and reverse mode algorithmic
differentiation", 2008). What solves with a factorization solves its adjoint with the same; nothing
is inverted. Where one triangle of a symmetric matrix is read, its cotangent is a symmetric matrix,
the gradient within the symmetric matrices. What overwrites its arguments is refused.
"""

from tapeless.rules.scipy.linalg import (
    bands,
    equations,
    factorizations,
    functions,
    solves,
    spectral,
    structured,
)

__all__ = ["bands", "equations", "factorizations", "functions", "solves", "spectral", "structured"]
