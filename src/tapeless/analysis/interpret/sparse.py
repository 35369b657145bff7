"""Sparse arrays of SciPy's: operators, methods and attributes, as the functions that they stand for.

What has no such function is refused where something varies, and nothing is known of it elsewhere.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import gast
import numpy as np

from tapeless.analysis.abstract import Value, literal_kind
from tapeless.analysis.facts import Environment
from tapeless.analysis.interpret.call_sites import Argument, CallSite
from tapeless.analysis.interpret.rule_calls import call_rule
from tapeless.analysis.interpret.special_calls import has_method
from tapeless.analysis.interpret.state import Interpreter
from tapeless.analysis.interpret.user_calls import call_function
from tapeless.kinds import (
    NONE,
    SOMETHING,
    UNKNOWN,
    Array,
    Inert,
    Integer,
    Kind,
    Real,
    Size,
    Sparse,
    Tuple,
)
from tapeless.ranks import literal
from tapeless.rules.declare import find_rule
from tapeless.rules.results.sparse_solves import FACTORS
from tapeless.rules.sparse import (
    CHANGING,
    CONVERSIONS,
    ENTRYWISE,
    IN_PLACE,
    attribute_of_sparse,
    is_entrywise,
    method_giving_matrix,
    method_of_bound,
    method_of_factors,
    method_of_sparse,
    operator_of_sparse,
    product_method,
)
from tapeless.tree.build import const
from tapeless.tree.trees import Expr, Tree


def sparse_operation(
    interpreter: Interpreter, operator: str, operands: list[Value], tree: Tree
) -> Value:
    """Interpret an operator of which an operand is a sparse array."""
    kinds = [v.kind for v in operands]
    if operator == "Pow" and isinstance(kinds[0], Sparse):
        if not kinds[0].is_matrix:
            return Value(kinds[0], any(map(interpreter.is_varied, operands)))
        if literal(kinds[1]) == 2:  # the product of a matrix with itself
            operator, operands = "MatMult", operands[:1] * 2
    function = operator_of_sparse(operator, [v.kind for v in operands])
    label = " and ".join(_label_of(v.kind) for v in operands)
    return _called(interpreter, function, operands, {}, tree, f"`{operator}` of {label}")


def sparse_method(interpreter: Interpreter, owner: Value, site: CallSite) -> Value | None:
    """Interpret a method of a sparse array; None for another owner."""
    kind, method = owner.kind, site.tree.func.attr
    if not isinstance(kind, Sparse):
        return None
    given = site.given[0].kind if site.given else NONE
    of_matrix = method_giving_matrix(kind, method, given)
    if of_matrix is not None and interpreter.is_varied(owner):
        called = site.of(Argument(site.tree.func.value, owner))
        return call_function(interpreter, of_matrix, called)
    if method in CHANGING:
        interpreter.stored |= kind.regions
    converts = method in CONVERSIONS or method in ("tolil", "todok")
    if converts and not site.given:
        method, site = (
            "asformat",
            site.of(Argument(const(method[2:]), Value(literal_kind(method[2:])))),
        )
    if method in ("getrow", "getcol") and len(site.values) == 1:
        index = (site.values[0].kind, Inert("slice"))
        whole = Tuple(index if method == "getrow" else index[::-1])
        return item_of_sparse(interpreter, owner, Value(whole), site.tree)
    if method in IN_PLACE:
        return Value(NONE)
    if method in ENTRYWISE:
        return Value(kind, any(map(interpreter.is_varied, [owner, *site.given])))
    if method == "multiply" and any(has_method(v.kind, "__array__") for v in site.values):
        return Value(UNKNOWN, True)  # the array that the object gives is asked for first
    function = method_of_sparse(method)
    if function is None and len(site.arguments) == 1:
        function = product_method(kind, method, site.values[0].kind)
    operands = [owner, *site.values]
    return _called(
        interpreter, function, operands, site.keywords, site.tree, f"`.{method}` of a sparse array"
    )


def entrywise_call(interpreter: Interpreter, found: Any, site: CallSite) -> Value | None:
    """Interpret `abs(a)` and `np.sin(a)` of a sparse array, which call its methods; None for another call."""
    if not is_entrywise(found) or site.keywords or len(site.arguments) != 1:
        return None
    [x] = site.values
    if not isinstance(x.kind, Sparse):
        return None
    kind = (
        replace(x.kind, dtype="?") if x.kind.dtype[0] == "c" and found in (abs, np.abs) else x.kind
    )
    return Value(kind, interpreter.is_varied(x))


def item_of_sparse(interpreter: Interpreter, owner: Value, index: Value, tree: Tree) -> Value:
    """Interpret `a[i]`: what it takes out is known for indices of two dimensions."""
    found = _called(interpreter, method_of_sparse("__getitem__"), [owner, index], {}, tree, "")
    if interpreter.is_varied(owner) and not isinstance(found.kind, (Sparse, Array, Real)):
        interpreter.refuse(
            tree,
            "what this index takes out of a sparse array is no array of two dimensions",
            "keep both dimensions, as in A[[i]] and A[:, [j]], or multiply by a constant array that "
            "selects",
        )
    return found


def factors_method(interpreter: Interpreter, owner: Value, site: CallSite) -> Value | None:
    """Interpret the solution of a linear system by LU factors; None for another method or owner."""
    function = method_of_factors(owner.kind, site.tree.func.attr)
    if function is None:
        return None
    called = site.of(Argument(site.tree.func.value, owner))
    return call_rule(interpreter, function, find_rule(function), called)  # type: ignore[arg-type]


def bound_to_factors(interpreter: Interpreter, found: Any, site: CallSite) -> Value | None:
    """Interpret a call of what `scipy.sparse.linalg.factorized` returned outside."""
    solve = method_of_bound(found)
    if solve is None:
        return None
    owner = Argument(gast.Attribute(site.tree.func, "__self__", gast.Load()), Value(FACTORS))
    return call_rule(interpreter, solve, find_rule(solve), site.of(owner))  # type: ignore[arg-type]


def sparse_attribute(interpreter: Interpreter, owner: Value, tree: Expr) -> Value:
    """Interpret an attribute of a sparse array."""
    kind = owner.kind
    assert isinstance(kind, Sparse)
    if tree.attr == "shape":
        return Value(Tuple(tuple(map(Integer, kind.dims))))
    if tree.attr in ("nnz", "ndim", "size"):
        return Value(Integer())
    if tree.attr in ("indices", "indptr", "row", "col", "offsets"):
        return Value(
            Array((Size((interpreter.point(tree), "entries")),), "i", interpreter.fresh(tree))
        )
    if tree.attr in ("dtype", "format", "has_sorted_indices", "has_canonical_format"):
        return Value(Inert(tree.attr))
    if tree.attr == "coords":
        return Value(SOMETHING)
    function = attribute_of_sparse(tree.attr)
    return _called(interpreter, function, [owner], {}, tree, f"`.{tree.attr}` of a sparse array")


def refuse_held_twice(
    interpreter: Interpreter, place: Expr, kind: Sparse, env: Environment
) -> None:
    """Refuse to scale a sparse array in place, which makes a new one here, if another name has it, too."""
    if type(place) is not gast.Name or not interpreter.function.wrote(place.id):
        return  # the attribute of an object keeps what is made
    held = [value.kind for key, value in env.items() if key != place.id]
    held += [slot.kind for slots in interpreter.heap.values() for slot in slots.values()]
    if any(isinstance(k, Sparse) and k.regions == kind.regions for k in held if kind.regions):
        interpreter.refuse_here(
            f"the sparse array `{place.id}` is changed in place while it has another name, too",
            f"write it out, as in `{place.id} = {place.id} * s`, if that name is to keep its values",
        )


def _called(
    interpreter: Interpreter, function: Any, operands: list[Value], keywords: Any, tree: Tree,
    label: str,
) -> Value:  # fmt: skip
    """Interpret the call of the function that stands for something of sparse arrays."""
    if function is None:
        given = [*operands, *(argument.value for argument in keywords.values())]
        if any(map(interpreter.holds_varied, given)):
            way_out = _WAY_OUT_OF_SETDIAG if "`.setdiag`" in label else _WAY_OUT
            interpreter.refuse(tree, f"no gradient for {label}", way_out)
        return Value(UNKNOWN)
    site = CallSite(tree, tuple(Argument(None, value) for value in operands), keywords)
    return call_rule(interpreter, function, find_rule(function), site)  # type: ignore[arg-type]


def _label_of(kind: Kind) -> str:
    """Name a kind of operand in a message."""
    if isinstance(kind, Sparse):
        return "a sparse matrix" if kind.is_matrix else "a sparse array"
    ranks = {Array: "an array", Real: "a number", Integer: "a number"}
    return ranks.get(type(kind), "something of unknown rank")


_WAY_OUT_OF_SETDIAG = "add what changes: A = A + scipy.sparse.diags(v - A.diagonal())"
_WAY_OUT = "`@`, `*`, `+`, `.T`, `.sum`, `.multiply`, `.toarray` and `.data` have one"
