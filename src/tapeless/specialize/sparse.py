"""Methods of sparse arrays, written as operators and in one of the forms that they have.

y = a.dot(x)        ->   y = a @ x
b = a.multiply(x)   ->   b = weighted_sparse(a, x)     which `*` is for sparse arrays only
b = a.multiply(m)   ->   v = m.__array__(); b = a.multiply(v)    where `m` is an object
b = a.tocsr()       ->   b = a.asformat("csr")
b = a**2            ->   b = a @ a                  of a matrix; of an array a.power(2)
a.sort_indices()    ->   a = tidied(a, "sort_indices")
y = a.sum()         ->   v = a.data; y = np.sum(v)    SciPy would sort the entries where they stand
b = a.todia()       ->   v = a.asformat("csr"); b = v.todia()       where `a` keeps a list of entries
    x = spsolve(a, b)   ->   factor = factored(a); x = solve_factored(factor, a, b)
"""

from __future__ import annotations

from typing import Any

import gast
import numpy as np

import tapeless.runtime as runtime
from tapeless.analysis.interpret.special_calls import has_method
from tapeless.kinds import NONE, Array, Sparse
from tapeless.ranks import literal
from tapeless.rules.sparse import (
    CONVERSIONS,
    ENTRYWISE,
    IN_PLACE,
    is_entrywise,
    method_giving_matrix,
    method_of_bound,
    product_method,
    solves_sparse,
)
from tapeless.specialize.state import Specializer
from tapeless.tree.build import assign, const, name
from tapeless.tree.trees import Expr, Stmt


def solution(specializer: Specializer, tree: Expr, found: Any, to: str | None) -> list[Stmt] | None:
    """Write the solution of a system by factors, with which its adjoint is solved, too."""
    if to is not None and method_of_bound(found) is not None:
        factor = specializer.names.fresh("factor")
        owner = gast.Attribute(tree.func, "__self__", gast.Load())
        solve = gast.Attribute(name(factor), "solve", gast.Load())
        return [assign(factor, owner), assign(to, gast.Call(solve, tree.args, tree.keywords))]
    if to is None or len(tree.args) != 2 or tree.keywords or not solves_sparse(found):
        return None
    kinds = [specializer.kind(arg) for arg in tree.args]
    varied = any(specializer.value(arg).varied for arg in tree.args)
    if not varied or not isinstance(kinds[0], Sparse) or not isinstance(kinds[1], Array):
        return None
    if kinds[1].dims[1:] == (1,):
        return None  # of which it takes the one column
    factor = specializer.names.fresh("factor")
    made = gast.Call(name(specializer.external(runtime.factored)), [tree.args[0]], [])
    solve = name(specializer.external(runtime.solve_factored))
    return [assign(factor, made), assign(to, gast.Call(solve, [name(factor), *tree.args], []))]


def method_of_sparse_array(
    specializer: Specializer, tree: Expr, owner: Sparse, to: str | None
) -> list[Stmt] | None:
    """Write a method of a sparse array in its plain form; None where it stands as it is."""
    func = tree.func
    if to is None:
        return _tidied(specializer, tree)
    given = [*tree.args, *(k.value for k in tree.keywords)]
    axis = specializer.kind(given[0]) if given else NONE
    of_matrix, varied = (
        method_giving_matrix(owner, func.attr, axis),
        specializer.value(func.value).varied,
    )
    if of_matrix is not None and varied:
        called = name(specializer.external(of_matrix))
        return [assign(to, gast.Call(called, [func.value, *tree.args], tree.keywords))]
    if func.attr == "todia" and owner.format in ("coo", ""):
        return _of_rows(specializer, tree, to)
    if func.attr == "sum" and varied and owner.format != "dia" and axis == NONE and len(given) < 2:
        return _of_all_entries(specializer, tree, owner, to)
    if func.attr in CONVERSIONS and not tree.args and not tree.keywords:
        method = gast.Attribute(func.value, "asformat", gast.Load())
        return [assign(to, gast.Call(method, [const(func.attr[2:])], []))]
    if func.attr in ("getrow", "getcol") and specializer.value(func.value).varied:
        [place], every = tree.args, gast.Slice(None, None, None)
        index = [place, every] if func.attr == "getrow" else [every, place]
        return [assign(to, gast.Subscript(func.value, gast.Tuple(index, gast.Load()), gast.Load()))]
    entrywise = _entry_by_entry(specializer, tree, to)
    if entrywise is not None:
        return entrywise
    if len(tree.args) != 1 or tree.keywords:
        return None
    [other] = tree.args
    if has_method(specializer.kind(other), "__array__"):
        array = specializer.names.fresh("v")
        asked = specializer.called(other, "__array__", [], array)
        return [*asked, assign(to, gast.Call(func, [name(array)], []))]
    function = product_method(owner, func.attr, specializer.kind(other))
    if function is None:
        return None
    operator: Any = {
        runtime.sparse_product: gast.MatMult(), runtime.product_of_sparse: gast.MatMult(),
        runtime.scaled_sparse: gast.Mult(),
    }.get(function)  # fmt: skip
    if operator is not None:
        return [assign(to, gast.BinOp(func.value, operator, other))]
    return [assign(to, gast.Call(name(specializer.external(function)), [func.value, other], []))]


