"""Calls, each on atoms: what they consume lazily is written out before them.

A generator, a `zip` or an iterator that a call consumes at once becomes a list that is made before it. What
a function of NumPy writes into an array that it is given, by `out` or its like, becomes a store.
"""

from __future__ import annotations

import itertools
from typing import Any

import gast
import numpy as np

import tapeless.runtime
from tapeless.externals import MISSING, is_one_of, package_of
from tapeless.normalize.array_displays import (
    as_tuples,
    einsum_by_text,
    is_number,
    nested_tuples,
    pieces_of,
)
from tapeless.normalize.atoms import Atoms
from tapeless.normalize.blocks_of_sparse import joined_blocks
from tapeless.normalize.expand_assignments import is_zip_of_rows
from tapeless.normalize.expand_comprehensions import (
    READ_FIRST,
    as_comprehension,
    as_copy,
    consumes,
    is_reduction,
    searched,
)
from tapeless.normalize.operations import comprehension
from tapeless.rules.declare import find_written
from tapeless.rules.traits import traits_of
from tapeless.tree.build import at_line_of, const, name, unshared
from tapeless.tree.classes import DISPLAYS
from tapeless.tree.trees import Expr, Tree


def zipped(flat: Atoms, tree: Tree) -> Any:
    """Write `zip(*rows)` as a function of the rows, whose number the text does not tell."""
    return gast.Call(flat.helper(tapeless.runtime.zipped), [tree.args[0].value], [])


def _written_into(flat: Atoms, tree: Tree) -> Any:
    """Write `np.f(x, out=y)` and `np.copyto(y, x)` as stores; return the array stored into."""
    found = flat.function.resolve(tree.func)
    given = {k.arg: k.value for k in tree.keywords}
    if found is np.copyto and len(tree.args) == 2 and set(given) <= {"where"}:
        to, value = flat.atom(tree.args[0]), flat.atom(tree.args[1])
        if "where" in given:
            chosen = gast.Attribute(tree.func.value, "where", gast.Load())
            value = flat.atom(gast.Call(chosen, [given["where"], value, to], []))
        flat.made.append(gast.Assign([_whole(to)], value, None))
        return const(None)
    if found is np.nan_to_num and len(tree.args) == 1 and "copy" in given:
        return _repaired(flat, tree)
    if _is_constant(given.get("where"), True) and "out" in given:
        del given["where"]
    args, out = tree.args, given.pop("out", None)
    if isinstance(found, np.ufunc) and len(args) == found.nin + 1:
        args, out = args[:-1], args[-1]
    if type(out) is gast.Tuple and len(out.elts) == 1:
        out = out.elts[0]
    if _is_constant(out, None) and tree.args is args:
        kept = [k for k in tree.keywords if k.arg != "out"]
        return flat.atom(gast.Call(tree.func, tree.args, kept))
    nothing = out is None or isinstance(out, (gast.Constant, gast.Tuple))
    numpy = str(getattr(found, "__module__", "numpy")).startswith("numpy")
    if nothing or "where" in given or found is MISSING or not numpy:
        return None
    keywords = [k for k in tree.keywords if k.arg in given]
    to = flat.atom(out)
    value = flat.atom(gast.Call(tree.func, args, keywords))
    flat.made.append(gast.Assign([_whole(to)], value, None))
    return to


def _sparing(flat: Atoms, tree: Tree) -> Any:
    """Leave away that a library may overwrite what it is given: it need not, and gives the same."""
    kept = [k for k in tree.keywords if not str(k.arg).startswith("overwrite_")]
    if len(kept) == len(tree.keywords):
        return tree
    found = flat.function.resolve(tree.func)
    library = found is not MISSING and package_of(found) in ("numpy", "scipy")
    return gast.Call(tree.func, tree.args, kept) if library else tree


def _is_constant(tree: Tree, value: Any) -> bool:
    return isinstance(tree, gast.Constant) and tree.value is value


def _displayed(flat: Atoms, tree: Tree) -> Any:
    """Write out `np.einsum` and `np.piecewise` where their arguments are lists that are written out."""
    found = flat.function.resolve(tree.func)
    if found is np.einsum:
        return einsum_by_text(tree) or tree
    if is_one_of(found, (np.array, np.asarray)) and len(tree.args) == 1 and not tree.keywords:
        return gast.Call(tree.func, [as_tuples(tree.args[0])], [])
    if found is not MISSING and find_written(found) and traits_of(found).takes_sequences:
        return gast.Call(tree.func, [nested_tuples(arg) for arg in tree.args], tree.keywords)
    blocks = joined_blocks(flat, tree, found)
    if blocks is not None:
        return blocks
    dotted = type(tree.func) is gast.Attribute
    pieces = pieces_of(tree) if found is np.piecewise and dotted else None
    if pieces is None:
        return tree
    conditions, functions = pieces
    x = flat.atom(tree.args[0])
    chosen = [flat.atom(condition) for condition in conditions]
    if len(functions) > len(chosen):
        chosen.append(flat.atom(_none_of(flat, tree, chosen)))
    values = [f if is_number(f) else flat.atom(f) for f in functions]
    others = [flat.atom(other) for other in tree.args[3:]]
    y = flat.atom(gast.Call(_beside(tree.func, "zeros_like"), [x], []))
    for condition, value in zip(chosen, values, strict=True):
        if not is_number(value):
            part = gast.Subscript(unshared(x), unshared(condition), gast.Load())
            value = gast.Call(value, [flat.atom(part), *map(unshared, others)], [])
        place = gast.Subscript(unshared(y), unshared(condition), gast.Store())
        flat.made.append(gast.Assign([place], flat.atom(value), None))
    return y


