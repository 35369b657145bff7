"""NumPy's other ways to say what operators, stores and reductions say, spelled out in those.

A call that stores into an array is written as the store; a method of a ufunc as the function that does
the same; `np.r_[...]` as the function that joins.

    np.put(a, i, v)               ->   k = flat_index(a, i); a[k] = v
    y = np.add.reduce(x)          ->   y = np.sum(x, axis=0)
    y = np.multiply.outer(u, v)   ->   w = np.expand_dims(u, -1); y = np.multiply(w, v)
    y = np.r_[u, v]               ->   w = [u, v]; y = np.hstack(w)
    y = np.sign(z)                ->   y = complex_sign(z), which has a derivative
"""

from __future__ import annotations

import inspect
from typing import Any

import gast
import numpy as np

from tapeless.analysis.interpret.joined_by_brackets import array_of_listed, part_joined
from tapeless.kinds import UNKNOWN, Array, Dim, Integer, Real, is_listed, may_be_complex
from tapeless.ranks import dims_of, dtype_of, literal, rank, same_dims
from tapeless.rules.piecewise_constant import OF_COMPLEX
from tapeless.runtime import (
    along_axis,
    diagonal_places,
    extended,
    flat_index,
    horner,
    points_around,
    uneven_gradient,
)
from tapeless.specialize.state import Specializer
from tapeless.tree.build import assign, const, name, quote, quote_expression
from tapeless.tree.classes import ATOMS, DISPLAYS
from tapeless.tree.trees import Expr

_REDUCTIONS: dict[Any, Any] = {
    np.add: np.sum,
    np.multiply: np.prod,
    np.maximum: np.max,
    np.minimum: np.min,
}
_RUNNING: dict[Any, Any] = {np.add: np.cumsum, np.multiply: np.cumprod}


def plain_array_call(
    specializer: Specializer, tree: Expr, found: Any, to: str | None
) -> list[Any] | None:
    """Write a call of NumPy's in the plain form of the same; None where it stands as it is."""
    ufunc = getattr(found, "__self__", None)
    if isinstance(ufunc, np.ufunc) and to is not None:
        return _ufunc_method(specializer, tree, ufunc, found.__name__, to)
    if isinstance(found, np.ufunc) and {"where", "out"} <= {k.arg for k in tree.keywords}:
        return _where_chosen(specializer, tree, found, to)
    if found is np.gradient and to is not None:
        return _gradient_by_axis(specializer, tree, to)
    if found is np.interp and to is not None:
        return _interpolated_around(specializer, tree, to)
    if found is np.diff and to is not None:
        return _difference_of_extended(specializer, tree, to)
    if found is np.polyval and to is not None:
        return _value_by_horner(specializer, tree, to)
    of_complex = next((g for f, g in OF_COMPLEX.items() if f is found), None)
    if of_complex is not None and to is not None and len(tree.args) == 1 and not tree.keywords:
        return _of_complex(specializer, tree, of_complex, to)
    write = next((write for store, write in _STORES if store is found and to is None), None)
    given = {k.arg: k.value for k in tree.keywords}
    if write is None or None in given:
        return None
    try:
        bound = inspect.signature(write).bind(specializer, *tree.args, **given)
    except TypeError:
        return None
    if not isinstance(specializer.kind(bound.args[1]), Array):
        return None
    made: list[Any] | None = write(*bound.args, **bound.kwargs)
    return made


def _of_complex(specializer: Specializer, tree: Expr, function: Any, to: str) -> list[Any] | None:
    """Write a function that is constant for real arguments as the one that follows complex ones."""
    kind = specializer.kind(tree.args[0])
    if kind == UNKNOWN or not may_be_complex(kind):
        return None
    return [assign(to, gast.Call(name(specializer.external(function)), list(tree.args), []))]


