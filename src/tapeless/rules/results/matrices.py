"""Kinds of what functions of `scipy.linalg` return, where NumPy's return something else."""

from __future__ import annotations

from tapeless.kinds import BOOL, SOMETHING, Array, Integer, Kind, Real, Tuple, is_number
from tapeless.ranks import dims_of, dtype_of, literal, promote, with_real_dtype
from tapeless.rules.results.call import Call, KindOf, item_kind


def _floating(x: Kind) -> str:
    return "f8" if dtype_of(x) in "ib" else dtype_of(x)


def _matrix(call: Call, x: Kind, *part: str) -> Kind:
    """Return a new matrix of some size, with the dtype of another."""
    if not _is_matrix(x):
        return call.unknown
    return call.array((call.size(*part, 0), call.size(*part, 1)), _floating(x))


def _same(call: Call, x: Kind) -> Kind:
    """Return a new matrix of the same size."""
    dims = dims_of(x)
    return call.unknown if dims is None or len(dims) != 2 else call.array(dims, _floating(x))


def _some_columns(call: Call, x: Kind) -> Kind:
    """Return a new matrix of as many rows."""
    dims = dims_of(x)
    if dims is None or len(dims) != 2:
        return call.unknown
    return call.array((dims[0], call.size("columns")), _floating(x))


def _is_matrix(x: Kind) -> bool:
    dims = dims_of(x)
    return dims is not None and len(dims) == 2


def factor_and_flag(call: Call) -> Kind:
    """Return the kind of a Cholesky factor and a flag."""
    a = call.argument(0, "a")
    return Tuple((_same(call, a), BOOL))


def determinant(call: Call) -> Kind:
    """Return the kind of determinants, which are computed in double precision."""
    a = call.argument(0, "a")
    dims = dims_of(a)
    if dims is None or len(dims) < 2 or dtype_of(a) == "?":
        return call.unknown
    return call.array(
        dims[:-2], "f8" if dtype_of(a)[0] in "ibf" else promote([dtype_of(a), "f8"], [False] * 2)
    )


def factor_and_pivots(call: Call) -> Kind:
    """Return the kind of LU factors and pivots."""
    a = call.argument(0, "a")
    if not _is_matrix(a):
        return Tuple((call.unknown, SOMETHING))
    return Tuple((_same(call, a), call.array((call.size("pivots"),), "i")))


def eigenpairs(call: Call) -> Kind:
    """Return the kind of eigenvalues and eigenvectors, or of eigenvalues alone."""
    a = call.argument(0, "a")
    values = with_real_dtype(call.array((call.size("w"),), _floating(a)))
    if not _is_matrix(a):
        values = call.unknown
    only = call.keywords.get("eigvals_only")
    whole = not {"subset_by_index", "subset_by_value"} & call.keywords.keys()
    if only is None or literal(only) is False:
        return Tuple((values, _same(call, a) if whole else _some_columns(call, a)))
    return values if literal(only) is True else call.unknown


def eigenvectors(call: Call) -> Kind:
    """Return the kind of eigenvalues, which are complex, and of eigenvectors, which need not be."""
    a = call.argument(0, "a")
    if not isinstance(a, Array) or not _is_matrix(a):
        return Tuple((call.unknown_complex, call.unknown_complex))
    return Tuple((call.array(a.dims[:1], "c?"), call.array(a.dims, "c?")))


def symmetric_values(call: Call) -> Kind:
    """Return the kind of the eigenvalues of a symmetric matrix."""
    a = call.argument(0, "a")
    if not isinstance(a, Array) or not _is_matrix(a):
        return call.unknown
    some = {"subset_by_index", "subset_by_value"} & call.keywords.keys()
    return with_real_dtype(call.array((call.size("w"),) if some else a.dims[:1], _floating(a)))


def of_tridiagonal(call: Call) -> Kind:
    """Return the kind of eigenvalues of a matrix of three diagonals."""
    d = call.argument(0, "d")
    dims = dims_of(d)
    if dims is None or len(dims) != 1:
        return call.unknown
    whole = len(call.args) == 2 and call.keywords.keys() <= {"check_finite"}
    return call.array(dims if whole else (call.size("w"),), _floating(d))


def exponential_and_change(call: Call) -> Kind:
    """Return the kind of an exponential and its change, or of the change alone."""
    a, both = call.argument(0, "A"), literal(call.argument(3, "compute_expm"))
    if both in (None, True):  # the default
        return Tuple((_same(call, a), _same(call, a)))
    return _same(call, a) if both is False else call.unknown