def power_of_sparse_array(
    specializer: Specializer, tree: Expr, to: str | None
) -> list[Stmt] | None:
    """Write a power as a product of a matrix with itself, or as a power of each entry of an array."""
    owner = specializer.kind(tree.left)
    if to is None or not isinstance(owner, Sparse) or not specializer.value(tree.left).varied:
        return None
    if not owner.is_matrix:
        method = gast.Attribute(tree.left, "power", gast.Load())
        return [assign(to, gast.Call(method, [tree.right], []))]
    if literal(specializer.kind(tree.right)) != 2:
        return None
    return [assign(to, gast.BinOp(tree.left, gast.MatMult(), tree.left))]


def _tidied(specializer: Specializer, tree: Expr) -> list[Stmt] | None:
    """Write a method that puts the entries of an array in order, in place, as making another one."""
    func = tree.func
    if func.attr not in IN_PLACE or type(func.value) is not gast.Name:
        return None
    if not specializer.value(func.value).varied:
        return None
    made = gast.Call(name(specializer.external(runtime.tidied)), [func.value, const(func.attr)], [])
    return [assign(func.value.id, made)]


def _of_all_entries(specializer: Specializer, tree: Expr, owner: Sparse, to: str) -> list[Stmt]:
    """Add up the array of entries, of which no place outside is one."""
    rows, data = specializer.names.fresh("v"), specializer.names.fresh("v")
    read = gast.Attribute(tree.func.value, "data", gast.Load())
    made = [assign(data, read)]
    if not owner.format:
        convert = gast.Attribute(tree.func.value, "asformat", gast.Load())
        made = [assign(rows, gast.Call(convert, [const("csr")], []))]
        made.append(assign(data, gast.Attribute(name(rows), "data", gast.Load())))
    function = gast.Attribute(name(specializer.external(np)), "sum", gast.Load())
    return [*made, assign(to, gast.Call(function, [name(data)], []))]


def _of_rows(specializer: Specializer, tree: Expr, to: str) -> list[Stmt]:
    """Call a method of an array that is kept by rows instead, where no place has two entries."""
    rows = specializer.names.fresh("v")
    convert = gast.Attribute(tree.func.value, "asformat", gast.Load())
    method = gast.Attribute(name(rows), tree.func.attr, gast.Load())
    return [
        assign(rows, gast.Call(convert, [const("csr")], [])),
        assign(to, gast.Call(method, tree.args, tree.keywords)),
    ]


def _entry_by_entry(specializer: Specializer, tree: Expr, to: str) -> list[Stmt] | None:
    """Write a method that is 0 at 0 as the function of the entries."""
    func = tree.func
    if func.attr not in ENTRYWISE or tree.keywords or not specializer.value(func.value).varied:
        return None
    function = gast.Attribute(name(specializer.external(np)), func.attr, gast.Load())
    return _of_each_entry(specializer, function, func.value, tree.args, to)


def function_of_entries(
    specializer: Specializer, tree: Expr, found: Any, to: str | None
) -> list[Stmt] | None:
    """Write `abs(a)` and `np.sin(a)` of a sparse array as those of the entries; None for another call."""
    if to is None or not is_entrywise(found) or tree.keywords or len(tree.args) != 1:
        return None
    [owner] = tree.args
    if not isinstance(specializer.kind(owner), Sparse) or not specializer.value(owner).varied:
        return None
    return _of_each_entry(specializer, tree.func, owner, [], to)


def _of_each_entry(
    specializer: Specializer, function: Expr, owner: Expr, args: list[Expr], to: str
) -> list[Stmt]:
    data, made = specializer.names.fresh("v"), specializer.names.fresh("v")
    entries = gast.Attribute(owner, "data", gast.Load())
    with_each = name(specializer.external(runtime.with_each_entry))
    return [
        assign(data, entries),
        assign(made, gast.Call(function, [name(data), *args], [])),
        assign(to, gast.Call(with_each, [owner, name(made)], [])),
    ]