def joined_display(specializer: Specializer, tree: Expr, to: str) -> list[Any] | None:
    """Write `np.r_[u, v]` and `np.c_[u, v]` as the joining of a list."""
    found = specializer.function.resolve(tree.value)
    if found is not np.r_ and found is not np.c_:
        return None
    made: list[Any] = []
    given = tree.slice.elts if type(tree.slice) is gast.Tuple else [tree.slice]
    if any(type(part) is gast.Starred for part in given):
        return None
    env = dict(specializer.env or {})
    kinds = [part_joined(specializer.interpreter, part, env).kind for part in given]
    ranks = {rank(kind) for kind in kinds}
    codes = {dtype_of(kind) for kind in kinds if isinstance(kind, Array)}
    given = [_as_array(specializer, part, made) for part in given]
    if any(part is None for part in given):
        return None
    function = None
    if found is np.c_ and ranks <= {1, 2}:
        function = "column_stack"
    elif found is np.r_ and (ranks == {1} or (ranks == {0, 1} and codes <= {"f8", "c16", "i"})):
        function = "hstack"
    elif found is np.r_ and len(ranks) == 1 and not ranks & {0, None}:
        function = "concatenate"
    if function is None:
        return None
    parts = [_atom(specializer, part, made) for part in given]
    key = specializer.names.fresh("v")
    joined = gast.Attribute(name(specializer.external(np)), function, gast.Load())
    display = assign(key, gast.List(parts, gast.Load()))
    return [*made, display, assign(to, gast.Call(joined, [name(key)], []))]


def _as_array(specializer: Specializer, part: Expr, made: list[Any]) -> Any:
    """Return an item of an index: a slice or a list of numbers as the array that it stands for."""
    numpy = specializer.external(np)
    if type(part) is gast.Slice:
        ends = [part.lower or const(0), part.upper]
        if part.upper is None or not all(map(_is_plain, [*ends, part.step or const(1)])):
            return None
        step = part.step
        if isinstance(getattr(step, "value", None), complex):
            count = const(int(abs(step.value)))
            call = gast.Attribute(name(numpy), "linspace", gast.Load())
            return _named(specializer, "v", gast.Call(call, [*ends, count], []), made)
        call = gast.Attribute(name(numpy), "arange", gast.Load())
        return _named(
            specializer, "v", gast.Call(call, [*ends, *([step] if step else [])], []), made
        )
    if type(part) is gast.Constant and isinstance(part.value, str):
        return None
    if is_listed(specializer.value(part).kind):
        call = gast.Attribute(name(numpy), "array", gast.Load())
        return _named(specializer, "v", gast.Call(call, [_atom(specializer, part, made)], []), made)
    return part


def _is_plain(tree: Expr) -> bool:
    """Whether an end of a slice may be an argument of a call: a name or a number."""
    if type(tree) is gast.UnaryOp:
        return type(tree.operand) is gast.Constant
    return type(tree) in ATOMS


def _atom(specializer: Specializer, tree: Expr, made: list[Any]) -> Any:
    """Return an item of an index, which may be an expression, a name."""
    if type(tree) in ATOMS:
        return tree
    if type(tree) is gast.BinOp:
        left = _atom(specializer, tree.left, made)
        tree = gast.BinOp(left, tree.op, _atom(specializer, tree.right, made))
    elif type(tree) is gast.UnaryOp:
        tree = gast.UnaryOp(tree.op, _atom(specializer, tree.operand, made))
    elif type(tree) in DISPLAYS:
        items = [_atom(specializer, item, made) for item in tree.elts]
        tree = type(tree)(items, gast.Load())
    return _named(specializer, "v", tree, made)


def _ufunc_method(
    specializer: Specializer, tree: Expr, ufunc: Any, method: str, to: str
) -> list[Any] | None:
    tables = {"reduce": _REDUCTIONS, "accumulate": _RUNNING}
    function = tables.get(method, {}).get(ufunc)
    if function is not None:
        return _along_axis(specializer, tree, function, to)
    keywords = {k.arg: k.value for k in tree.keywords}
    if method != "outer" or len(tree.args) != 2 or keywords:
        return None
    if any(is_listed(specializer.kind(arg)) for arg in tree.args):
        made: list[Any] = []
        arrays = [_array_of_listed(specializer, arg, made) for arg in tree.args]
        return [*made, assign(to, gast.Call(tree.func, arrays, []))]
    dims = dims_of(specializer.kind(tree.args[1]))
    if dims is None or dims_of(specializer.kind(tree.args[0])) is None:
        return None
    call = _numpy(specializer, ufunc)
    if not dims:
        return [assign(to, gast.Call(call, tree.args, []))]
    key = specializer.names.fresh("v")
    axes: Any = gast.Tuple([const(i) for i in range(-len(dims), 0)], gast.Load())
    if len(dims) == 1:
        axes = const(-1)
    lifted = gast.Call(_numpy(specializer, np.expand_dims), [tree.args[0], axes], [])
    return [assign(key, lifted), assign(to, gast.Call(call, [name(key), tree.args[1]], []))]


