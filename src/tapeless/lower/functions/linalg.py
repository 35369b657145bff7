"""Systems of equations and factors of matrices: calls of NumPy's, which Numba knows."""

from __future__ import annotations

import numpy as np

import tapeless.lower.triangular as triangular
import tapeless.runtime as runtime
from tapeless.lower.functions.registry import lowers
from tapeless.lower.functions.shaping import array
from tapeless.lower.functions.stacked import window
from tapeless.lower.indexing import transposed
from tapeless.lower.loops import Assign, Call, Expr, Num, Op, Product, Var, Window
from tapeless.lower.state import State
from tapeless.lower.values import Array, Number, Value

NEARLY_SINGULAR = 1e10  # from where on `cofactors` does not divide


def _square(state: State, x: Value) -> Array:
    x = array(state, x)
    if len(x.dims) != 2 or x.dtype != "f8":
        raise state.refused("a stack of matrices, or what is no matrix of float64")
    state.demand_equal(*x.dims)
    return x


def _called(state: State, function: str, result: Array, *operands: Array) -> Array:
    assert result.base is not None
    windows = tuple(window(state, x) for x in operands)
    state.emit(Product(result.base, function, windows))
    return result


@lowers(np.linalg.solve)
def solve(state: State, a: Value, b: Value) -> Value:
    """Solve a system of equations."""
    a, b = _square(state, a), array(state, b)
    if len(b.dims) > 2 or b.dtype != "f8":
        raise state.refused("`np.linalg.solve` for other than a vector or a matrix of float64")
    state.demand_equal(a.dims[0], b.dims[0])
    result = state.made(b.dims)
    matrix = window(state, a)
    function = _solver(state, a, matrix)
    assert result.base is not None
    state.emit(Product(result.base, function, (matrix, window(state, b))))
    return result


def _solver(state: State, a: Array, matrix: Window) -> str:
    """Return the function that solves a system: of a Cholesky factor it is known to be triangular."""
    is_factor = a.base in state.triangular and a.base not in state.copies.stored_in
    if not is_factor or matrix.array != a.base or not triangular.is_there():
        return "np.linalg.solve"
    state.seal(a)  # what is stored into it below may come before, in the next trip of a loop
    state.program.externals[triangular.NAME] = triangular.solver
    return triangular.NAME


@lowers(np.linalg.inv)
def inv(state: State, a: Value) -> Value:
    """Return the inverse of a matrix."""
    a = _square(state, a)
    return _called(state, "np.linalg.inv", state.made(a.dims), a)


@lowers(np.linalg.cholesky)
def cholesky(state: State, a: Value) -> Value:
    """Return the lower Cholesky factor of a matrix."""
    a = _square(state, a)
    root = _called(state, "np.linalg.cholesky", state.made(a.dims), a)
    state.triangular.add(str(root.base))
    return root


@lowers(np.linalg.det)
def det(state: State, a: Value) -> Value:
    """Return the determinant of a matrix."""
    name = state.fresh()
    state.emit(Assign(name, Call("np.linalg.det", (window(state, _square(state, a)),))))
    if not state.loops:
        state.lasting.add(name)
    return Number(Var(name), "np")


@lowers(runtime.cofactors)
def cofactors(state: State, a: Value, determinant: Value) -> Value:
    """Return the partials of a determinant that is far from zero; else the NumPy text runs."""
    a = _square(state, a)
    if not isinstance(determinant, Number):
        raise state.refused("a stack of determinants")
    d = state.frozen(determinant, "determinant")
    inverse = _called(state, "np.linalg.inv", state.made(a.dims), a)
    reach = Op("*", (_reach(state, a), _reach(state, inverse)))
    far = Op("and", (Op("!=", (d.expr, Num(0.0))), Op("<", (reach, Num(NEARLY_SINGULAR)))))
    state.check(far, "ValueError", "the matrix is nearly singular")
    return transposed(state.pointwise(lambda p: Op("*", (d.expr, p)), [inverse]), (1, 0))


def _reach(state: State, x: Array) -> Expr:
    """Return the sum of the magnitudes of the entries."""
    magnitudes = state.pointwise(lambda p: Call("abs", (p,)), [x])
    made = state.reduced(magnitudes, range(len(x.dims)), "+", Num(0.0))
    assert isinstance(made, Number)
    return made.expr
