"""Kinds of products of arrays."""

from __future__ import annotations

from typing import Any

from tapeless.kinds import Array, Dim, Kind, Tuple
from tapeless.ranks import (
    broadcast_dim,
    broadcast_dims,
    dims_of,
    dtype_of,
    literal,
    promote,
    scalar,
)
from tapeless.rules.results.call import Call, dtype_argument, promoted
from tapeless.rules.results.shapes import shared_with


def matmul(call: Call) -> Kind:
    a, b = call.first, call.argument(1, "b")
    p, q = dims_of(a), dims_of(b)
    if p is None or q is None:
        return call.unknown
    code = promoted(call)
    if not p or not q:  # np.dot with a scalar
        return call.array(broadcast_dims(p, q), code)
    rows = p[:-1] if len(p) == 1 or len(p) == 2 else p[:-2] + p[-2:-1]
    if len(q) == 1:
        return call.array(rows, code)
    if len(p) <= 2 and len(q) == 2:
        return call.array((*rows, q[-1]), code)
    if len(p) == 1:
        return call.array((*q[:-2], q[-1]), code)
    batch = broadcast_dims(p[:-2], q[:-2])
    return call.array((*batch, p[-2], q[-1]), code)


def inner(call: Call) -> Kind:
    p, q = dims_of(call.first), dims_of(call.argument(1, "b"))
    if p is None or q is None:
        return call.unknown
    dims = broadcast_dims(p, q) if not p or not q else p[:-1] + q[:-1]
    return call.array(dims, promoted(call))


def dot(call: Call) -> Kind:
    p, q = dims_of(call.first), dims_of(call.argument(1, "b"))
    if p is None or q is None:
        return call.unknown
    if len(p) < 2 or len(q) < 3:
        return matmul(call)
    return call.array((*p[:-1], *q[:-2], q[-1]), promoted(call))


def number_of_product(call: Call) -> Kind:
    """Return the kind of a product that is one number."""
    return scalar(promoted(call))


def outer(call: Call) -> Kind:
    a, b = call.first, call.argument(1, "b")
    p, q = dims_of(a), dims_of(b)
    if p is None or q is None:
        return call.unknown
    rows = p[0] if len(p) == 1 else call.size("a")
    columns = q[0] if len(q) == 1 else call.size("b")
    return call.array((rows, columns), promoted(call))


def einsum(call: Call) -> Kind:
    """Return the kind of a sum over indices: of one array that only changes places it is a view."""
    made, kept = summed_over(call), literal(call.first)
    one = len(call.args) == 2
    if isinstance(kept, str) and "->" in kept:
        inputs, _, output = kept.partition("->")
        one = one and set(inputs) - {" "} <= set(output) | {" "}
    return shared_with(made, call.args[1]) if one else made


_OTHERS = "."  # stands for the axes that have no letters


def summed_over(call: Call) -> Kind:
    text = literal(call.first)
    if not isinstance(text, str):
        return call.unknown
    text = text.replace(" ", "").replace("...", _OTHERS)
    inputs, _, output = text.partition("->")
    sizes: dict[str, Dim] = {}
    others: tuple[Dim, ...] = ()
    for letters, kind in zip(inputs.split(","), call.args[1:], strict=False):
        dims = dims_of(kind)
        named = len(letters) - letters.count(_OTHERS)
        if dims is None or len(dims) < named or (len(dims) > named and _OTHERS not in letters):
            return call.unknown
        start, end = letters.find(_OTHERS), len(dims) - named
        if _OTHERS in letters:
            others = broadcast_dims(others, dims[start : start + end])
            dims = dims[:start] + dims[start + end :]
        for letter, dim in zip(letters.replace(_OTHERS, ""), dims, strict=True):
            sizes[letter] = broadcast_dim(sizes.get(letter, 1), dim)
    if "->" not in text:
        letters = inputs.replace(",", "").replace(_OTHERS, "")
        output = _OTHERS + "".join(sorted(c for c in set(letters) if letters.count(c) == 1))
    codes = [dtype_of(kind) for kind in call.args[1:]]
    code = dtype_argument(Call([], call.keywords, call.point, call.region))
    made = [others if c == _OTHERS else (sizes[c],) for c in output]
    return call.array(sum(made, ()), code or promote(codes, [False] * len(codes)))


def einsum_bar(call: Call) -> Kind:
    """Return the kind of a cotangent of an operand of `np.einsum`: it has the operand's sizes."""
    operands, i = call.argument(2, "operands"), literal(call.argument(3, "i"))
    if not isinstance(operands, Tuple) or not isinstance(i, int):
        return call.unknown
    dims = dims_of(operands.items[i])
    code = promote(
        [dtype_of(x) for x in (call.first, *operands.items)], [False] * (len(operands.items) + 1)
    )
    return call.unknown if dims is None else call.array(dims, code)


def einsum_dot(call: Call) -> Kind:
    """Return the kind of a tangent of `np.einsum`: that of the sum over its operands."""
    operands = call.argument(1, "operands")
    if not isinstance(operands, Tuple):
        return call.unknown
    return summed_over(Call([call.first, *operands.items], {}, call.point, call.region))


def tensordot(call: Call) -> Kind:
    axes = literal(call.argument(2, "axes")) if len(call.args) > 2 or call.keywords else 2
    p, q = dims_of(call.first), dims_of(call.argument(1, "b"))
    if p is None or q is None:
        return call.unknown
    if isinstance(axes, int):
        return Array(p[: len(p) - axes] + q[axes:], promoted(call), call.region)
    if not isinstance(axes, tuple) or len(axes) != 2 or ... in axes:
        return call.unknown
    left, right = (_without(d, axis) for d, axis in zip((p, q), axes, strict=True))
    return Array(left + right, promoted(call), call.region)


def _without(dims: tuple[Dim, ...], axes: Any) -> tuple[Dim, ...]:
    """Leave away the dimensions along an axis, or several."""
    summed = {axis % len(dims) for axis in (axes if isinstance(axes, tuple) else (axes,))}
    return tuple(d for i, d in enumerate(dims) if i not in summed)


def vecdot(call: Call) -> Kind:
    p, q = dims_of(call.first), dims_of(call.argument(1, "b"))
    axis = literal(call.keywords["axis"]) if "axis" in call.keywords else -1
    if not p or not q or not isinstance(axis, int) or not call.keywords.keys() <= {"axis"}:
        return call.unknown
    if axis == -1:
        return call.array(broadcast_dims(p, q)[:-1], promoted(call))
    rank = max(len(p), len(q)) - 1
    return call.array(tuple(call.size(i) for i in range(rank)), promoted(call))


def matvec(call: Call) -> Kind:
    p, q = dims_of(call.first), dims_of(call.argument(1, "b"))
    if p is None or q is None or len(p) < 2 or not q:
        return call.unknown
    return call.array((*broadcast_dims(p[:-2], q[:-1]), p[-2]), promoted(call))


def vecmat(call: Call) -> Kind:
    p, q = dims_of(call.first), dims_of(call.argument(1, "b"))
    if not p or q is None or len(q) < 2:
        return call.unknown
    return call.array((*broadcast_dims(p[:-1], q[:-2]), q[-1]), promoted(call))
