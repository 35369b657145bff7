"""Calls, each on atoms: what they consume lazily is written out before them.

A generator, a `zip` or an iterator that a call consumes at once becomes a list that is made before it. What
a function of NumPy writes into an array that it is given, by `out` or its like, becomes a store.
"""

from __future__ import annotations

from typing import Any

import gast
import numpy as np

import tapeless.runtime
from tapeless.externals import MISSING, is_one_of
from tapeless.normalize.array_displays import einsum_by_text, is_number, pieces_of
from tapeless.normalize.expand_comprehensions import (
    as_comprehension,
    as_copy,
    consumes,
    is_reduction,
    searched,
)
from tapeless.normalize.operations import Operations
from tapeless.tree.build import at_line_of, const, name, unshared
from tapeless.tree.classes import DISPLAYS
from tapeless.tree.trees import Expr, Tree


class Calls(Operations):
    """Brings calls to the core language."""

    def is_zip_of_rows(self, tree: Tree) -> bool:
        """Whether an expression is `zip(*rows)`."""
        zips = type(tree) is gast.Call and self.function.resolve(tree.func) is zip
        return zips and len(tree.args) == 1 and type(tree.args[0]) is gast.Starred

    def zipped(self, tree: Tree) -> Any:
        """Write `zip(*rows)` as a function of the rows, whose number the text does not tell."""
        return gast.Call(self.helper(tapeless.runtime.zipped), [tree.args[0].value], [])

    def written_into(self, tree: Tree) -> Any:
        """Write `np.f(x, out=y)` and `np.copyto(y, x)` as stores; return the array stored into."""
        found = self.function.resolve(tree.func)
        given = {k.arg: k.value for k in tree.keywords}
        if found is np.copyto and len(tree.args) == 2 and set(given) <= {"where"}:
            to, value = self.atom(tree.args[0]), self.atom(tree.args[1])
            if "where" in given:
                chosen = gast.Attribute(tree.func.value, "where", gast.Load())
                value = self.atom(gast.Call(chosen, [given["where"], value, to], []))
            self.made.append(gast.Assign([_whole(to)], value, None))
            return const(None)
        if found is np.nan_to_num and len(tree.args) == 1 and "copy" in given:
            return self.repaired(tree)
        args, out = tree.args, given.pop("out", None)
        if isinstance(found, np.ufunc) and len(args) == found.nin + 1:
            args, out = args[:-1], args[-1]
        if type(out) is gast.Tuple and len(out.elts) == 1:
            out = out.elts[0]
        nothing = out is None or isinstance(out, gast.Constant | gast.Tuple)
        numpy = str(getattr(found, "__module__", "numpy")).startswith("numpy")
        if nothing or "where" in given or found is MISSING or not numpy:
            return None
        keywords = [k for k in tree.keywords if k.arg != "out"]
        to = self.atom(out)
        value = self.atom(gast.Call(tree.func, args, keywords))
        self.made.append(gast.Assign([_whole(to)], value, None))
        return to

    def displayed(self, tree: Tree) -> Any:
        """Write out `np.einsum` and `np.piecewise` where their arguments are lists that are written out."""
        found = self.function.resolve(tree.func)
        if found is np.einsum:
            return einsum_by_text(tree) or tree
        dotted = type(tree.func) is gast.Attribute
        pieces = pieces_of(tree) if found is np.piecewise and dotted else None
        if pieces is None:
            return tree
        conditions, functions = pieces
        x = self.atom(tree.args[0])
        chosen = [self.atom(condition) for condition in conditions]
        if len(functions) > len(chosen):
            chosen.append(self.atom(self.none_of(tree, chosen)))
        values = [f if is_number(f) else self.atom(f) for f in functions]
        others = [self.atom(other) for other in tree.args[3:]]
        y = self.atom(gast.Call(_beside(tree.func, "zeros_like"), [x], []))
        for condition, value in zip(chosen, values, strict=True):
            if not is_number(value):
                part = gast.Subscript(unshared(x), unshared(condition), gast.Load())
                value = gast.Call(value, [self.atom(part), *map(unshared, others)], [])
            place = gast.Subscript(unshared(y), unshared(condition), gast.Store())
            self.made.append(gast.Assign([place], self.atom(value), None))
        return y

    def none_of(self, tree: Tree, conditions: list[Any]) -> Any:
        """Write the condition that none of some holds."""
        union = unshared(conditions[0])
        for condition in conditions[1:]:
            pair = [union, unshared(condition)]
            union = self.atom(gast.Call(_beside(tree.func, "logical_or"), pair, []))
        return gast.Call(_beside(tree.func, "logical_not"), [union], [])

    def repaired(self, tree: Tree) -> Any:
        """Write `np.nan_to_num(x, copy=False)` as a store; return the array stored into."""
        [copies] = [k.value for k in tree.keywords if k.arg == "copy"]
        if type(copies) is not gast.Constant or copies.value:
            return None
        to = self.atom(tree.args[0])
        keywords = [k for k in tree.keywords if k.arg != "copy"]
        value = self.atom(gast.Call(tree.func, [to], keywords))
        self.made.append(gast.Assign([_whole(to)], value, None))
        return to

    def given_lazily(self, tree: Tree, func: Tree) -> Any:
        """Write out what `extend` and its like consume at once."""
        if getattr(func, "attr", "") not in ("extend", "update", "join") or len(tree.args) != 1:
            return tree
        made = as_comprehension(tree.args[0], self.function, self.names)
        return tree if made is None else gast.Call(func, [at_line_of(made, tree)], tree.keywords)

    def op_Call(self, tree: Tree) -> Any:
        tree = self.consumed(tree)
        if type(tree) is not gast.Call:
            return tree
        written = self.written_into(tree)
        if written is not None:
            return written
        tree = self.displayed(tree)
        if type(tree) is not gast.Call:
            return tree
        func = tree.func
        if not self.is_static(func):
            if type(func) is gast.Attribute:
                func = gast.Attribute(self.receiver(func.value), func.attr, gast.Load())
            else:
                func = self.atom(func)
            tree = self.given_lazily(tree, func)
        later = [*tree.args, *(k.value for k in tree.keywords)]
        marks = self.function.resolve(func) is tapeless.runtime.unit
        args = [
            gast.Attribute(self.receiver(a.value), a.attr, gast.Load())
            if marks and i == 1 and type(a) is gast.Attribute  # a rule stays a method
            else self.steady_atom(a, later[i + 1 :])
            for i, a in enumerate(tree.args)
        ]
        keywords = [gast.keyword(k.arg, self.atom(k.value)) for k in tree.keywords]
        return gast.Call(func, args, keywords)

    def consumed(self, tree: Tree) -> Any:
        """Write out what a call consumes at once; return the call on the finished list."""
        called = self.function.resolve(tree.func)
        if called is MISSING or not tree.args:
            return tree
        for way in (self.of_arguments, self.of_generator, self.of_reduction, self.of_iterator):
            found = way(tree, called)
            if found is not None:
                return found
        return self.of_comprehension(tree, called)

    def of_arguments(self, tree: Tree, called: Any) -> Any:
        """Put what is given one by one, or as rows, into one list."""
        lazy, others = tree.args[0], tree.args[1:]
        if is_one_of(called, (max, min)) and others and tree.keywords:
            return gast.Call(tree.func, [gast.List(tree.args, gast.Load())], tree.keywords)
        if consumes(called) and self.is_zip_of_rows(lazy):
            rows = at_line_of(self.zipped(lazy), tree)
            return rows if called is list else gast.Call(tree.func, [rows, *others], tree.keywords)
        return None

    def of_generator(self, tree: Tree, called: Any) -> Any:
        """Write out a search, and what an array is made from."""
        lazy, others = tree.args[0], tree.args[1:]
        if called is np.fromiter and type(tree.func) is gast.Attribute:
            made = as_comprehension(lazy, self.function, self.names)
            keywords = {keyword.arg for keyword in tree.keywords}
            if made is not None and len(others) < 2 and keywords <= {"dtype"}:
                array = gast.Attribute(tree.func.value, "array", gast.Load())
                return gast.Call(array, [at_line_of(made, tree), *others], tree.keywords)
        if is_one_of(called, (any, all, next)) and type(lazy) is gast.GeneratorExp:
            default = others[0] if others else None
            statements, found = searched(lazy, called.__name__, default, self.names)
            self.write_out([at_line_of(s, tree) for s in statements])
            return found
        return None

    def of_reduction(self, tree: Tree, called: Any) -> Any:
        """Give `reduce` a list."""
        if not is_reduction(called) or len(tree.args) < 2:
            return None
        made = as_comprehension(tree.args[1], self.function, self.names)
        if made is None:
            return None
        args = [tree.args[0], at_line_of(made, tree), *tree.args[2:]]
        return gast.Call(tree.func, args, tree.keywords)

    def of_iterator(self, tree: Tree, called: Any) -> Any:
        """Take the next item of an iterator, or all that are left."""
        lazy, others = tree.args[0], tree.args[1:]
        if type(lazy) is not gast.Name or lazy.id not in self.iterators:
            return None
        if called is next:
            found, default = self.names.fresh("v"), others[0] if others else None
            taken = self.iterators[lazy.id].taken(found, default)
            self.write_out([at_line_of(s, tree) for s in taken])
            return name(found)
        rest = at_line_of(as_copy(lazy, self.names), tree)
        return self.consumed(gast.Call(tree.func, [rest, *others], tree.keywords))

    def of_comprehension(self, tree: Tree, called: Any) -> Any:
        """Write out the list that a call consumes; `list` and `dict` are what is written out."""
        if not consumes(called):
            return tree
        lazy, others = tree.args[0], tree.args[1:]
        pairs = called is dict and not others and not tree.keywords
        if pairs and type(lazy) is gast.ListComp and _is_pair(lazy.elt):
            made = lazy
        else:
            made = as_comprehension(lazy, self.function, self.names)
        if made is None:
            return tree
        at_line_of(made, tree)
        if pairs and _is_pair(made.elt):
            made = at_line_of(gast.DictComp(*made.elt.elts, made.generators), tree)
            return self.op_DictComp(made)
        if called is list:
            return self.op_ListComp(made)
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
