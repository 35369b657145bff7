"""Kinds of what linear algebra and Fourier transforms give."""

from __future__ import annotations

import numpy as np

from tapeless.kinds import UNKNOWN, Array, Integer, Kind, Number, Tuple
from tapeless.ranks import broadcast_dims, dims_of, dtype_of, literal, with_real_dtype
from tapeless.rules.results.call import Call, promoted
from tapeless.rules.results.reductions import float_reduced


def pinv(call: Call) -> Kind:
    dims = dims_of(call.argument(0, "a"))
    if dims is None or len(dims) < 2:
        return call.unknown
    return call.array((*dims[:-2], dims[-1], dims[-2]), dtype_of(call.argument(0, "a")))


def norm(call: Call) -> Kind:
    x = call.first
    rest = {k: v for k, v in call.keywords.items() if k != "ord"}
    axis = call.argument(2, "axis")
    if literal(axis) is None and "keepdims" in rest:
        return call.unknown
    return with_real_dtype(float_reduced(Call([x, axis], rest, call.point, call.region)))


def solve(call: Call) -> Kind:
    """Return the kind of solutions: one for each matrix of a stack and each right-hand side."""
    a, b = dims_of(call.argument(0, "a")), dims_of(call.argument(1, "b"))
    if a is None or b is None or len(a) < 2 or not b:
        return call.unknown
    if len(b) == 1:
        return call.array(a[:-1], promoted(call))
    return call.array((*broadcast_dims(a[:-2], b[:-2]), *b[-2:]), promoted(call))


def spectrum(call: Call, real: bool = False, changes: bool = True) -> Kind:
    """Return the kind of a Fourier transform; `changes` if it changes the length by itself."""
    x = call.argument(0, "a")
    dims, code = dims_of(x), dtype_of(x)
    if not dims:
        return Number(call.region, may_be_complex=not real)
    code = "?" if code == "?" else "f4" if code in ("f4", "c8") else "f8"
    if not real:
        code = {"f4": "c8", "f8": "c16"}.get(code, code)
    if not changes and literal(call.argument(1, "n" if "n" in call.keywords else "s")) is None:
        return call.array(dims, code)
    return call.array(tuple(call.size(i) for i in range(len(dims))), code)


def same_spectrum(call: Call) -> Kind:
    """Return the kind of a transform that changes the length only where it is told to."""
    return spectrum(call, changes=False)


def real_spectrum(call: Call) -> Kind:
    return spectrum(call, real=True)


def condition(call: Call) -> Kind:
    """Return the kind of condition numbers; old versions of NumPy give complex ones of complex matrices."""
    found = stacked_scalar(call)
    alone = len(call.args) == 1 and not call.keywords
    by_singular_values = alone or literal(call.argument(1, "p")) in (2, -2)
    return with_real_dtype(found) if _CONDITIONS_ARE_REAL or by_singular_values else found


_CONDITIONS_ARE_REAL = np.isrealobj(np.linalg.cond(np.eye(1, dtype=complex), 1))  # since NumPy 2.1


def stacked_scalar(call: Call) -> Kind:
    x = call.first
    dims = dims_of(x)
    return call.unknown if dims is None else call.array(dims[:-2], dtype_of(x))


def tensorsolve(call: Call) -> Kind:
    """Return the kind of the unknowns: their axes are those of the array that the equations have not."""
    a, b = call.first, call.argument(1, "b")
    dims, sides = dims_of(a), dims_of(b)
    if dims is None or sides is None or len(dims) <= len(sides):
        return call.unknown
    unknowns = len(dims) - len(sides)
    return call.array(tuple(call.size(i) for i in range(unknowns)), promoted(call))


def eigenvalues(call: Call) -> Kind:
    """Return the kind of eigenvalues: whether they are real depends on the matrix."""
    dims = dims_of(call.argument(0, "a"))
    return UNKNOWN if dims is None or len(dims) < 2 else call.array(dims[:-1], "c?")