def _none_of(flat: Atoms, tree: Tree, conditions: list[Any]) -> Any:
    """Write the condition that none of some holds."""
    union = unshared(conditions[0])
    for condition in conditions[1:]:
        pair = [union, unshared(condition)]
        union = flat.atom(gast.Call(_beside(tree.func, "logical_or"), pair, []))
    return gast.Call(_beside(tree.func, "logical_not"), [union], [])


def _repaired(flat: Atoms, tree: Tree) -> Any:
    """Write `np.nan_to_num(x, copy=False)` as a store; return the array stored into."""
    [copies] = [k.value for k in tree.keywords if k.arg == "copy"]
    if type(copies) is not gast.Constant or copies.value:
        return None
    to = flat.atom(tree.args[0])
    keywords = [k for k in tree.keywords if k.arg != "copy"]
    value = flat.atom(gast.Call(tree.func, [to], keywords))
    flat.made.append(gast.Assign([_whole(to)], value, None))
    return to


def _given_lazily(flat: Atoms, tree: Tree, func: Tree) -> Any:
    """Write out what `extend` and its like consume at once."""
    if getattr(func, "attr", "") not in ("extend", "update", "join") or len(tree.args) != 1:
        return tree
    made = as_comprehension(tree.args[0], flat.function, flat.names)
    return tree if made is None else gast.Call(func, [at_line_of(made, tree)], tree.keywords)


def call_on_atoms(flat: Atoms, tree: Tree) -> Any:
    """Write out what a call consumes and stores; return it on atoms, or what stands for it."""
    tree = _consumed(flat, _one_by_one(tree))
    if type(tree) is not gast.Call:
        return tree
    tree = _sparing(flat, tree)
    written = _written_into(flat, tree)
    if written is not None:
        return written
    tree = _displayed(flat, tree)
    if type(tree) is not gast.Call:
        return tree
    func = tree.func
    if not flat.is_static(func):
        if type(func) is gast.Attribute:
            func = gast.Attribute(flat.receiver(func.value), func.attr, gast.Load())
        else:
            func = flat.atom(func)
        tree = _given_lazily(flat, tree, func)
    later = [*tree.args, *(k.value for k in tree.keywords)]
    marks = flat.function.resolve(func) is tapeless.runtime.unit
    args = [
        gast.Attribute(flat.receiver(a.value), a.attr, gast.Load())
        if marks and i == 1 and type(a) is gast.Attribute  # a rule stays a method
        else flat.steady_atom(a, later[i + 1 :])
        for i, a in enumerate(tree.args)
    ]
    keywords = [gast.keyword(k.arg, flat.atom(k.value)) for k in tree.keywords]
    return gast.Call(func, args, keywords)


def _one_by_one(tree: Any) -> Any:
    """Pass the items of a display that is starred one by one: `f(*[a, b], c)` is `f(a, b, c)`."""
    if not any(type(part) is gast.Starred and type(part.value) in DISPLAYS for part in tree.args):
        return tree
    args: list[Any] = []
    for part in tree.args:
        is_display = type(part) is gast.Starred and type(part.value) in DISPLAYS
        args += part.value.elts if is_display else [part]
    return _one_by_one(gast.Call(tree.func, args, tree.keywords))


def _consumed(flat: Atoms, tree: Tree) -> Any:
    """Write out what a call consumes at once; return the call on the finished list."""
    called = flat.function.resolve(tree.func)
    if _is_class_of_value(flat, tree.func) and len(tree.args) == 1:
        return _of_class_of_value(tree)
    if called is MISSING or not tree.args:
        return tree
    for way in (_of_arguments, _of_generator, _of_reduction, _of_iterator, _of_pools):
        found = way(flat, tree, called)
        if found is not None:
            return found
    return _of_comprehension(flat, tree, called)


def _is_class_of_value(flat: Atoms, func: Any) -> bool:
    """Whether a function is written as `type(x)`."""
    return type(func) is gast.Call and flat.function.resolve(func.func) is type


def _of_class_of_value(tree: Any) -> Any:
    """Hand `type(x)` a list: it makes a list or tuple like `x`, which takes all at once."""
    lazy = tree.args[0]
    if type(lazy) is not gast.GeneratorExp or tree.keywords:
        return tree
    return gast.Call(tree.func, [at_line_of(gast.ListComp(lazy.elt, lazy.generators), lazy)], [])