def _array_of_listed(specializer: Specializer, arg: Expr, made: list[Any]) -> Any:
    """Return a name of the array that is made of a list; anything else as it is."""
    if not is_listed(specializer.kind(arg)):
        return arg
    return _named(specializer, "v", gast.Call(_numpy(specializer, np.asarray), [arg], []), made)


def _where_chosen(
    specializer: Specializer, tree: Expr, ufunc: Any, to: str | None
) -> list[Any] | None:
    """Write `np.f(x, out=z, where=w)` as `z[w] = np.f(x[w])`."""
    given = {k.arg: k.value for k in tree.keywords}
    out, where = given["out"], given["where"]
    dims = dims_of(specializer.kind(out)) if type(out) is gast.Name else None
    chosen = dims_of(specializer.kind(where))
    if not dims or chosen is None or set(given) != {"out", "where"}:
        return None
    made: list[Any] = []
    if type(where) is not gast.Name or not same_dims(chosen, dims):
        numpy = specializer.external(np)
        spread = quote_expression("np.broadcast_to(w, np.shape(z))", np=numpy, w=where, z=out)
        where = _named(specializer, "where", spread, made)
    args = []
    for arg in tree.args:
        rank = dims_of(specializer.kind(arg))
        if rank is None or ufunc.nout != 1:
            return None
        if len(rank) == len(dims) and rank == dims:
            arg = _named(specializer, "v", quote_expression("x[w]", x=arg, w=where), made)
        elif rank:
            numpy = specializer.external(np)
            spread = quote_expression("np.broadcast_to(x, np.shape(z))", np=numpy, x=arg, z=out)
            whole = _named(specializer, "v", spread, made)
            arg = _named(specializer, "v", quote_expression("x[w]", x=whole, w=where), made)
        args.append(arg)
    value = _named(specializer, "v", gast.Call(_numpy(specializer, ufunc), args, []), made)
    made += quote("z[w] = v", z=out, w=where, v=value)
    return made if to is None else [*made, assign(to, out)]


def _gradient_by_axis(specializer: Specializer, tree: Expr, to: str) -> list[Any] | None:
    """Write `np.gradient(f, x, h)` axis by axis; where distances may differ as the function that has them."""
    given = {k.arg: k.value for k in tree.keywords}
    f, *places = tree.args
    dims, ranks = dims_of(specializer.kind(f)), [_dims_as_array(specializer, x) for x in places]
    asked = literal(specializer.kind(given["axis"])) if "axis" in given else None
    if not dims or None in ranks or asked is ...:
        return None
    axes = asked if isinstance(asked, tuple) else range(len(dims)) if asked is None else (asked,)
    if len(places) == 1 and not ranks[0]:
        places, ranks = places * len(axes), ranks * len(axes)
    simple = len(axes) == 1 and not isinstance(asked, tuple) and not any(ranks)
    if len(places) not in (0, len(axes)) or simple:
        return None
    made: list[Any] = []
    places = [_asarray_if_listed(specializer, x, made) for x in places]
    order = given.get("edge_order", const(1))
    parts = []
    for i, axis in enumerate(axes):
        spacing = places[i : i + 1]
        if any(ranks[i : i + 1]):
            uneven = name(specializer.external(uneven_gradient))
            call = gast.Call(uneven, [f, *spacing, const(axis), order], [])
        else:
            keywords = [gast.keyword("axis", const(axis))]
            keywords += [k for k in tree.keywords if k.arg == "edge_order"]
            call = gast.Call(_numpy(specializer, np.gradient), [f, *spacing], keywords)
        parts.append(_named(specializer, "v", call, made))
    whole = parts[0] if len(axes) == 1 else gast.Tuple(parts, gast.Load())
    return [*made, assign(to, whole)]