def eig(call: Call) -> Kind:
    dims = dims_of(call.argument(0, "a"))
    if dims is None or len(dims) < 2:
        return UNKNOWN
    pair = (call.array(dims[:-1], "c?"), call.array(dims, "c?"))
    return Tuple(pair, type(np.linalg.eig(np.eye(1))))


def eigh(call: Call) -> Tuple:
    a = call.argument(0, "a")
    dims = dims_of(a)
    if dims is None or len(dims) < 2:
        return Tuple((call.unknown,) * 2, type(np.linalg.eigh(np.eye(1))))
    values = with_real_dtype(call.array(dims[:-1], dtype_of(a)))
    return Tuple((values, call.array(dims, dtype_of(a))), type(np.linalg.eigh(np.eye(1))))


def eigvalsh(call: Call) -> Kind:
    return eigh(call).items[0]


def svd(call: Call) -> Kind:
    a = call.argument(0, "a")
    values = singular_values(Call([a], {}, call.point, call.region))
    if literal(call.argument(2, "compute_uv")) is False:
        return values
    if literal(call.argument(2, "compute_uv")) not in (None, True):
        return call.unknown
    if not isinstance(values, Array):
        return Tuple((call.unknown,) * 3, type(np.linalg.svd(np.eye(1))))
    left, right = (
        call.array((*values.dims[:-1], call.size(part, 0), call.size(part, 1)), dtype_of(a))
        for part in ("u", "vh")
    )
    return Tuple((left, values, right), type(np.linalg.svd(np.eye(1))))


def qr(call: Call) -> Kind:
    a = call.argument(0, "a")
    dims = dims_of(a)
    mode = literal(call.argument(1, "mode"))
    pairs = mode in (None, "reduced", "complete")
    if not pairs and mode != "r":
        return call.unknown
    if dims is None or len(dims) < 2:
        both = Tuple((call.unknown,) * 2, type(np.linalg.qr(np.eye(1))))
        return both if pairs else call.unknown
    q = call.array((*dims[:-1], call.size("k")), dtype_of(a))
    r = call.array((*dims[:-2], call.size("k"), dims[-1]), dtype_of(a))
    return r if mode == "r" else Tuple((q, r), type(np.linalg.qr(np.eye(1))))


def singular_values(call: Call) -> Kind:
    dims = dims_of(call.first)
    if dims is None or len(dims) < 2:
        return call.unknown
    return with_real_dtype(call.array((*dims[:-2], call.size("s")), dtype_of(call.first)))


def lstsq(call: Call) -> Kind:
    a, b = dims_of(call.argument(0, "a")), dims_of(call.argument(1, "b"))
    code = promoted(Call([call.argument(0, "a"), call.argument(1, "b")], {}, None, call.region))
    solution: Kind = call.unknown
    if a is not None and b is not None and len(a) == 2 and len(b) > 0:
        solution = call.array((a[1], *b[1:]), code)
    residuals, values = (
        with_real_dtype(call.array((call.size(part),), code)) for part in ("r", "s")
    )
    return Tuple((solution, residuals, Integer(), values))


def matrix_norm(call: Call) -> Kind:
    dims = dims_of(call.first)
    if dims is None or "keepdims" in call.keywords:
        return call.unknown
    return with_real_dtype(call.array(dims[:-2], dtype_of(call.first)))


def vector_norm(call: Call) -> Kind:
    keywords = {k: v for k, v in call.keywords.items() if k != "ord"}
    if "axis" not in keywords and "keepdims" in keywords:
        return call.unknown
    return with_real_dtype(float_reduced(Call(call.args, keywords, call.point, call.region)))


def slogdet(call: Call) -> Kind:
    sign = stacked_scalar(call)
    return Tuple((sign, with_real_dtype(sign)), type(np.linalg.slogdet(np.eye(1))))
