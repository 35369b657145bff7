"""What operators, methods and attributes of sparse arrays mean: functions with a rule.

The text of a program keeps the operator; its derivative is that of the function. Which function it is
depends on what stands beside the sparse array: for a matrix of SciPy's `*` is the product of matrices.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Callable
from typing import Any

import numpy as np

import tapeless.runtime as runtime
from tapeless.kinds import NONE, Array, Integer, Kind, Number, Opaque, Real, Sparse, is_truth
from tapeless.rules.on_demand import load_rules
from tapeless.rules.results.sparse_solves import FACTORS

Function = Callable[..., Any]


def operator_of_sparse(operator: str, kinds: list[Kind]) -> Function | None:
    """Return the function that an operator stands for where an operand is sparse, None for none."""
    load_rules("scipy.sparse")
    if len(kinds) == 1:
        return {"USub": runtime.negated_sparse}.get(operator)
    left, right = kinds
    sparse = left if isinstance(left, Sparse) else right
    if operator == "MatMult":
        return _OPERATORS.get((operator, _form_of_factor(left), _form_of_factor(right)))
    if operator == "Mult" and isinstance(sparse, Sparse) and sparse.is_matrix:
        operator = "MatMult" if not _is_scalar(left) and not _is_scalar(right) else operator
    return _OPERATORS.get((operator, _form(left), _form(right)))


def product_method(kind: Sparse, method: str, other: Kind) -> Function | None:
    """Return the function that `a.dot(x)` or `a.multiply(x)` stands for, None where it is neither."""
    if method == "dot":
        return operator_of_sparse("Mult" if _is_scalar(other) else "MatMult", [kind, other])
    if method != "multiply":
        return None
    load_rules("scipy.sparse")
    return _OPERATORS.get(("Mult", "sparse", _form(other)))


def method_of_sparse(method: str) -> Function | None:
    """Return the function that another method of a sparse array stands for, None for none."""
    load_rules("scipy.sparse")
    return _METHODS.get(method)


def method_giving_matrix(kind: Sparse, method: str, axis: Kind) -> Function | None:
    """Return what stands for a method of a sparse matrix that gives a `numpy.matrix`, None for another."""
    if not kind.is_matrix or (axis == NONE) != (method == "todense"):
        return None
    load_rules("scipy.sparse")
    found = sys.modules["tapeless.rules.scipy.sparse.matrices"].GIVING_MATRICES.get(method)
    return found  # type: ignore[no-any-return]


def is_entrywise(found: Any) -> bool:
    """Whether a function of one argument calls the method of a sparse array that has its name."""
    return (
        found is abs or isinstance(found, np.ufunc) and found.__name__ in ("absolute", *ENTRYWISE)
    )


def functions_of_sparse() -> dict[str, Function]:
    """Return what operators, methods and attributes of sparse arrays stand for, by their names."""
    by_operator = {"MatMult": "__matmul__", "Mult": "__mul__", "Div": "__truediv__",
                   "Add": "__add__", "Sub": "__sub__"}  # fmt: skip
    operators = {by_operator[op]: f for (op, left, _), f in _OPERATORS.items() if left == "sparse"}
    named = {
        "T": runtime.transposed_sparse,
        "data": runtime.entries,
        "__neg__": runtime.negated_sparse,
    }
    return {**operators, "dot": runtime.sparse_product, "multiply": runtime.weighted_sparse,
            **named, **_METHODS}  # fmt: skip


def solves_sparse(found: Any) -> bool:
    """Whether a function is `scipy.sparse.linalg.spsolve`."""
    known = getattr(sys.modules.get("scipy.sparse.linalg"), "spsolve", None)
    return known is not None and found is known


def method_of_factors(kind: Kind, method: str) -> Any:
    """Return the method of LU factors that solves with them, None for anything else."""
    if method != "solve" or not _are_factors(kind):
        return None
    load_rules("scipy.sparse")
    return sys.modules["scipy.sparse.linalg"].SuperLU.solve


def _are_factors(kind: Kind) -> bool:
    """Whether a value is what `splu` makes, here or outside of the function."""
    known = getattr(sys.modules.get("scipy.sparse.linalg"), "SuperLU", None)
    return kind == FACTORS or isinstance(kind, Opaque) and kind.cls is known


def method_of_bound(found: Any) -> Any:
    """Return the method of LU factors that `factorized` has bound to them, None for anything else."""
    if not isinstance(found, types.BuiltinMethodType):
        return None
    return method_of_factors(Opaque(cls=type(found.__self__)), found.__name__)


def attribute_of_sparse(attribute: str) -> Function | None:
    """Return the function that an attribute of a sparse array stands for, None for none."""
    load_rules("scipy.sparse")
    return {"T": runtime.transposed_sparse, "data": runtime.entries}.get(attribute)


def _is_scalar(kind: Kind) -> bool:
    return (
        isinstance(kind, (Real, Integer))
        or is_truth(kind)
        or isinstance(kind, Array)
        and not kind.dims
    )


def _form_of_factor(kind: Kind) -> str:
    """Return the form of a factor of `@`, which is no scalar, whether its rank is known or not."""
    return "dense" if isinstance(kind, Number) else _form(kind)


def _form(kind: Kind) -> str:
    if isinstance(kind, Sparse):
        return "sparse"
    if _is_scalar(kind):
        return "scalar"
    return "dense" if isinstance(kind, Array) else "unknown"


_OPERATORS: dict[tuple[str, str, str], Function] = {
    ("MatMult", "sparse", "dense"): runtime.sparse_product,
    ("MatMult", "dense", "sparse"): runtime.product_with_sparse,
    ("MatMult", "sparse", "sparse"): runtime.product_of_sparse,
    ("Mult", "sparse", "scalar"): runtime.scaled_sparse,
    ("Mult", "scalar", "sparse"): runtime.sparse_scaled_by,
    ("Mult", "sparse", "dense"): runtime.weighted_sparse,
    ("Mult", "dense", "sparse"): runtime.sparse_weighted_by,
    ("Mult", "sparse", "sparse"): runtime.common_of_sparse,
    ("Div", "sparse", "dense"): runtime.sparse_over_dense,
    ("Div", "sparse", "scalar"): runtime.divided_sparse,
    ("Add", "sparse", "sparse"): runtime.sum_of_sparse,
    ("Sub", "sparse", "sparse"): runtime.difference_of_sparse,
}
CONVERSIONS = {"tocsr", "tocsc", "tocoo", "todia", "tobsr"}
_METHODS: dict[str, Function] = {
    "transpose": runtime.transposed_sparse,
    "toarray": runtime.dense_of_sparse,
    "todense": runtime.dense_of_sparse,
    "asformat": runtime.in_format,
    "copy": runtime.copy_of_sparse,
    "diagonal": runtime.diagonal_of_sparse,
    "sum": runtime.sum_of_entries,
    "__getitem__": runtime.item_of_sparse,
    "mean": runtime.mean_of_entries,
    "trace": runtime.trace_of_sparse,
}
IN_PLACE = (
    "sum_duplicates",
    "sort_indices",
    "eliminate_zeros",
    "prune",
)  # the array stays the same
CHANGING = ("setdiag", "resize", "clear", "update", "pop", "popitem", "setdefault")
ENTRYWISE = (
    "sin", "tan", "arcsin", "arctan", "sinh", "tanh", "arcsinh", "arctanh", "expm1", "log1p",
    "sqrt", "power", "deg2rad", "rad2deg", "conj", "conjugate",
)  # fmt: skip