def of_matrix(call: Call) -> Kind:
    """Return the kind of a function of a matrix that may be complex where the matrix is real."""
    a = call.argument(0, "A")
    if not isinstance(a, Array) or not _is_matrix(a):
        return call.unknown_complex
    return call.array(a.dims, "c?")


def pair_of_tridiagonal(call: Call) -> Kind:
    """Return the kind of the eigenvalues and eigenvectors of a matrix of three diagonals."""
    d = call.argument(0, "d")
    dims = dims_of(d)
    if dims is None or len(dims) != 1:
        return Tuple((call.unknown, call.unknown))
    return Tuple((call.array(dims, _floating(d)), call.array((*dims, *dims), _floating(d))))


def polar_factors(call: Call) -> Kind:
    """Return the kind of the factors of a polar decomposition."""
    a = call.argument(0, "a")
    return Tuple((_same(call, a), _matrix(call, a, "p")))


def permuted_factors(call: Call) -> Kind:
    """Return the kind of a permutation and two factors."""
    a = call.argument(0, "a")
    permutation = with_real_dtype(_matrix(call, a, "p"))
    return Tuple((permutation, _matrix(call, a, "l"), _matrix(call, a, "u")))


def solved_with_factors(call: Call) -> Kind:
    """Return the kind of a solution: as the right-hand side, in the precision of both."""
    factors, b = call.first, call.argument(1, "b")
    dims = dims_of(b)
    if dims is None or not isinstance(factors, Tuple) or not is_number(factors.items[0]):
        return call.unknown
    codes = [dtype_of(factors.items[0]), dtype_of(b)]
    return call.array(dims, promote(codes, [False, False]))


def band_solution(place: int) -> KindOf:
    """Return the kinds of the solutions of one banded system, whose band is the argument at a place."""

    def kind(call: Call) -> Kind:
        ab, b = call.argument(place, "ab"), call.argument(place + 1, "b")
        dims = dims_of(b)
        if dims is None or len(dims) > 2 or not _is_matrix(ab):
            return call.unknown
        return call.array(dims, promote([dtype_of(ab), dtype_of(b)], [False, False]))

    return kind


def economic_qr(call: Call) -> Kind:
    """Return the kind of the factors Q and R."""
    a = call.argument(0, "a")
    mode = literal(call.keywords.get("mode", Real()))
    known = "mode" not in call.keywords or mode in ("full", "economic", "r")
    if not known or len(call.args) > 1 or "pivoting" in call.keywords:
        return call.unknown
    if mode == "r":
        return Tuple((_matrix(call, a, "r"),)) if _is_matrix(a) else call.unknown
    return Tuple((_matrix(call, a, "q"), _matrix(call, a, "r")))


def three_factors(call: Call) -> Kind:
    """Return the kind of singular vectors and values."""
    a = call.argument(0, "a")
    values = with_real_dtype(call.array((call.size("s"),), _floating(a)))
    wanted = literal(call.argument(2, "compute_uv"))
    if wanted not in (None, True, False):
        return call.unknown
    values = values if _is_matrix(a) else call.unknown
    return (
        values if wanted is False else Tuple((_matrix(call, a, "u"), values, _matrix(call, a, "v")))
    )


def least_squares(call: Call) -> Kind:
    """Return the kind of a solution with residuals, rank and singular values."""
    a, b = call.argument(0, "a"), call.argument(1, "b")
    dims = dims_of(b)
    if not _is_matrix(a) or dims is None or len(dims) > 2:
        return call.unknown
    code = promote([dtype_of(a), dtype_of(b)], [False, False])
    solution = call.array((call.size("x"), *dims[1:]), code)
    values = with_real_dtype(call.array((call.size("s"),), code))
    return Tuple((solution, call.unknown, Integer(), values))


def structured(most: int) -> KindOf:
    """Return the kinds of one matrix that is made of given numbers, vectors or matrices."""

    def kind(call: Call) -> Kind:
        given = [*call.args, *call.keywords.values()]
        ranks = [dims_of(x) for x in given]
        if not given or any(dims is None or len(dims) > most for dims in ranks):
            return call.unknown  # stacks make stacks
        code = promote([dtype_of(x) for x in given], [False] * len(given))
        return call.array((call.size(0), call.size(1)), code)

    return kind


def diagonal_of_sequence(call: Call) -> Kind:
    """Return the kind of the matrix that has the items of a sequence on its diagonal."""
    block = item_kind(call.first, call)
    if block is None:
        return call.unknown
    return structured(2)(Call([block], {}, call.point, call.region))


def circular(call: Call) -> Kind:
    """Return the kind of a circulant matrix."""
    dims = dims_of(call.first)
    if dims is None or len(dims) != 1:
        return call.unknown
    return call.array((dims[0], dims[0]), dtype_of(call.first))