def _dims_as_array(specializer: Specializer, tree: Expr) -> tuple[Dim, ...] | None:
    """Return the dimensions of an array, or of the one that NumPy makes of a list of numbers."""
    kind = specializer.kind(tree)
    made = array_of_listed(specializer.interpreter, kind, specializer.interpreter.point(tree))
    return dims_of(kind if made is None else made)


def _asarray_if_listed(specializer: Specializer, tree: Expr, made: list[Any]) -> Any:
    """Return an operand, or the array of a list or tuple, which gets a name."""
    if not is_listed(specializer.kind(tree)):
        return tree
    return _named(specializer, "x", gast.Call(_numpy(specializer, np.asarray), [tree], []), made)


def _value_by_horner(specializer: Specializer, tree: Expr, to: str) -> list[Any] | None:
    """Write `np.polyval(p, x)` as a loop where the coefficients are arrays, each of one power."""
    given = {k.arg: k.value for k in tree.keywords}
    arguments = [*tree.args, *(given[key] for key in ("p", "x") if key in given)]
    if len(arguments) != 2:
        return None
    if len(_dims_as_array(specializer, arguments[0]) or ()) < 2:
        return None
    before: list[Any] = []
    arguments[1] = _asarray_if_listed(specializer, arguments[1], before)
    return [*before, assign(to, gast.Call(name(specializer.external(horner)), arguments, []))]


def _difference_of_extended(specializer: Specializer, tree: Expr, to: str) -> list[Any] | None:
    """Write `np.diff(x, prepend=p)` as the difference of what is joined."""
    given = {k.arg: k.value for k in tree.keywords}
    if not set(given) & {"prepend", "append"} or not tree.args:
        return None
    n = tree.args[1] if len(tree.args) > 1 else given.get("n", const(1))
    axis = tree.args[2] if len(tree.args) > 2 else given.get("axis", const(-1))
    ends = [given.get(key, const(None)) for key in ("prepend", "append")]
    made: list[Any] = []
    joined = gast.Call(name(specializer.external(extended)), [tree.args[0], *ends, axis], [])
    whole = _named(specializer, "v", joined, made)
    keywords = [gast.keyword("n", n), gast.keyword("axis", axis)]
    return [*made, assign(to, gast.Call(_numpy(specializer, np.diff), [whole], keywords))]


def _interpolated_around(specializer: Specializer, tree: Expr, to: str) -> list[Any] | None:
    """Write `np.interp` of what is periodic as that between points which go around, once."""
    given = dict(zip(("x", "xp", "fp", "left", "right", "period"), tree.args, strict=False))
    given |= {k.arg: k.value for k in tree.keywords}
    period = given.get("period", const(None))
    if isinstance(period, gast.Constant) and period.value is None:
        return None
    made: list[Any] = []
    around = gast.Call(
        name(specializer.external(points_around)), [given["xp"], given["fp"], period], []
    )
    points = _named(specializer, "v", around, made)
    folded = gast.Call(_numpy(specializer, np.mod), [given["x"], period], [])
    inside = _named(specializer, "v", folded, made)
    parts = [
        _named(specializer, "v", gast.Subscript(points, const(i), gast.Load()), made)
        for i in (0, 1)
    ]
    return [*made, assign(to, gast.Call(_numpy(specializer, np.interp), [inside, *parts], []))]


def _along_axis(specializer: Specializer, tree: Expr, function: Any, to: str) -> list[Any] | None:
    """Write a reduction by a ufunc as the function of the same, whose axis is another by default."""
    names = ["axis", "dtype", "out", "keepdims", "initial", "where"]
    given = dict(zip(names, tree.args[1:], strict=False))
    given |= {k.arg: k.value for k in tree.keywords}
    if not tree.args or not set(given) <= set(names):
        return None
    accepted = inspect.signature(function).parameters
    for key, value in list(given.items()):
        if type(value) is gast.Constant and value.value is None and key in ("dtype", "out"):
            del given[key]
    if "out" in given or not set(given) <= set(accepted):
        return None
    keywords = [gast.keyword(key, value) for key, value in ({"axis": const(0)} | given).items()]
    return [assign(to, gast.Call(_numpy(specializer, function), [tree.args[0]], keywords))]


