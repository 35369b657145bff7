"""Blocks as NumPy's own functions are given them: whole arrays, or the matrices of a stack one by one.

y = a @ b             ->        for i in range(n):
                                    np.dot(a[i], b[i], y[i])
"""

from __future__ import annotations

from collections.abc import Sequence

from tapeless.lower.affine import Affine, symbol
from tapeless.lower.loops import Loop, Product, Stmt, Store, Window, cell_of
from tapeless.lower.state import State
from tapeless.lower.values import Array, axis, axis_key


def window(state: State, x: Array) -> Window:
    """Return an array as a whole block, perhaps transposed; another view is copied."""
    return _matrix(state, x, ())


def each_product(state: State, a: Array, b: Array) -> Array:
    """Multiply the matrices of two stacks, or each of a stack with one, by `np.dot`."""
    ahead = state.broadcast([a.dims[:-2], b.dims[:-2]])
    result = state.made((*ahead, a.dims[-2], b.dims[-1]), a.dtype)
    variables = [state.names.fresh("_i") for _ in ahead]
    index = [
        Affine() if n == Affine(1) else symbol(v) for v, n in zip(variables, ahead, strict=True)
    ]
    operands = tuple(_matrix(state, x, _own(x, index)) for x in (a, b))
    assert result.base is not None
    inner: list[Stmt] = [Product(result.base, "np.dot", operands, line=state.line, at=tuple(index))]
    for v, n in reversed(list(zip(variables, ahead, strict=True))):
        if n != Affine(1):
            inner = [Loop(v, Affine(), n, inner, line=state.line)]
    state.out += inner
    return result


def _own(x: Array, index: Sequence[Affine]) -> tuple[Affine, ...]:
    """Return the index of a matrix of a stack that is broadcast to another."""
    own = index[len(index) - (len(x.dims) - 2) :] if len(x.dims) > 2 else []
    return tuple(Affine() if n == Affine(1) else i for i, n in zip(own, x.dims[:-2], strict=True))


def _matrix(state: State, x: Array, at: tuple[Affine, ...]) -> Window:
    """Return what is left of an array whose first axes are indexed, as a part of a block."""
    if x.base is not None and len(x.axes) == len(x.dims):
        block = state.program.arrays[x.base]
        ahead = list(range(len(at)))
        rest = list(range(len(at), len(x.dims)))
        for last in (rest, rest[::-1]):  # axis k of the view is axis order[k] of the block
            order = [*ahead, *last]
            axes = tuple(axis(order.index(k)) for k in range(len(order)))
            if x.axes == axes and x.dims == tuple(block[k] for k in order):
                return Window(x.base, tuple(k - len(at) for k in last), at)
    return _copied_matrix(state, x, at)


def _copied_matrix(state: State, x: Array, at: tuple[Affine, ...]) -> Window:
    """Copy a view into a block of its own, matrix by matrix; each as its entries lie in memory."""
    last = list(range(len(at), len(x.dims)))
    in_memory = _order_in_memory(x)
    rest = sorted(last, key=in_memory.index)
    order = [*range(len(at)), *rest]
    made = state.made([x.dims[k] for k in order], x.dtype)

    def body(index: tuple[Affine, ...]) -> list[Stmt]:
        own = dict(zip(in_memory, index, strict=True))
        entry = x.at(tuple(own[k] for k in range(len(own))))
        return [Store(cell_of(made.at(tuple(own[k] for k in order))), entry)]

    state.over([x.dims[k] for k in in_memory], body)
    assert made.base is not None
    return Window(made.base, tuple(rest.index(k) for k in last), at)


def _order_in_memory(x: Array) -> list[int]:
    """Return the axes of a view in the order of those of its block that they run along."""
    found = [k for form in x.axes for k in range(len(x.dims)) if form.factor(axis_key(k))]
    order = list(dict.fromkeys(found))
    return [*(k for k in range(len(x.dims)) if k not in order), *order]