def _of_arguments(flat: Atoms, tree: Tree, called: Any) -> Any:
    """Put what is given one by one, or as rows, into one list."""
    lazy, others = tree.args[0], tree.args[1:]
    if is_one_of(called, (max, min)) and others and tree.keywords:
        return gast.Call(tree.func, [gast.List(tree.args, gast.Load())], tree.keywords)
    if consumes(called) and is_zip_of_rows(flat.function, lazy):
        rows = at_line_of(zipped(flat, lazy), tree)
        return rows if called is list else gast.Call(tree.func, [rows, *others], tree.keywords)
    return None


def _of_generator(flat: Atoms, tree: Tree, called: Any) -> Any:
    """Write out a search, and what an array is made from."""
    lazy, others = tree.args[0], tree.args[1:]
    if called is np.fromiter and type(tree.func) is gast.Attribute:
        made = as_comprehension(lazy, flat.function, flat.names)
        keywords = {keyword.arg for keyword in tree.keywords}
        if made is not None and len(others) < 2 and keywords <= {"dtype"}:
            array = gast.Attribute(tree.func.value, "array", gast.Load())
            return gast.Call(array, [at_line_of(made, tree), *others], tree.keywords)
    if called is next and type(lazy) is gast.Call:
        made = as_comprehension(lazy, flat.function, flat.names)
        lazy = lazy if made is None else gast.GeneratorExp(made.elt, made.generators)
    if is_one_of(called, (any, all, next)) and type(lazy) is gast.GeneratorExp:
        default = others[0] if others else None
        statements, found = searched(lazy, called.__name__, default, flat.names)
        flat.write_out([at_line_of(s, tree) for s in statements])
        return found
    return None


def _of_reduction(flat: Atoms, tree: Tree, called: Any) -> Any:
    """Hand `reduce` a list, or as a tuple one that is written out: its items stay apart."""
    if not is_reduction(called) or len(tree.args) < 2:
        return None
    items = tree.args[1]
    written = type(items) is gast.List
    made = gast.Tuple(items.elts, gast.Load()) if written else None
    made = made or as_comprehension(items, flat.function, flat.names)
    if made is None:
        return None
    args = [tree.args[0], at_line_of(made, tree), *tree.args[2:]]
    return gast.Call(tree.func, args, tree.keywords)


def _of_pools(flat: Atoms, tree: Tree, called: Any) -> Any:
    """Hand lists to what reads all it goes through before it gives anything."""
    if not is_one_of(called, READ_FIRST):
        return None
    made = [as_comprehension(arg, flat.function, flat.names) for arg in tree.args]
    if not any(made):
        return tree
    args = [a if m is None else at_line_of(m, tree) for a, m in zip(tree.args, made, strict=True)]
    return gast.Call(tree.func, args, tree.keywords)


def _of_iterator(flat: Atoms, tree: Tree, called: Any) -> Any:
    """Take the next item of an iterator, or all that are left."""
    lazy, others = tree.args[0], tree.args[1:]
    if type(lazy) is not gast.Name or lazy.id not in flat.iterators:
        return None
    if called is next:
        found, default = flat.names.fresh("v"), others[0] if others else None
        taken = flat.iterators[lazy.id].taken(found, default)
        flat.write_out([at_line_of(s, tree) for s in taken])
        return name(found)
    rest = at_line_of(as_copy(lazy, flat.names), tree)
    return _consumed(flat, gast.Call(tree.func, [rest, *others], tree.keywords))


def _of_comprehension(flat: Atoms, tree: Tree, called: Any) -> Any:
    """Write out the list that a call consumes; `list` and `dict` are what is written out."""
    if not consumes(called):
        return tree
    lazy, others = tree.args[0], tree.args[1:]
    pairs = called is dict and not others and not tree.keywords
    if pairs and type(lazy) is gast.ListComp and _is_pair(lazy.elt):
        made = lazy
    else:
        made = as_comprehension(lazy, flat.function, flat.names)
    if made is None and flat.function.resolve(getattr(lazy, "func", lazy)) is itertools.chain:
        made = _of_pools(flat, lazy, itertools.product)
        return tree if made is lazy else gast.Call(tree.func, [made, *others], tree.keywords)
    if made is None:
        return tree
    at_line_of(made, tree)
    if pairs and _is_pair(made.elt):
        made = at_line_of(gast.DictComp(*made.elt.elts, made.generators), tree)
        return comprehension(flat, made)
    if called is list:
        return comprehension(flat, made)
    return gast.Call(tree.func, [made, *others], tree.keywords)


def _is_pair(tree: Expr) -> bool:
    """Whether an expression shows two values side by side."""
    if type(tree) not in DISPLAYS or len(tree.elts) != 2:
        return False
    return not any(type(item) is gast.Starred for item in tree.elts)


def _whole(owner: Expr) -> Expr:
    return gast.Subscript(owner, const(...), gast.Store())


def _beside(func: Tree, label: str) -> Any:
    """Return the function of another name in the module of a function."""
    return gast.Attribute(unshared(func.value), label, gast.Load())