def _numpy(specializer: Specializer, function: Any) -> Any:
    return gast.Attribute(name(specializer.external(np)), function.__name__, gast.Load())


def _values(specializer: Specializer, values: Expr, count: Expr, made: list[Any]) -> Any:
    """Return values as they are if they are one number, else repeated to a number of entries."""
    if isinstance(specializer.kind(values), (Real, Integer)):
        return values
    key = specializer.names.fresh("v")
    call = quote_expression("np.resize(v, n)", np=specializer.external(np), v=values, n=count)
    made.append(assign(key, call))
    return name(key)


def _named(specializer: Specializer, wish: str, value: Expr, made: list[Any]) -> Any:
    key = specializer.names.fresh(wish)
    made.append(assign(key, value))
    return name(key)


def _put(
    specializer: Specializer, a: Expr, ind: Expr, v: Expr, mode: Expr = None
) -> list[Any] | None:
    if mode is not None and getattr(mode, "value", None) != "raise":
        return None
    made: list[Any] = []
    numpy = specializer.external(np)
    shape = _named(specializer, "shape", quote_expression("np.shape(i)", np=numpy, i=ind), made)
    found = quote_expression("f(a, i)", f=specializer.external(flat_index), a=a, i=ind)
    place = _named(specializer, "places", found, made)
    value = _values(specializer, v, shape, made)
    return [*made, *quote("a[k] = v", a=a, k=place, v=value)]


def _place(specializer: Specializer, arr: Expr, mask: Expr, vals: Expr) -> list[Any] | None:
    made: list[Any] = []
    counted = quote_expression("np.count_nonzero(m)", np=specializer.external(np), m=mask)
    count = _named(specializer, "count", counted, made)
    value = _values(specializer, vals, count, made)
    return [*made, *quote("a[m] = v", a=arr, m=mask, v=value)]


def _putmask(specializer: Specializer, a: Expr, mask: Expr, values: Expr) -> list[Any] | None:
    made: list[Any] = []
    shaped = quote_expression("np.shape(a)", np=specializer.external(np), a=a)
    value = _values(specializer, values, _named(specializer, "shape", shaped, made), made)
    if not isinstance(specializer.kind(values), (Real, Integer)):
        value = _named(specializer, "v", quote_expression("v[m]", v=value, m=mask), made)
    return [*made, *quote("a[m] = v", a=a, m=mask, v=value)]


def _rank(specializer: Specializer, array: Expr) -> int:
    """Return how many dimensions an array has."""
    return len(dims_of(specializer.kind(array)) or ())


def _fill_diagonal(
    specializer: Specializer, a: Expr, val: Expr, wrap: Expr = None
) -> list[Any] | None:
    rank = _rank(specializer, a)
    if getattr(wrap, "value", None):
        return None
    made: list[Any] = []
    found = quote_expression("f(a)", f=specializer.external(diagonal_places), a=a)
    k = _named(specializer, "k", found, made)
    shaped = quote_expression("np.shape(k)", np=specializer.external(np), k=k)
    value = _values(specializer, val, _named(specializer, "shape", shaped, made), made)
    index = gast.Tuple([name(k.id) for _ in range(rank)], gast.Load())
    return [*made, *quote("a[k] = v", a=a, k=index, v=value)]


def _put_along_axis(
    specializer: Specializer, arr: Expr, indices: Expr, values: Expr, axis: Expr
) -> list[Any] | None:
    if getattr(axis, "value", 0) is None:
        return None
    made: list[Any] = []
    numbers = [
        _named(
            specializer,
            "places",
            quote_expression("f(i, axis, d)", f=specializer.external(along_axis), i=indices, axis=axis,
                             d=const(d)),
            made,
        )
        for d in range(_rank(specializer, arr))
    ]  # fmt: skip
    index = gast.Tuple(numbers, gast.Load())
    return [*made, *quote("a[k] = v", a=arr, k=index, v=values)]


_STORES: tuple[tuple[Any, Any], ...] = (
    (np.put, _put),
    (np.place, _place),
    (np.putmask, _putmask),
    (np.fill_diagonal, _fill_diagonal),
    (np.put_along_axis, _put_along_axis),
)
